package payments

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// maxName is how long a name may be.
const maxName = 255

// body is the whole contract: these five, all of them, and nothing else.
type body struct {
	EventID   *string        `json:"eventId"`
	Type      *string        `json:"type"`
	PaymentID *string        `json:"paymentId"`
	OrderID   *string        `json:"orderId"`
	Amount    jsontext.Value `json:"amount"`
}

// Translate makes one event of a body. A body that breaks the contract is refused before anything is recorded: its
// sender is a service of our own kind, which reads the answer.
func (g *gateway) Translate(r *provider.Request) ([]*waybillv1.IngestEventRequest, error) {
	var b body
	if err := provider.DecodeStrict(r.Body, &b); err != nil {
		return nil, &provider.Refusal{Message: err.Error()}
	}
	if err := b.fault(); err != nil {
		return nil, &provider.Refusal{Message: err.Error()}
	}
	amount, err := g.amount(b)
	if err != nil {
		return nil, &provider.Refusal{Message: err.Error()}
	}

	eventType := strings.ToLower(strings.TrimSpace(*b.Type))
	var names provider.References
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_NUMBER, provider.ID(strings.TrimSpace(*b.OrderID)))
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_PAYMENT_ID, provider.ID(strings.TrimSpace(*b.PaymentID)))
	return []*waybillv1.IngestEventRequest{{
		EventId:             strings.TrimSpace(*b.EventID),
		EventType:           eventType,
		OccurredAtCertainty: waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_MISSING,
		References:          names.List(),
		Changes:             []*waybillv1.Change{change(eventType, strings.TrimSpace(*b.PaymentID), amount)},
	}}, nil
}

// fault says which of the names breaks the contract.
func (b body) fault() error {
	for _, member := range []struct {
		name  string
		value *string
	}{{"eventId", b.EventID}, {"type", b.Type}, {"paymentId", b.PaymentID}, {"orderId", b.OrderID}} {
		switch {
		case member.value == nil || strings.TrimSpace(*member.value) == "":
			return errors.New(member.name + " is missing or empty")
		case utf8.RuneCountInString(*member.value) > maxName:
			return errors.New(member.name + " is longer than 255 characters")
		case strings.Contains(*member.value, "\x00"):
			return errors.New(member.name + " holds U+0000")
		}
	}
	if provider.OrderNumber(provider.ID(*b.OrderID)) == "" {
		return errors.New("orderId is missing or empty")
	}
	return nil
}

func (g *gateway) amount(b body) (*waybillv1.Money, error) {
	if b.Amount.Kind() != '0' {
		return nil, errors.New("amount is missing or not a number")
	}
	digits := provider.Number(b.Amount)
	if !g.minorUnits {
		return provider.Major("amount", digits, g.currency)
	}
	// Whole minor units are what major units would be in a currency without decimals.
	money, err := provider.Major("amount", digits, "JPY")
	if err != nil {
		return nil, errors.New("amount is not a whole, positive number of minor units")
	}
	return &waybillv1.Money{Currency: g.currency, MinorUnits: money.GetMinorUnits()}, nil
}

func change(eventType, paymentID string, amount *waybillv1.Money) *waybillv1.Change {
	if eventType == refundType {
		return &waybillv1.Change{Change: &waybillv1.Change_RefundReported{
			RefundReported: &waybillv1.RefundReported{PaymentId: paymentID, Amount: amount, RunningTotal: true},
		}}
	}
	state, known := states[eventType]
	if !known {
		return provider.UnrecognisedChange("type", provider.Word(eventType))
	}
	return &waybillv1.Change{Change: &waybillv1.Change_PaymentReported{
		PaymentReported: &waybillv1.PaymentReported{
			PaymentId: paymentID,
			Evidence:  waybillv1.PaymentEvidence_PAYMENT_EVIDENCE_MOVEMENT,
			State:     state,
			Amount:    amount,
		},
	}}
}
