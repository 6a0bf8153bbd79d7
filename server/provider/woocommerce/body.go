package woocommerce

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/waybillhq/waybill/server/provider"
)

// orderBody is an order as the shop's own API gives it.
type orderBody struct {
	ID               provider.ID     `json:"id"`
	Number           provider.ID     `json:"number"`
	Status           provider.Word   `json:"status"`
	Currency         provider.Word   `json:"currency"`
	Total            provider.Number `json:"total"`
	DateModifiedGMT  provider.Word   `json:"date_modified_gmt"`
	DateModified     provider.Word   `json:"date_modified"`
	DateCreatedGMT   provider.Word   `json:"date_created_gmt"`
	DatePaidGMT      provider.Word   `json:"date_paid_gmt"`
	DateCompletedGMT provider.Word   `json:"date_completed_gmt"`
	PaymentMethod    provider.Text   `json:"payment_method"`
	LineItems        *[]lineItem     `json:"line_items"`
	Refunds          []refundBody    `json:"refunds"`
	MetaData         jsontext.Value  `json:"meta_data"`
	Links            links           `json:"_links"`
	// BillingPeriod stands in a plugin's subscriptions, which look like orders otherwise.
	BillingPeriod presence `json:"billing_period"`
	// Code stands in what the API answers in place of an order.
	Code provider.Text `json:"code"`
}

// deletedBody is what is left of something deleted.
type deletedBody struct {
	ID     provider.ID               `json:"id"`
	Others map[string]jsontext.Value `json:",embed"`
}

// presence is true of a member that a body has, even if it is null.
type presence bool

// UnmarshalJSONFrom notes that the member is there.
func (p *presence) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*p = true
	return dec.SkipValue()
}

type lineItem struct {
	ID       provider.ID   `json:"id"`
	SKU      provider.Text `json:"sku"`
	Quantity *int64        `json:"quantity"`
}

type refundBody struct {
	ID    provider.ID     `json:"id"`
	Total provider.Number `json:"total"`
}

// metaDatum is what a plugin has left. Its value may have any shape.
type metaDatum struct {
	Key   provider.Text  `json:"key"`
	Value jsontext.Value `json:"value"`
}

// trackingItem is a parcel as the Shipment Tracking plugins note it.
type trackingItem struct {
	Number   provider.ID   `json:"tracking_number"`
	Provider provider.Text `json:"tracking_provider"`
	Custom   provider.Text `json:"custom_tracking_provider"`
}

// links are the order's addresses. One of another shape says nothing and stops nothing.
type links struct{ self string }

// UnmarshalJSONFrom reads the order's own address.
func (l *links) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	whole, err := dec.ReadValue()
	if err != nil {
		return err
	}
	var named struct {
		Self []struct {
			Href provider.Text `json:"href"`
		} `json:"self"`
	}
	if provider.Decode(whole, &named) == nil && len(named.Self) > 0 {
		l.self = string(named.Self[0].Href)
	}
	return nil
}

// moment is when the order was last changed. The _gmt members are UTC without saying so; the others are the site's time.
func (s *shop) moment(b orderBody) provider.Moment {
	return provider.FirstMoment(
		utc(b.DateModifiedGMT), provider.ParseMoment(string(b.DateModified), s.zone), utc(b.DateCreatedGMT),
	)
}

func utc(text provider.Word) provider.Moment {
	return provider.ParseMoment(strings.TrimSpace(string(text))+"Z", nil)
}
