package standardwebhooks

import (
	"cmp"
	"errors"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// money reads an amount: in major units, or in minor ones where the settings say so. Without an amount there is none.
func (s *service) money(member string, amount provider.Number, currency provider.Word) (*waybillv1.Money, error) {
	if amount == "" {
		return nil, nil //nolint:nilnil // no amount is an answer
	}
	code := cmp.Or(string(currency), s.currency)
	if code == "" {
		return nil, errors.New("currency is missing")
	}
	if !s.minorUnits {
		return provider.Major(member, amount, code)
	}
	return provider.Minor(member, amount, code)
}

func payment(state waybillv1.PaymentState) reader {
	return func(s *service, d data) ([]*waybillv1.Change, error) {
		if d.PaymentID == "" {
			return nil, errors.New("payment_id is missing")
		}
		amount, err := s.money("amount", d.Amount, d.Currency)
		if err != nil {
			return nil, err
		}
		evidence := waybillv1.PaymentEvidence_PAYMENT_EVIDENCE_MOVEMENT
		if d.Asserted {
			evidence = waybillv1.PaymentEvidence_PAYMENT_EVIDENCE_ASSERTION
		}
		return one(&waybillv1.Change{Change: &waybillv1.Change_PaymentReported{
			PaymentReported: &waybillv1.PaymentReported{
				PaymentId:      string(d.PaymentID),
				Evidence:       evidence,
				State:          state,
				Amount:         amount,
				CashOnDelivery: d.CashOnDelivery,
			},
		}}), nil
	}
}

// refunded reads money that went back: a step where the refund has an id, and otherwise all that ever went back of the
// payment.
func refunded(s *service, d data) ([]*waybillv1.Change, error) {
	amount, err := s.money("amount", d.Amount, d.Currency)
	switch {
	case err != nil:
		return nil, err
	case amount == nil:
		return nil, errors.New("amount is missing")
	case d.RefundID == "" && d.PaymentID == "":
		return nil, errors.New("refund_id or payment_id is missing")
	}
	return one(&waybillv1.Change{Change: &waybillv1.Change_RefundReported{
		RefundReported: &waybillv1.RefundReported{
			PaymentId:    string(d.PaymentID),
			RefundId:     string(d.RefundID),
			Amount:       amount,
			RunningTotal: d.RefundID == "",
		},
	}}), nil
}

func dispute(state waybillv1.DisputeState) reader {
	return func(s *service, d data) ([]*waybillv1.Change, error) {
		if d.DisputeID == "" {
			return nil, errors.New("dispute_id is missing")
		}
		amount, err := s.money("amount", d.Amount, d.Currency)
		if err != nil {
			return nil, err
		}
		return one(&waybillv1.Change{Change: &waybillv1.Change_DisputeReported{
			DisputeReported: &waybillv1.DisputeReported{
				DisputeId: string(d.DisputeID),
				PaymentId: string(d.PaymentID),
				State:     state,
				Amount:    amount,
			},
		}}), nil
	}
}
