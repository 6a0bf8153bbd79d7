// What a recorded event is to a caller, and how it is read from the wire.
import type { Change } from "./change.js";
import { changeFrom } from "./change-wire.js";
import type * as pb from "./gen/waybill/v1/event_pb.js";
import { certaintyFrom, optionalDate, requiredDate } from "./time.js";
import {
  type Certainty,
  type EventState,
  eventState,
  type Outcome,
  outcome,
  type Receipt,
  type ReferenceKind,
  receipt,
  referenceKind,
} from "./words.js";

/** Names something that an event is about. */
export interface Reference {
  kind: ReferenceKind;
  value: string;
}

/** A recorded event. Deliveries, changes, decisions and raw are filled by getEvent only. */
export interface WaybillEvent {
  id: string;
  account: string;
  /** The provider's configured name. */
  provider: string;
  /** The event's identity at its provider. */
  eventId: string;
  eventType: string;
  occurredAt: Date | undefined;
  occurredAtCertainty: Certainty;
  /** When the first delivery came in. */
  receivedAt: Date;
  state: EventState;
  /** The outcome that matters most, once decided. */
  outcome: Outcome | undefined;
  /** Why it stands where it stands. */
  reason: string;
  references: Reference[];
  orderNumbers: string[];
  changes: Change[];
  /** What became of each change. */
  decisions: Decision[];
  /** Every arrival. */
  deliveries: Delivery[];
  translatorVersion: string;
  /** The undecoded event that this one was translated from, or empty. */
  parentId: string;
  /** The events that this undecoded one became. */
  childIds: string[];
  /** The untouched bytes, for callers with the payload scope who ask for them. */
  raw: RawMessage | undefined;
}

/** The bytes as they arrived. */
export interface RawMessage {
  body: Uint8Array;
  contentType: string;
  headers: Record<string, string>;
}

/** One decided change. */
export interface Decision {
  /** The change's place in the event, from 0. */
  changeIndex: number;
  outcome: Outcome;
  reason: string;
  fromStatus: string;
  toStatus: string;
  /** Statuses passed over on the way. */
  skipped: string[];
  orderNumber: string;
  shipment: string;
  decidedAt: Date | undefined;
  /** 1 for the first decision; the highest counts. */
  revision: number;
}

/** One arrival of an event. */
export interface Delivery {
  receivedAt: Date;
  /** The provider's id of the delivery, or empty. */
  deliveryId: string;
  receipt: Receipt;
  /** SHA-256 of the body, in hex. */
  bodySha256: string;
  /** What it said, where that differs from what was said first. */
  changes: Change[];
  /** How many further equal deliveries were counted after those that are kept. */
  further: bigint;
}

export function eventFrom(event: pb.Event): WaybillEvent {
  return {
    id: event.id,
    account: event.account,
    provider: event.provider,
    eventId: event.eventId,
    eventType: event.eventType,
    occurredAt: optionalDate(event.occurredAt),
    occurredAtCertainty: certaintyFrom(event.occurredAtCertainty, event.occurredAt),
    receivedAt: requiredDate(event.receivedAt, "event.received_at"),
    state: eventState.read(event.state),
    outcome: outcome.readSet(event.outcome),
    reason: event.reason,
    references: event.references.map(referenceFrom),
    orderNumbers: [...event.orderNumbers],
    changes: event.changes.map(changeFrom),
    decisions: event.decisions.map(decisionFrom),
    deliveries: event.deliveries.map(deliveryFrom),
    translatorVersion: event.translatorVersion,
    parentId: event.parentId,
    childIds: [...event.childIds],
    raw: event.raw && {
      body: event.raw.body,
      contentType: event.raw.contentType,
      headers: { ...event.raw.headers },
    },
  };
}

export function referenceFrom(reference: pb.Reference): Reference {
  return { kind: referenceKind.read(reference.kind), value: reference.value };
}

function decisionFrom(decision: pb.Decision): Decision {
  return {
    changeIndex: decision.changeIndex,
    outcome: outcome.read(decision.outcome),
    reason: decision.reason,
    fromStatus: decision.fromStatus,
    toStatus: decision.toStatus,
    skipped: [...decision.skipped],
    orderNumber: decision.orderNumber,
    shipment: decision.shipment,
    decidedAt: optionalDate(decision.decidedAt),
    revision: decision.revision,
  };
}

function deliveryFrom(delivery: pb.Delivery): Delivery {
  return {
    receivedAt: requiredDate(delivery.receivedAt, "delivery.received_at"),
    deliveryId: delivery.deliveryId,
    receipt: receipt.read(delivery.receipt),
    bodySha256: delivery.bodySha256,
    changes: delivery.changes.map(changeFrom),
    further: delivery.further,
  };
}
