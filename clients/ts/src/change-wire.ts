// Changes between the wire and this package's union.
import { create } from "@bufbuild/protobuf";
import type { Change, DisputeReported, PaymentReported, RefundReported, ShipmentReference } from "./change.js";
import * as pb from "./gen/waybill/v1/change_pb.js";
import { type Money, moneyFrom } from "./order.js";
import { optionalDate, timestampOf } from "./time.js";
import { disputeState, paymentEvidence, paymentState, shipmentStatus } from "./words.js";

/** Reads a change. A kind that only a newer server knows reads as unrecognised. */
export function changeFrom(message: pb.Change): Change {
  const body = bodyFrom(message.change);
  const occurredAt = optionalDate(message.occurredAt);
  return occurredAt ? { ...body, occurredAt } : body;
}

function bodyFrom(change: pb.Change["change"]): Change {
  switch (change.case) {
    case "orderPlaced": {
      const { orderId, orderNumber, total, lines } = change.value;
      return {
        type: "order_placed",
        orderId,
        orderNumber,
        total: moneyFrom(total),
        lines: lines.map(({ lineId, sku, quantity }) => ({ lineId, sku: text(sku), quantity })),
      };
    }
    case "statusChanged": {
      const { shipment, status, providerStatus, reason } = change.value;
      return {
        type: "status_changed",
        shipment: shipmentFrom(shipment),
        status: shipmentStatus.read(status),
        providerStatus: text(providerStatus),
        reason: text(reason),
      };
    }
    case "shipmentAnnounced": {
      const { shipment, courier, units } = change.value;
      return {
        type: "shipment_announced",
        shipment: shipmentFrom(shipment),
        courier: text(courier),
        units: units.map(({ lineId, quantity }) => ({ lineId, quantity })),
      };
    }
    case "checkpoint": {
      const { shipment, description, location } = change.value;
      return {
        type: "checkpoint",
        shipment: shipmentFrom(shipment),
        description: text(description),
        location: text(location),
      };
    }
    case "fact": {
      const { name, shipment, detail, amount, needsAttention } = change.value;
      return {
        type: "fact",
        name,
        shipment: shipment && shipmentFrom(shipment),
        detail: text(detail),
        amount: moneyFrom(amount),
        needsAttention,
      };
    }
    case "orderCancelled":
      return { type: "order_cancelled", reason: text(change.value.reason) };
    case "unrecognised":
      return { type: "unrecognised", field: change.value.field, word: change.value.word };
    case "undecoded":
      return { type: "undecoded", problem: change.value.problem };
    case "ignored":
      return { type: "ignored", reason: change.value.reason };
    case undefined:
      return { type: "unrecognised", field: "change", word: "" };
    default:
      return moneyChangeFrom(change);
  }
}

type MoneyChange = Extract<pb.Change["change"], { case: "paymentReported" | "refundReported" | "disputeReported" }>;

function moneyChangeFrom(change: MoneyChange): Change {
  switch (change.case) {
    case "paymentReported": {
      const { paymentId, evidence, state, amount, cashOnDelivery } = change.value;
      return {
        type: "payment_reported",
        paymentId,
        evidence: paymentEvidence.read(evidence),
        state: paymentState.read(state),
        amount: moneyFrom(amount),
        cashOnDelivery,
      };
    }
    case "refundReported": {
      const { paymentId, refundId, amount, runningTotal } = change.value;
      return {
        type: "refund_reported",
        paymentId: text(paymentId),
        refundId: text(refundId),
        amount: moneyFrom(amount) ?? { minor: 0n, currency: "" },
        runningTotal,
      };
    }
    case "disputeReported": {
      const { disputeId, paymentId, state, amount } = change.value;
      return {
        type: "dispute_reported",
        disputeId,
        paymentId: text(paymentId),
        state: disputeState.read(state),
        amount: moneyFrom(amount),
      };
    }
  }
}

/** Writes a change. */
export function changeTo(change: Change): pb.Change {
  const occurredAt = timestampOf(change.occurredAt, `${change.type}.occurredAt`);
  return create(pb.ChangeSchema, { change: bodyTo(change), ...(occurredAt && { occurredAt }) });
}

