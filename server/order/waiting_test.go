package order_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/waybillhq/waybill/server/order"
)

func TestAnEventWaitsForItsOrderAndIsParkedInTheEnd(t *testing.T) {
	t.Parallel()
	byNumber := event("e", minute(1), says("DA1", order.Shipped))
	byID := byNumber
	byID.References = []order.Reference{{Kind: order.OrderID, Value: "820"}, {Kind: order.TrackingNumber, Value: "DA1"}}
	byParcel := byNumber
	byParcel.References = nil
	byPayment := event("e", minute(1), pays("pi_1", paid, eur(1)))
	byPayment.References = nil
	byFulfilment := event("e", minute(1), order.Change{Announced: &order.Announced{
		Shipment: order.ShipmentKey{FulfilmentID: "12"},
	}})
	byFulfilment.References = nil

	for want, e := range map[string]order.Event{
		"order 1001 is unknown":                   byNumber,
		"order 820 is unknown":                    byID,
		"parcel DA1 is unknown to every order":    byParcel,
		"payment pi_1 is unknown to every order":  byPayment,
		"fulfilment 12 is unknown to every order": byFulfilment,
	} {
		waiting := order.Rule(order.World{Event: e, Now: received}, order.Policy{})
		if waiting.State != order.StateWaiting || waiting.Reason != want || !waiting.DueAt.Equal(received.Add(48*time.Hour)) {
			t.Errorf("%+v", waiting)
		}
		if len(waiting.Decisions) > 0 || waiting.Order != nil || len(waiting.Steps) > 0 {
			t.Errorf("a waiting event did something: %+v", waiting)
		}

		due := received.Add(90 * time.Minute)
		policy := order.Policy{WaitLimit: 90 * time.Minute}
		if r := order.Rule(order.World{Event: e, Now: due.Add(-1)}, policy); r.State != order.StateWaiting || !r.DueAt.Equal(due) {
			t.Errorf("just before the limit: %+v", r)
		}
		parked := order.Rule(order.World{Event: e, Now: due}, policy)
		if parked.State != order.StateParked || parked.Reason != want+"; waited 1h30m for it" ||
			order.Headline(parked.Decisions) != order.Parked || !parked.DueAt.IsZero() {
			t.Errorf("at the limit: %+v", parked)
		}
	}
}

func TestTheWaitLimitIsNamedBriefly(t *testing.T) {
	t.Parallel()
	e := event("e", minute(1), says("DA1", order.Shipped))
	for limit, want := range map[time.Duration]string{
		0: "48h", time.Minute: "1m", 90 * time.Second: "1m30s", 10 * time.Second: "10s", 72 * time.Hour: "72h",
	} {
		r := order.Rule(order.World{Event: e, Now: received.Add(1000 * time.Hour)}, order.Policy{WaitLimit: limit})
		if !strings.HasSuffix(r.Reason, "waited "+want+" for it") {
			t.Errorf("%s: %s", limit, r.Reason)
		}
	}
}

func TestAnEventThatNamesNothingIsParked(t *testing.T) {
	t.Parallel()
	e := event("e", minute(1), order.Change{Fact: &order.Fact{Name: "settlement"}})
	e.References = nil
	r := order.Rule(order.World{Event: e, Now: received}, order.Policy{CreateUnknown: true})
	if r.State != order.StateParked || r.Order != nil || len(r.Decisions) != 1 {
		t.Errorf("%+v", r)
	}
}

func TestAnAccountMayCreateOrdersThatAreOnlyHeardOf(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	b.policy.CreateUnknown = true
	b.rule(event("a", minute(1), says("DA1", order.Shipped)))
	b.want(order.Shipped, order.PaymentPending)
	if o := b.order; o.Source != "" || o.SourceID != "" || o.Number != "1001" || o.Placement != nil || o.Account != "dhaka-shop" {
		t.Errorf("%+v", o)
	}
	b.rule(placed("p", minute(2), eur(4200)))
	if o := b.order; o.Source != "shop" || o.SourceID != "77" || o.Placement == nil {
		t.Errorf("%+v", o)
	}
	b.wantOutcome("p", order.Applied)
}

func TestAnOrderThatIsOnlyHeardOfIsPending(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	b.policy.CreateUnknown = true
	e := event("a", minute(1), pays("pi", pending, nil))
	e.References = []order.Reference{{Kind: order.OrderID, Value: "820"}}
	b.rule(e)
	b.want(order.Pending, order.PaymentPending)
	if o := b.order; o.Source != "courier" || o.SourceID != "820" || o.Number != "820" {
		t.Errorf("%+v", o)
	}
	if got := b.history(); !slices.Equal(got, []string{"order_status >pending"}) {
		t.Errorf("history %q", got)
	}
}

func TestAParcelAloneCreatesNoOrder(t *testing.T) {
	t.Parallel()
	e := event("a", minute(1), says("DA1", order.Shipped))
	e.References = nil
	r := order.Rule(order.World{Event: e, Now: received}, order.Policy{CreateUnknown: true})
	if r.State != order.StateWaiting || r.Order != nil {
		t.Errorf("%+v", r)
	}
}

func TestAnAmbiguousEventIsParkedWhole(t *testing.T) {
	t.Parallel()
	e := event("a", minute(1), says("DA1", order.Shipped), order.Change{IgnoredReason: "nobody needs it"})
	r := order.Rule(order.World{Event: e, Ambiguous: "number 1001 belongs to two orders", Now: received}, order.Policy{})
	if r.State != order.StateParked || r.Reason != "number 1001 belongs to two orders" || len(r.Decisions) != 2 {
		t.Errorf("%+v", r)
	}
	for _, d := range r.Decisions {
		if d.Outcome != order.Parked || d.EventID != "a" {
			t.Errorf("%+v", d)
		}
	}
}

