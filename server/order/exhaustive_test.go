package order_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/waybillhq/waybill/server/order"
)

// said is one thing that can be said in the exhaustive tests.
type said struct {
	parcel string // A, B, R (a return), or empty: the order's platform
	status order.Status
	at     int
}

func (s said) event(i int) order.Event {
	id := fmt.Sprintf("%d-%s-%s-%d", i, s.parcel, s.status, s.at)
	switch {
	case s.parcel == "" && s.status == order.Confirmed:
		return placed(id, minute(s.at), eur(4200))
	case s.parcel == "":
		return by("shop", event(id, minute(s.at), cancels()))
	}
	change := says(s.parcel, s.status)
	change.Status.Shipment.Return = s.parcel == "R"
	return event(id, minute(s.at), change)
}

// rivals says whether a set holds rival endings: the only sets whose result may depend on what comes first.
func rivals(set []said) bool {
	for _, a := range set {
		for _, b := range set {
			if a.parcel == b.parcel && a.parcel != "" && rivalFacts(a, b) {
				return true
			}
			if a.parcel == "" && a.status == order.Cancelled && forward(b) && order.Rank(b.status) >= 3 {
				return true // the platform cancels what moves
			}
			if forward(a) && forward(b) && a.parcel != b.parcel && order.Rank(a.status) == 5 {
				return true // a parcel after the end
			}
		}
	}
	return false
}

// attachedLate says whether a parcel may come after its order was cancelled: who sees it first decides whether it is
// flagged, and nothing else.
func attachedLate(set []said) bool {
	return slices.ContainsFunc(set, forward) &&
		slices.ContainsFunc(set, func(s said) bool { return s.parcel == "" && s.status == order.Cancelled })
}

func rivalFacts(a, b said) bool {
	switch {
	case a.status == order.Delivered && b.status == order.Returned: // two endings
		return true
	case a.status == order.Cancelled && order.Rank(b.status) >= 3: // cancellation against movement
		return true
	case a.status == order.Delivered && b.status == order.Returning && a.at >= b.at: // delivered after a return began
		return true
	}
	return false
}

func forward(s said) bool { return s.parcel == "A" || s.parcel == "B" }

// result is where a permutation of a set ends.
type result struct {
	state     string
	attention []string
	book      *book
}

// confirmed is order 1001 over 42.00 euros, made once.
var confirmed = sync.OnceValue(func() *order.Order {
	ruling := order.Rule(order.World{Event: placed("placed", minute(-60), eur(4200)), Now: received}, order.Policy{})
	ruling.Order.ID = "ord_1"
	return ruling.Order
})

func play(t *testing.T, policy order.Policy, events []order.Event) result {
	t.Helper()
	b := newBook(t)
	b.policy, b.thorough = policy, false
	b.order = confirmed() // never changed in place: the book checks that elsewhere
	for _, e := range events {
		b.rule(e)
	}
	return result{state: b.state(), attention: b.attention(), book: b}
}

// checkSet plays every permutation of a set and compares where they end.
func checkSet(t *testing.T, policy order.Policy, set []said) {
	t.Helper()
	events := make([]order.Event, len(set))
	for i, s := range set {
		events[i] = s.event(i)
	}
	var results []result
	for _, permutation := range permutations(events) {
		r := play(t, policy, permutation)
		checkOutcomes(t, set, r)
		checkFold(t, policy, set, r)
		results = append(results, r)
	}

	differ := slices.ContainsFunc(results, func(r result) bool { return r.state != results[0].state })
	switch {
	case differ && !rivals(set):
		t.Fatalf("%+v strict=%v: the state depends on arrival without rival endings:\n%s", set, policy.Strict, listed(results))
	case differ && !slices.ContainsFunc(results, func(r result) bool { return len(r.attention) > 0 }):
		t.Fatalf("%+v strict=%v: rival endings raise no attention:\n%s", set, policy.Strict, listed(results))
	case rivals(set), attachedLate(set):
		return
	}
	for _, r := range results {
		if !slices.Equal(r.attention, results[0].attention) {
			t.Fatalf("%+v strict=%v: attention depends on arrival:\n%s", set, policy.Strict, listed(results))
		}
	}
}

