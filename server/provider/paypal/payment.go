package paypal

import (
	"errors"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// payment reads a capture, an authorisation or a sale: each is money of its own. What was reserved and then captured is
// counted once, as what was captured.
func payment(state waybillv1.PaymentState) reader {
	return func(o resource) ([]*waybillv1.Change, error) {
		amount, err := o.Amount.money("amount")
		switch {
		case err != nil:
			return nil, err
		case o.ID == "":
			return nil, errors.New("id is missing")
		}
		return []*waybillv1.Change{{Change: &waybillv1.Change_PaymentReported{
			PaymentReported: &waybillv1.PaymentReported{
				PaymentId: string(o.ID),
				Evidence:  waybillv1.PaymentEvidence_PAYMENT_EVIDENCE_MOVEMENT,
				State:     state,
				Amount:    amount,
			},
		}}}, nil
	}
}

// refunded reads a refund: a step, by its own id.
func refunded(o resource) ([]*waybillv1.Change, error) {
	amount, err := o.Amount.money("amount")
	switch {
	case err != nil:
		return nil, err
	case amount == nil:
		return nil, errors.New("amount is missing")
	case o.ID == "":
		return nil, errors.New("id is missing")
	}
	return []*waybillv1.Change{{Change: &waybillv1.Change_RefundReported{
		RefundReported: &waybillv1.RefundReported{PaymentId: o.refundOf(), RefundId: string(o.ID), Amount: amount},
	}}}, nil
}

// reversed reads money that PayPal has taken back of its own accord.
func reversed(o resource) ([]*waybillv1.Change, error) {
	changes, err := refunded(o)
	if err != nil {
		return nil, err
	}
	return append(changes, provider.FactChange(&waybillv1.Fact{Name: "payment_reversed", NeedsAttention: true})), nil
}

// dispute reads a dispute by its status, whichever event brought it.
func dispute(o resource) ([]*waybillv1.Change, error) {
	if o.DisputeID == "" {
		return nil, errors.New("dispute_id is missing")
	}
	state := waybillv1.DisputeState_DISPUTE_STATE_OPEN
	if string(o.Status) == resolved {
		found, known := outcomes[string(o.Outcome.Code)]
		if !known {
			return []*waybillv1.Change{
				provider.UnrecognisedChange("resource.dispute_outcome.outcome_code", o.Outcome.Code),
			}, nil
		}
		state = found
	}
	amount, err := o.DisputeAmount.money("dispute_amount")
	if err != nil {
		return nil, err
	}
	made := &waybillv1.DisputeReported{DisputeId: string(o.DisputeID), State: state, Amount: amount}
	if len(o.Transactions) > 0 {
		made.PaymentId = string(o.Transactions[0].Transaction)
	}
	return []*waybillv1.Change{{Change: &waybillv1.Change_DisputeReported{DisputeReported: made}}}, nil
}
