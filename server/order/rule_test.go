package order_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/waybillhq/waybill/server/order"
)

func (b *book) want(status order.Status, payment order.PaymentStatus) {
	b.t.Helper()
	if b.order == nil || b.order.Status != status || b.order.Payment != payment {
		b.t.Fatalf("want %s and %s: %s", status, payment, b.state())
	}
}

func (b *book) wantOutcome(id string, outcome order.Outcome) order.Decision {
	b.t.Helper()
	d := b.outcomes[id+"/0"]
	if d.Outcome != outcome {
		b.t.Fatalf("event %s: want %s, got %s: %s", id, outcome, d.Outcome, d.Reason)
	}
	return d
}

func (b *book) wantAttention(marks ...string) {
	b.t.Helper()
	slices.Sort(marks)
	if got := b.attention(); !slices.Equal(got, marks) {
		b.t.Fatalf("want attention %q, got %q", marks, got)
	}
}

func (b *book) parcel(name string) *order.Shipment {
	b.t.Helper()
	for _, s := range b.order.Shipments {
		if s.Name() == name {
			return s
		}
	}
	b.t.Fatalf("no parcel %s: %s", name, b.state())
	return nil
}

// history is the order's steps, in words.
func (b *book) history() []string {
	var lines []string
	for _, s := range b.steps {
		line := string(s.Kind) + " " + s.From + ">" + s.To
		for _, skipped := range s.Skipped {
			line += " skipped " + string(skipped)
		}
		lines = append(lines, line)
	}
	return lines
}

func TestAnOrderIsConfirmedWhenItIsPlacedWithAKnownTotal(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	ruling := b.rule(placed("p", minute(0), eur(4200), order.Line{ID: "1", SKU: "LAMP", Quantity: 2}))
	b.want(order.Confirmed, order.PaymentPending)
	if b.order.Source != "shop" || b.order.SourceID != "77" || b.order.Number != "1001" || b.order.Account != "dhaka-shop" {
		t.Errorf("%+v", b.order)
	}
	d := b.wantOutcome("p", order.Applied)
	if d.From != "" || d.To != "confirmed" || ruling.State != order.StateCompleted {
		t.Errorf("%+v, %s", d, ruling.State)
	}
	if got := b.history(); !slices.Equal(got, []string{"order_status >confirmed"}) {
		t.Errorf("history %q", got)
	}
	if step := b.steps[0]; !step.At.Equal(minute(0)) || step.Provider != "shop" || step.EventID != "p" ||
		step.Certainty != order.Exact || !step.RecordedAt.Equal(received) {
		t.Errorf("%+v", step)
	}
}

func TestAnOrderOfUnknownTotalStaysPendingUntilItIsKnown(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	b.rule(placed("p1", minute(0), nil))
	b.want(order.Pending, order.PaymentPending)
	b.rule(event("pay", minute(1), pays("pi", paid, eur(4200))))
	b.want(order.Pending, order.PaymentPartiallyPaid)
	b.rule(placed("p2", minute(2), eur(4200)))
	b.want(order.Confirmed, order.PaymentPaid)
	if d := b.wantOutcome("p2", order.Applied); d.From != "pending" || d.To != "confirmed" {
		t.Errorf("%+v", d)
	}
}

func TestAnAssertedPaymentConfirmsAnOrderOfUnknownTotal(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	b.rule(placed("p", minute(0), nil))
	b.rule(by("shop", event("a", minute(1), asserts(paid, nil))))
	b.want(order.Confirmed, order.PaymentPaid)
}

func TestALaterStatementWithoutATotalLeavesTheTotal(t *testing.T) {
	t.Parallel()
	events := []order.Event{
		placed("p1", minute(1), eur(1000)), placed("p2", minute(2), eur(2000)), placed("p3", minute(3), nil, order.Line{ID: "1"}),
	}
	for _, permutation := range permutations(events) {
		b := newBook(t)
		for _, e := range permutation {
			b.rule(e)
		}
		if o := b.order; o.Placement.Total == nil || *o.Placement.Total != *eur(2000) || len(o.Placement.Lines) != 1 {
			t.Errorf("%+v", o.Placement)
		}
	}
}

