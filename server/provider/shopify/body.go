package shopify

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/waybillhq/waybill/server/provider"
)

// orderBody is a whole order, as the orders topics send it.
type orderBody struct {
	ID                provider.ID       `json:"id"`
	GlobalID          provider.Text     `json:"admin_graphql_api_id"`
	OrderID           presence          `json:"order_id"`
	Name              provider.ID       `json:"name"`
	OrderNumber       provider.ID       `json:"order_number"`
	CreatedAt         provider.Word     `json:"created_at"`
	UpdatedAt         provider.Word     `json:"updated_at"`
	CancelledAt       namedWord         `json:"cancelled_at"`
	CancelReason      provider.Text     `json:"cancel_reason"`
	FinancialStatus   namedWord         `json:"financial_status"`
	Currency          provider.Word     `json:"currency"`
	TotalPrice        provider.Number   `json:"total_price"`
	CurrentTotalPrice provider.Number   `json:"current_total_price"`
	TotalOutstanding  provider.Number   `json:"total_outstanding"`
	OrderStatusURL    provider.Text     `json:"order_status_url"`
	LineItems         *[]lineItem       `json:"line_items"`
	Fulfillments      []fulfillmentBody `json:"fulfillments"`
	Refunds           *[]refundBody     `json:"refunds"`
}

// presence is true of a member that a body has, even if it is null.
type presence bool

// UnmarshalJSONFrom notes that the member is there.
func (p *presence) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*p = true
	return dec.SkipValue()
}

// namedWord is a word, and whether the body has its member at all: null says something, a missing member doesn't.
type namedWord struct {
	provider.Word

	named bool
}

// UnmarshalJSONFrom reads the word.
func (w *namedWord) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	w.named = true
	return w.Word.UnmarshalJSONFrom(dec)
}

type lineItem struct {
	ID              provider.ID   `json:"id"`
	SKU             provider.Text `json:"sku"`
	Quantity        *int64        `json:"quantity"`
	CurrentQuantity *int64        `json:"current_quantity"`
}

// fulfillmentBody is a fulfilment, inside an order or alone.
type fulfillmentBody struct {
	ID              provider.ID   `json:"id"`
	GlobalID        provider.Text `json:"admin_graphql_api_id"`
	OrderID         provider.ID   `json:"order_id"`
	Name            provider.Text `json:"name"`
	TotalPrice      presence      `json:"total_price"`
	FinancialStatus presence      `json:"financial_status"`
	Status          provider.Word `json:"status"`
	ShipmentStatus  provider.Word `json:"shipment_status"`
	CreatedAt       provider.Word `json:"created_at"`
	UpdatedAt       provider.Word `json:"updated_at"`
	TrackingCompany provider.Text `json:"tracking_company"`
	TrackingNumber  provider.ID   `json:"tracking_number"`
	TrackingNumbers []provider.ID `json:"tracking_numbers"`
	LineItems       []lineItem    `json:"line_items"`
}

// refundBody is a refund, inside an order or alone.
type refundBody struct {
	ID           provider.ID   `json:"id"`
	GlobalID     provider.Text `json:"admin_graphql_api_id"`
	OrderID      provider.ID   `json:"order_id"`
	CreatedAt    provider.Word `json:"created_at"`
	ProcessedAt  provider.Word `json:"processed_at"`
	Transactions []transaction `json:"transactions"`
}

type transaction struct {
	Kind     provider.Word   `json:"kind"`
	Status   provider.Word   `json:"status"`
	Amount   provider.Number `json:"amount"`
	Currency provider.Word   `json:"currency"`
}

// editBody is what orders/edited sends: the edit, not the order.
type editBody struct {
	OrderEdit *struct {
		OrderID     provider.ID   `json:"order_id"`
		CreatedAt   provider.Word `json:"created_at"`
		CommittedAt provider.Word `json:"committed_at"`
		LineItems   struct {
			Additions []lineEdit `json:"additions"`
			Removals  []lineEdit `json:"removals"`
		} `json:"line_items"`
	} `json:"order_edit"`
}

type lineEdit struct {
	ID    provider.ID `json:"id"`
	Delta int64       `json:"delta"`
}
