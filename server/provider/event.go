package provider

import (
	"errors"
	"slices"
	"strings"

	"buf.build/go/protovalidate"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/order"
)

// References collects what a body names. The zero value is ready.
type References struct{ list []*waybillv1.Reference }

// Add names something. An empty value, or one that was added before, is left out. A leading # is no part of an order's
// number.
func (r *References) Add(kind waybillv1.ReferenceKind, values ...ID) {
	for _, value := range values {
		text := string(value)
		if kind == waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_NUMBER {
			text = OrderNumber(value)
		}
		known := slices.ContainsFunc(r.list, func(have *waybillv1.Reference) bool {
			return have.GetKind() == kind && have.GetValue() == text
		})
		if text != "" && !known {
			r.list = append(r.list, &waybillv1.Reference{Kind: kind, Value: text})
		}
	}
}

// List gives the references, strongest first: the kinds are numbered in that order.
func (r *References) List() []*waybillv1.Reference {
	slices.SortStableFunc(r.list, func(a, b *waybillv1.Reference) int { return int(a.GetKind() - b.GetKind()) })
	return r.list
}

// OrderNumber is an order's number without its leading #.
func OrderNumber(number ID) string {
	return strings.TrimSpace(strings.TrimPrefix(string(number), "#"))
}

// Major reads an amount in major units, exactly. The error names the member and quotes nothing.
func Major(member string, amount Number, currency string) (*waybillv1.Money, error) {
	money, err := order.ParseMoney(string(amount), currency)
	if err != nil {
		return nil, &moneyError{member: member, cause: err}
	}
	if money.MinorUnits < 0 {
		return nil, &moneyError{member: member, cause: errors.New("amount is negative")}
	}
	return &waybillv1.Money{Currency: money.Currency, MinorUnits: money.MinorUnits}, nil
}

type moneyError struct {
	member string
	cause  error
}

func (e *moneyError) Error() string {
	return e.member + ": " + strings.TrimPrefix(e.cause.Error(), "money: ")
}

func (e *moneyError) Unwrap() error { return e.cause }

// UnrecognisedChange makes the change of a word outside a provider's table.
func UnrecognisedChange(field string, word Word) *waybillv1.Change {
	return &waybillv1.Change{Change: &waybillv1.Change_Unrecognised{Unrecognised: &waybillv1.Unrecognised{
		Field: field,
		Word:  Short(string(word), 255),
	}}}
}

// Checked gives an event back if our own rules take it. One that they would refuse becomes the undecoded event of its
// bytes, so that nothing proven is ever bounced.
func Checked(event *waybillv1.IngestEventRequest, item []byte) *waybillv1.IngestEventRequest {
	event.Account, event.Provider = "a", "p" // the caller's to fill in, and its to get right
	err := protovalidate.Validate(event)
	event.Account, event.Provider = "", ""
	if err == nil {
		return event
	}
	return Undecoded(item, "our own rules refuse what the body says: "+brokenRules(err))
}

// brokenRules names fields and rules of a validation error, and no values.
func brokenRules(err error) string {
	broken, ok := errors.AsType[*protovalidate.ValidationError](err)
	if !ok {
		return "a rule can't be evaluated"
	}
	var rules []string
	for _, violation := range broken.Violations {
		rules = append(rules, protovalidate.FieldPathString(violation.Proto.GetField())+" "+violation.Proto.GetRuleId())
	}
	return Short(strings.Join(rules, ", "), 500)
}