func TestTheNewestStatementCounts(t *testing.T) {
	t.Parallel()
	b := newBook(t)
	b.rule(placed("p1", minute(1), eur(4200), order.Line{ID: "1", Quantity: 2}, order.Line{ID: "2", Quantity: 1}))
	b.rule(event("pay", minute(2), pays("pi", paid, eur(4200))))

	b.rule(placed("p3", minute(3), eur(2100), order.Line{ID: "1", Quantity: 1}))
	b.wantOutcome("p3", order.Applied)
	b.wantAttention("overpaid p3")
	b.rule(placed("p2", minute(2), eur(9900), order.Line{ID: "1", Quantity: 9}))
	b.wantOutcome("p2", order.Stale)

	if lines := b.order.Placement.Lines; len(lines) != 1 || lines[0].Quantity != 1 || *b.order.Placement.Total != *eur(2100) {
		t.Errorf("%+v", b.order.Placement)
	}
	b.want(order.Confirmed, order.PaymentPaid)
}

func TestAChangedTotalIsHeldAgainstTheMoney(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	b.rule(event("pay", minute(1), pays("pi", paid, eur(4200))))
	b.want(order.Confirmed, order.PaymentPaid)
	b.rule(placed("edit", minute(2), eur(5200)))
	b.want(order.Confirmed, order.PaymentPartiallyPaid)
	if got := b.history(); got[len(got)-1] != "payment_status paid>partially_paid" {
		t.Errorf("history %q", got)
	}
}

func TestASnapshotThatIsSentAgainChangesNothing(t *testing.T) {
	t.Parallel()
	snapshot := func(id string) order.Event {
		e := placed(id, minute(0), eur(4200), order.Line{ID: "1", Quantity: 1}, order.Line{ID: "2", Quantity: 1})
		detail := order.Change{Fact: &order.Fact{Name: "restocked", NeedsAttention: true}}
		seen := order.Change{Checkpoint: &order.Checkpoint{Shipment: parcel("DA1"), Description: "hub"}}
		refund := order.Change{Refund: &order.Refund{RefundID: "r1", Amount: *eur(100)}}
		e.Changes = append(e.Changes, asserts(paid, eur(4200)), announces("DA1", order.Units{LineID: "1", Quantity: 1}),
			says("DA1", order.InTransit), refund, detail, seen, cancels())
		return e
	}
	b := newBook(t)
	b.rule(snapshot("s1"))
	before, steps, marks := b.state(), len(b.steps), b.attention()

	for _, id := range []string{"s0", "s2"} {
		ruling := b.rule(snapshot(id))
		for _, d := range ruling.Decisions {
			if d.Outcome != order.Unchanged {
				t.Errorf("%s: change %d is %s: %s", id, d.ChangeIndex, d.Outcome, d.Reason)
			}
		}
		if b.state() != before || len(b.steps) != steps || !slices.Equal(b.attention(), marks) {
			t.Errorf("%s:\n%s %v\n%s %v", id, before, marks, b.state(), b.attention())
		}
	}
}

func TestAParcelWalksThroughTheTable(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	walk := []order.Status{
		order.Shipped, order.InTransit, order.OutForDelivery, order.FailedDelivery, order.OutForDelivery, order.Delivered,
	}
	b.rule(event("0", minute(0), announces("DA1")))
	b.want(order.Processing, order.PaymentPending)
	for i, status := range walk {
		id := string(rune('a' + i))
		b.rule(event(id, minute(i+1), says("DA1", status)))
		b.want(status, order.PaymentPending)
		if d := b.wantOutcome(id, order.Applied); len(d.Skipped) > 0 || d.Shipment != "DA1" || d.To != string(status) {
			t.Errorf("%+v", d)
		}
	}
	b.wantAttention()
}

func TestSkippedStepsAreNamed(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	b.rule(event("a", minute(1), says("DA1", order.Delivered)))
	b.want(order.Delivered, order.PaymentPending)

	d := b.wantOutcome("a", order.Applied)
	if d.From != "processing" || !slices.Equal(d.Skipped, []order.Status{order.Shipped, order.InTransit}) {
		t.Errorf("%+v", d)
	}
	want := []string{
		"order_status >confirmed",
		"shipment_status processing>delivered skipped shipped skipped in_transit",
		"order_status confirmed>delivered skipped processing skipped shipped skipped in_transit",
	}
	if got := b.history(); !slices.Equal(got, want) {
		t.Errorf("history %q", got)
	}
}

