package sslcommerz

import (
	"errors"
	"strings"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// Translate makes one event of a body.
func (g *gateway) Translate(r *provider.Request) ([]*waybillv1.IngestEventRequest, error) {
	event, err := g.event(r.Body)
	if err != nil {
		event = provider.Undecoded(r.Body, err.Error())
	}
	return []*waybillv1.IngestEventRequest{provider.Checked(event, r.Body)}, nil
}

func (g *gateway) event(body []byte) (*waybillv1.IngestEventRequest, error) {
	n, err := parse(body)
	if err != nil {
		return nil, err
	}
	moment := provider.ParseMoment(n.covered[fieldDate], g.zone)
	event := &waybillv1.IngestEventRequest{
		EventId:             n.identity(),
		EventIdDerived:      true,
		EventType:           provider.Short(n.covered[fieldStatus], 255),
		OccurredAt:          moment.Timestamp(),
		OccurredAtCertainty: moment.Certainty,
	}
	if g.store != "" && n.covered[fieldStore] != "" && n.covered[fieldStore] != g.store {
		event.Changes = []*waybillv1.Change{provider.IgnoredChange("it is for another store than expect.store_id says")}
		return event, nil
	}
	var names provider.References
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_NUMBER, provider.ID(strings.TrimSpace(text(n.covered[g.orderKey]))))
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_PAYMENT_ID, provider.ID(n.covered[fieldTransaction]))
	event.References = names.List()
	event.Changes, err = n.changes()
	return event, err
}

// identity is made of the names of the payment, and of what may be said anew about it: its status and its risk.
func (n notice) identity() string {
	return provider.DerivedID(provider.TextTime(n.covered[fieldDate]),
		n.covered[fieldTransaction], n.covered[fieldValidation], n.covered[fieldBank], n.covered[fieldDate],
		n.covered[fieldStatus], n.covered[fieldRisk])
}

func (n notice) changes() ([]*waybillv1.Change, error) {
	state, known := states[n.covered[fieldStatus]]
	if !known {
		return []*waybillv1.Change{provider.UnrecognisedChange(fieldStatus, provider.Word(n.covered[fieldStatus]))}, nil
	}
	amount, err := n.amount()
	if err != nil {
		return nil, err
	}
	switch {
	case n.isPayment() && amount == nil:
		return nil, errors.New(fieldAmount + " is missing, or verify_key does not list it")
	case !n.isPayment() || n.covered[fieldRisk] != risky:
		return []*waybillv1.Change{n.report(state, amount)}, nil
	}
	return []*waybillv1.Change{
		n.report(waybillv1.PaymentState_PAYMENT_STATE_AUTHORIZED, amount),
		provider.FactChange(&waybillv1.Fact{
			Name:           "payment_at_risk",
			Detail:         provider.Short(text(n.covered[fieldRiskTitle]), 2000),
			Amount:         amount,
			NeedsAttention: true,
		}),
	}, nil
}

// report is about the merchant's own transaction: an attempt that fails has no other name.
func (n notice) report(state waybillv1.PaymentState, amount *waybillv1.Money) *waybillv1.Change {
	return &waybillv1.Change{Change: &waybillv1.Change_PaymentReported{
		PaymentReported: &waybillv1.PaymentReported{
			PaymentId: n.covered[fieldTransaction],
			Evidence:  waybillv1.PaymentEvidence_PAYMENT_EVIDENCE_MOVEMENT,
			State:     state,
			Amount:    amount,
		},
	}}
}

// amount is what the customer was asked for, in the currency that the shop asked in. The other amount is what the
// gateway makes of it in its own currency.
func (n notice) amount() (*waybillv1.Money, error) {
	asked, own := n.covered[fieldCurrencyAmount], n.covered[fieldAmount]
	switch {
	case asked != "" && n.covered[fieldCurrencyType] != "" && n.covered[fieldCurrencyType] != n.covered[fieldCurrency]:
		return provider.Major(fieldCurrencyAmount, provider.Number(asked), n.covered[fieldCurrencyType])
	case own != "":
		return provider.Major(fieldAmount, provider.Number(own), n.covered[fieldCurrency])
	default:
		return nil, nil //nolint:nilnil // no amount is an answer, where nothing was taken
	}
}

// text is free text that may be stored.
func text(raw string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(raw, "\uFFFD"), "\x00", "\uFFFD")
}
