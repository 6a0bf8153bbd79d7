package stripe

import (
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
)

const (
	pending    = waybillv1.PaymentState_PAYMENT_STATE_PENDING
	authorized = waybillv1.PaymentState_PAYMENT_STATE_AUTHORIZED
	paid       = waybillv1.PaymentState_PAYMENT_STATE_PAID
	failed     = waybillv1.PaymentState_PAYMENT_STATE_FAILED
	voided     = waybillv1.PaymentState_PAYMENT_STATE_VOIDED
)

// reader turns an event's object into changes.
type reader func(eventType string, o object) ([]*waybillv1.Change, error)

// readers is the mapping table; README.md shows it. A type that is not here is one that nobody needs.
var readers = map[string]reader{
	"payment_intent.created":                   intent(pending),
	"payment_intent.processing":                intent(pending),
	"payment_intent.requires_action":           intent(pending),
	"payment_intent.partially_funded":          intent(pending),
	"payment_intent.amount_capturable_updated": intent(authorized),
	"payment_intent.succeeded":                 intent(paid),
	"payment_intent.payment_failed":            intent(failed),
	"payment_intent.canceled":                  intent(voided),

	"checkout.session.completed":               completedSession,
	"checkout.session.async_payment_succeeded": session(paid),
	"checkout.session.async_payment_failed":    session(failed),
	"checkout.session.expired":                 session(voided),

	"charge.pending":   charge(pending),
	"charge.succeeded": succeededCharge,
	"charge.captured":  charge(paid),
	"charge.failed":    charge(failed),
	"charge.expired":   charge(voided),
	"charge.refunded":  refunded,

	"charge.refund.updated": failedRefund,
	"refund.failed":         failedRefund,

	"charge.dispute.created":          dispute,
	"charge.dispute.updated":          dispute,
	"charge.dispute.closed":           dispute,
	"charge.dispute.funds_withdrawn":  dispute,
	"charge.dispute.funds_reinstated": dispute,
}

// sessionPayments is what payment_status of a completed checkout session says. Completed is not paid: slow methods
// complete first and pay, or fail, days later.
var sessionPayments = map[string]waybillv1.PaymentState{
	"paid":                paid,
	"unpaid":              pending,
	"no_payment_required": paid, // of nothing
}

// disputes is what a dispute's status says. The warnings are inquiries, which come before a dispute and may become
// one; closed without one, the shop keeps the money.
var disputes = map[string]waybillv1.DisputeState{
	"warning_needs_response": waybillv1.DisputeState_DISPUTE_STATE_OPEN,
	"warning_under_review":   waybillv1.DisputeState_DISPUTE_STATE_OPEN,
	"warning_closed":         waybillv1.DisputeState_DISPUTE_STATE_WON,
	"needs_response":         waybillv1.DisputeState_DISPUTE_STATE_OPEN,
	"under_review":           waybillv1.DisputeState_DISPUTE_STATE_OPEN,
	"won":                    waybillv1.DisputeState_DISPUTE_STATE_WON,
	"lost":                   waybillv1.DisputeState_DISPUTE_STATE_LOST,
	"prevented":              waybillv1.DisputeState_DISPUTE_STATE_WON,
}

// failedRefunds are the statuses of a refund that did not reach the customer.
var failedRefunds = map[string]bool{"failed": true, "canceled": true}