func TestALateScanIsKeptAndMovesNothing(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	b.rule(event("end", minute(9), says("DA1", order.Delivered)))
	b.rule(event("late", minute(3), says("DA1", order.InTransit)))
	b.want(order.Delivered, order.PaymentPending)
	b.wantOutcome("late", order.Stale)
	b.wantAttention()
	late := b.steps[len(b.steps)-1]
	if late.Kind != order.StepLate || late.To != "in_transit" || !late.At.Equal(minute(3)) || late.Shipment != "DA1" {
		t.Errorf("%+v", late)
	}
}

func TestWhatIsKnownIsUnchanged(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	b.rule(event("a", minute(1), says("DA1", order.InTransit)))
	b.rule(event("b", minute(2), says("DA1", order.InTransit)))
	b.wantOutcome("b", order.Unchanged)
	if s := b.parcel("DA1"); !s.StatusAt.Equal(minute(1)) || len(s.Set) != 2 {
		t.Errorf("%+v", s)
	}
}

func TestALateScanThatIsSentAgainIsUnchanged(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	b.rule(event("a", minute(2), says("DA1", order.OutForDelivery)))
	b.rule(event("b", minute(1), says("DA1", order.InTransit)))
	b.wantOutcome("b", order.Stale)
	b.rule(event("c", minute(1), says("DA1", order.InTransit)))
	b.wantOutcome("c", order.Unchanged)
}

func TestMovementAfterTheEndIsIllegal(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	b.rule(event("end", minute(3), says("DA1", order.Delivered)))
	b.rule(event("odd", minute(9), says("DA1", order.InTransit)))
	b.want(order.Delivered, order.PaymentPending)
	d := b.wantOutcome("odd", order.Illegal)
	if d.From != "delivered" || d.To != "in_transit" {
		t.Errorf("%+v", d)
	}
	b.wantAttention("moved_after_end odd")
}

func TestRivalEndingsKeepWhatStands(t *testing.T) {
	t.Parallel()
	tests := []struct {
		first, second order.Status
		attention     string
	}{
		{order.Delivered, order.Returned, order.AttentionTwoEndings},
		{order.Returned, order.Delivered, order.AttentionTwoEndings},
		{order.Delivered, order.Cancelled, order.AttentionCancelledAgainstMovement},
		{order.Cancelled, order.InTransit, order.AttentionCancelledAgainstMovement},
		{order.InTransit, order.Cancelled, order.AttentionCancelledAgainstMovement},
		{order.Delivered, order.Returning, order.AttentionMovedAfterEnd},
	}
	for _, test := range tests {
		b := withOrder(t)
		b.rule(event("1", minute(1), says("DA1", test.first)))
		b.rule(event("2", minute(2), says("DA1", test.second)))
		b.wantOutcome("2", order.Illegal)
		b.wantAttention(test.attention + " 2")
		if got := b.parcel("DA1").Status; got != test.first {
			t.Errorf("%s, then %s: %s", test.first, test.second, got)
		}
	}
}

func TestDeliveredAfterAReturnBeganIsParked(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	b.rule(event("r", minute(1), says("DA1", order.Returning)))
	ruling := b.rule(event("d", minute(2), says("DA1", order.Delivered)))
	b.want(order.Returning, order.PaymentPending)
	if d := b.wantOutcome("d", order.Parked); ruling.State != order.StateParked || !strings.Contains(ruling.Reason, "to whom") {
		t.Errorf("%+v, %+v", d, ruling)
	}
	b.wantAttention("delivered_after_return d")

	b.rule(event("end", minute(3), says("DA1", order.Returned)))
	b.want(order.Returned, order.PaymentPending)
	b.wantOutcome("d", order.Illegal)
}

func TestAStrictAccountParksWhatSkipsAndLooksAgain(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	b.policy.Strict = true
	b.rule(event("c", minute(3), says("DA1", order.Delivered)))
	b.rule(event("b", minute(2), says("DA1", order.InTransit)))
	b.want(order.Processing, order.PaymentPending)
	b.wantOutcome("c", order.Parked)
	b.wantOutcome("b", order.Parked)

	ruling := b.rule(event("a", minute(1), says("DA1", order.Shipped)))
	b.want(order.Delivered, order.PaymentPending)
	if len(ruling.Decisions) != 3 || ruling.State != order.StateCompleted {
		t.Errorf("%+v", ruling)
	}
	for _, id := range []string{"a", "b", "c"} {
		if d := b.wantOutcome(id, order.Applied); len(d.Skipped) > 0 {
			t.Errorf("%+v", d)
		}
	}
	want := []string{
		"shipment_status processing>shipped", "shipment_status shipped>in_transit", "shipment_status in_transit>delivered",
		"order_status processing>delivered skipped shipped skipped in_transit",
	}
	if got := b.history(); !slices.Equal(got[len(got)-4:], want) {
		t.Errorf("history %q", got)
	}
	for _, step := range b.steps[len(b.steps)-4 : len(b.steps)-1] {
		if step.EventID == "" || !step.At.Equal(minute(int(step.EventID[0]-'a')+1)) {
			t.Errorf("%+v", step)
		}
	}
	b.wantAttention()
}

