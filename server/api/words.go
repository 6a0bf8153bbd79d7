package api

import (
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/order"
	"github.com/waybillhq/waybill/server/store"
)

// words pair an enum of the wire with the words of the nouns.
type words[W ~int32, N ~string] struct {
	toNoun map[W]N
	toWire map[N]W
}

func pair[W ~int32, N ~string](toNoun map[W]N) words[W, N] {
	toWire := make(map[N]W, len(toNoun))
	for wire, noun := range toNoun {
		toWire[noun] = wire
	}
	return words[W, N]{toNoun, toWire}
}

// from is the noun's word. Empty for a value that isn't said.
func (w words[W, N]) from(wire W) N { return w.toNoun[wire] }

// to is the wire's value. 0, not said, for a word that the wire doesn't have.
func (w words[W, N]) to(noun N) W { return w.toWire[noun] }

var certainties = pair(map[waybillv1.OccurredAtCertainty]order.Certainty{
	waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_EXACT:        order.Exact,
	waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_ZONE_ASSUMED: order.ZoneAssumed,
	waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_MISSING:      order.Missing,
	waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_FUTURE:       order.Future,
})

var referenceKinds = pair(map[waybillv1.ReferenceKind]order.ReferenceKind{
	waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_ID:        order.OrderID,
	waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_NUMBER:    order.OrderNumber,
	waybillv1.ReferenceKind_REFERENCE_KIND_CONSIGNMENT_ID:  order.ConsignmentID,
	waybillv1.ReferenceKind_REFERENCE_KIND_TRACKING_NUMBER: order.TrackingNumber,
	waybillv1.ReferenceKind_REFERENCE_KIND_FULFILMENT_ID:   order.FulfilmentID,
	waybillv1.ReferenceKind_REFERENCE_KIND_PAYMENT_ID:      order.PaymentID,
})

var eventStates = pair(map[waybillv1.EventState]order.EventState{
	waybillv1.EventState_EVENT_STATE_RECEIVED:  order.StateReceived,
	waybillv1.EventState_EVENT_STATE_WAITING:   order.StateWaiting,
	waybillv1.EventState_EVENT_STATE_PARKED:    order.StateParked,
	waybillv1.EventState_EVENT_STATE_FAILED:    order.StateFailed,
	waybillv1.EventState_EVENT_STATE_COMPLETED: order.StateCompleted,
})

var outcomes = pair(map[waybillv1.Outcome]order.Outcome{
	waybillv1.Outcome_OUTCOME_APPLIED:     order.Applied,
	waybillv1.Outcome_OUTCOME_UNCHANGED:   order.Unchanged,
	waybillv1.Outcome_OUTCOME_STALE:       order.Stale,
	waybillv1.Outcome_OUTCOME_ILLEGAL:     order.Illegal,
	waybillv1.Outcome_OUTCOME_IGNORED:     order.Ignored,
	waybillv1.Outcome_OUTCOME_CONFLICTING: order.Conflicting,
	waybillv1.Outcome_OUTCOME_TRANSLATED:  order.Translated,
	waybillv1.Outcome_OUTCOME_ABANDONED:   order.Abandoned,
	waybillv1.Outcome_OUTCOME_PARKED:      order.Parked,
})

var orderStatuses = pair(map[waybillv1.OrderStatus]order.Status{
	waybillv1.OrderStatus_ORDER_STATUS_PENDING:          order.Pending,
	waybillv1.OrderStatus_ORDER_STATUS_CONFIRMED:        order.Confirmed,
	waybillv1.OrderStatus_ORDER_STATUS_PROCESSING:       order.Processing,
	waybillv1.OrderStatus_ORDER_STATUS_SHIPPED:          order.Shipped,
	waybillv1.OrderStatus_ORDER_STATUS_IN_TRANSIT:       order.InTransit,
	waybillv1.OrderStatus_ORDER_STATUS_OUT_FOR_DELIVERY: order.OutForDelivery,
	waybillv1.OrderStatus_ORDER_STATUS_FAILED_DELIVERY:  order.FailedDelivery,
	waybillv1.OrderStatus_ORDER_STATUS_RETURNING:        order.Returning,
	waybillv1.OrderStatus_ORDER_STATUS_DELIVERED:        order.Delivered,
	waybillv1.OrderStatus_ORDER_STATUS_RETURNED:         order.Returned,
	waybillv1.OrderStatus_ORDER_STATUS_CANCELLED:        order.Cancelled,
})

