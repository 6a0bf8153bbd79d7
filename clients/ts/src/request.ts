// What callers ask for, and how it is written to the wire.
import { create } from "@bufbuild/protobuf";
import type { Change } from "./change.js";
import { changeTo } from "./change-wire.js";
import type { Reference } from "./event.js";
import { type IngestEventRequest, IngestEventRequestSchema } from "./gen/waybill/v1/ingest_service_pb.js";
import { type GetOrderStatusRequest, GetOrderStatusRequestSchema } from "./gen/waybill/v1/tracking_service_pb.js";
import {
  type ListEventsRequest,
  ListEventsRequestSchema,
  type ListPendingWorkRequest,
  ListPendingWorkRequestSchema,
  type ReprocessRequest,
  ReprocessRequestSchema,
} from "./gen/waybill/v1/work_service_pb.js";
import { timestampOf } from "./time.js";
import {
  type Certainty,
  certainty,
  type EventState,
  eventState,
  type Outcome,
  outcome,
  type Resolution,
  referenceKind,
  resolution,
} from "./words.js";

/** Names an order: by its number (a leading # is ignored), by one of its parcels, or by the secret of its link. */
export type OrderName = { orderNumber: string } | { consignmentId: string } | { trackingToken: string };

/** Which unfinished work to list. */
export interface PendingWorkQuery {
  /** Only these states. Empty: all. */
  states?: Exclude<EventState, "completed" | "unknown">[] | undefined;
  /** Only these kinds. Empty: all. */
  kinds?: string[] | undefined;
  /** At most this many. Default 100. */
  pageSize?: number | undefined;
  /** nextPageToken of the page before. */
  pageToken?: string | undefined;
}

/** Which events to list. */
export interface EventsQuery {
  /** Only those with a change of this outcome. */
  outcome?: Exclude<Outcome, "unknown"> | undefined;
  /** Only those that touched this order. */
  orderNumber?: string | undefined;
  provider?: string | undefined;
  /** Only those received at or after this time. */
  receivedAfter?: Date | undefined;
  /** Only those received before this time. */
  receivedBefore?: Date | undefined;
  /** At most this many. Default 100. */
  pageSize?: number | undefined;
  /** nextPageToken of the page before. */
  pageToken?: string | undefined;
}

/** What to reprocess, and why. */
export type Reprocess = ({ eventId: string } | { workId: string }) & {
  /** Why, for the audit log. */
  reason: string;
  /** Default retry. */
  resolution?: Exclude<Resolution, "unknown"> | undefined;
  /** The supplier's reference of what was done by hand, for confirm_done. */
  providerReference?: string | undefined;
  /** The same id gets the same answer, however often. Made where it is left out. */
  requestId?: string | undefined;
};

/** An event as its sender read it. */
export interface IngestEvent {
  /** The provider's configured name. */
  provider: string;
  /** The event's identity at its provider: one event per account, provider and id, for ever. */
  eventId: string;
  eventType?: string | undefined;
  /** The sender's id of this delivery. */
  deliveryId?: string | undefined;
  /** Left out: at receipt. */
  occurredAt?: Date | undefined;
  /** How sure occurredAt is. Default exact. */
  occurredAtCertainty?: Exclude<Certainty, "future" | "unknown"> | undefined;
  /** What the event names, strongest first. */
  references?: Reference[] | undefined;
  /** What it says. */
  changes: Change[];
  /** The bytes it came from. */
  raw?:
    | { body: Uint8Array; contentType?: string | undefined; headers?: Record<string, string> | undefined }
    | undefined;
  translatorVersion?: string | undefined;
}

export function orderRequest(account: string, name: OrderName): GetOrderStatusRequest {
  return create(GetOrderStatusRequestSchema, { account, order: orderName(name) });
}

function orderName(name: OrderName): GetOrderStatusRequest["order"] {
  if ("orderNumber" in name) return { case: "orderNumber", value: name.orderNumber };
  if ("consignmentId" in name) return { case: "consignmentId", value: name.consignmentId };
  return { case: "trackingToken", value: name.trackingToken };
}

export function pendingWorkRequest(account: string, query: PendingWorkQuery): ListPendingWorkRequest {
  return create(ListPendingWorkRequestSchema, {
    account,
    states: (query.states ?? []).map(eventState.write),
    kinds: query.kinds ?? [],
    pageSize: query.pageSize ?? 0,
    pageToken: query.pageToken ?? "",
  });
}

export function eventsRequest(account: string, query: EventsQuery): ListEventsRequest {
  const receivedAfter = timestampOf(query.receivedAfter, "receivedAfter");
  const receivedBefore = timestampOf(query.receivedBefore, "receivedBefore");
  return create(ListEventsRequestSchema, {
    account,
    outcome: outcome.write(query.outcome),
    orderNumber: query.orderNumber ?? "",
    provider: query.provider ?? "",
    ...(receivedAfter && { receivedAfter }),
    ...(receivedBefore && { receivedBefore }),
    pageSize: query.pageSize ?? 0,
    pageToken: query.pageToken ?? "",
  });
}

export function reprocessRequest(account: string, what: Reprocess, requestId: string): ReprocessRequest {
  return create(ReprocessRequestSchema, {
    account,
    target: "eventId" in what ? { case: "eventId", value: what.eventId } : { case: "workId", value: what.workId },
    reason: what.reason,
    requestId,
    resolution: resolution.write(what.resolution),
    providerReference: what.providerReference ?? "",
  });
}

export function ingestRequest(account: string, event: IngestEvent): IngestEventRequest {
  const occurredAt = timestampOf(event.occurredAt, "occurredAt");
  return create(IngestEventRequestSchema, {
    account,
    provider: event.provider,
    eventId: event.eventId,
    eventType: event.eventType ?? "",
    deliveryId: event.deliveryId ?? "",
    ...(occurredAt && { occurredAt }),
    occurredAtCertainty: certainty.write(event.occurredAtCertainty ?? (occurredAt ? "exact" : "missing")),
    references: (event.references ?? []).map(({ kind, value }) => ({ kind: referenceKind.write(kind), value })),
    changes: event.changes.map(changeTo),
    ...(event.raw && {
      raw: { body: event.raw.body, contentType: event.raw.contentType ?? "", headers: event.raw.headers ?? {} },
    }),
    translatorVersion: event.translatorVersion ?? "",
  });
}