func TestAnAccountThatBecomesStrictMovesNothingBack(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	b.rule(event("a", minute(1), says("DA1", order.InTransit)))
	b.policy.Strict = true
	b.rule(event("b", minute(2), says("DA1", order.OutForDelivery)))
	b.want(order.OutForDelivery, order.PaymentPending)
}

func TestAnAccountThatIsNoLongerStrictFreesWhatIsParked(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	b.policy.Strict = true
	b.rule(event("a", minute(1), says("DA1", order.InTransit)))
	b.wantOutcome("a", order.Parked)
	b.policy.Strict = false
	b.rule(event("b", minute(0), says("DA1", order.Shipped)))
	b.want(order.InTransit, order.PaymentPending)
	b.wantOutcome("a", order.Applied)
}

func TestTheOrderIsAFoldOverItsParcels(t *testing.T) {
	t.Parallel()
	tests := []struct {
		rule    string
		parcels map[string]order.Status
		want    order.Status
	}{
		{"the furthest open parcel leads", map[string]order.Status{"A": order.Processing, "B": order.Shipped}, order.Shipped},
		{"one that moves leads", map[string]order.Status{"A": order.OutForDelivery, "B": order.Shipped}, order.OutForDelivery},
		{"an ended one counts as in transit", map[string]order.Status{"A": order.Delivered, "B": order.Processing}, order.InTransit},
		{"beside one that moves it says nothing", map[string]order.Status{"A": order.Delivered, "B": order.FailedDelivery}, order.FailedDelivery},
		{"all delivered", map[string]order.Status{"A": order.Delivered, "B": order.Delivered}, order.Delivered},
		{"none delivered", map[string]order.Status{"A": order.Returned, "B": order.Returned}, order.Returned},
		{"a mixture is delivered", map[string]order.Status{"A": order.Delivered, "B": order.Returned}, order.Delivered},
		{"cancelled ones don't count", map[string]order.Status{"A": order.Delivered, "B": order.Cancelled}, order.Delivered},
		{"with none counted the order has its own", map[string]order.Status{"A": order.Cancelled, "B": order.Cancelled}, order.Confirmed},
	}
	for _, test := range tests {
		b := withOrder(t)
		e := event("all", minute(0), announces("A"), announces("B"))
		b.rule(e)
		b.rule(event("moves", minute(1), says("A", test.parcels["A"]), says("B", test.parcels["B"])))
		if b.order.Status != test.want {
			t.Errorf("%s: %s", test.rule, b.state())
		}
	}
}

func TestANamelessParcelGivesWayToOneThatACourierNames(t *testing.T) {
	t.Parallel()
	shipped := by("shop", event("completed", minute(1), fulfils("order:12", "", order.Shipped)))
	delivered := event("scan", minute(2), says("DA1", order.Delivered))
	for _, arrival := range [][]order.Event{{shipped, delivered}, {delivered, shipped}} {
		b := withOrder(t)
		for _, e := range arrival {
			b.rule(e)
		}
		b.want(order.Delivered, order.PaymentPending)
	}
}

func TestAMixtureOfEndsIsToldBesideIt(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	b.rule(event("a", minute(0), announces("A"), announces("B")))
	b.rule(event("b", minute(1), says("A", order.Returned)))
	b.rule(event("c", minute(2), says("B", order.Delivered)))
	b.want(order.Delivered, order.PaymentPending)
	b.wantAttention("partly_returned c")
	if b.order.Facts[order.FactPartlyReturned] == "" || !b.order.StatusAt.Equal(minute(2)) {
		t.Errorf("%v since %s", b.order.Facts, b.order.StatusAt)
	}
}

func TestASnapshotIsOneStatement(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	b.rule(event("all", minute(1), announces("A"), says("A", order.Delivered), announces("B")))
	b.want(order.InTransit, order.PaymentPending)
	b.wantAttention()
}

