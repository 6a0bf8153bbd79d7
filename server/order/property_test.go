package order_test

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/waybillhq/waybill/server/order"
)

// names are what parcels are called in the properties: two kinds of numbers and a platform's ids.
var (
	consignments = rapid.SampledFrom([]string{"", "DA1", "DA2", "da1"})
	trackings    = rapid.SampledFrom([]string{"", "", "TRK1", "TRK2"})
	fulfilments  = rapid.SampledFrom([]string{"", "", "12", "13"})
	moments      = rapid.IntRange(0, 6)
	amounts      = rapid.SampledFrom([]*order.Money{eur(1000), eur(3200), eur(4200), eur(5000), money("VND", 4200)})
	payments     = rapid.SampledFrom([]string{"pi1", "pi2", "cod:DA1"})
)

func anyParcel(t *rapid.T) order.ShipmentKey {
	key := order.ShipmentKey{
		ConsignmentID:  consignments.Draw(t, "consignment"),
		TrackingNumber: trackings.Draw(t, "tracking"),
		FulfilmentID:   fulfilments.Draw(t, "fulfilment"),
		Return:         rapid.IntRange(0, 9).Draw(t, "return") == 0,
	}
	if key.ConsignmentID+key.TrackingNumber+key.FulfilmentID == "" {
		key.ConsignmentID = "DA1"
	}
	return key
}

func anyUnits(t *rapid.T) []order.Units {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) order.Units {
		return order.Units{
			LineID:   rapid.SampledFrom([]string{"1", "2", "9"}).Draw(t, "line"),
			Quantity: rapid.Int64Range(0, 2).Draw(t, "quantity"),
		}
	}), 0, 2).Draw(t, "units")
}

func anyMoneyChange(t *rapid.T) order.Change {
	switch rapid.IntRange(0, 4).Draw(t, "money") {
	case 0:
		return order.Change{Payment: &order.Payment{
			PaymentID: "order:77", Assertion: true, Amount: amounts.Draw(t, "amount"),
			State: rapid.SampledFrom([]order.PaymentState{pending, authorized, paid, failed, voided}).Draw(t, "state"),
		}}
	case 1:
		return order.Change{Refund: &order.Refund{
			PaymentID: payments.Draw(t, "payment"), Amount: *amounts.Draw(t, "amount"), RunningTotal: true,
		}}
	case 2:
		return order.Change{Refund: &order.Refund{
			PaymentID: rapid.SampledFrom([]string{"", "pi1"}).Draw(t, "payment"),
			RefundID:  rapid.SampledFrom([]string{"r1", "r2"}).Draw(t, "refund"), Amount: *amounts.Draw(t, "amount"),
		}}
	case 3:
		return order.Change{Dispute: &order.Dispute{
			DisputeID: rapid.SampledFrom([]string{"dp1", "dp2"}).Draw(t, "dispute"), PaymentID: payments.Draw(t, "payment"),
			State: rapid.SampledFrom([]order.DisputeState{order.DisputeOpen, order.DisputeWon, order.DisputeLost}).Draw(t, "state"),
		}}
	}
	return order.Change{Payment: &order.Payment{
		PaymentID: payments.Draw(t, "payment"), Amount: amounts.Draw(t, "amount"),
		State: rapid.SampledFrom([]order.PaymentState{pending, authorized, paid, paid, failed, voided}).Draw(t, "state"),
	}}
}

func anyChange(t *rapid.T) order.Change {
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0:
		return order.Change{Announced: &order.Announced{
			Shipment: anyParcel(t), Units: anyUnits(t), Courier: rapid.SampledFrom([]string{"", "RedX", "Pathao"}).Draw(t, "courier"),
		}}
	case 1:
		return cancels()
	case 2:
		return order.Change{Checkpoint: &order.Checkpoint{Shipment: anyParcel(t), Description: "hub"}}
	case 3:
		key := anyParcel(t)
		return order.Change{Fact: &order.Fact{Name: "on_hold", Shipment: &key, NeedsAttention: rapid.Bool().Draw(t, "attention")}}
	case 4, 5:
		return anyMoneyChange(t)
	case 6:
		return rapid.SampledFrom([]order.Change{
			{IgnoredReason: "nobody needs it"},
			{Unrecognised: &order.Unrecognised{Field: "event", Word: "drone_lost"}},
		}).Draw(t, "odd")
	}
	status := rapid.SampledFrom(parcelStatuses()).Draw(t, "status")
	return order.Change{Status: &order.StatusChange{Shipment: anyParcel(t), Status: status}}
}

