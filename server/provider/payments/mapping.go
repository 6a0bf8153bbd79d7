package payments

import (
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
)

// payments is the mapping table of payment types; refundType is the one that is about money going back. A type that is
// in neither parks.
var states = map[string]waybillv1.PaymentState{
	"payment.created":    waybillv1.PaymentState_PAYMENT_STATE_PENDING,
	"payment.pending":    waybillv1.PaymentState_PAYMENT_STATE_PENDING,
	"payment.processing": waybillv1.PaymentState_PAYMENT_STATE_PENDING,
	"payment.authorized": waybillv1.PaymentState_PAYMENT_STATE_AUTHORIZED,
	"payment.authorised": waybillv1.PaymentState_PAYMENT_STATE_AUTHORIZED,
	"payment.succeeded":  waybillv1.PaymentState_PAYMENT_STATE_PAID,
	"payment.paid":       waybillv1.PaymentState_PAYMENT_STATE_PAID,
	"payment.captured":   waybillv1.PaymentState_PAYMENT_STATE_PAID,
	"payment.completed":  waybillv1.PaymentState_PAYMENT_STATE_PAID,
	"payment.failed":     waybillv1.PaymentState_PAYMENT_STATE_FAILED,
	"payment.voided":     waybillv1.PaymentState_PAYMENT_STATE_VOIDED,
	"payment.cancelled":  waybillv1.PaymentState_PAYMENT_STATE_VOIDED,
	"payment.canceled":   waybillv1.PaymentState_PAYMENT_STATE_VOIDED,
}

// refundType carries all that was ever refunded of the payment.
const refundType = "payment.refunded"