func TestReturnParcelsNeverMoveTheOrder(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	b.rule(event("a", minute(1), says("DA1", order.Delivered)))
	back := says("DA1", order.Returning)
	back.Status.Shipment.Return = true
	b.rule(event("b", minute(2), back))
	b.want(order.Delivered, order.PaymentPending)
	b.wantAttention()
	b.wantOutcome("b", order.Applied)
	if len(b.order.Shipments) != 2 || b.order.Shipments[1].Status != order.Returning {
		t.Errorf("%s", b.state())
	}
}

func TestAParcelAfterTheEndIsShownAndFlagged(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	b.rule(event("a", minute(1), says("A", order.Delivered)))
	b.rule(event("b", minute(2), announces("B")))
	b.rule(event("c", minute(3), says("B", order.InTransit)))
	b.want(order.Delivered, order.PaymentPending)
	b.wantAttention("parcel_after_end b")
	b.wantOutcome("b", order.Applied)
	if d := b.wantOutcome("c", order.Applied); !strings.Contains(d.Reason, "stays so") {
		t.Errorf("%+v", d)
	}
	if got := b.parcel("B").Status; got != order.InTransit {
		t.Errorf("parcel B is %s", got)
	}
}

func TestUnitsThatNoParcelCarriesKeepTheOrderOpen(t *testing.T) {
	t.Parallel()
	b := withOrder(t, order.Line{ID: "1", Quantity: 2}, order.Line{ID: "2", Quantity: 1})
	b.rule(event("a", minute(1), announces("A", order.Units{LineID: "1", Quantity: 2}), says("A", order.Shipped)))
	b.want(order.Shipped, order.PaymentPending)
	if got := b.order.Facts[order.FactUnitsShipped]; got != "2 of 3" {
		t.Errorf("units shipped: %q", got)
	}
	b.rule(event("b", minute(2), says("A", order.Delivered)))
	b.want(order.InTransit, order.PaymentPending)

	b.rule(event("c", minute(3), announces("B", order.Units{LineID: "2", Quantity: 1}), says("B", order.Delivered)))
	b.want(order.Delivered, order.PaymentPending)
	if got := b.order.Facts[order.FactUnitsShipped]; got != "3 of 3" {
		t.Errorf("units shipped: %q", got)
	}
	b.wantAttention()
}

func TestAnEditThatTakesTheRestAwayEndsTheOrder(t *testing.T) {
	t.Parallel()
	b := withOrder(t, order.Line{ID: "1", Quantity: 1}, order.Line{ID: "2", Quantity: 1})
	b.rule(event("a", minute(1), announces("A", order.Units{LineID: "1", Quantity: 1}), says("A", order.Delivered)))
	b.want(order.InTransit, order.PaymentPending)
	b.rule(placed("edit", minute(2), eur(4200), order.Line{ID: "1", Quantity: 1}, order.Line{ID: "2", Quantity: 0}))
	b.want(order.Delivered, order.PaymentPending)
}

func TestUnitsThatComeAfterTheEndAreFlagged(t *testing.T) {
	t.Parallel()
	b := withOrder(t, order.Line{ID: "1", Quantity: 1})
	b.rule(event("a", minute(1), announces("A", order.Units{LineID: "1", Quantity: 1}), says("A", order.Delivered)))
	b.rule(placed("edit", minute(2), eur(4200), order.Line{ID: "1", Quantity: 3}))
	b.want(order.Delivered, order.PaymentPending)
	b.wantAttention("units_after_end edit")
}

func TestAParcelThatNamesNoUnitsCarriesTheRest(t *testing.T) {
	t.Parallel()
	b := withOrder(t, order.Line{ID: "1", Quantity: 2}, order.Line{ID: "2", Quantity: 1})
	b.rule(event("a", minute(1), announces("A", order.Units{LineID: "1", Quantity: 2}), announces("B")))
	b.rule(event("b", minute(2), says("B", order.Shipped)))
	if got := b.order.Facts[order.FactUnitsShipped]; got != "1 of 3" {
		t.Errorf("units shipped: %q", got)
	}
	b.rule(event("c", minute(3), says("A", order.Delivered), says("B", order.Delivered)))
	b.want(order.Delivered, order.PaymentPending)
}

