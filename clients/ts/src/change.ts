// What an event says, as a union that a switch over `type` takes apart.
import type { Money } from "./order.js";
import type { DisputeState, PaymentEvidence, PaymentState, ShipmentStatus } from "./words.js";

/** Names a parcel by at least one of its three ids. */
export interface ShipmentReference {
  consignmentId?: string | undefined;
  trackingNumber?: string | undefined;
  fulfilmentId?: string | undefined;
  /** True for a parcel on its way back to the seller that is a parcel of its own. */
  returnParcel?: boolean | undefined;
}

/** One thing that a provider says has happened. */
export type Change = (
  | OrderPlaced
  | StatusChanged
  | ShipmentAnnounced
  | PaymentReported
  | RefundReported
  | DisputeReported
  | OrderCancelled
  | Checkpoint
  | Fact
  | Unrecognised
  | Undecoded
  | Ignored
) & {
  /** When this change happened, where it has a time of its own. */
  occurredAt?: Date | undefined;
};

/** An order was placed or edited. The newest statement about an order is the one that counts. */
export interface OrderPlaced {
  type: "order_placed";
  orderId: string;
  orderNumber: string;
  total?: Money | undefined;
  /** The order's lines, whole: a line missing here has been removed. */
  lines?: { lineId: string; sku?: string | undefined; quantity: bigint }[] | undefined;
}

/** A parcel has a delivery status. */
export interface StatusChanged {
  type: "status_changed";
  shipment: ShipmentReference;
  status: ShipmentStatus;
  /** The provider's own word. */
  providerStatus?: string | undefined;
  reason?: string | undefined;
}

/** A parcel of the order exists. */
export interface ShipmentAnnounced {
  type: "shipment_announced";
  shipment: ShipmentReference;
  courier?: string | undefined;
  /** What is inside. Empty: every unit that no other parcel names. */
  units?: { lineId: string; quantity: bigint }[] | undefined;
}

/** A payment moved, or is asserted. */
export interface PaymentReported {
  type: "payment_reported";
  paymentId: string;
  evidence: PaymentEvidence;
  state: PaymentState;
  /** The whole amount of the payment so far. */
  amount?: Money | undefined;
  cashOnDelivery?: boolean | undefined;
}

/** Money went back to the customer. A step needs its refundId, a running total its paymentId. */
export interface RefundReported {
  type: "refund_reported";
  paymentId?: string | undefined;
  refundId?: string | undefined;
  amount: Money;
  runningTotal?: boolean | undefined;
}

/** A payment is disputed, or the dispute has ended. */
export interface DisputeReported {
  type: "dispute_reported";
  disputeId: string;
  paymentId?: string | undefined;
  state: DisputeState;
  amount?: Money | undefined;
}

/** The order's own platform cancelled it. */
export interface OrderCancelled {
  type: "order_cancelled";
  reason?: string | undefined;
}

/** A parcel was seen. */
export interface Checkpoint {
  type: "checkpoint";
  shipment: ShipmentReference;
  description?: string | undefined;
  location?: string | undefined;
}

/** A named fact shown beside the order. */
export interface Fact {
  type: "fact";
  name: string;
  shipment?: ShipmentReference | undefined;
  detail?: string | undefined;
  amount?: Money | undefined;
  needsAttention?: boolean | undefined;
}

/** A word outside the translator's table. */
export interface Unrecognised {
  type: "unrecognised";
  field: string;
  word: string;
}

/** A proven body that could not be decoded. */
export interface Undecoded {
  type: "undecoded";
  problem: string;
}

/** A body that is recorded and has no effect. */
export interface Ignored {
  type: "ignored";
  reason: string;
}