func TestWhatNobodyNeedsIsIgnoredWithoutAnOrder(t *testing.T) {
	t.Parallel()
	e := event("a", minute(1), order.Change{IgnoredReason: "a type that nobody needs"})
	r := order.Rule(order.World{Event: e, Ambiguous: "two orders", Now: received}, order.Policy{CreateUnknown: true})
	if r.State != order.StateCompleted || r.Order != nil || order.Headline(r.Decisions) != order.Ignored ||
		r.Reason != "a type that nobody needs" {
		t.Errorf("%+v", r)
	}
}

func TestUnknownWordsAreParkedBesideWhatIsApplied(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	e := event("a", minute(1),
		order.Change{Unrecognised: &order.Unrecognised{Field: "event", Word: "drone_lost"}},
		says("DA1", order.Shipped),
		order.Change{Undecoded: &order.Undecoded{Problem: "line 3 is cut"}},
		order.Change{},
	)
	ruling := b.rule(e)
	b.want(order.Shipped, order.PaymentPending)
	if ruling.State != order.StateParked || ruling.Reason != `unknown word "drone_lost" in event` {
		t.Errorf("%+v", ruling)
	}
	var outcomes []order.Outcome
	for _, d := range ruling.Decisions {
		outcomes = append(outcomes, d.Outcome)
	}
	if !slices.Equal(outcomes, []order.Outcome{order.Parked, order.Applied, order.Parked, order.Parked}) {
		t.Errorf("%v", outcomes)
	}

	w := b.world(e)
	w.Undecided = []int{0, 2, 3}
	if again := order.Rule(w, order.Policy{}); len(again.Decisions) != 3 || again.State != order.StateParked || again.Order != nil {
		t.Errorf("the rest: %+v", again)
	}
	w.Undecided = []int{}
	if none := order.Rule(w, order.Policy{}); none.State != order.StateCompleted || len(none.Decisions) != 0 {
		t.Errorf("nothing left: %+v", none)
	}
}

func TestUnknownWordsAreParkedWithoutAnOrder(t *testing.T) {
	t.Parallel()
	e := event("a", minute(1), order.Change{Unrecognised: &order.Unrecognised{Field: "event", Word: "drone_lost"}})
	r := order.Rule(order.World{Event: e, Now: received}, order.Policy{})
	if r.State != order.StateParked || len(r.Decisions) != 1 {
		t.Errorf("%+v", r)
	}
}

func TestAnEventThatTouchesNothingLeavesTheOrderAlone(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	ruling := b.rule(event("a", minute(1), order.Change{IgnoredReason: "nobody needs it"}))
	if ruling.Order != nil || len(ruling.Steps) != 0 || ruling.State != order.StateCompleted {
		t.Errorf("%+v", ruling)
	}
}

func TestOnlyUndecidedChangesAreDecided(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	w := b.world(event("a", minute(1), says("DA1", order.Shipped), says("DA1", order.Delivered)))
	w.Undecided = []int{1}
	r := order.Rule(w, order.Policy{})
	if len(r.Decisions) != 1 || r.Decisions[0].ChangeIndex != 1 || r.Order.Status != order.Delivered {
		t.Errorf("%+v", r)
	}
}

func TestAnOrderIsPlacedWhereverItsChangeStands(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	e := placed("p", minute(1), eur(4200))
	e.Changes = append([]order.Change{says("DA1", order.Shipped), asserts(paid, nil)}, e.Changes...)
	b.rule(e)
	b.want(order.Shipped, order.PaymentPaid)
}

func TestASecondOrderInOneEventIsParked(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	e := placed("p", minute(1), eur(4200))
	e.Changes = append(e.Changes, order.Change{Placed: &order.Placed{OrderID: "78", Number: "1002"}})
	ruling := b.rule(e)
	if ruling.State != order.StateParked || b.order.SourceID != "77" || !strings.Contains(ruling.Reason, "another order") {
		t.Errorf("%+v", ruling)
	}
}

func TestWhatNamesNoParcelIsParked(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	for i, change := range []order.Change{
		says("", order.Shipped), announces(" "),
		{Checkpoint: &order.Checkpoint{}},
		{Fact: &order.Fact{Name: "on_hold", Shipment: &order.ShipmentKey{}}},
		says("DA1", order.Confirmed), says("DA1", "lost"),
	} {
		id := string(rune('a' + i))
		b.rule(event(id, minute(1), change))
		b.wantOutcome(id, order.Parked)
	}
	if len(b.order.Shipments) != 0 {
		t.Errorf("%s", b.state())
	}
}

func TestTheHeadlineIsTheOutcomeThatMattersMost(t *testing.T) {
	t.Parallel()
	order1 := []order.Outcome{
		order.Parked, order.Conflicting, order.Illegal, order.Abandoned, order.Translated,
		order.Applied, order.Stale, order.Unchanged, order.Ignored,
	}
	for i := range order1 {
		var decisions []order.Decision
		for _, outcome := range order1[i:] {
			decisions = append([]order.Decision{{Outcome: outcome}}, decisions...)
		}
		if got := order.Headline(decisions); got != order1[i] {
			t.Errorf("%v: %s", order1[i:], got)
		}
	}
	if got := order.Headline(nil); got != "" {
		t.Errorf("of nothing: %s", got)
	}
}
