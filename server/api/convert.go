package api

import (
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/order"
)

// From… functions turn the wire into nouns, To… functions nouns into the wire.

// each turns every item of a list.
func each[A, B any](items []A, turn func(A) B) []B {
	if len(items) == 0 {
		return nil
	}
	turned := make([]B, len(items))
	for i, item := range items {
		turned[i] = turn(item)
	}
	return turned
}

// fromText is a provider's text as every database and every client can hold it. In the process nothing else has looked
// whether it is UTF-8.
func fromText(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// fromTime is a time of the wire as storage keeps it. The zero time where there is none.
func fromTime(at *timestamppb.Timestamp) time.Time {
	if at == nil {
		return time.Time{}
	}
	return at.AsTime().Truncate(time.Microsecond)
}

func toTime(at time.Time) *timestamppb.Timestamp {
	if at.IsZero() {
		return nil
	}
	return timestamppb.New(at)
}

func fromMoney(money *waybillv1.Money) *order.Money {
	if money == nil {
		return nil
	}
	return &order.Money{Currency: money.GetCurrency(), MinorUnits: money.GetMinorUnits()}
}

func toMoney(money *order.Money) *waybillv1.Money {
	if money == nil {
		return nil
	}
	return &waybillv1.Money{Currency: money.Currency, MinorUnits: money.MinorUnits}
}

func fromReference(ref *waybillv1.Reference) order.Reference {
	return order.Reference{Kind: referenceKinds.from(ref.GetKind()), Value: ref.GetValue()}
}

func toReference(ref order.Reference) *waybillv1.Reference {
	return &waybillv1.Reference{Kind: referenceKinds.to(ref.Kind), Value: ref.Value}
}

func fromRaw(raw *waybillv1.RawMessage) order.Raw {
	noun := order.Raw{Body: raw.GetBody(), ContentType: fromText(raw.GetContentType())}
	if len(raw.GetHeaders()) > 0 {
		noun.Headers = make(map[string]string, len(raw.GetHeaders()))
	}
	for name, value := range raw.GetHeaders() {
		noun.Headers[name] = fromText(value)
	}
	return noun
}

func toRaw(raw order.Raw) *waybillv1.RawMessage {
	return &waybillv1.RawMessage{Body: raw.Body, ContentType: raw.ContentType, Headers: raw.Headers}
}
