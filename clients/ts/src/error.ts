import { fromBinary } from "@bufbuild/protobuf";
import { BinaryReader } from "@bufbuild/protobuf/wire";
import { DurationSchema, durationMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { type FieldPath, ViolationsSchema } from "./gen/buf/validate/validate_pb.js";

/** What an error means for the caller. */
export type ErrorKind =
  /** It does not exist, or is not for this caller: the server does not say which. */
  | "not_found"
  /** The request is wrong; `fields` say where. */
  | "invalid"
  /** No key, or one that the server does not know. */
  | "unauthenticated"
  /** The key may not do this. */
  | "forbidden"
  /** Too many calls; `retryAt` says when to come back. */
  | "rate_limited"
  /** The thing's state does not allow it. */
  | "conflict"
  /** The server can't be reached or can't answer. */
  | "unavailable"
  /** No answer in time. */
  | "timeout"
  /** The caller's AbortSignal fired. */
  | "canceled"
  /** Client and server do not fit together. */
  | "outdated_client";

/** A fault in one field of a request. */
export interface FieldFault {
  /** The field as the API writes it, for example changes[0].status_changed.status. */
  path: string;
  /** The id of the broken rule, for example string.min_len. */
  rule: string;
  message: string;
}

/** What a WaybillError is made of. */
export interface ErrorParts {
  kind: ErrorKind;
  message: string;
  requestId?: string | undefined;
  retryable?: boolean | undefined;
  retryAt?: Date | undefined;
  fields?: FieldFault[] | undefined;
  cause?: unknown;
}

// The brand is the same symbol in every copy of this package.
const brand = Symbol.for("@waybill/client/WaybillError");

/** The one error that this package throws. Its texts never hold a key or a payload. */
export class WaybillError extends Error {
  override readonly name = "WaybillError";
  readonly kind: ErrorKind;
  /** Finds the call in the server's logs. Undefined where the server was not reached. */
  readonly requestId: string | undefined;
  /** True where the same call may succeed later. */
  readonly retryable: boolean;
  /** When the server wants to see the call again, where it says so. */
  readonly retryAt: Date | undefined;
  /** The faults of an invalid request. */
  readonly fields: readonly FieldFault[];

  constructor(parts: ErrorParts) {
    super(parts.message, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.kind = parts.kind;
    this.requestId = parts.requestId;
    this.retryable = parts.retryable ?? false;
    this.retryAt = parts.retryAt;
    this.fields = parts.fields ?? [];
    Object.defineProperty(this, brand, { value: true });
  }

  /** Says whether a caught value is a WaybillError, of this copy of the package or of another. */
  static is(value: unknown): value is WaybillError {
    return typeof value === "object" && value !== null && (value as Record<symbol, unknown>)[brand] === true;
  }
}

interface Verdict {
  kind: ErrorKind;
  retryable?: boolean;
  hint?: string;
}

const verdicts = new Map<Code, Verdict>([
  [Code.NotFound, { kind: "not_found" }],
  [Code.InvalidArgument, { kind: "invalid" }],
  [Code.OutOfRange, { kind: "invalid" }],
  [Code.Unauthenticated, { kind: "unauthenticated" }],
  [Code.PermissionDenied, { kind: "forbidden" }],
  [Code.ResourceExhausted, { kind: "rate_limited", retryable: true }],
  [Code.FailedPrecondition, { kind: "conflict" }],
  [Code.AlreadyExists, { kind: "conflict" }],
  [Code.Aborted, { kind: "conflict", retryable: true }],
  [Code.Unavailable, { kind: "unavailable", retryable: true }],
  [Code.DeadlineExceeded, { kind: "timeout", retryable: true }],
  [Code.Canceled, { kind: "unavailable", retryable: true }],
  [Code.Internal, { kind: "unavailable" }],
  [Code.DataLoss, { kind: "unavailable" }],
  [
    Code.Unimplemented,
    {
      kind: "outdated_client",
      hint: "the server does not know this call: check baseUrl, then the versions of client and server",
    },
  ],
]);

/** Translates what a call threw. */
export function errorFrom(thrown: unknown, signal: AbortSignal | undefined): WaybillError {
  // What our own interceptor throws comes back as the cause of a ConnectError.
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  if (WaybillError.is(cause)) return cause;
  if (signal?.aborted) return abortedBy(signal);
  const failure = ConnectError.from(thrown);
  // Unknown without a word of the server is a connection that could not be made, or that broke under way.
  const verdict = verdicts.get(failure.code) ?? { kind: "unavailable", retryable: !failure.isWireError };
  return new WaybillError({
    kind: verdict.kind,
    message: [failure.rawMessage, verdict.hint].filter(Boolean).join("; "),
    requestId: failure.metadata.get("x-request-id") ?? undefined,
    retryable: verdict.retryable,
    retryAt: verdict.retryable ? retryAtOf(failure) : undefined,
    fields: fieldsOf(failure),
    cause: thrown,
  });
}

/** The error of a call whose caller gave it up. An AbortSignal.timeout is a timeout. */
export function abortedBy(signal: AbortSignal): WaybillError {
  const reason: unknown = signal.reason;
  const late = reason instanceof Error && reason.name === "TimeoutError";
  return new WaybillError({
    kind: late ? "timeout" : "canceled",
    message: late ? "the caller's time is up" : "the caller gave the call up",
    retryable: late,
    cause: reason,
  });
}

// retryAtOf reads a Retry-After header, seconds or a date, or else the delay that the error itself carries.
function retryAtOf(failure: ConnectError): Date | undefined {
  const header = failure.metadata.get("retry-after");
  if (header === null) {
    const delayMs = delayOf(failure);
    return delayMs === undefined ? undefined : new Date(Date.now() + delayMs);
  }
  if (/^\d{1,9}$/.test(header)) return new Date(Date.now() + Number(header) * 1000);
  const at = new Date(header);
  return Number.isNaN(at.getTime()) ? undefined : at;
}

// delayOf reads google.rpc.RetryInfo, which has one field: the delay. The package carries no generated code of it.
function delayOf(failure: ConnectError): number | undefined {
  for (const detail of failure.details) {
    if (!("type" in detail) || detail.type !== "google.rpc.RetryInfo") continue;
    const reader = new BinaryReader(detail.value);
    while (reader.pos < reader.len) {
      const [field, wireType] = reader.tag();
      if (field === 1) return durationMs(fromBinary(DurationSchema, reader.bytes()));
      reader.skip(wireType, field);
    }
  }
  return undefined;
}

function fieldsOf(failure: ConnectError): FieldFault[] {
  return failure.findDetails(ViolationsSchema).flatMap((detail) =>
    detail.violations.map((violation) => ({
      path: pathOf(violation.field),
      rule: violation.ruleId,
      message: violation.message,
    })),
  );
}

function pathOf(path: FieldPath | undefined): string {
  const elements = path?.elements ?? [];
  return elements
    .map(({ fieldName, subscript }) => {
      if (subscript.case === undefined) return fieldName;
      const key = subscript.case === "stringKey" ? JSON.stringify(subscript.value) : String(subscript.value);
      return `${fieldName}[${key}]`;
    })
    .join(".");
}
