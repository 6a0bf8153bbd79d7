package adyen

import (
	"cmp"
	"errors"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// paymentID is the payment that an item is about: the original one of a modification or dispute, or the item's own.
func (i item) paymentID() string { return string(cmp.Or(i.OriginalReference, i.PSPReference)) }

func report(id string, state waybillv1.PaymentState, amount *waybillv1.Money) *waybillv1.Change {
	return &waybillv1.Change{Change: &waybillv1.Change_PaymentReported{
		PaymentReported: &waybillv1.PaymentReported{
			PaymentId: id,
			Evidence:  waybillv1.PaymentEvidence_PAYMENT_EVIDENCE_MOVEMENT,
			State:     state,
			Amount:    amount,
		},
	}}
}

// payment reads an item that says how a payment stands.
func payment(state waybillv1.PaymentState) reader {
	return func(_ *payments, i item) ([]*waybillv1.Change, error) {
		amount, err := money(i.Amount)
		if err != nil {
			return nil, err
		}
		return []*waybillv1.Change{report(i.paymentID(), state, amount)}, nil
	}
}

// authorised reads a payment that was authorised: reserved, and taken too where the settings say that captures are
// automatic. Adyen sends no item for those.
func authorised(p *payments, i item) ([]*waybillv1.Change, error) {
	if p.captured {
		return payment(waybillv1.PaymentState_PAYMENT_STATE_PAID)(p, i)
	}
	return payment(waybillv1.PaymentState_PAYMENT_STATE_AUTHORIZED)(p, i)
}

// adjusted reads the new amount of a reservation.
func adjusted(p *payments, i item) ([]*waybillv1.Change, error) {
	return payment(waybillv1.PaymentState_PAYMENT_STATE_AUTHORIZED)(p, i)
}

// captureID is the name under which a capture counts. A payment may be taken in several captures, and each is money of
// its own; where captures are automatic the authorisation has reported the whole payment as taken.
func (p *payments) captureID(i item) string {
	if p.captured {
		return i.paymentID()
	}
	return string(i.PSPReference)
}

func captured(p *payments, i item) ([]*waybillv1.Change, error) {
	amount, err := money(i.Amount)
	if err != nil {
		return nil, err
	}
	return []*waybillv1.Change{report(p.captureID(i), waybillv1.PaymentState_PAYMENT_STATE_PAID, amount)}, nil
}

// uncaptured reads a capture that failed after all, at the card's scheme: nothing was taken by it.
func uncaptured(p *payments, i item) ([]*waybillv1.Change, error) {
	amount, err := money(i.Amount)
	if err != nil {
		return nil, err
	}
	nothing := &waybillv1.Money{Currency: amount.GetCurrency()}
	return []*waybillv1.Change{
		report(p.captureID(i), waybillv1.PaymentState_PAYMENT_STATE_PAID, nothing),
		attention("capture_failed", i, amount),
	}, nil
}

func voided(_ *payments, i item) ([]*waybillv1.Change, error) {
	return []*waybillv1.Change{report(i.paymentID(), waybillv1.PaymentState_PAYMENT_STATE_VOIDED, nil)}, nil
}

// cancelledOrRefunded reads what became of a payment that was to be undone one way or the other.
func cancelledOrRefunded(p *payments, i item) ([]*waybillv1.Change, error) {
	read, known := actions[string(i.Additional.Action)]
	switch {
	case i.Additional.Action == "":
		return nil, errors.New("additionalData.modification.action is missing")
	case !known:
		return []*waybillv1.Change{
			provider.UnrecognisedChange("additionalData.modification.action", provider.Word(i.Additional.Action)),
		}, nil
	}
	return read(p, i)
}

// refunded reads a step: each refund has a reference of its own.
func refunded(_ *payments, i item) ([]*waybillv1.Change, error) {
	amount, err := money(i.Amount)
	if err != nil {
		return nil, err
	}
	return []*waybillv1.Change{refundStep(i, amount)}, nil
}

// unrefunded reads a refund that did not reach the customer after all: nothing went back by it.
func unrefunded(fact string) reader {
	return func(_ *payments, i item) ([]*waybillv1.Change, error) {
		amount, err := money(i.Amount)
		if err != nil {
			return nil, err
		}
		nothing := &waybillv1.Money{Currency: amount.GetCurrency()}
		return []*waybillv1.Change{refundStep(i, nothing), attention(fact, i, amount)}, nil
	}
}

func refundStep(i item, amount *waybillv1.Money) *waybillv1.Change {
	return &waybillv1.Change{Change: &waybillv1.Change_RefundReported{
		RefundReported: &waybillv1.RefundReported{
			PaymentId: string(i.OriginalReference),
			RefundId:  string(i.PSPReference),
			Amount:    amount,
		},
	}}
}

// dispute reads an item of a dispute. All of a dispute's items share one reference.
func dispute(state waybillv1.DisputeState) reader {
	return func(_ *payments, i item) ([]*waybillv1.Change, error) {
		var amount *waybillv1.Money
		if i.Amount.Value != "" {
			read, err := money(i.Amount)
			if err != nil {
				return nil, err
			}
			amount = read
		}
		return []*waybillv1.Change{{Change: &waybillv1.Change_DisputeReported{
			DisputeReported: &waybillv1.DisputeReported{
				DisputeId: string(i.PSPReference),
				PaymentId: string(i.OriginalReference),
				State:     state,
				Amount:    amount,
			},
		}}}, nil
	}
}

// chargeback reads money that the bank has taken back. It may still be won, and somebody has to see to that.
func chargeback(p *payments, i item) ([]*waybillv1.Change, error) {
	changes, err := dispute(waybillv1.DisputeState_DISPUTE_STATE_LOST)(p, i)
	if err != nil {
		return nil, err
	}
	return append(changes, attention("chargeback", i, nil)), nil
}

// alarm reads an item that moves nothing and that a person should see.
func alarm(fact string) reader {
	return func(_ *payments, i item) ([]*waybillv1.Change, error) {
		return []*waybillv1.Change{attention(fact, i, nil)}, nil
	}
}

func attention(fact string, i item, amount *waybillv1.Money) *waybillv1.Change {
	return provider.FactChange(&waybillv1.Fact{
		Name:           fact,
		Detail:         provider.Short(string(i.Reason), 2000),
		Amount:         amount,
		NeedsAttention: true,
	})
}

func ignored(reason string) reader {
	return func(*payments, item) ([]*waybillv1.Change, error) {
		return []*waybillv1.Change{provider.IgnoredChange(reason)}, nil
	}
}
