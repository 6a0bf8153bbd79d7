import { type Timestamp, timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type Certainty, certainty } from "./words.js";

export function optionalDate(time: Timestamp | undefined): Date | undefined {
  return time && timestampDate(time);
}

// requiredDate is for times that the server always says: without one its answer is not what this client was made for.
export function requiredDate(time: Timestamp | undefined, field: string): Date {
  if (!time) throw new TypeError(`the answer lacks ${field}`);
  return timestampDate(time);
}

export function timestampOf(time: Date | undefined, field: string): Timestamp | undefined {
  if (!time) return undefined;
  if (Number.isNaN(time.getTime())) throw new TypeError(`${field} is not a date`);
  return timestampFromDate(time);
}

// certaintyFrom reads how sure a time is. The contract says that an unspecified certainty is exact.
export function certaintyFrom(value: number, time: Timestamp | undefined): Certainty {
  if (!time) return "missing";
  return certainty.readSet(value) ?? "exact";
}
