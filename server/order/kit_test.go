package order_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/waybillhq/waybill/server/order"
)

// noon is when everything in the tests begins.
var noon = time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)

// minute is a moment so many minutes after noon.
func minute(n int) time.Time { return noon.Add(time.Duration(n) * time.Minute) }

// received is late enough for everything that happens.
var received = noon.Add(24 * time.Hour)

// eur is an amount in euro cents.
func eur(cents int64) *order.Money { return &order.Money{Currency: "EUR", MinorUnits: cents} }

// event is an event of the courier about order 1001.
func event(id string, at time.Time, changes ...order.Change) order.Event {
	return order.Event{
		ID:         id,
		Account:    "dhaka-shop",
		Provider:   "courier",
		Identity:   "identity-" + id,
		OccurredAt: at,
		Certainty:  order.Exact,
		ReceivedAt: received,
		References: []order.Reference{{Kind: order.OrderNumber, Value: "1001"}},
		Changes:    changes,
	}
}

// by makes an event that of another provider.
func by(provider string, e order.Event) order.Event {
	e.Provider = provider
	return e
}

func parcel(consignment string) order.ShipmentKey {
	return order.ShipmentKey{ConsignmentID: consignment}
}

func says(consignment string, status order.Status) order.Change {
	return order.Change{Status: &order.StatusChange{Shipment: parcel(consignment), Status: status}}
}

func announces(consignment string, units ...order.Units) order.Change {
	return order.Change{Announced: &order.Announced{Shipment: parcel(consignment), Units: units}}
}

func cancels() order.Change {
	return order.Change{Cancelled: &order.Cancellation{Reason: "customer"}}
}

// placed is the shop's statement that order 1001 was placed.
func placed(id string, at time.Time, total *order.Money, lines ...order.Line) order.Event {
	return by("shop", event(id, at, order.Change{Placed: &order.Placed{
		OrderID: "77", Number: "#1001", Total: total, Lines: lines,
	}}))
}

func pays(payment string, state order.PaymentState, amount *order.Money) order.Change {
	return order.Change{Payment: &order.Payment{PaymentID: payment, State: state, Amount: amount}}
}

func asserts(state order.PaymentState, amount *order.Money) order.Change {
	return order.Change{Payment: &order.Payment{PaymentID: "order:77", Assertion: true, State: state, Amount: amount}}
}

// book keeps one order as the store would: it rules events one by one, gives ids, and remembers what became of each
// change.
type book struct {
	t      testing.TB
	policy order.Policy
	order  *order.Order
	// outcomes are the decisions that count, by event and change.
	outcomes map[string]order.Decision
	steps    []order.Step
	ids      int
	// thorough checks each ruling for purity and repetition.
	thorough bool
}

func newBook(t testing.TB) *book {
	return &book{t: t, outcomes: make(map[string]order.Decision), thorough: true}
}

// withOrder is a book that has order 1001 over 42.00 euros.
func withOrder(t testing.TB, lines ...order.Line) *book {
	b := newBook(t)
	b.rule(placed("placed", noon.Add(-time.Hour), eur(4200), lines...))
	return b
}

func (b *book) world(e order.Event) order.World {
	return order.World{Event: e, Order: b.order, Now: received}
}

// rule rules an event and takes the ruling.
func (b *book) rule(e order.Event) order.Ruling {
	b.t.Helper()
	w := b.world(e)
	if !b.thorough {
		return b.take(w, order.Rule(w, b.policy))
	}

	var before *order.Order
	if b.order != nil {
		before = deepCopy(b.order)
	}
	ruling := order.Rule(w, b.policy)
	if b.order != nil && !reflect.DeepEqual(before, b.order) {
		b.t.Fatalf("event %s: the ruling changed the order that it was given", e.ID)
	}
	if again := order.Rule(w, b.policy); !reflect.DeepEqual(again, ruling) {
		b.t.Fatalf("event %s: the same world gave two rulings:\n%+v\n%+v", e.ID, ruling, again)
	}
	b.take(w, ruling)
	b.repeat(w)
	return ruling
}

// take takes a ruling, and checks what holds for every ruling.
func (b *book) take(w order.World, ruling order.Ruling) order.Ruling {
	b.t.Helper()
	e := w.Event
	b.checkDecisions(e, ruling)
	if ruling.Order == nil {
		if len(ruling.Steps) > 0 {
			b.t.Fatalf("event %s: %d steps of no order", e.ID, len(ruling.Steps))
		}
		return ruling
	}
	b.checkEnds(e, ruling.Order)
	b.order = ruling.Order
	b.steps = append(b.steps, ruling.Steps...)
	if b.order.ID == "" {
		b.order.ID = "ord_1"
	}
	for _, s := range b.order.Shipments {
		if s.ID == "" {
			b.ids++
			s.ID = fmt.Sprintf("shp_%d", b.ids)
		}
	}
	return ruling
}