func TestTheRestIsShippedWhenAllThatMayCarryItAre(t *testing.T) {
	t.Parallel()
	b := withOrder(t, order.Line{ID: "1", Quantity: 2})
	b.rule(event("a", minute(1), announces("A"), announces("B"), says("A", order.Shipped)))
	if got, shown := b.order.Facts[order.FactUnitsShipped]; shown {
		t.Errorf("units shipped: %q", got)
	}
	b.rule(event("b", minute(2), says("B", order.Shipped)))
	if got := b.order.Facts[order.FactUnitsShipped]; got != "2 of 2" {
		t.Errorf("units shipped: %q", got)
	}
}

func TestUnitsOfUnknownLinesAreNoUnits(t *testing.T) {
	t.Parallel()
	b := withOrder(t, order.Line{ID: "lamp", Quantity: 2})
	b.rule(event("a", minute(1), announces("A", order.Units{LineID: "7", Quantity: 1}), says("A", order.Delivered)))
	b.want(order.Delivered, order.PaymentPending)
}

func TestAnOrderIsCancelledWhileNothingMoves(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	b.rule(event("a", minute(1), announces("DA1")))
	b.rule(by("shop", event("c", minute(2), cancels())))
	b.want(order.Cancelled, order.PaymentPending)
	b.wantOutcome("c", order.Applied)
	b.wantAttention()

	b.rule(by("shop", event("again", minute(3), cancels())))
	b.wantOutcome("again", order.Unchanged)
	if !b.order.Cancellation.At.Equal(minute(2)) || !b.order.StatusAt.Equal(minute(2)) {
		t.Errorf("%+v", b.order.Cancellation)
	}
}

func TestTheEarliestCancellationIsKept(t *testing.T) {
	t.Parallel()
	words := []order.Event{
		by("shop", event("a", minute(1), cancels())), by("shop", event("b", minute(2), cancels())),
		by("shop", event("c", minute(1), cancels())),
	}
	for _, permutation := range permutations(words) {
		b := withOrder(t)
		for _, e := range permutation {
			b.rule(e)
		}
		if got := b.order.Cancellation.EventID; got != "a" {
			t.Errorf("kept the word of %s", got)
		}
		b.wantOutcome(permutation[2].ID, order.Unchanged)
	}
}

func TestACancellationAgainstMovementIsIllegal(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	b.rule(event("a", minute(5), says("DA1", order.Shipped)))
	b.rule(by("shop", event("c", minute(1), cancels())))
	b.want(order.Shipped, order.PaymentPending)
	d := b.wantOutcome("c", order.Illegal)
	if d.From != "shipped" || d.To != "cancelled" {
		t.Errorf("%+v", d)
	}
	b.wantAttention("cancelled_against_movement c")
}

func TestMovementOfACancelledOrderMovesItsParcelOnly(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	b.rule(event("a", minute(1), announces("DA1")))
	b.rule(by("shop", event("c", minute(2), cancels())))
	b.rule(event("m", minute(3), says("DA1", order.InTransit)))
	b.want(order.Cancelled, order.PaymentPending)
	b.wantOutcome("m", order.Illegal)
	b.wantAttention("cancelled_against_movement m")
	if got := b.parcel("DA1").Status; got != order.InTransit {
		t.Errorf("the parcel is %s", got)
	}
}

func TestCancellationAndMovementInOneSnapshot(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	b.rule(event("s", minute(1), cancels(), says("DA1", order.InTransit)))
	b.want(order.InTransit, order.PaymentPending)
	b.wantOutcome("s", order.Illegal)
	b.wantAttention("cancelled_against_movement s")
}

func TestMoneyForACancelledOrderIsSeen(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	b.rule(by("shop", event("c", minute(1), cancels())))
	b.rule(event("pay", minute(1), pays("pi", paid, eur(4200))))
	b.want(order.Cancelled, order.PaymentPaid)
	b.wantOutcome("pay", order.Applied)
	b.wantAttention("paid_after_cancellation pay")
}

func TestMoneyTakenAfterACancellationIsSeenWhicheverComesFirst(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	b.rule(event("pay", minute(2), pays("pi", paid, eur(4200))))
	b.rule(by("shop", event("c", minute(1), cancels())))
	b.want(order.Cancelled, order.PaymentPaid)
	b.wantAttention("paid_after_cancellation c")
}

