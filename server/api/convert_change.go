package api

import (
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/order"
)

// fromChange reads one change. Its time stays as it was said, in the future too: every delivery is received at another
// time, and a copy must say the same as the first.
func fromChange(change *waybillv1.Change) order.Change {
	noun := order.Change{At: fromTime(change.GetOccurredAt())}
	switch said := change.GetChange().(type) {
	case *waybillv1.Change_OrderPlaced:
		noun.Placed = fromPlaced(said.OrderPlaced)
	case *waybillv1.Change_StatusChanged:
		noun.Status = fromStatusChanged(said.StatusChanged)
	case *waybillv1.Change_ShipmentAnnounced:
		noun.Announced = fromAnnounced(said.ShipmentAnnounced)
	case *waybillv1.Change_PaymentReported:
		noun.Payment = fromPayment(said.PaymentReported)
	case *waybillv1.Change_RefundReported:
		noun.Refund = fromRefund(said.RefundReported)
	case *waybillv1.Change_DisputeReported:
		noun.Dispute = fromDispute(said.DisputeReported)
	case *waybillv1.Change_OrderCancelled:
		noun.Cancelled = &order.Cancellation{Reason: fromText(said.OrderCancelled.GetReason())}
	case *waybillv1.Change_Checkpoint:
		noun.Checkpoint = fromCheckpoint(said.Checkpoint)
	case *waybillv1.Change_Fact:
		noun.Fact = fromFact(said.Fact)
	case *waybillv1.Change_Unrecognised:
		noun.Unrecognised = &order.Unrecognised{
			Field: fromText(said.Unrecognised.GetField()), Word: fromText(said.Unrecognised.GetWord()),
		}
	case *waybillv1.Change_Undecoded:
		noun.Undecoded = &order.Undecoded{Problem: fromText(said.Undecoded.GetProblem())}
	case *waybillv1.Change_Ignored:
		noun.IgnoredReason = fromText(said.Ignored.GetReason())
	}
	return noun
}

// toChange words one change.
func toChange(change order.Change) *waybillv1.Change {
	wire := &waybillv1.Change{OccurredAt: toTime(change.At)}
	switch {
	case change.Placed != nil:
		wire.Change = &waybillv1.Change_OrderPlaced{OrderPlaced: toPlaced(change.Placed)}
	case change.Status != nil:
		wire.Change = &waybillv1.Change_StatusChanged{StatusChanged: toStatusChanged(change.Status)}
	case change.Announced != nil:
		wire.Change = &waybillv1.Change_ShipmentAnnounced{ShipmentAnnounced: toAnnounced(change.Announced)}
	case change.Payment != nil:
		wire.Change = &waybillv1.Change_PaymentReported{PaymentReported: toPayment(change.Payment)}
	case change.Refund != nil:
		wire.Change = &waybillv1.Change_RefundReported{RefundReported: toRefund(change.Refund)}
	case change.Dispute != nil:
		wire.Change = &waybillv1.Change_DisputeReported{DisputeReported: toDispute(change.Dispute)}
	case change.Cancelled != nil:
		wire.Change = &waybillv1.Change_OrderCancelled{
			OrderCancelled: &waybillv1.OrderCancelled{Reason: change.Cancelled.Reason},
		}
	case change.Checkpoint != nil:
		wire.Change = &waybillv1.Change_Checkpoint{Checkpoint: toCheckpoint(change.Checkpoint)}
	case change.Fact != nil:
		wire.Change = &waybillv1.Change_Fact{Fact: toFact(change.Fact)}
	case change.Unrecognised != nil:
		wire.Change = &waybillv1.Change_Unrecognised{Unrecognised: &waybillv1.Unrecognised{
			Field: change.Unrecognised.Field, Word: change.Unrecognised.Word,
		}}
	case change.Undecoded != nil:
		wire.Change = &waybillv1.Change_Undecoded{Undecoded: &waybillv1.Undecoded{Problem: change.Undecoded.Problem}}
	case change.IgnoredReason != "":
		wire.Change = &waybillv1.Change_Ignored{Ignored: &waybillv1.Ignored{Reason: change.IgnoredReason}}
	}
	return wire
}

func fromPlaced(placed *waybillv1.OrderPlaced) *order.Placed {
	return &order.Placed{
		OrderID: fromText(placed.GetOrderId()),
		Number:  fromText(placed.GetOrderNumber()),
		Total:   fromMoney(placed.GetTotal()),
		Lines: each(placed.GetLines(), func(line *waybillv1.OrderLine) order.Line {
			return order.Line{ID: fromText(line.GetLineId()), SKU: fromText(line.GetSku()), Quantity: line.GetQuantity()}
		}),
	}
}

func toPlaced(placed *order.Placed) *waybillv1.OrderPlaced {
	return &waybillv1.OrderPlaced{
		OrderId:     placed.OrderID,
		OrderNumber: placed.Number,
		Total:       toMoney(placed.Total),
		Lines: each(placed.Lines, func(line order.Line) *waybillv1.OrderLine {
			return &waybillv1.OrderLine{LineId: line.ID, Sku: line.SKU, Quantity: line.Quantity}
		}),
	}
}

func fromShipment(ref *waybillv1.ShipmentReference) order.ShipmentKey {
	return order.ShipmentKey{
		ConsignmentID:  fromText(ref.GetConsignmentId()),
		TrackingNumber: fromText(ref.GetTrackingNumber()),
		FulfilmentID:   fromText(ref.GetFulfilmentId()),
		Return:         ref.GetReturnParcel(),
	}
}

func toShipment(key order.ShipmentKey) *waybillv1.ShipmentReference {
	return &waybillv1.ShipmentReference{
		ConsignmentId:  key.ConsignmentID,
		TrackingNumber: key.TrackingNumber,
		FulfilmentId:   key.FulfilmentID,
		ReturnParcel:   key.Return,
	}
}

