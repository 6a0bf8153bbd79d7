package paypal

import (
	"net/url"
	"path"

	"github.com/go-json-experiment/json/jsontext"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// envelope is an event.
type envelope struct {
	ID         provider.ID    `json:"id"`
	EventType  provider.Word  `json:"event_type"`
	CreateTime provider.Word  `json:"create_time"`
	Resource   jsontext.Value `json:"resource"`
}

// resource is the union of what is read of captures, authorisations, sales, refunds and disputes.
type resource struct {
	ID            provider.ID `json:"id"`
	InvoiceID     provider.ID `json:"invoice_id"`
	CustomID      provider.ID `json:"custom_id"`
	InvoiceNumber provider.ID `json:"invoice_number"`
	Custom        provider.ID `json:"custom"`
	SaleID        provider.ID `json:"sale_id"`
	Amount        amountBody  `json:"amount"`
	Links         []link      `json:"links"`

	DisputeID     provider.ID     `json:"dispute_id"`
	Status        provider.Word   `json:"status"`
	DisputeAmount amountBody      `json:"dispute_amount"`
	Outcome       outcomeBody     `json:"dispute_outcome"`
	Transactions  []disputedMoney `json:"disputed_transactions"`
}

// amountBody is an amount of either API: value and currency_code now, total and currency before.
type amountBody struct {
	Value        provider.Number `json:"value"`
	CurrencyCode provider.Word   `json:"currency_code"`
	Total        provider.Number `json:"total"`
	Currency     provider.Word   `json:"currency"`
}

type link struct {
	Rel  provider.Text `json:"rel"`
	Href provider.Text `json:"href"`
}

type outcomeBody struct {
	Code provider.Word `json:"outcome_code"`
}

type disputedMoney struct {
	Transaction   provider.ID `json:"seller_transaction_id"`
	InvoiceNumber provider.ID `json:"invoice_number"`
	Custom        provider.ID `json:"custom"`
}

// money reads an amount. Without an amount there is none.
func (a amountBody) money(member string) (*waybillv1.Money, error) {
	switch {
	case a.Value != "":
		return provider.Major(member+".value", a.Value, string(a.CurrencyCode))
	case a.Total != "":
		return provider.Major(member+".total", a.Total, string(a.Currency))
	default:
		return nil, nil //nolint:nilnil // no amount is an answer
	}
}

// refundOf is the payment that a refund goes back to: the older API names it, the newer one links to it.
func (o resource) refundOf() string {
	if o.SaleID != "" {
		return string(o.SaleID)
	}
	for _, l := range o.Links {
		if l.Rel != "up" {
			continue
		}
		if address, err := url.Parse(string(l.Href)); err == nil {
			if name := path.Base(address.Path); name != "." && name != "/" {
				return name
			}
		}
	}
	return ""
}

// carried is what the resource carries under a name that may hold our order's number.
func (o resource) carried(name string) []provider.ID {
	found := map[string]provider.ID{
		"invoice_id": o.InvoiceID, "custom_id": o.CustomID, "invoice_number": o.InvoiceNumber, "custom": o.Custom,
	}[name]
	if found != "" {
		return []provider.ID{found}
	}
	var all []provider.ID
	for _, t := range o.Transactions {
		if name == "invoice_number" || name == "invoice_id" {
			all = append(all, t.InvoiceNumber)
		} else {
			all = append(all, t.Custom)
		}
	}
	return all
}
