package paypal

import (
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
)

// reader turns an event's resource into changes.
type reader func(o resource) ([]*waybillv1.Change, error)

// readers is the mapping table; README.md shows it.
var readers = map[string]reader{
	"PAYMENT.CAPTURE.PENDING":   payment(waybillv1.PaymentState_PAYMENT_STATE_PENDING),
	"PAYMENT.CAPTURE.COMPLETED": payment(waybillv1.PaymentState_PAYMENT_STATE_PAID),
	"PAYMENT.CAPTURE.DENIED":    payment(waybillv1.PaymentState_PAYMENT_STATE_FAILED),
	"PAYMENT.CAPTURE.DECLINED":  payment(waybillv1.PaymentState_PAYMENT_STATE_FAILED),
	"PAYMENT.CAPTURE.REFUNDED":  refunded,
	"PAYMENT.CAPTURE.REVERSED":  reversed,

	"PAYMENT.AUTHORIZATION.CREATED": payment(waybillv1.PaymentState_PAYMENT_STATE_AUTHORIZED),
	"PAYMENT.AUTHORIZATION.VOIDED":  payment(waybillv1.PaymentState_PAYMENT_STATE_VOIDED),

	"PAYMENT.SALE.PENDING":   payment(waybillv1.PaymentState_PAYMENT_STATE_PENDING),
	"PAYMENT.SALE.COMPLETED": payment(waybillv1.PaymentState_PAYMENT_STATE_PAID),
	"PAYMENT.SALE.DENIED":    payment(waybillv1.PaymentState_PAYMENT_STATE_FAILED),
	"PAYMENT.SALE.REFUNDED":  refunded,
	"PAYMENT.SALE.REVERSED":  reversed,

	"CUSTOMER.DISPUTE.CREATED":  dispute,
	"CUSTOMER.DISPUTE.UPDATED":  dispute,
	"CUSTOMER.DISPUTE.RESOLVED": dispute,
}

// money are the beginnings of types that speak about money: one of those that is not in the table parks. All the others
// nobody needs: an order that was approved is not paid, and its capture has an event of its own.
var money = []string{"PAYMENT.CAPTURE.", "PAYMENT.AUTHORIZATION.", "PAYMENT.SALE.", "PAYMENT.REFUND.", "CUSTOMER.DISPUTE."}

// resolved is the status of a dispute that has ended; outcomes says how. What is not here parks.
const resolved = "RESOLVED"

var outcomes = map[string]waybillv1.DisputeState{
	"RESOLVED_BUYER_FAVOUR":  waybillv1.DisputeState_DISPUTE_STATE_LOST,
	"RESOLVED_SELLER_FAVOUR": waybillv1.DisputeState_DISPUTE_STATE_WON,
	"CANCELED_BY_BUYER":      waybillv1.DisputeState_DISPUTE_STATE_WON,
}
