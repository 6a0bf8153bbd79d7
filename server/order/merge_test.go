package order_test

import (
	"slices"
	"testing"

	"github.com/waybillhq/waybill/server/order"
)

// fulfils is a platform's word about one of its fulfilments.
func fulfils(id, tracking string, status order.Status) order.Change {
	key := order.ShipmentKey{FulfilmentID: id, TrackingNumber: tracking}
	if status == "" {
		return order.Change{Announced: &order.Announced{Shipment: key, Courier: "Pathao"}}
	}
	return order.Change{Status: &order.StatusChange{Shipment: key, Status: status}}
}

func TestAFulfilmentAndACouriersScanBecomeOneParcel(t *testing.T) {
	t.Parallel()
	events := []order.Event{
		by("shop", event("f", minute(1), fulfils("12", "", ""))),
		event("scan", minute(3), says("DA1", order.InTransit)),
		by("shop", event("t", minute(2), fulfils("12", "da1", ""))),
		event("late", minute(2), says("DA1", order.Shipped)),
	}
	var states []string
	for _, permutation := range permutations(events) {
		b := withOrder(t)
		for _, e := range permutation {
			b.rule(e)
		}
		b.want(order.InTransit, order.PaymentPending)
		b.wantAttention()
		if len(b.order.Shipments) != 1 {
			t.Fatalf("%s", b.state())
		}
		s := b.order.Shipments[0]
		if len(s.Set) != 2 || s.Courier != "Pathao" || s.Status != order.InTransit || !s.StatusAt.Equal(minute(3)) {
			t.Errorf("%+v", s)
		}
		states = append(states, s.Keys()[0].Value+" "+s.Keys()[1].Value)
	}
	slices.Sort(states)
	if states = slices.Compact(states); len(states) != 1 || states[0] != "shop/12 DA1" {
		t.Errorf("%q", states)
	}
}

func TestTheParcelThatIsKnownLongestKeepsItsIdentity(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	b.rule(by("shop", event("f", minute(1), fulfils("12", "", ""))))
	b.rule(event("scan", minute(3), says("DA1", order.InTransit)))
	first := b.order.Shipments[0].ID

	b.rule(by("shop", event("t", minute(2), fulfils("12", "DA1", ""))))
	if s := b.order.Shipments; len(s) != 1 || s[0].ID != first || s[0].Key.FulfilmentID != "12" || s[0].Key.ConsignmentID != "DA1" {
		t.Errorf("%s", b.state())
	}
	if d := b.wantOutcome("t", order.Applied); d.Reason != "two parcels turned out to be one" {
		t.Errorf("%+v", d)
	}
	told := slices.DeleteFunc(b.history(), func(line string) bool {
		return line != "shipment_status processing>in_transit skipped shipped"
	})
	if len(told) != 1 {
		t.Errorf("that it is in transit is told %d times: %q", len(told), b.history())
	}
}

func TestAnEndThatWasShownOfOneParcelStandsForBoth(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	b.rule(by("shop", event("f", minute(1), fulfils("12", "", order.Returned))))
	b.rule(event("scan", minute(3), says("DA1", order.Delivered)))
	b.rule(by("shop", event("t", minute(4), fulfils("12", "DA1", ""))))
	if s := b.order.Shipments; len(s) != 1 || s[0].Status != order.Returned {
		t.Errorf("%s", b.state())
	}
	b.wantAttention("parcel_after_end scan", "two_endings scan")
}

func TestAnEndThatWasShownOfTheYoungerParcelStandsToo(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	b.rule(event("scan", minute(1), says("DA1", order.InTransit)))
	b.rule(by("shop", event("c", minute(2), fulfils("12", "", order.Cancelled))))
	b.rule(by("shop", event("t", minute(3), fulfils("12", "DA1", ""))))
	if s := b.order.Shipments; len(s) != 1 || s[0].Status != order.Cancelled {
		t.Errorf("%s", b.state())
	}
	b.wantAttention("cancelled_against_movement scan")
}

func TestAnOrderThatEndedOtherwiseThanItsParcelIsTold(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	b.rule(event("all", minute(0), fulfils("12", "", ""), announces("DA1")))
	b.rule(event("r", minute(1), fulfils("12", "", order.Returned)))
	b.rule(event("d", minute(2), says("DA1", order.Delivered)))
	b.want(order.Delivered, order.PaymentPending)
	b.rule(event("t", minute(3), fulfils("12", "DA1", "")))
	b.want(order.Delivered, order.PaymentPending)
	if got := b.parcel("DA1").Status; got != order.Returned || len(b.order.Shipments) != 1 {
		t.Errorf("%s", b.state())
	}
	b.wantAttention("partly_returned d", "two_endings d", "reopened_after_end t")
}

