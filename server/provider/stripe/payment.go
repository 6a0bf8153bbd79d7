package stripe

import (
	"cmp"
	"errors"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// intent reads a payment intent whose event says the given state.
func intent(state waybillv1.PaymentState) reader {
	return func(_ string, o object) ([]*waybillv1.Change, error) {
		amount, member := o.Amount, "amount"
		switch {
		case state == paid && o.AmountReceived != "":
			amount, member = o.AmountReceived, "amount_received"
		case state == authorized && o.AmountCapturable != "":
			amount, member = o.AmountCapturable, "amount_capturable"
		}
		return report(o, state, member, amount)
	}
}

// charge reads a charge: one more report of its intent's payment.
func charge(state waybillv1.PaymentState) reader {
	return func(_ string, o object) ([]*waybillv1.Change, error) {
		if state == paid && o.AmountCaptured != "" {
			return report(o, state, "amount_captured", o.AmountCaptured)
		}
		return report(o, state, "amount", o.Amount)
	}
}

// succeededCharge tells a reservation from a payment: both are a charge that succeeded.
func succeededCharge(eventType string, o object) ([]*waybillv1.Change, error) {
	if o.Captured != nil && !*o.Captured {
		return charge(authorized)(eventType, o)
	}
	return charge(paid)(eventType, o)
}

// session reads a checkout session whose event says the given state.
func session(state waybillv1.PaymentState) reader {
	return func(_ string, o object) ([]*waybillv1.Change, error) {
		return report(o, state, "amount_total", o.AmountTotal)
	}
}

func completedSession(eventType string, o object) ([]*waybillv1.Change, error) {
	state, known := sessionPayments[string(o.PaymentStatus)]
	switch {
	case o.PaymentStatus == "":
		return nil, errors.New("payment_status is missing")
	case !known:
		return []*waybillv1.Change{provider.UnrecognisedChange("data.object.payment_status", o.PaymentStatus)}, nil
	case o.PaymentStatus == "no_payment_required":
		o.AmountTotal = "0" // nothing moved, whatever the session's total says
	}
	return session(state)(eventType, o)
}

func report(o object, state waybillv1.PaymentState, member string, amount provider.Number) ([]*waybillv1.Change, error) {
	payment := &waybillv1.PaymentReported{
		PaymentId: o.paymentID(),
		Evidence:  waybillv1.PaymentEvidence_PAYMENT_EVIDENCE_MOVEMENT,
		State:     state,
	}
	if amount != "" || state == paid || state == authorized {
		total, err := money(member, amount, o.Currency)
		if err != nil {
			return nil, err
		}
		payment.Amount = total
	}
	return []*waybillv1.Change{{Change: &waybillv1.Change_PaymentReported{PaymentReported: payment}}}, nil
}

// refunded reads a charge's running total: all that was ever refunded of it.
func refunded(_ string, o object) ([]*waybillv1.Change, error) {
	total, err := money("amount_refunded", o.AmountRefunded, o.Currency)
	if err != nil {
		return nil, err
	}
	return []*waybillv1.Change{{Change: &waybillv1.Change_RefundReported{
		RefundReported: &waybillv1.RefundReported{PaymentId: o.paymentID(), Amount: total, RunningTotal: true},
	}}}, nil
}

// failedRefund shows a refund that did not reach the customer. Refunds that did are counted by charge.refunded.
func failedRefund(_ string, o object) ([]*waybillv1.Change, error) {
	if !failedRefunds[string(o.Status)] {
		return []*waybillv1.Change{provider.IgnoredChange("charge.refunded counts this refund")}, nil
	}
	fact := &waybillv1.Fact{Name: "refund_failed", Detail: provider.Short(string(o.ID), 255), NeedsAttention: true}
	if o.Amount != "" {
		amount, err := money("amount", o.Amount, o.Currency)
		if err != nil {
			return nil, err
		}
		fact.Amount = amount
	}
	return []*waybillv1.Change{{Change: &waybillv1.Change_Fact{Fact: fact}}}, nil
}

// dispute reads a dispute by its status, whichever event brought it.
func dispute(_ string, o object) ([]*waybillv1.Change, error) {
	state, known := disputes[string(o.Status)]
	switch {
	case o.Status == "":
		return nil, errors.New("status is missing")
	case !known:
		return []*waybillv1.Change{provider.UnrecognisedChange("data.object.status", o.Status)}, nil
	}
	reported := &waybillv1.DisputeReported{
		DisputeId: string(o.ID),
		PaymentId: string(cmp.Or(o.PaymentIntent.ID, o.Charge.ID)),
		State:     state,
	}
	if o.Amount != "" {
		amount, err := money("amount", o.Amount, o.Currency)
		if err != nil {
			return nil, err
		}
		reported.Amount = amount
	}
	return []*waybillv1.Change{{Change: &waybillv1.Change_DisputeReported{DisputeReported: reported}}}, nil
}
