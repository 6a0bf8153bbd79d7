package shopify

import (
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
)

// partiallyPaid is worked out from what is outstanding.
const partiallyPaid = "partially_paid"

// payments is what an order's financial_status asserts. It says nothing about refunds: those come with ids of their
// own.
var payments = map[string]waybillv1.PaymentState{
	"pending":            waybillv1.PaymentState_PAYMENT_STATE_PENDING,
	"authorized":         waybillv1.PaymentState_PAYMENT_STATE_AUTHORIZED,
	partiallyPaid:        waybillv1.PaymentState_PAYMENT_STATE_PAID,
	"paid":               waybillv1.PaymentState_PAYMENT_STATE_PAID,
	"partially_refunded": waybillv1.PaymentState_PAYMENT_STATE_PAID,
	"refunded":           waybillv1.PaymentState_PAYMENT_STATE_PAID,
	"voided":             waybillv1.PaymentState_PAYMENT_STATE_VOIDED,
	"expired":            waybillv1.PaymentState_PAYMENT_STATE_VOIDED,
}

// meaning is what a fulfilment's shipment_status says. The zero meaning is: it exists, and no more.
type meaning struct {
	status    waybillv1.ShipmentStatus
	fact      string
	attention bool
}

var shipmentStatuses = map[string]meaning{
	"label_purchased":    {},
	"label_printed":      {},
	"confirmed":          {},
	"carrier_picked_up":  {status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_SHIPPED},
	"in_transit":         {status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_IN_TRANSIT},
	"delayed":            {fact: "delayed"},
	"out_for_delivery":   {status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_OUT_FOR_DELIVERY},
	"attempted_delivery": {status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_FAILED_DELIVERY},
	"ready_for_pickup":   {status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_IN_TRANSIT, fact: "ready_for_pickup"},
	"picked_up":          {status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_DELIVERED},
	"delivered":          {status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_DELIVERED},
	// failure is a request that failed, or a number that nobody can look up: not a visit at the door.
	"failure": {fact: "shipment_failure", attention: true},
}

// fulfilmentStatuses is what a fulfilment's own status says. Success means that the record was made, not that anything
// was delivered.
var fulfilmentStatuses = map[string]meaning{
	"pending":   {},
	"open":      {},
	"success":   {},
	"cancelled": {status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_CANCELLED},
	"error":     {fact: "fulfilment_failed", attention: true},
	"failure":   {fact: "fulfilment_failed", attention: true},
}