func TestOfTwoParcelsThatAreOneTheNewerAnnouncementCounts(t *testing.T) {
	t.Parallel()
	for _, later := range []int{3, 1} {
		b := withOrder(t)
		b.rule(event("a", minute(2), order.Change{Announced: &order.Announced{
			Shipment: parcel("DA1"), Courier: "RedX", Units: []order.Units{{LineID: "1", Quantity: 1}},
		}}))
		b.rule(event("b", minute(later), order.Change{Announced: &order.Announced{
			Shipment: parcel("DA2"), Courier: "Pathao", Units: []order.Units{{LineID: "1", Quantity: 2}},
		}}))
		both := says("DA1", order.Shipped)
		both.Status.Shipment.TrackingNumber = "DA2"
		b.rule(event("c", minute(4), both))
		want := map[int]string{3: "Pathao", 1: "RedX"}[later]
		if s := b.order.Shipments; len(s) != 1 || s[0].Courier != want || (s[0].Units[0].Quantity == 2) != (later == 3) {
			t.Errorf("%s", b.state())
		}
	}
}

func TestAScanThatNamesTwoParcelsMakesThemOne(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	b.rule(event("a", minute(1), says("DA1", order.Shipped)))
	b.rule(event("b", minute(2), says("TRK9", order.InTransit)))
	both := says("DA1", order.OutForDelivery)
	both.Status.Shipment.TrackingNumber = "trk9"
	b.rule(event("c", minute(3), both))
	b.want(order.OutForDelivery, order.PaymentPending)
	b.wantOutcome("c", order.Applied)
	if s := b.order.Shipments; len(s) != 1 || len(s[0].Set) != 3 {
		t.Errorf("%s", b.state())
	}
}

func TestAReturnIsAParcelOfItsOwn(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	forward, back := says("DA1", order.InTransit), says("DA1", order.Returning)
	back.Status.Shipment.Return = true
	b.rule(event("a", minute(1), forward, back))
	if s := b.order.Shipments; len(s) != 2 || s[0].Key.Return || !s[1].Key.Return {
		t.Errorf("%s", b.state())
	}
	b.want(order.InTransit, order.PaymentPending)
}

func TestAReturnNeedsNoWayOutInAStrictAccount(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	b.policy.Strict = true
	back := says("DA1#return", order.Returning)
	back.Status.Shipment.Return = true
	b.rule(event("a", minute(1), back))
	b.wantOutcome("a", order.Applied)
}

func TestTwoProvidersMayUseTheSameFulfilmentID(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	b.rule(by("shop", event("a", minute(1), fulfils("12", "", ""))))
	b.rule(by("warehouse", event("b", minute(1), fulfils("12", "", ""))))
	if len(b.order.Shipments) != 2 {
		t.Errorf("%s", b.state())
	}
}

func TestOfAnnouncementsTheNewestCounts(t *testing.T) {
	t.Parallel()
	announce := func(id string, at int, courier string, units ...order.Units) order.Event {
		return event(id, minute(at), order.Change{Announced: &order.Announced{
			Shipment: parcel("DA1"), Courier: courier, Units: units,
		}})
	}
	events := []order.Event{
		announce("a", 1, "RedX", order.Units{LineID: "1", Quantity: 1}),
		announce("b", 3, "Pathao"),
		announce("c", 2, "", order.Units{LineID: "1", Quantity: 2}),
	}
	for _, permutation := range permutations(events) {
		b := withOrder(t)
		for _, e := range permutation {
			b.rule(e)
		}
		s := b.parcel("DA1")
		if s.Courier != "Pathao" || !slices.Equal(s.Units, []order.Units{{LineID: "1", Quantity: 2}}) || !s.StatusAt.Equal(minute(1)) {
			t.Errorf("%s", b.state())
		}
		b.wantOutcome(permutation[0].ID, order.Applied)
	}

	b := withOrder(t)
	b.rule(announce("new", 3, "Pathao"))
	b.rule(announce("old", 1, "RedX"))
	b.wantOutcome("old", order.Stale)
	b.rule(announce("same", 4, "Pathao"))
	b.wantOutcome("same", order.Unchanged)
}

func TestAConsignmentThatIsTheTrackingNumberTooHasBothNames(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	b.rule(event("a", minute(1), announces("DA1")))
	b.rule(event("b", minute(2), fulfils("12", "DA1", "")))
	b.rule(event("c", minute(3), fulfils("12", "TRK2", "")))
	b.rule(event("d", minute(4), says("DA2", order.Shipped), fulfils("12", "DA2", "")))
	if s := b.order.Shipments; len(s) != 1 || s[0].Key.TrackingNumber != "DA1" || s[0].Key.ConsignmentID != "DA1" || len(s[0].Keys()) != 4 {
		t.Errorf("%s: %+v", b.state(), b.order.Shipments[0])
	}
}
