package standardwebhooks

import (
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
)

// reader turns an event's data into changes.
type reader func(s *service, d data) ([]*waybillv1.Change, error)

// readers is the vocabulary; README.md shows it. A type that is not here parks: its sender meant to tell us something.
var readers = map[string]reader{
	"order.placed":    placed,
	"order.updated":   placed,
	"order.cancelled": cancelled,
	"order.fact":      fact,

	"shipment.announced":  announced,
	"shipment.status":     status,
	"shipment.checkpoint": checkpoint,

	"payment.pending":    payment(waybillv1.PaymentState_PAYMENT_STATE_PENDING),
	"payment.authorized": payment(waybillv1.PaymentState_PAYMENT_STATE_AUTHORIZED),
	"payment.paid":       payment(waybillv1.PaymentState_PAYMENT_STATE_PAID),
	"payment.failed":     payment(waybillv1.PaymentState_PAYMENT_STATE_FAILED),
	"payment.voided":     payment(waybillv1.PaymentState_PAYMENT_STATE_VOIDED),
	"payment.refunded":   refunded,

	"dispute.opened": dispute(waybillv1.DisputeState_DISPUTE_STATE_OPEN),
	"dispute.won":    dispute(waybillv1.DisputeState_DISPUTE_STATE_WON),
	"dispute.lost":   dispute(waybillv1.DisputeState_DISPUTE_STATE_LOST),
}

// statuses are the words of shipment.status: our own.
var statuses = map[string]waybillv1.ShipmentStatus{
	"processing":       waybillv1.ShipmentStatus_SHIPMENT_STATUS_PROCESSING,
	"shipped":          waybillv1.ShipmentStatus_SHIPMENT_STATUS_SHIPPED,
	"in_transit":       waybillv1.ShipmentStatus_SHIPMENT_STATUS_IN_TRANSIT,
	"out_for_delivery": waybillv1.ShipmentStatus_SHIPMENT_STATUS_OUT_FOR_DELIVERY,
	"failed_delivery":  waybillv1.ShipmentStatus_SHIPMENT_STATUS_FAILED_DELIVERY,
	"returning":        waybillv1.ShipmentStatus_SHIPMENT_STATUS_RETURNING,
	"delivered":        waybillv1.ShipmentStatus_SHIPMENT_STATUS_DELIVERED,
	"returned":         waybillv1.ShipmentStatus_SHIPMENT_STATUS_RETURNED,
	"cancelled":        waybillv1.ShipmentStatus_SHIPMENT_STATUS_CANCELLED,
}
