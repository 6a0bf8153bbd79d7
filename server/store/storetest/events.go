package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/waybillhq/waybill/server/order"
)

// The events that the checks speak of. They are as a shop, a payment provider and a courier would send them.

func placed(id string) order.Event {
	return order.Event{
		Account: shop, Provider: "shopify", Identity: "orders/create:" + id, DeliveryID: "delivery-1",
		Type: "orders/create", OccurredAt: start.Add(-time.Hour), Certainty: order.Exact, ReceivedAt: start,
		TranslatorVersion: "1",
		References:        []order.Reference{{Kind: order.OrderID, Value: id}, {Kind: order.OrderNumber, Value: "#" + number(id)}},
		Changes: []order.Change{{Placed: &order.Placed{
			OrderID: id, Number: "#" + number(id), Total: bdt(125000),
			Lines: []order.Line{{ID: "line-" + id, SKU: "tea", Quantity: 2}},
		}}},
		Raw: order.Raw{
			Body: []byte(`{"id":"` + id + `"}`), ContentType: "application/json",
			Headers: map[string]string{"x-shopify-topic": "orders/create"},
		},
	}
}

// number is the number of an order with an id.
func number(id string) string { return "N" + id }

func bdt(minorUnits int64) *order.Money { return &order.Money{Currency: "BDT", MinorUnits: minorUnits} }

// paid pays the order of an id.
func paid(id, paymentID string, amount int64) order.Event {
	e := base("stripe", "evt_"+paymentID, "payment_intent.succeeded")
	e.References = []order.Reference{{Kind: order.OrderNumber, Value: number(id)}, {Kind: order.PaymentID, Value: paymentID}}
	e.Changes = []order.Change{{Payment: &order.Payment{
		PaymentID: paymentID, State: order.StatePaymentPaid, Amount: bdt(amount),
	}}}
	return e
}

// announced says that an order has a parcel.
func announced(id, consignment string) order.Event {
	e := base("shopify", "fulfillments/create:"+consignment, "fulfillments/create")
	e.References = []order.Reference{{Kind: order.OrderID, Value: id}}
	e.Changes = []order.Change{{Announced: &order.Announced{
		Shipment: order.ShipmentKey{TrackingNumber: consignment, FulfilmentID: "f-" + consignment}, Courier: "Pathao",
	}}}
	return e
}

// scanned says that a parcel has a status.
func scanned(consignment string, status order.Status, after time.Duration) order.Event {
	e := base("pathao", fmt.Sprintf("%s:%s:%s", consignment, status, after), "order."+string(status))
	e.IdentityDerived = true
	e.OccurredAt = start.Add(-time.Hour + after)
	e.References = []order.Reference{{Kind: order.ConsignmentID, Value: consignment}}
	e.Changes = []order.Change{{Status: &order.StatusChange{
		Shipment: order.ShipmentKey{ConsignmentID: consignment}, Status: status, ProviderStatus: string(status),
	}}}
	return e
}

// undecoded is a body that nobody could read.
func undecoded(body string) order.Event {
	e := base("pathao", "undecoded-"+body, "undecoded")
	e.IdentityDerived = true
	e.Changes = []order.Change{{Undecoded: &order.Undecoded{Problem: "no event word"}}}
	e.Raw.Body = []byte(body)
	return e
}

// unrecognised is a word that no translator knew.
func unrecognised(id, word string) order.Event {
	e := base("stripe", "evt_"+word, word)
	e.References = []order.Reference{{Kind: order.OrderNumber, Value: number(id)}}
	e.Changes = []order.Change{{Unrecognised: &order.Unrecognised{Field: "type", Word: word}}}
	return e
}

func base(provider, identity, kind string) order.Event {
	return order.Event{
		Account: shop, Provider: provider, Identity: identity, Type: kind, OccurredAt: start.Add(-time.Minute),
		Certainty: order.Exact, ReceivedAt: start, TranslatorVersion: "1",
		Raw: order.Raw{Body: []byte(strings.ToUpper(identity)), ContentType: "application/json"},
	}
}
