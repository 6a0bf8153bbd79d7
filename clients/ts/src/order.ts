// What an order is to a caller, and how it is read from the wire.
import type * as pbMoney from "./gen/waybill/v1/money_pb.js";
import type * as pb from "./gen/waybill/v1/order_pb.js";
import { certaintyFrom, optionalDate, requiredDate } from "./time.js";
import {
  type Certainty,
  type OrderStatus,
  orderStatus,
  type PaymentStatus,
  paymentStatus,
  type ShipmentStatus,
  shipmentStatus,
  type TimelineKind,
  timelineKind,
} from "./words.js";

/** An amount in the currency's smallest unit: 10.50 EUR is 1050n, 1050 JPY is 1050n. */
export interface Money {
  minor: bigint;
  /** ISO 4217 code in capitals. */
  currency: string;
}

/** An order as everything recorded about it says. */
export interface Order {
  account: string;
  orderNumber: string;
  status: OrderStatus;
  paymentStatus: PaymentStatus;
  /** Its parcels, oldest first. */
  shipments: Shipment[];
  /** What happened to it, oldest first. */
  timeline: TimelineEntry[];
  /** What is shown beside it, by name: for example on_hold, partly_returned. */
  facts: Record<string, string>;
  /** Moves on with every change of the order. */
  cursor: string;
  /** What a person must see. Filled only for operators. */
  attention: Attention[];
  /** What it costs. Only for callers with a key. */
  total: Money | undefined;
  /** What was taken and not given back. Only for callers with a key. */
  paid: Money | undefined;
  updatedAt: Date | undefined;
}

/** A parcel. */
export interface Shipment {
  consignmentId: string;
  trackingNumber: string;
  courier: string;
  status: ShipmentStatus;
  /** When it came to stand there. */
  statusAt: Date | undefined;
  statusAtCertainty: Certainty;
  /** True for a parcel on its way back that is a parcel of its own. */
  returnParcel: boolean;
  facts: Record<string, string>;
}

/** A step in an order's life. */
export interface TimelineEntry {
  /** Stable for ever. */
  id: string;
  kind: TimelineKind;
  /** When it happened; where nobody said, when it was recorded. See certainty. */
  at: Date;
  certainty: Certainty;
  recordedAt: Date;
  /** The status before, or empty. */
  fromStatus: string;
  /** The status after, or the fact's name. */
  toStatus: string;
  /** Statuses passed over on the way. */
  skipped: string[];
  /** The parcel, where the step is about one. */
  shipment: string;
  /** Who said so: the provider's configured name. */
  provider: string;
  /** The event that said so. Filled only for operators. */
  eventId: string;
}

/** Something that a person must see. */
export interface Attention {
  /** Why, as a fixed word: for example two_endings, conflicting. */
  reason: string;
  detail: string;
  since: Date | undefined;
  eventId: string;
}

export function moneyFrom(money: pbMoney.Money | undefined): Money | undefined {
  return money && { minor: money.minorUnits, currency: money.currency };
}

export function orderFrom(order: pb.Order): Order {
  return {
    account: order.account,
    orderNumber: order.orderNumber,
    status: orderStatus.read(order.status),
    paymentStatus: paymentStatus.read(order.paymentStatus),
    shipments: order.shipments.map(shipmentFrom),
    timeline: order.timeline.map(entryFrom),
    facts: { ...order.facts },
    cursor: order.cursor,
    attention: order.attention.map(attentionFrom),
    total: moneyFrom(order.total),
    paid: moneyFrom(order.paid),
    updatedAt: optionalDate(order.updatedAt),
  };
}

function shipmentFrom(shipment: pb.Shipment): Shipment {
  return {
    consignmentId: shipment.consignmentId,
    trackingNumber: shipment.trackingNumber,
    courier: shipment.courier,
    status: shipmentStatus.read(shipment.status),
    statusAt: optionalDate(shipment.statusAt),
    statusAtCertainty: certaintyFrom(shipment.statusAtCertainty, shipment.statusAt),
    returnParcel: shipment.returnParcel,
    facts: { ...shipment.facts },
  };
}

function entryFrom(entry: pb.TimelineEntry): TimelineEntry {
  const recordedAt = requiredDate(entry.recordedAt, "timeline.recorded_at");
  return {
    id: entry.id,
    kind: timelineKind.read(entry.kind),
    at: optionalDate(entry.occurredAt) ?? recordedAt,
    certainty: certaintyFrom(entry.occurredAtCertainty, entry.occurredAt),
    recordedAt,
    fromStatus: entry.fromStatus,
    toStatus: entry.toStatus,
    skipped: [...entry.skipped],
    shipment: entry.shipment,
    provider: entry.provider,
    eventId: entry.eventId,
  };
}

function attentionFrom(attention: pb.Attention): Attention {
  return {
    reason: attention.reason,
    detail: attention.detail,
    since: optionalDate(attention.since),
    eventId: attention.eventId,
  };
}