func anyPlacement(t *rapid.T, id string) order.Event {
	total := rapid.SampledFrom([]*order.Money{nil, eur(4200), eur(4200), eur(3200)}).Draw(t, "total")
	var lines []order.Line
	for _, line := range []string{"1", "2"} {
		lines = append(lines, order.Line{ID: line, Quantity: rapid.Int64Range(0, 2).Draw(t, "wanted")})
	}
	return placed(id, minute(moments.Draw(t, "at")), total, lines...)
}

func anyEvent(t *rapid.T, id string) order.Event {
	if rapid.IntRange(0, 7).Draw(t, "placed") == 0 {
		return anyPlacement(t, id)
	}
	changes := rapid.SliceOfN(rapid.Custom(anyChange), 1, 3).Draw(t, "changes")
	e := event(id, minute(moments.Draw(t, "at")), changes...)
	return by(rapid.SampledFrom([]string{"courier", "shop"}).Draw(t, "provider"), e)
}

// anyLife is what a provider may send about an order: events, some of them twice, some again under another id.
func anyLife(t *rapid.T) []order.Event {
	n := rapid.IntRange(1, 12).Draw(t, "events")
	var events []order.Event
	for i := range n {
		e := anyEvent(t, fmt.Sprintf("e%02d", i))
		events = append(events, e)
		switch rapid.IntRange(0, 5).Draw(t, "repeat") {
		case 0:
			events = append(events, e)
		case 1:
			e.ID, e.Identity = e.ID+"-again", e.Identity+"-again"
			events = append(events, e)
		}
	}
	return shuffled(t, events)
}

// shuffled is some order of arrival.
func shuffled(t *rapid.T, events []order.Event) []order.Event {
	places := make([]int, len(events))
	for i := range places {
		places[i] = i
	}
	arrived := make([]order.Event, len(events))
	for i, place := range rapid.Permutation(places).Draw(t, "arrival") {
		arrived[i] = events[place]
	}
	return arrived
}

// playAll rules events; the book checks every ruling.
func playAll(t testing.TB, policy order.Policy, events []order.Event) *book {
	b := newBook(t)
	b.policy = policy
	b.rule(placed("placed", minute(-60), eur(4200), order.Line{ID: "1", Quantity: 1}))
	for _, e := range events {
		b.rule(e)
	}
	return b
}

func anyPolicy(t *rapid.T) order.Policy {
	return order.Policy{Strict: rapid.Bool().Draw(t, "strict")}
}

// rapidly runs a property, for five times as many draws as rapid does by itself: some faults were found once in ten
// thousand. The book of a property fails the property.
func rapidly(t *testing.T, property func(t *rapid.T, tb testing.TB)) {
	t.Helper()
	for range 5 {
		rapid.Check(t, func(rt *rapid.T) { property(rt, failing{TB: t, rapid: rt}) })
	}
}

// failing lets rapid see a failure, so that it can make it small.
type failing struct {
	testing.TB
	rapid *rapid.T
}

func (f failing) Helper()                           {}
func (f failing) Fatalf(format string, args ...any) { f.rapid.Fatalf(format, args...) }

func TestWhateverArrivesEveryChangeIsDecidedAndEveryEndStands(t *testing.T) {
	t.Parallel()
	rapidly(t, func(t *rapid.T, tb testing.TB) {
		events := anyLife(t)
		b := playAll(tb, anyPolicy(t), events)
		for _, e := range events {
			for i := range e.Changes {
				if b.outcomes[fmt.Sprintf("%s/%d", e.ID, i)].Outcome == "" {
					t.Fatalf("event %s: change %d has no outcome", e.ID, i)
				}
			}
			checkRecorded(t, b.order, e)
		}
	})
}

