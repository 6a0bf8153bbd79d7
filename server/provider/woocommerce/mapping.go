package woocommerce

import (
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
)

const (
	pending = waybillv1.PaymentState_PAYMENT_STATE_PENDING
	paid    = waybillv1.PaymentState_PAYMENT_STATE_PAID
	failed  = waybillv1.PaymentState_PAYMENT_STATE_FAILED
	voided  = waybillv1.PaymentState_PAYMENT_STATE_VOIDED
)

// meaning is what an order's status says.
type meaning struct {
	// unpaid is what it asserts of the money of an order that has no date of payment, dated of one that has.
	unpaid, dated waybillv1.PaymentState
	// draft: it is no order yet.
	draft     bool
	cancelled bool
	// shipped: the goods have left, as far as the shop knows.
	shipped bool
	fact    string
	// attention: a person should look at the fact.
	attention bool
}

// statuses is the mapping table; README.md shows it. Plugins add statuses of their own, which park.
var statuses = map[string]meaning{
	"pending":          {unpaid: pending, dated: pending},
	"on-hold":          {unpaid: pending, dated: paid, fact: "on_hold"},
	"processing":       {unpaid: paid, dated: paid},
	"ready-for-pickup": {unpaid: pending, dated: paid, fact: "ready_for_pickup"},
	"completed":        {unpaid: paid, dated: paid, shipped: true},
	"cancelled":        {unpaid: voided, dated: paid, cancelled: true},
	"refunded":         {unpaid: paid, dated: paid},
	"failed":           {unpaid: failed, dated: failed},
	"trash":            {unpaid: pending, dated: paid, fact: "order_deleted", attention: true},
	"checkout-draft":   {draft: true},
	"auto-draft":       {draft: true},
	"draft":            {draft: true},
	"new":              {draft: true},
}

// cashOnDelivery is the payment method whose orders are processing before anything is paid: WooCommerce dates the
// payment when the order is completed.
const cashOnDelivery = "cod"

// state is what the status asserts of the order's money.
func (m meaning) state(b orderBody) waybillv1.PaymentState {
	switch {
	case b.DatePaidGMT.Fold() != "":
		return m.dated
	case m.unpaid == paid && string(b.PaymentMethod) == cashOnDelivery:
		return pending
	default:
		return m.unpaid
	}
}
