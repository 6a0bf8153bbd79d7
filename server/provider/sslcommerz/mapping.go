package sslcommerz

import (
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
)

// states is the mapping table; README.md shows it. A status that is not here parks.
var states = map[string]waybillv1.PaymentState{
	"VALID":       waybillv1.PaymentState_PAYMENT_STATE_PAID,
	"VALIDATED":   waybillv1.PaymentState_PAYMENT_STATE_PAID,
	"FAILED":      waybillv1.PaymentState_PAYMENT_STATE_FAILED,
	"CANCELLED":   waybillv1.PaymentState_PAYMENT_STATE_VOIDED,
	"EXPIRED":     waybillv1.PaymentState_PAYMENT_STATE_VOIDED,
	"UNATTEMPTED": waybillv1.PaymentState_PAYMENT_STATE_PENDING,
}

// payments are the statuses of money that was taken. They must be validated.
var payments = map[string]bool{"VALID": true, "VALIDATED": true}

func (n notice) isPayment() bool { return payments[n.covered[fieldStatus]] }

// risky is the risk_level of a payment that SSLCOMMERZ wants the shop to look at before it delivers.
const risky = "1"
