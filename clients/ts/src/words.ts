// The words of the API: what the wire's enums are called in this package. Each table is checked against the generated
// enum by the compiler, in both directions, so a status that the contract gains can't be forgotten here.
import * as pbChange from "./gen/waybill/v1/change_pb.js";
import * as pbEvent from "./gen/waybill/v1/event_pb.js";
import * as pbOrder from "./gen/waybill/v1/order_pb.js";
import * as pbStatus from "./gen/waybill/v1/status_pb.js";
import * as pbWork from "./gen/waybill/v1/work_pb.js";
import * as pbWorkService from "./gen/waybill/v1/work_service_pb.js";

/** Where an order stands. `unknown`: the server knows a status that this version of the client does not. */
export type OrderStatus =
  | "pending"
  | "confirmed"
  | "processing"
  | "shipped"
  | "in_transit"
  | "out_for_delivery"
  | "failed_delivery"
  | "returning"
  | "delivered"
  | "returned"
  | "cancelled"
  | "unknown";

/** Where a parcel stands. */
export type ShipmentStatus =
  | "processing"
  | "shipped"
  | "in_transit"
  | "out_for_delivery"
  | "failed_delivery"
  | "returning"
  | "delivered"
  | "returned"
  | "cancelled"
  | "unknown";

/** Where an order's money stands. */
export type PaymentStatus =
  | "pending"
  | "authorized"
  | "partially_paid"
  | "paid"
  | "failed"
  | "partially_refunded"
  | "refunded"
  | "disputed"
  | "voided"
  | "unknown";

/**
 * How sure a time is: `zone_assumed` came without a zone, `missing` was not said and the time of receipt stands in,
 * `future` was later than its receipt and the time of receipt counts.
 */
export type Certainty = "exact" | "zone_assumed" | "missing" | "future" | "unknown";

/** What kind of step a timeline entry is. */
export type TimelineKind =
  | "order_status"
  | "shipment_status"
  | "payment_status"
  | "checkpoint"
  | "fact"
  | "late"
  | "unknown";

/** What a reference names. */
export type ReferenceKind =
  | "order_id"
  | "order_number"
  | "consignment_id"
  | "tracking_number"
  | "fulfilment_id"
  | "payment_id"
  | "unknown";

/** Where an event stands between receipt and its end. */
export type EventState = "received" | "waiting" | "parked" | "failed" | "completed" | "unknown";

/** What a change did. */
export type Outcome =
  | "applied"
  | "unchanged"
  | "stale"
  | "illegal"
  | "ignored"
  | "conflicting"
  | "translated"
  | "abandoned"
  | "parked"
  | "unknown";

/** What a receipt found. */
export type Receipt = "accepted" | "duplicate" | "conflicting" | "unknown";

/** Who must act for an item to move on. */
export type Actor = "waybill" | "provider" | "operator" | "unknown";

/** What a reprocess should do. `confirm_done` is not for events. */
export type Resolution = "retry" | "confirm_done" | "abandon" | "unknown";

/** Whether a payment provider says that money moved, or a platform says that the order is paid. */
export type PaymentEvidence = "movement" | "assertion" | "unknown";

/** What became of one payment. */
export type PaymentState = "pending" | "authorized" | "paid" | "failed" | "voided" | "unknown";

/** How a dispute stands. */
export type DisputeState = "open" | "won" | "lost" | "unknown";

/** Reads and writes the words of one enum. */
export interface Words<Word extends string> {
  /** The word of a value. Unspecified values and those of a newer server are `unknown`. */
  read(value: number): Word | "unknown";
  /** As read, but undefined for unspecified. */
  readSet(value: number): Word | "unknown" | undefined;
  /** The value of a word. `unknown` and undefined are unspecified. */
  write(word: Word | "unknown" | undefined): number;
}

// The generated enum seen as an object: names to numbers, and numbers back to names.
type Enum = Record<string, string | number>;
type WordOf<E> = Exclude<Lowercase<keyof E & string>, "unspecified"> | "unknown";
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? unknown : never) : never;

// words<OrderStatus, typeof pbStatus.OrderStatus> compiles only where both name the same words.
function words<Word extends string, E>(values: E & Same<Word, WordOf<E>>): Words<Word> {
  const byNumber = new Map<number, string>();
  const byWord = new Map<string, number>();
  for (const [name, value] of Object.entries(values as Enum)) {
    if (typeof value !== "number" || value === 0) continue;
    byNumber.set(value, name.toLowerCase());
    byWord.set(name.toLowerCase(), value);
  }
  const read = (value: number): Word | "unknown" => (byNumber.get(value) as Word | undefined) ?? "unknown";
  return {
    read,
    readSet: (value) => (value === 0 ? undefined : read(value)),
    write(word) {
      if (word === undefined || word === "unknown") return 0;
      const value = byWord.get(word);
      if (value === undefined)
        throw new TypeError(`${JSON.stringify(word)} is not one of ${[...byWord.keys()].join(", ")}`);
      return value;
    },
  };
}

export const orderStatus = words<OrderStatus, typeof pbStatus.OrderStatus>(pbStatus.OrderStatus);
export const shipmentStatus = words<ShipmentStatus, typeof pbStatus.ShipmentStatus>(pbStatus.ShipmentStatus);
export const paymentStatus = words<PaymentStatus, typeof pbStatus.PaymentStatus>(pbStatus.PaymentStatus);
export const certainty = words<Certainty, typeof pbEvent.OccurredAtCertainty>(pbEvent.OccurredAtCertainty);
export const timelineKind = words<TimelineKind, typeof pbOrder.TimelineKind>(pbOrder.TimelineKind);
export const referenceKind = words<ReferenceKind, typeof pbEvent.ReferenceKind>(pbEvent.ReferenceKind);
export const eventState = words<EventState, typeof pbEvent.EventState>(pbEvent.EventState);
export const outcome = words<Outcome, typeof pbEvent.Outcome>(pbEvent.Outcome);
export const receipt = words<Receipt, typeof pbEvent.Receipt>(pbEvent.Receipt);
export const actor = words<Actor, typeof pbWork.Actor>(pbWork.Actor);
export const resolution = words<Resolution, typeof pbWorkService.Resolution>(pbWorkService.Resolution);
export const paymentEvidence = words<PaymentEvidence, typeof pbChange.PaymentEvidence>(pbChange.PaymentEvidence);
export const paymentState = words<PaymentState, typeof pbChange.PaymentState>(pbChange.PaymentState);
export const disputeState = words<DisputeState, typeof pbChange.DisputeState>(pbChange.DisputeState);