func fromStatusChanged(changed *waybillv1.StatusChanged) *order.StatusChange {
	return &order.StatusChange{
		Shipment:       fromShipment(changed.GetShipment()),
		Status:         shipmentStatuses.from(changed.GetStatus()),
		ProviderStatus: fromText(changed.GetProviderStatus()),
		Reason:         fromText(changed.GetReason()),
	}
}

func toStatusChanged(changed *order.StatusChange) *waybillv1.StatusChanged {
	return &waybillv1.StatusChanged{
		Shipment:       toShipment(changed.Shipment),
		Status:         shipmentStatuses.to(changed.Status),
		ProviderStatus: changed.ProviderStatus,
		Reason:         changed.Reason,
	}
}

func fromAnnounced(announced *waybillv1.ShipmentAnnounced) *order.Announced {
	return &order.Announced{
		Shipment: fromShipment(announced.GetShipment()),
		Courier:  fromText(announced.GetCourier()),
		Units: each(announced.GetUnits(), func(units *waybillv1.ShipmentUnits) order.Units {
			return order.Units{LineID: fromText(units.GetLineId()), Quantity: units.GetQuantity()}
		}),
	}
}

func toAnnounced(announced *order.Announced) *waybillv1.ShipmentAnnounced {
	return &waybillv1.ShipmentAnnounced{
		Shipment: toShipment(announced.Shipment),
		Courier:  announced.Courier,
		Units: each(announced.Units, func(units order.Units) *waybillv1.ShipmentUnits {
			return &waybillv1.ShipmentUnits{LineId: units.LineID, Quantity: units.Quantity}
		}),
	}
}

func fromPayment(payment *waybillv1.PaymentReported) *order.Payment {
	return &order.Payment{
		PaymentID:      fromText(payment.GetPaymentId()),
		Assertion:      payment.GetEvidence() == waybillv1.PaymentEvidence_PAYMENT_EVIDENCE_ASSERTION,
		State:          paymentStates.from(payment.GetState()),
		Amount:         fromMoney(payment.GetAmount()),
		CashOnDelivery: payment.GetCashOnDelivery(),
	}
}

func toPayment(payment *order.Payment) *waybillv1.PaymentReported {
	evidence := waybillv1.PaymentEvidence_PAYMENT_EVIDENCE_MOVEMENT
	if payment.Assertion {
		evidence = waybillv1.PaymentEvidence_PAYMENT_EVIDENCE_ASSERTION
	}
	return &waybillv1.PaymentReported{
		PaymentId:      payment.PaymentID,
		Evidence:       evidence,
		State:          paymentStates.to(payment.State),
		Amount:         toMoney(payment.Amount),
		CashOnDelivery: payment.CashOnDelivery,
	}
}

func fromRefund(refund *waybillv1.RefundReported) *order.Refund {
	noun := &order.Refund{
		PaymentID:    fromText(refund.GetPaymentId()),
		RefundID:     fromText(refund.GetRefundId()),
		RunningTotal: refund.GetRunningTotal(),
	}
	if amount := fromMoney(refund.GetAmount()); amount != nil {
		noun.Amount = *amount
	}
	return noun
}

func toRefund(refund *order.Refund) *waybillv1.RefundReported {
	return &waybillv1.RefundReported{
		PaymentId:    refund.PaymentID,
		RefundId:     refund.RefundID,
		Amount:       toMoney(&refund.Amount),
		RunningTotal: refund.RunningTotal,
	}
}

func fromDispute(dispute *waybillv1.DisputeReported) *order.Dispute {
	return &order.Dispute{
		DisputeID: fromText(dispute.GetDisputeId()),
		PaymentID: fromText(dispute.GetPaymentId()),
		State:     disputeStates.from(dispute.GetState()),
		Amount:    fromMoney(dispute.GetAmount()),
	}
}

func toDispute(dispute *order.Dispute) *waybillv1.DisputeReported {
	return &waybillv1.DisputeReported{
		DisputeId: dispute.DisputeID,
		PaymentId: dispute.PaymentID,
		State:     disputeStates.to(dispute.State),
		Amount:    toMoney(dispute.Amount),
	}
}

func fromCheckpoint(checkpoint *waybillv1.Checkpoint) *order.Checkpoint {
	return &order.Checkpoint{
		Shipment:    fromShipment(checkpoint.GetShipment()),
		Description: fromText(checkpoint.GetDescription()),
		Location:    fromText(checkpoint.GetLocation()),
	}
}

func toCheckpoint(checkpoint *order.Checkpoint) *waybillv1.Checkpoint {
	return &waybillv1.Checkpoint{
		Shipment:    toShipment(checkpoint.Shipment),
		Description: checkpoint.Description,
		Location:    checkpoint.Location,
	}
}

func fromFact(fact *waybillv1.Fact) *order.Fact {
	noun := &order.Fact{
		Name:           fact.GetName(),
		Detail:         fromText(fact.GetDetail()),
		Amount:         fromMoney(fact.GetAmount()),
		NeedsAttention: fact.GetNeedsAttention(),
	}
	if fact.GetShipment() != nil {
		key := fromShipment(fact.GetShipment())
		noun.Shipment = &key
	}
	return noun
}

func toFact(fact *order.Fact) *waybillv1.Fact {
	wire := &waybillv1.Fact{
		Name:           fact.Name,
		Detail:         fact.Detail,
		Amount:         toMoney(fact.Amount),
		NeedsAttention: fact.NeedsAttention,
	}
	if fact.Shipment != nil {
		wire.Shipment = toShipment(*fact.Shipment)
	}
	return wire
}