func TestAnOrderThatIsCancelledAfterItWasPaidIsOrdinary(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	b.rule(event("pay", minute(1), pays("pi", paid, eur(4200))))
	b.rule(by("shop", event("c", minute(2), cancels())))
	b.want(order.Cancelled, order.PaymentPaid)
	b.wantAttention()
	b.rule(event("back", minute(3), order.Change{Refund: &order.Refund{PaymentID: "pi", Amount: *eur(1000), RunningTotal: true}}))
	b.want(order.Cancelled, order.PaymentPartiallyRefunded)
	b.wantAttention()
}

func TestOnePaymentHoweverManyTypesReportIt(t *testing.T) {
	t.Parallel()
	reports := []order.Event{
		event("session", minute(1), pays("pi", paid, eur(4200))),
		event("intent", minute(1), pays("pi", paid, eur(4200))),
		event("charge", minute(1), pays("pi", paid, eur(4200))),
	}
	for _, permutation := range permutations(reports) {
		b := withOrder(t)
		for _, e := range permutation {
			b.rule(e)
		}
		b.want(order.Confirmed, order.PaymentPaid)
		b.wantOutcome(permutation[0].ID, order.Applied)
		b.wantOutcome(permutation[1].ID, order.Unchanged)
		b.wantOutcome(permutation[2].ID, order.Unchanged)
		paidSteps := 0
		for _, line := range b.history() {
			if line == "payment_status pending>paid" {
				paidSteps++
			}
		}
		if paidSteps != 1 || b.order.Balance().Taken != 4200 {
			t.Errorf("%q, %+v", b.history(), b.order.Balance())
		}
	}
}

func TestALateWordAboutAPaidPaymentIsStale(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	b.rule(event("paid", minute(5), pays("pi", paid, eur(4200))))
	b.rule(event("older", minute(1), pays("pi", failed, nil)))
	b.rule(event("newer", minute(9), pays("pi", pending, nil)))
	b.want(order.Confirmed, order.PaymentPaid)
	b.wantOutcome("older", order.Stale)
	b.wantOutcome("newer", order.Stale)
	b.wantAttention()
}

func TestAnOlderAssertionIsStale(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	b.rule(by("shop", event("paid", minute(5), asserts(paid, nil))))
	b.rule(by("shop", event("older", minute(1), asserts(pending, nil))))
	b.want(order.Confirmed, order.PaymentPaid)
	b.wantOutcome("older", order.Stale)
}

func TestAPaymentInAnotherCurrencyIsIllegal(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	b.rule(event("pay", minute(1), pays("pi", paid, money("VND", 4200))))
	b.want(order.Confirmed, order.PaymentPending)
	d := b.wantOutcome("pay", order.Illegal)
	if d.From != "pending" || d.To != "paid" || !strings.Contains(d.Reason, "4200 VND") {
		t.Errorf("%+v", d)
	}
	b.rule(event("same", minute(2), pays("pi", paid, money("VND", 4200))))
	b.wantAttention("paid_in_another_currency pay")
}

func TestTooMuchMoneyIsPaidAndFlagged(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	b.rule(event("pay", minute(1), pays("pi", paid, eur(5000))))
	b.want(order.Confirmed, order.PaymentPaid)
	b.wantAttention("overpaid pay")
	b.rule(event("scan", minute(2), says("DA1", order.Shipped)))
	b.wantAttention("overpaid pay")
}

func TestMoreRefundedThanPaidIsFlagged(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	b.rule(event("pay", minute(1), pays("pi", paid, eur(4200))))
	b.rule(event("back", minute(2), order.Change{Refund: &order.Refund{PaymentID: "pi", Amount: *eur(5000), RunningTotal: true}}))
	b.want(order.Confirmed, order.PaymentRefunded)
	b.wantAttention("refunded_more_than_paid back")
}

func TestADisputeIsFlaggedOnceAndLeavesACancelledOrderCancelled(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	b.rule(by("shop", event("c", minute(1), cancels())))
	open := func(id string, at int, state order.DisputeState) order.Event {
		return event(id, minute(at), order.Change{Dispute: &order.Dispute{
			DisputeID: "dp", PaymentID: "pi", State: state, Amount: eur(4200),
		}})
	}
	b.rule(open("d1", 2, order.DisputeOpen))
	b.rule(open("d2", 3, order.DisputeOpen))
	b.want(order.Cancelled, order.PaymentDisputed)
	b.wantAttention("disputed d1")
	b.rule(open("d3", 4, order.DisputeWon))
	b.want(order.Cancelled, order.PaymentPending)
}