function bodyTo(change: Change): pb.Change["change"] {
  switch (change.type) {
    case "order_placed":
      return {
        case: "orderPlaced",
        value: create(pb.OrderPlacedSchema, {
          orderId: change.orderId,
          orderNumber: change.orderNumber,
          ...moneyTo("total", change.total),
          lines: (change.lines ?? []).map(({ lineId, sku, quantity }) => ({ lineId, sku: sku ?? "", quantity })),
        }),
      };
    case "status_changed":
      return {
        case: "statusChanged",
        value: create(pb.StatusChangedSchema, {
          shipment: shipmentTo(change.shipment),
          status: shipmentStatus.write(change.status),
          providerStatus: change.providerStatus ?? "",
          reason: change.reason ?? "",
        }),
      };
    case "shipment_announced":
      return {
        case: "shipmentAnnounced",
        value: create(pb.ShipmentAnnouncedSchema, {
          shipment: shipmentTo(change.shipment),
          courier: change.courier ?? "",
          units: change.units ?? [],
        }),
      };
    case "order_cancelled":
      return { case: "orderCancelled", value: create(pb.OrderCancelledSchema, { reason: change.reason ?? "" }) };
    case "checkpoint":
      return {
        case: "checkpoint",
        value: create(pb.CheckpointSchema, {
          shipment: shipmentTo(change.shipment),
          description: change.description ?? "",
          location: change.location ?? "",
        }),
      };
    case "fact":
      return {
        case: "fact",
        value: create(pb.FactSchema, {
          name: change.name,
          ...(change.shipment && { shipment: shipmentTo(change.shipment) }),
          detail: change.detail ?? "",
          ...moneyTo("amount", change.amount),
          needsAttention: change.needsAttention ?? false,
        }),
      };
    case "unrecognised":
      return {
        case: "unrecognised",
        value: create(pb.UnrecognisedSchema, { field: change.field, word: change.word }),
      };
    case "undecoded":
      return { case: "undecoded", value: create(pb.UndecodedSchema, { problem: change.problem }) };
    case "ignored":
      return { case: "ignored", value: create(pb.IgnoredSchema, { reason: change.reason }) };
    default:
      return moneyChangeTo(change);
  }
}

function moneyChangeTo(change: PaymentReported | RefundReported | DisputeReported): pb.Change["change"] {
  switch (change.type) {
    case "payment_reported":
      return {
        case: "paymentReported",
        value: create(pb.PaymentReportedSchema, {
          paymentId: change.paymentId,
          evidence: paymentEvidence.write(change.evidence),
          state: paymentState.write(change.state),
          ...moneyTo("amount", change.amount),
          cashOnDelivery: change.cashOnDelivery ?? false,
        }),
      };
    case "refund_reported":
      return {
        case: "refundReported",
        value: create(pb.RefundReportedSchema, {
          paymentId: change.paymentId ?? "",
          refundId: change.refundId ?? "",
          ...moneyTo("amount", change.amount),
          runningTotal: change.runningTotal ?? false,
        }),
      };
    case "dispute_reported":
      return {
        case: "disputeReported",
        value: create(pb.DisputeReportedSchema, {
          disputeId: change.disputeId,
          paymentId: change.paymentId ?? "",
          state: disputeState.write(change.state),
          ...moneyTo("amount", change.amount),
        }),
      };
  }
}

function moneyTo<Name extends string>(name: Name, money: Money | undefined) {
  if (!money) return {};
  return { [name]: { minorUnits: money.minor, currency: money.currency } } as {
    [key in Name]: { minorUnits: bigint; currency: string };
  };
}

function shipmentFrom(shipment: pb.ShipmentReference | undefined): ShipmentReference {
  return {
    consignmentId: text(shipment?.consignmentId),
    trackingNumber: text(shipment?.trackingNumber),
    fulfilmentId: text(shipment?.fulfilmentId),
    returnParcel: shipment?.returnParcel ?? false,
  };
}

function shipmentTo(shipment: ShipmentReference) {
  return {
    consignmentId: shipment.consignmentId ?? "",
    trackingNumber: shipment.trackingNumber ?? "",
    fulfilmentId: shipment.fulfilmentId ?? "",
    returnParcel: shipment.returnParcel ?? false,
  };
}

// The wire has no difference between an empty text and none.
function text(value: string | undefined): string | undefined {
  return value || undefined;
}
