package stripe

import (
	"github.com/go-json-experiment/json/jsontext"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// envelope is an event. Everything else in it, api_version and request included, changes with the account's settings
// and decides nothing.
type envelope struct {
	ID       provider.ID    `json:"id"`
	Object   provider.Word  `json:"object"`
	Account  provider.ID    `json:"account"`
	Created  jsontext.Value `json:"created"`
	Livemode *bool          `json:"livemode"`
	Type     provider.Word  `json:"type"`
	Data     struct {
		Object jsontext.Value `json:"object"`
	} `json:"data"`
}

// object is the union of what Waybill reads of payment intents, checkout sessions, charges, refunds and disputes.
type object struct {
	ID                provider.ID            `json:"id"`
	PaymentIntent     expandable             `json:"payment_intent"`
	Charge            expandable             `json:"charge"`
	ClientReferenceID provider.ID            `json:"client_reference_id"`
	Metadata          map[string]provider.ID `json:"metadata"`
	Status            provider.Word          `json:"status"`
	PaymentStatus     provider.Word          `json:"payment_status"`
	Currency          provider.Word          `json:"currency"`
	Amount            provider.Number        `json:"amount"`
	AmountReceived    provider.Number        `json:"amount_received"`
	AmountCapturable  provider.Number        `json:"amount_capturable"`
	AmountTotal       provider.Number        `json:"amount_total"`
	AmountCaptured    provider.Number        `json:"amount_captured"`
	AmountRefunded    provider.Number        `json:"amount_refunded"`
	Captured          *bool                  `json:"captured"`
}

// paymentID is the one name of a payment, whichever object reports it: the payment intent where the object has one,
// then the charge, then the object itself.
func (o object) paymentID() string {
	for _, id := range []provider.ID{o.PaymentIntent.ID, o.Charge.ID, o.ID} {
		if id != "" {
			return string(id)
		}
	}
	return ""
}

// expandable is a reference that comes as an id or as the whole object.
type expandable struct{ ID provider.ID }

// UnmarshalJSONFrom reads either form.
func (e *expandable) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() != '{' {
		return e.ID.UnmarshalJSONFrom(dec)
	}
	whole, err := dec.ReadValue()
	if err != nil {
		return err
	}
	var named struct {
		ID provider.ID `json:"id"`
	}
	if err := provider.Decode(whole, &named); err != nil {
		return err
	}
	e.ID = named.ID
	return nil
}

// references are what the object names.
func (p *payments) references(o object) []*waybillv1.Reference {
	var names provider.References
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_NUMBER, p.orderNumber(o))
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_PAYMENT_ID, provider.ID(o.paymentID()))
	return names.List()
}

func (p *payments) orderNumber(o object) provider.ID {
	for _, key := range p.orderKeys {
		if number := o.Metadata[key]; number != "" {
			return number
		}
	}
	return o.ClientReferenceID
}