// checkRecorded sees to it that what an event said is recorded, once, whatever became of it.
func checkRecorded(t *rapid.T, o *order.Order, e order.Event) {
	for i, c := range e.Changes {
		id := order.FactID{EventID: e.ID, ChangeIndex: i, Identity: e.Identity, Provider: e.Provider}
		recorded := 0
		for _, s := range o.Shipments {
			for _, f := range s.Set {
				if f.FactID == id {
					recorded++
				}
			}
			for _, n := range s.Notes {
				if n.FactID == id {
					recorded++
				}
			}
		}
		for _, entry := range o.Ledger {
			if entry.FactID == id {
				recorded++
			}
		}
		for _, n := range o.Notes {
			if n.FactID == id {
				recorded++
			}
		}
		if c.Cancelled != nil && o.Cancellation != nil {
			recorded++
		}
		want := 1
		if c.IgnoredReason != "" || c.Unrecognised != nil {
			want = 0
		}
		if recorded != want {
			t.Fatalf("event %s: change %d is recorded %d times", e.ID, i, recorded)
		}
	}
}

func TestWhatStandsIsWhatTheFactsSayOrAPersonIsTold(t *testing.T) {
	t.Parallel()
	rapidly(t, func(t *rapid.T, tb testing.TB) {
		policy := anyPolicy(t)
		b := playAll(tb, policy, anyLife(t))
		o := b.order
		told := len(o.Attention) > 0
		if folded := order.Fold(o); folded.Status != o.Status && !told {
			t.Fatalf("the order is %s, its facts say %s, and nobody is told", o.Status, folded.Status)
		}
		for _, s := range o.Shipments {
			if derived := order.Derive(s.Set, "", policy.Strict && !s.Key.Return); derived.Status != s.Status && !told {
				t.Fatalf("parcel %s is %s, its facts say %s, and nobody is told", s.Name(), s.Status, derived.Status)
			}
		}
		if balance := o.Balance(); balance.Status != o.Payment {
			t.Fatalf("the money is shown as %s, its ledger says %s", o.Payment, balance.Status)
		}
	})
}

func TestEveryIllegalMoveIsTold(t *testing.T) {
	t.Parallel()
	rapidly(t, func(t *rapid.T, tb testing.TB) {
		b := playAll(tb, anyPolicy(t), anyLife(t))
		for _, d := range b.outcomes {
			if d.Outcome != order.Illegal || d.To == "" {
				continue
			}
			about := func(a order.Attention) bool { return a.EventID == d.EventID }
			money := func(a order.Attention) bool { return strings.HasSuffix(a.Reason, "in_another_currency") }
			if !slices.ContainsFunc(b.order.Attention, about) && !slices.ContainsFunc(b.order.Attention, money) {
				t.Fatalf("event %s is illegal and nobody is told: %+v", d.EventID, d)
			}
		}
	})
}

func TestMoneyDependsOnWhatWasSaidAndNotOnItsArrival(t *testing.T) {
	t.Parallel()
	rapidly(t, func(t *rapid.T, tb testing.TB) {
		var events []order.Event
		for i := range rapid.IntRange(1, 10).Draw(t, "events") {
			events = append(events, event(fmt.Sprintf("e%02d", i), minute(moments.Draw(t, "at")), anyMoneyChange(t)))
		}
		first := playAll(tb, order.Policy{}, events).order.Balance()

		again := slices.Clone(events)
		for _, e := range events {
			if rapid.Bool().Draw(t, "twice") {
				e.ID, e.Identity = e.ID+"-again", e.Identity+"-again"
				again = append(again, e)
			}
		}
		second := playAll(tb, order.Policy{}, shuffled(t, again)).order.Balance()
		if first.Status != second.Status || first.Taken != second.Taken || first.Refunded != second.Refunded {
			t.Fatalf("once %+v, again %+v", first, second)
		}
		if most := most(events); first.Taken > most {
			t.Fatalf("%d was taken, no more than %d was reported", first.Taken, most)
		}
	})
}

// most is all that can have been taken: the largest report of each payment, or the largest assertion.
func most(events []order.Event) int64 {
	largest := make(map[string]int64)
	var asserted, moved int64
	for _, e := range events {
		p := e.Changes[0].Payment
		switch {
		case p == nil || p.State != paid || p.Amount == nil:
		case p.Assertion:
			asserted = max(asserted, p.Amount.MinorUnits)
		default:
			largest[p.PaymentID] = max(largest[p.PaymentID], p.Amount.MinorUnits)
		}
	}
	for _, amount := range largest {
		moved += amount
	}
	return max(asserted, moved)
}

