package order

import (
	"slices"
	"strings"
	"time"
)

// World is what a ruling is made from: the event, and what its references were found to name.
type World struct {
	Event Event
	// Order is the one order that the references name. Nil: none is known.
	Order *Order
	// Ambiguous says in words why the references name no single order. Empty: they don't clash.
	Ambiguous string
	// Undecided limits the ruling to these changes, when part of the event was decided before. Nil: all.
	Undecided []int
	// Now is the moment of the ruling.
	Now time.Time
}

// Policy is what an account has configured.
type Policy struct {
	// CreateUnknown creates an order that is only heard of, instead of waiting for it.
	CreateUnknown bool
	// WaitLimit is how long an event waits for its order before it is parked. Zero: DefaultWaitLimit.
	WaitLimit time.Duration
	// Strict counts only facts that the table's edges reach from the start through other facts.
	Strict bool
}

// DefaultWaitLimit is how long an event waits for its order where nothing is configured.
const DefaultWaitLimit = 48 * time.Hour

// Ruling is what must be committed together.
type Ruling struct {
	// State is where the event stands now: completed, waiting or parked.
	State  EventState
	Reason string
	// DueAt is when a waiting event is looked at again.
	DueAt time.Time
	// Order is the order as it stands now, new or changed. Nil: no order is touched.
	Order *Order
	// Decisions are the outcomes, of this event's changes and of parked changes of other events that count now.
	Decisions []Decision
	// Steps are appended to the order's history.
	Steps []Step
}

// Rule decides an event. It is pure: it changes nothing that it is given, and the same world gives the same ruling.
//
// Each undecided change gets exactly one decision, unless the event waits for its order; then it gets none. Ruling a
// change twice changes nothing. The store counts the order's versions and gives the ids.
func Rule(w World, p Policy) Ruling {
	undecided := w.undecided()
	switch {
	case len(undecided) == 0:
		return Ruling{State: StateCompleted, Reason: "every change is decided"}
	case !w.Event.needsOrder(undecided):
		return newDocket(w, p, nil).rule(undecided)
	case w.Ambiguous != "":
		return w.park(undecided, w.Ambiguous)
	case w.Order != nil:
		return newDocket(w, p, w.Order.clone()).rule(undecided)
	case w.Event.placesOrder(undecided):
		return newDocket(w, p, w.newOrder()).rule(undecided)
	}

	if heard := w.heardOf(); p.CreateUnknown && heard != nil {
		return newDocket(w, p, heard).rule(undecided)
	}
	return w.wait(p, undecided)
}

// undecided are the changes to decide, by index, without repeats.
func (w World) undecided() []int {
	var undecided []int
	for i := range w.Event.Changes {
		if w.Undecided == nil || slices.Contains(w.Undecided, i) {
			undecided = append(undecided, i)
		}
	}
	return undecided
}

// needsOrder says whether one of the changes is about an order.
func (e Event) needsOrder(undecided []int) bool {
	return slices.ContainsFunc(undecided, func(i int) bool {
		c := e.Changes[i]
		return c.Placed != nil || c.Status != nil || c.Announced != nil || c.Payment != nil || c.Refund != nil ||
			c.Dispute != nil || c.Cancelled != nil || c.Checkpoint != nil || c.Fact != nil
	})
}

func (e Event) placesOrder(undecided []int) bool {
	return slices.ContainsFunc(undecided, func(i int) bool { return e.Changes[i].Placed != nil })
}

// newOrder is an order that nothing is known of yet.
func (w World) newOrder() *Order {
	return &Order{
		Account:   w.Event.Account,
		Status:    Pending,
		Payment:   PaymentPending,
		CreatedAt: w.Now,
	}
}

// heardOf is an order of which only the event's reference is known. An identity at a source names the source; then it
// is the number too, until the order is placed. Nil: the event names no order.
func (w World) heardOf() *Order {
	o := w.newOrder()
	for _, ref := range w.Event.References {
		switch {
		case ref.Kind == OrderNumber && o.Number == "":
			o.Number = NormalNumber(ref.Value)
		case ref.Kind == OrderID && o.SourceID == "" && ref.Value != "":
			o.Source, o.SourceID = w.Event.Provider, ref.Value
		}
	}
	if o.Number == "" {
		o.Number = NormalNumber(o.SourceID)
	}
	if o.Number == "" {
		return nil
	}
	return o
}

// park leaves every change as it is.
func (w World) park(undecided []int, reason string) Ruling {
	ruling := Ruling{State: StateParked, Reason: reason}
	for _, i := range undecided {
		ruling.Decisions = append(ruling.Decisions,
			Decision{EventID: w.Event.ID, ChangeIndex: i, Outcome: Parked, Reason: reason})
	}
	return ruling
}

// wait lets the event wait for its order, for as long as the account wants.
func (w World) wait(p Policy, undecided []int) Ruling {
	limit := p.WaitLimit
	if limit <= 0 {
		limit = DefaultWaitLimit
	}
	unknown := w.Event.unknown()
	if unknown == "" {
		return w.park(undecided, "the event names no order, parcel or payment")
	}
	due := w.Event.ReceivedAt.Add(limit)
	if !w.Now.Before(due) {
		return w.park(undecided, unknown+"; waited "+brief(limit)+" for it")
	}
	return Ruling{State: StateWaiting, Reason: unknown, DueAt: due}
}

// brief is a duration without its empty parts: 48h.
func brief(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// unknown says in words what an event waits for: the order that it names, or else the parcel or payment.
func (e Event) unknown() string {
	keys := e.Keys()
	for _, kind := range []KeyKind{KeyNumber, KeyOrder} {
		for _, key := range keys {
			if key.Kind == kind {
				return "order " + key.name() + " is unknown"
			}
		}
	}
	for _, kind := range []KeyKind{KeyShipment, KeyFulfilment, KeyPayment} {
		for _, key := range keys {
			if key.Kind == kind {
				return key.words() + " is unknown to every order"
			}
		}
	}
	return ""
}

// TimeOf is when a change of the event happened, and how sure that is: the change's own time, or the event's, and never
// later than the event's receipt, which also stands in for a time that is missing. Times are kept to the microsecond.
func (e Event) TimeOf(c Change) (time.Time, Certainty) {
	at, certainty := e.OccurredAt, e.Certainty
	if !c.At.IsZero() {
		at = c.At
		if certainty == Missing {
			certainty = Exact
		}
	}
	switch {
	case at.IsZero(), certainty == Missing:
		at, certainty = e.ReceivedAt, Missing
	case at.After(e.ReceivedAt):
		at, certainty = e.ReceivedAt, Future
	case certainty == "":
		certainty = Exact
	}
	return at.UTC().Truncate(time.Microsecond), certainty
}

// weights say which outcome of an event's changes matters most: what stands still, what a person must see, what moved
// something, what did not.
var weights = []Outcome{Parked, Conflicting, Illegal, Abandoned, Translated, Applied, Stale, Unchanged, Ignored}

// Headline is the outcome that matters most among decisions. Empty: there are none.
func Headline(decisions []Decision) Outcome {
	for _, outcome := range weights {
		if slices.ContainsFunc(decisions, func(d Decision) bool { return d.Outcome == outcome }) {
			return outcome
		}
	}
	return ""
}