var shipmentStatuses = pair(map[waybillv1.ShipmentStatus]order.Status{
	waybillv1.ShipmentStatus_SHIPMENT_STATUS_PROCESSING:       order.Processing,
	waybillv1.ShipmentStatus_SHIPMENT_STATUS_SHIPPED:          order.Shipped,
	waybillv1.ShipmentStatus_SHIPMENT_STATUS_IN_TRANSIT:       order.InTransit,
	waybillv1.ShipmentStatus_SHIPMENT_STATUS_OUT_FOR_DELIVERY: order.OutForDelivery,
	waybillv1.ShipmentStatus_SHIPMENT_STATUS_FAILED_DELIVERY:  order.FailedDelivery,
	waybillv1.ShipmentStatus_SHIPMENT_STATUS_RETURNING:        order.Returning,
	waybillv1.ShipmentStatus_SHIPMENT_STATUS_DELIVERED:        order.Delivered,
	waybillv1.ShipmentStatus_SHIPMENT_STATUS_RETURNED:         order.Returned,
	waybillv1.ShipmentStatus_SHIPMENT_STATUS_CANCELLED:        order.Cancelled,
})

var paymentStatuses = pair(map[waybillv1.PaymentStatus]order.PaymentStatus{
	waybillv1.PaymentStatus_PAYMENT_STATUS_PENDING:            order.PaymentPending,
	waybillv1.PaymentStatus_PAYMENT_STATUS_AUTHORIZED:         order.PaymentAuthorized,
	waybillv1.PaymentStatus_PAYMENT_STATUS_PARTIALLY_PAID:     order.PaymentPartiallyPaid,
	waybillv1.PaymentStatus_PAYMENT_STATUS_PAID:               order.PaymentPaid,
	waybillv1.PaymentStatus_PAYMENT_STATUS_FAILED:             order.PaymentFailed,
	waybillv1.PaymentStatus_PAYMENT_STATUS_PARTIALLY_REFUNDED: order.PaymentPartiallyRefunded,
	waybillv1.PaymentStatus_PAYMENT_STATUS_REFUNDED:           order.PaymentRefunded,
	waybillv1.PaymentStatus_PAYMENT_STATUS_DISPUTED:           order.PaymentDisputed,
	waybillv1.PaymentStatus_PAYMENT_STATUS_VOIDED:             order.PaymentVoided,
})

var paymentStates = pair(map[waybillv1.PaymentState]order.PaymentState{
	waybillv1.PaymentState_PAYMENT_STATE_PENDING:    order.StatePaymentPending,
	waybillv1.PaymentState_PAYMENT_STATE_AUTHORIZED: order.StatePaymentAuthorized,
	waybillv1.PaymentState_PAYMENT_STATE_PAID:       order.StatePaymentPaid,
	waybillv1.PaymentState_PAYMENT_STATE_FAILED:     order.StatePaymentFailed,
	waybillv1.PaymentState_PAYMENT_STATE_VOIDED:     order.StatePaymentVoided,
})

var disputeStates = pair(map[waybillv1.DisputeState]order.DisputeState{
	waybillv1.DisputeState_DISPUTE_STATE_OPEN: order.DisputeOpen,
	waybillv1.DisputeState_DISPUTE_STATE_WON:  order.DisputeWon,
	waybillv1.DisputeState_DISPUTE_STATE_LOST: order.DisputeLost,
})

var stepKinds = pair(map[waybillv1.TimelineKind]order.StepKind{
	waybillv1.TimelineKind_TIMELINE_KIND_ORDER_STATUS:    order.StepOrderStatus,
	waybillv1.TimelineKind_TIMELINE_KIND_SHIPMENT_STATUS: order.StepShipmentStatus,
	waybillv1.TimelineKind_TIMELINE_KIND_PAYMENT_STATUS:  order.StepPaymentStatus,
	waybillv1.TimelineKind_TIMELINE_KIND_CHECKPOINT:      order.StepCheckpoint,
	waybillv1.TimelineKind_TIMELINE_KIND_FACT:            order.StepFact,
	waybillv1.TimelineKind_TIMELINE_KIND_LATE:            order.StepLate,
})

var receipts = pair(map[waybillv1.Receipt]store.Verdict{
	waybillv1.Receipt_RECEIPT_ACCEPTED:    store.Accepted,
	waybillv1.Receipt_RECEIPT_DUPLICATE:   store.Duplicate,
	waybillv1.Receipt_RECEIPT_CONFLICTING: store.Conflicting,
})