func TestLongLivesWithoutRivalEndingsEndTheSame(t *testing.T) {
	t.Parallel()
	rapidly(t, func(t *rapid.T, tb testing.TB) {
		parcels := rapid.SampledFrom([][]string{{"A", "R"}, {"A", "B", "R"}}).Draw(t, "parcels")
		facts := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) said {
			return said{
				parcel: rapid.SampledFrom(parcels).Draw(t, "parcel"),
				status: rapid.SampledFrom(parcelStatuses()).Draw(t, "status"),
				at:     moments.Draw(t, "at"),
			}
		}), 1, 10).Filter(func(facts []said) bool { return !rivals(facts) }).Draw(t, "facts without rival endings")
		var events []order.Event
		for i, s := range facts {
			events = append(events, s.event(i))
		}
		policy := anyPolicy(t)
		first := playAll(tb, policy, events)

		again := slices.Clone(events)
		for _, e := range events {
			if rapid.Bool().Draw(t, "twice") {
				e.ID, e.Identity = e.ID+"-again", e.Identity+"-again"
				again = append(again, e)
			}
		}
		second := playAll(tb, policy, shuffled(t, again))
		if first.state() != second.state() {
			t.Fatalf("%s\n%s", first.state(), second.state())
		}
	})
}

// component finds which names belong to one parcel.
type component map[order.Key]order.Key

func (c component) root(key order.Key) order.Key {
	if parent, known := c[key]; known && parent != key {
		return c.root(parent)
	}
	c[key] = key
	return key
}

func TestParcelsAreJoinedByTheirNamesInAnyOrder(t *testing.T) {
	t.Parallel()
	rapidly(t, func(t *rapid.T, tb testing.TB) {
		var events []order.Event
		joined := make(component)
		for i := range rapid.IntRange(1, 8).Draw(t, "events") {
			key := anyParcel(t)
			key.Return = false
			moving := []order.Status{order.Shipped, order.InTransit, order.OutForDelivery, order.FailedDelivery}
			e := event(fmt.Sprintf("e%02d", i), minute(moments.Draw(t, "at")), order.Change{Status: &order.StatusChange{
				Shipment: key, Status: rapid.SampledFrom(moving).Draw(t, "status"),
			}})
			keys := refs(e).Keys()
			for _, key := range keys {
				joined[joined.root(key)] = joined.root(keys[0])
			}
			events = append(events, e)
		}
		roots := make(map[order.Key]bool)
		for key := range joined {
			roots[joined.root(key)] = true
		}

		b := playAll(tb, anyPolicy(t), events)
		if len(b.order.Shipments) != len(roots) {
			t.Fatalf("%d parcels of %d: %s", len(b.order.Shipments), len(roots), b.state())
		}
		for _, s := range b.order.Shipments {
			for _, key := range s.Keys() {
				if joined.root(key) != joined.root(s.Keys()[0]) {
					t.Fatalf("parcel %s has the name %v of another", s.Name(), key)
				}
			}
			if derived := order.Derive(s.Set, "", b.policy.Strict); derived.Status != s.Status {
				t.Fatalf("parcel %s is %s, its facts say %s", s.Name(), s.Status, derived.Status)
			}
		}
	})
}

func TestOneReadingOfTheSetWhateverItsOrder(t *testing.T) {
	t.Parallel()
	rapidly(t, func(t *rapid.T, _ testing.TB) {
		var set []order.StatusFact
		for i := range rapid.IntRange(1, 12).Draw(t, "facts") {
			status := rapid.SampledFrom(order.Statuses()).Draw(t, "status")
			set = append(set, fact(fmt.Sprintf("%02d", i), status, moments.Draw(t, "at")))
		}
		shown := rapid.SampledFrom(append(parcelStatuses(), "")).Draw(t, "shown")
		strict := rapid.Bool().Draw(t, "strict")
		first := order.Derive(set, shown, strict)

		shuffled := slices.Clone(set)
		rand.New(rand.NewSource(rapid.Int64().Draw(t, "seed"))).Shuffle(len(shuffled), func(i, j int) {
			shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
		})
		second := order.Derive(shuffled, shown, strict)
		if first.Status != second.Status || !first.At.Equal(second.At) || first.By != second.By {
			t.Fatalf("%+v\n%+v", first, second)
		}
		for _, found := range first.Findings {
			i := slices.IndexFunc(second.Findings, func(f order.Finding) bool { return f.Fact.FactID == found.Fact.FactID })
			if second.Findings[i] != found {
				t.Fatalf("%+v\n%+v", found, second.Findings[i])
			}
		}
	})
}