func TestFactsAreShownBesideTheOrder(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	key := parcel("DA1")
	hold := func(id string, at int) order.Event {
		return event(id, minute(at), order.Change{Fact: &order.Fact{
			Name: "on_hold", Shipment: &key, Detail: "customer 01711 asked", NeedsAttention: true,
		}})
	}
	b.rule(hold("new", 5))
	b.rule(hold("old", 1))
	if got := b.parcel("DA1").Facts["on_hold"]; got != "2026-01-15T12:05:00Z" {
		t.Errorf("shown: %q", got)
	}
	b.wantAttention("on_hold new", "on_hold old")
	settled := order.Change{Fact: &order.Fact{Name: "settlement", Amount: eur(100)}}
	b.rule(event("s", minute(6), settled))
	if b.order.Facts["settlement"] == "" || b.order.Notes[len(b.order.Notes)-1].Amount == nil {
		t.Errorf("%v, %+v", b.order.Facts, b.order.Notes)
	}
	for _, text := range []string{b.state(), strings.Join(b.history(), " ")} {
		if strings.Contains(text, "01711") {
			t.Errorf("what a courier wrote is shown: %s", text)
		}
	}
}

func TestACheckpointMovesNothing(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	b.rule(event("a", minute(1), says("DA1", order.Shipped)))
	seen := order.Change{Checkpoint: &order.Checkpoint{Shipment: parcel("da1 "), Description: "sorted", Location: "Savar"}}
	b.rule(event("c", minute(2), seen))
	b.want(order.Shipped, order.PaymentPending)
	if step := b.steps[len(b.steps)-1]; step.Kind != order.StepCheckpoint || step.Shipment != "DA1" || step.To != "" {
		t.Errorf("%+v", step)
	}
}

func TestRulingsOfOneOrderDoNotTouchEachOther(t *testing.T) {
	t.Parallel()
	b := withOrder(t)
	for i := range 5 {
		id := string(rune('a' + i))
		b.rule(event(id, minute(i), says("DA1", order.InTransit), pays("pi", pending, nil), order.Change{
			Checkpoint: &order.Checkpoint{Shipment: parcel("DA1")},
		}, order.Change{Fact: &order.Fact{Name: "note", NeedsAttention: true}}))
	}
	change := func(id string, at int) order.Event {
		return event(id, minute(at), says("DA1", order.OutForDelivery), pays("pi", paid, eur(int64(at))), order.Change{
			Checkpoint: &order.Checkpoint{Shipment: parcel("DA1")},
		}, order.Change{Fact: &order.Fact{Name: "note", NeedsAttention: true}})
	}
	first := order.Rule(b.world(change("x", 10)), order.Policy{})
	before := deepCopy(first.Order)
	order.Rule(b.world(change("y", 11)), order.Policy{})
	if !reflect.DeepEqual(first.Order, before) {
		t.Error("a second ruling changed the order of the first")
	}
}

func TestTimesAreNeverLaterThanTheReceipt(t *testing.T) {
	t.Parallel()
	e := event("e", minute(1), order.Change{}, order.Change{At: minute(2)}, order.Change{At: received.Add(time.Hour)})
	missing := e
	missing.Certainty = order.Missing
	zone := e
	zone.Certainty, zone.OccurredAt = order.ZoneAssumed, minute(1).In(time.FixedZone("", 6*3600))
	tests := []struct {
		event     order.Event
		change    int
		at        time.Time
		certainty order.Certainty
	}{
		{e, 0, minute(1), order.Exact},
		{e, 1, minute(2), order.Exact},
		{e, 2, received, order.Future},
		{missing, 0, received, order.Missing},
		{missing, 1, minute(2), order.Exact},
		{zone, 0, minute(1), order.ZoneAssumed},
		{order.Event{ReceivedAt: received}, -1, received, order.Missing},
		{order.Event{ReceivedAt: received, OccurredAt: minute(1).Add(1500)}, -1, minute(1).Add(1000), order.Exact},
	}
	for i, test := range tests {
		var change order.Change
		if test.change >= 0 {
			change = test.event.Changes[test.change]
		}
		at, certainty := test.event.TimeOf(change)
		if !at.Equal(test.at) || certainty != test.certainty || at.Location() != time.UTC {
			t.Errorf("%d: %s %s", i, at, certainty)
		}
	}
}
