package order_test

import (
	"fmt"
	"time"

	"github.com/waybillhq/waybill/server/order"
)

func ExamplePath() {
	skipped, _ := order.Path(order.Confirmed, order.Delivered)
	fmt.Println(skipped)
	// Output: [processing shipped in_transit]
}

func ExampleDerive() {
	noon := time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)
	set := []order.StatusFact{
		{Status: order.Delivered, At: noon.Add(time.Hour)},
		{Status: order.InTransit, At: noon}, // a late scan: it came in after the delivery
	}
	derived := order.Derive(set, order.Delivered, false)
	fmt.Println(derived.Status, derived.Findings[1].Standing)
	// Output: delivered below
}

func ExampleBalanceOf() {
	total := &order.Money{Currency: "EUR", MinorUnits: 4200}
	payment := order.Entry{
		Kind: order.EntryMovement, PaymentID: "pi_1", State: string(order.StatePaymentPaid), Amount: total,
	}
	balance := order.BalanceOf(total, []order.Entry{payment, payment}) // one payment, reported twice
	fmt.Println(balance.Status, balance.Paid())
	// Output: paid 42.00 EUR
}

func ExampleFold() {
	o := &order.Order{
		Placement: &order.Placement{Lines: []order.Line{{ID: "1", Quantity: 3}}},
		Shipments: []*order.Shipment{
			{Status: order.Delivered, Units: []order.Units{{LineID: "1", Quantity: 2}}},
			{Status: order.Processing, Units: []order.Units{{LineID: "1", Quantity: 1}}},
		},
	}
	folded := order.Fold(o)
	fmt.Printf("%s, %d of %d units shipped\n", folded.Status, folded.UnitsShipped, folded.Units)
	// Output: in_transit, 2 of 3 units shipped
}

func ExampleParseMoney() {
	for _, amount := range [][2]string{{"10.50", "EUR"}, {"1050", "JPY"}, {"1.050", "KWD"}} {
		money, err := order.ParseMoney(amount[0], amount[1])
		fmt.Println(money.MinorUnits, money, err)
	}
	_, err := order.ParseMoney("10.505", "EUR")
	fmt.Println(err)
	// Output:
	// 1050 10.50 EUR <nil>
	// 1050 1050 JPY <nil>
	// 1050 1.050 KWD <nil>
	// money: amount has more than the 2 decimals of EUR
}

func ExampleRule() {
	noon := time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)
	delivered := order.Change{Status: &order.StatusChange{
		Shipment: order.ShipmentKey{ConsignmentID: "DA1"}, Status: order.Delivered,
	}}
	scan := order.Event{
		ID: "evt_1", Account: "dhaka-shop", Provider: "courier", Identity: "1", OccurredAt: noon, ReceivedAt: noon,
		References: []order.Reference{{Kind: order.OrderNumber, Value: "1001"}}, Changes: []order.Change{delivered},
	}
	waiting := order.Rule(order.World{Event: scan, Now: noon}, order.Policy{})
	fmt.Println(waiting.State, "-", waiting.Reason)

	known := &order.Order{ID: "ord_1", Number: "1001", Source: "shop", SourceID: "77", Status: order.Confirmed}
	ruling := order.Rule(order.World{Event: scan, Order: known, Now: noon}, order.Policy{})
	fmt.Println(ruling.Order.Status, "-", ruling.Decisions[0].Outcome, "skipped", ruling.Decisions[0].Skipped)
	// Output:
	// waiting - order 1001 is unknown
	// delivered - applied skipped [shipped in_transit]
}

func ExamplePick() {
	scan := order.Event{Provider: "courier", References: []order.Reference{
		{Kind: order.OrderNumber, Value: "#1001"}, {Kind: order.ConsignmentID, Value: "DA1"},
	}}
	found := map[order.Key]order.Found{
		order.NumberKey("1001"):                 {OrderID: "ord_1"},
		{Kind: order.KeyShipment, Value: "DA1"}: {OrderID: "ord_2"},
	}
	_, ambiguous := order.Pick(scan, found)
	fmt.Println(ambiguous)
	// Output: parcel DA1 belongs to another order than number 1001
}
