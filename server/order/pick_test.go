package order_test

import (
	"slices"
	"testing"

	"github.com/waybillhq/waybill/server/order"
)

func key(kind order.KeyKind, value string) order.Key { return order.Key{Kind: kind, Value: value} }

func refs(e order.Event, refs ...order.Reference) order.Event {
	e.References = refs
	return e
}

func TestPickFindsTheOneOrder(t *testing.T) {
	t.Parallel()
	var (
		number   = order.NumberKey("1001")
		alias    = key(order.KeyNumberAlias, "77")
		identity = key(order.KeyOrder, "shop/77")
		da1      = key(order.KeyShipment, "DA1")
		payment  = key(order.KeyPayment, "pi")

		scan       = event("e", minute(0), says("da1", order.Shipped))
		scanAlone  = refs(scan)
		fulfilment = by("shop", refs(scan, order.Reference{Kind: order.OrderID, Value: "77"}, order.Reference{Kind: order.OrderNumber, Value: "#1001"}))
		places     = placed("p", minute(0), eur(4200))
		placesWith = placed("p", minute(0), eur(4200))
		pay        = refs(event("e", minute(0), pays("pi", paid, eur(1))), order.Reference{Kind: order.OrderNumber, Value: "77"})
	)
	placesWith.Changes = append(placesWith.Changes, announces("DA1"))

	a, heard := order.Found{OrderID: "A", Source: "shop"}, order.Found{OrderID: "A", HeardOf: true}
	other := order.Found{OrderID: "B", Source: "shop"}
	shared := order.Found{OrderID: "A", Shared: true}
	type found = map[order.Key]order.Found

	tests := []struct {
		rule      string
		event     order.Event
		found     found
		want      string
		ambiguous string
	}{
		{"nothing is known", scan, found{}, "", ""},
		{"a number finds its order", scan, found{number: a}, "A", ""},
		{"a parcel finds its order", scanAlone, found{da1: a}, "A", ""},
		{"number and parcel agree", scan, found{number: a, da1: a}, "A", ""},
		{"number and parcel clash", scan, found{number: a, da1: other}, "", "parcel DA1 belongs to another order than number 1001"},
		{"a number of two orders", scan, found{number: shared}, "", "number 1001 belongs to two orders"},
		{"which the parcel tells apart", scan, found{number: shared, da1: other}, "B", ""},
		{"a parcel of two orders", scanAlone, found{da1: shared}, "", "parcel DA1 belongs to two orders"},

		{"an identity decides", fulfilment, found{identity: a, number: other}, "A", ""},
		{"over a number of two orders too", fulfilment, found{identity: a, number: shared}, "A", ""},
		{"but not over its parcel", fulfilment, found{identity: a, da1: other}, "", "parcel DA1 belongs to another order than order 77"},
		{"an unknown identity leaves it to the number", fulfilment, found{number: heard}, "A", ""},
		{"unless the same shop has that under another", fulfilment, found{number: other}, "", ""},
		{"or the number is of two orders: it waits", fulfilment, found{number: shared}, "", ""},
		{"nor can a parcel be that of another order", fulfilment, found{da1: other}, "", "parcel DA1 belongs to another order than order 77"},
		{"another shop's order may have it", fulfilment, found{number: {OrderID: "C", Source: "erp"}}, "C", ""},

		{"a new order", places, found{}, "", ""},
		{"an order placed again", places, found{identity: a, number: a}, "A", ""},
		{"an order only heard of is taken over", places, found{number: heard}, "A", ""},
		{"by its identity too", places, found{alias: heard}, "A", ""},
		{"by its parcel too", placesWith, found{da1: heard}, "A", ""},
		{"an order that has a source is not: the number is shared from now on", places, found{number: other}, "", ""},
		{"a number of two orders is no hindrance", places, found{number: shared}, "", ""},
		{"another order's alias is none", places, found{alias: other}, "", ""},
		{"a parcel of another order is", placesWith, found{da1: other}, "", "parcel DA1 belongs to another order than order 77"},
		{
			"heard of twice", placesWith,
			found{number: heard, da1: {OrderID: "C", HeardOf: true}},
			"",
			"parcel DA1 belongs to another order than number 1001",
		},

		{"an identity may be used for the number", pay, found{alias: a}, "A", ""},
		{"an order that has it for its number goes first", pay, found{alias: a, order.NumberKey("77"): other}, "B", ""},
		{"two shops' orders have the identity", pay, found{alias: shared}, "", "order id 77 belongs to two orders"},
		{"a payment finds its order", pay, found{payment: a}, "A", ""},
		{"a payment clashes", pay, found{payment: a, order.NumberKey("77"): other}, "", "payment pi belongs to another order than number 77"},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			t.Parallel()
			got, ambiguous := order.Pick(test.event, test.found)
			if got != test.want || ambiguous != test.ambiguous {
				t.Errorf("%q, %q", got, ambiguous)
			}
		})
	}
}

func TestAnOrderIsFoundByAllThatNamesIt(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	b.rule(event("a", minute(1), order.Change{Announced: &order.Announced{
		Shipment: order.ShipmentKey{ConsignmentID: "da1", TrackingNumber: " trk1 ", FulfilmentID: "12"},
	}}))
	b.rule(event("b", minute(2), pays("pi", pending, nil)))
	want := []order.Key{
		key(order.KeyFulfilment, "courier/12"), key(order.KeyOrder, "shop/77"), key(order.KeyNumber, "1001"),
		key(order.KeyNumberAlias, "77"), key(order.KeyPayment, "pi"),
		key(order.KeyShipment, "DA1"), key(order.KeyShipment, "TRK1"),
	}
	if got := b.order.Keys(); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

func TestAnOrderOnlyHeardOfIsFoundByItsNumber(t *testing.T) {
	t.Parallel()
	o := &order.Order{Number: "1001"}
	if got := o.Keys(); !slices.Equal(got, []order.Key{key(order.KeyNumber, "1001"), key(order.KeyNumberAlias, "1001")}) {
		t.Errorf("%v", got)
	}
}

// An event that places an order locks all that the order will be called by, so that nothing has to be locked late.
func TestAnEventNamesAllThatItsOrderIsCalledBy(t *testing.T) {
	t.Parallel()
	e := placed("p", minute(0), eur(4200))
	e.Changes = append(e.Changes, announces("DA1"), pays("pi", paid, eur(1)))
	b := newBook(t)
	b.rule(e)
	for _, key := range b.order.Keys() {
		if !slices.Contains(e.Keys(), key) {
			t.Errorf("the order is called by %v, which its event doesn't name", key)
		}
	}
}

func TestEventsNameEachKeyOnce(t *testing.T) {
	t.Parallel()
	e := event("e", minute(0), says("da1", order.Shipped), says("DA1", order.InTransit))
	e.References = append(e.References, order.Reference{Kind: order.OrderNumber, Value: " #1001 "},
		order.Reference{Kind: order.ConsignmentID, Value: "DA1"}, order.Reference{Kind: order.PaymentID})
	want := []order.Key{order.NumberKey("1001"), key(order.KeyNumberAlias, "1001"), key(order.KeyShipment, "DA1")}
	if got := e.Keys(); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}