func listed(results []result) string {
	text := ""
	for _, r := range results {
		text += fmt.Sprintf("  %s %v\n", r.state, r.attention)
	}
	return text
}

// checkOutcomes sees to it that every event has one outcome, and the outcomes make sense beside what stands.
func checkOutcomes(t *testing.T, set []said, r result) {
	t.Helper()
	if len(r.book.outcomes) != len(set) {
		t.Fatalf("%+v: %d outcomes: %v", set, len(r.book.outcomes), r.book.outcomes)
	}
	parked := 0
	for _, s := range r.book.order.Shipments {
		for _, fact := range s.Set {
			if !fact.Parked {
				continue
			}
			parked++
			if d := r.book.outcomes[fmt.Sprintf("%s/%d", fact.EventID, fact.ChangeIndex)]; d.Outcome != order.Parked {
				t.Fatalf("%+v: a parked fact has the outcome %s", set, d.Outcome)
			}
		}
	}
	for _, d := range r.book.outcomes {
		flagged := slices.ContainsFunc(r.book.order.Attention, func(a order.Attention) bool { return a.EventID == d.EventID })
		switch d.Outcome {
		case order.Parked:
			parked--
		case order.Illegal:
			if !flagged {
				t.Fatalf("%+v: event %s is illegal and nobody is told", set, d.EventID)
			}
		case order.Applied, order.Unchanged, order.Stale:
		default:
			t.Fatalf("%+v: event %s is %s", set, d.EventID, d.Outcome)
		}
	}
	if parked != 0 {
		t.Fatalf("%+v: a change is parked and its fact is not", set)
	}
}

// checkFold sees to it that what stands is what the facts say from scratch, or else that a person is told.
func checkFold(t *testing.T, policy order.Policy, set []said, r result) {
	t.Helper()
	o := r.book.order
	for _, s := range o.Shipments {
		scratch := order.Derive(s.Set, "", policy.Strict && !s.Key.Return)
		if scratch.Status != s.Status && len(o.Attention) == 0 {
			t.Fatalf("%+v strict=%v: parcel %s is %s, its facts say %s, and nobody is told",
				set, policy.Strict, s.Name(), s.Status, scratch.Status)
		}
	}
	if folded := order.Fold(o); folded.Status != o.Status && len(o.Attention) == 0 {
		t.Fatalf("%+v strict=%v: the order is %s, its facts say %s, and nobody is told",
			set, policy.Strict, o.Status, folded.Status)
	}
}

// combinations calls f with every set of three, things repeated included.
func combinations(things []said, f func(set []said)) {
	for i := range things {
		for j := i; j < len(things); j++ {
			for k := j; k < len(things); k++ {
				f([]said{things[i], things[j], things[k]})
			}
		}
	}
}

func TestEveryPermutationOfThreeFactsAboutAParcelEndsTheSame(t *testing.T) {
	t.Parallel()
	var things []said
	for _, status := range parcelStatuses() {
		for at := range 3 {
			things = append(things, said{"A", status, at})
		}
	}
	for _, strict := range []bool{false, true} {
		combinations(things, func(set []said) { checkSet(t, order.Policy{Strict: strict}, set) })
	}
}

func TestEveryPermutationOfThreeFactsAboutAnOrderEndsTheSame(t *testing.T) {
	t.Parallel()
	things := []said{
		{"", order.Cancelled, 0},
		{"", order.Cancelled, 1},
		{"", order.Confirmed, 1},
		{"R", order.Returning, 1},
		{"R", order.Returned, 0},
		{"R", order.Cancelled, 1},
	}
	for _, name := range []string{"A", "B"} {
		for _, status := range parcelStatuses() {
			for at := range 2 {
				things = append(things, said{name, status, at})
			}
		}
	}
	for _, strict := range []bool{false, true} {
		combinations(things, func(set []said) { checkSet(t, order.Policy{Strict: strict}, set) })
	}
}

func parcelStatuses() []order.Status {
	return slices.DeleteFunc(order.Statuses(), func(s order.Status) bool { return s == order.Pending || s == order.Confirmed })
}