// checkDecisions sees to it that every change of an event that doesn't wait has exactly one decision, which says why.
func (b *book) checkDecisions(e order.Event, ruling order.Ruling) {
	b.t.Helper()
	if ruling.State == order.StateWaiting {
		if len(ruling.Decisions) > 0 || ruling.Reason == "" || ruling.DueAt.IsZero() {
			b.t.Fatalf("event %s waits without a reason or an end, or with decisions: %+v", e.ID, ruling)
		}
		return
	}
	seen := make(map[int]bool)
	for _, d := range ruling.Decisions {
		if d.Reason == "" || d.Outcome == "" {
			b.t.Fatalf("event %s: a decision without a reason: %+v", e.ID, d)
		}
		b.outcomes[fmt.Sprintf("%s/%d", d.EventID, d.ChangeIndex)] = d
		if d.EventID != e.ID {
			continue
		}
		if seen[d.ChangeIndex] {
			b.t.Fatalf("event %s: change %d has two decisions", e.ID, d.ChangeIndex)
		}
		seen[d.ChangeIndex] = true
	}
	if len(seen) != len(e.Changes) {
		b.t.Fatalf("event %s: %d of %d changes are decided", e.ID, len(seen), len(e.Changes))
	}
	if own := order.Headline(ruling.Decisions); ruling.State == order.StateCompleted && own == order.Parked {
		b.t.Fatalf("event %s is completed with a parked change", e.ID)
	}
}

// checkEnds sees to it that nothing that was shown as final changes.
func (b *book) checkEnds(e order.Event, after *order.Order) {
	b.t.Helper()
	if b.order == nil {
		return
	}
	if order.Terminal(b.order.Status) && after.Status != b.order.Status {
		b.t.Fatalf("event %s moved the order from %s to %s", e.ID, b.order.Status, after.Status)
	}
	for _, s := range b.order.Shipments {
		i := slices.IndexFunc(after.Shipments, func(now *order.Shipment) bool { return now.ID == s.ID })
		if i >= 0 && order.Terminal(s.Status) && after.Shipments[i].Status != s.Status {
			b.t.Fatalf("event %s moved parcel %s from %s to %s", e.ID, s.Name(), s.Status, after.Shipments[i].Status)
		}
	}
}

// repeat rules an event that was ruled before: nothing may come of it.
func (b *book) repeat(w order.World) {
	b.t.Helper()
	w.Order = b.order
	ruling := order.Rule(w, b.policy)
	if ruling.State == order.StateWaiting {
		return
	}
	if ruling.Order != nil || len(ruling.Steps) > 0 {
		b.t.Fatalf("event %s: ruling it twice changed the order: %+v", w.Event.ID, ruling)
	}
	for _, d := range ruling.Decisions {
		switch d.Outcome {
		case order.Unchanged, order.Parked, order.Ignored:
		default:
			b.t.Fatalf("event %s: ruling it twice gave %s: %s", w.Event.ID, d.Outcome, d.Reason)
		}
	}
}

// attention are the marks of the order, sorted: reason, event.
func (b *book) attention() []string {
	var marks []string
	if b.order == nil {
		return nil
	}
	for _, a := range b.order.Attention {
		marks = append(marks, a.Reason+" "+a.EventID)
	}
	slices.Sort(marks)
	return marks
}

// state is all that the order shows, in one line.
func (b *book) state() string {
	if b.order == nil {
		return "no order"
	}
	var parcels []string
	for _, s := range b.order.Shipments {
		parcels = append(parcels, fmt.Sprintf("%s return=%v %s since %s (%s) %v %v %s",
			s.Name(), s.Key.Return, s.Status, s.StatusAt.Format("15:04"), s.StatusCertainty, s.Courier, s.Units, facts(s.Facts)))
	}
	slices.Sort(parcels)
	return fmt.Sprintf("%s, %s, %s [%s]",
		b.order.Status, b.order.Payment, facts(b.order.Facts), strings.Join(parcels, "; "))
}

func facts(facts map[string]string) string { return fmt.Sprint(facts) }

func deepCopy(o *order.Order) *order.Order {
	c := *o
	c.Shipments = slices.Clone(o.Shipments)
	for i, s := range o.Shipments {
		parcel := *s
		parcel.Aliases, parcel.Set, parcel.Notes = slices.Clone(s.Aliases), slices.Clone(s.Set), slices.Clone(s.Notes)
		parcel.Units = slices.Clone(s.Units)
		parcel.Facts = maps.Clone(s.Facts)
		c.Shipments[i] = &parcel
	}
	if o.Placement != nil {
		placement := *o.Placement
		placement.Lines = slices.Clone(placement.Lines)
		c.Placement = &placement
	}
	c.Ledger, c.Notes, c.Attention = slices.Clone(o.Ledger), slices.Clone(o.Notes), slices.Clone(o.Attention)
	c.Facts = maps.Clone(o.Facts)
	return &c
}

// permutations are all the orders in which things can arrive.
func permutations[T any](things []T) [][]T {
	if len(things) <= 1 {
		return [][]T{slices.Clone(things)}
	}
	var all [][]T
	for i := range things {
		rest := append(slices.Clone(things[:i]), things[i+1:]...)
		for _, tail := range permutations(rest) {
			all = append(all, append([]T{things[i]}, tail...))
		}
	}
	return all
}
