package standardwebhooks

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/waybillhq/waybill/server/provider"
)

// envelope is what the specification fixes of a body.
type envelope struct {
	Type provider.Word `json:"type"`
	// Timestamp is when it happened; the header's time is the attempt's.
	Timestamp provider.Word  `json:"timestamp"`
	Data      jsontext.Value `json:"data"`
}

// data is our own vocabulary: the union of what the types read.
type data struct {
	OrderID        provider.ID `json:"order_id"`
	OrderNumber    provider.ID `json:"order_number"`
	ConsignmentID  provider.ID `json:"consignment_id"`
	TrackingNumber provider.ID `json:"tracking_number"`
	FulfilmentID   provider.ID `json:"fulfilment_id"`
	PaymentID      provider.ID `json:"payment_id"`
	RefundID       provider.ID `json:"refund_id"`
	DisputeID      provider.ID `json:"dispute_id"`

	Amount   provider.Number `json:"amount"`
	Total    provider.Number `json:"total"`
	Currency provider.Word   `json:"currency"`
	Lines    []line          `json:"lines"`
	Units    []line          `json:"units"`

	Status      provider.Word `json:"status"`
	Name        provider.Word `json:"name"`
	Courier     provider.Text `json:"courier"`
	Reason      provider.Text `json:"reason"`
	Description provider.Text `json:"description"`
	Location    provider.Text `json:"location"`
	Detail      provider.Text `json:"detail"`

	ReturnParcel   bool `json:"return_parcel"`
	Asserted       bool `json:"asserted"`
	CashOnDelivery bool `json:"cash_on_delivery"`
	NeedsAttention bool `json:"needs_attention"`
}

// line is a line of an order, or units of one in a parcel.
type line struct {
	LineID   provider.ID   `json:"line_id"`
	SKU      provider.Text `json:"sku"`
	Quantity *int64        `json:"quantity"`
}
