package storetest

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/waybillhq/waybill/server/order"
	"github.com/waybillhq/waybill/server/store"
)

var modelChecks = []check{
	{"what is stored is what the rules say, event by event", func(b *bench) { b.againstModel(1) }},
	{"what is stored is what the rules say, in batches", func(b *bench) { b.againstModel(7) }},
}

// againstModel plays random stories through the store and through a model of it that keeps everything in maps, and
// compares every order, step and decision. The store takes size events at a time.
func (b *bench) againstModel(size int) {
	story := 0
	rapid.Check(b.T, func(t *rapid.T) {
		story++
		account := fmt.Sprintf("shop-%d", story)
		policy := lenient
		if rapid.Bool().Draw(t, "strict") {
			policy = strict
		}
		m := newModel(policy(account), b.clock.Now())
		events := rapid.SliceOfN(rapid.Custom(drawEvent), 1, 25).Draw(t, "events")
		for chunk := range slices.Chunk(events, size) {
			for _, e := range chunk {
				e.Account = account
				if receipt := b.accept(e); receipt.FirstDelivery() {
					m.due = append(m.due, receipt.Event)
				}
			}
			b.settleWith(policy)
			m.settle()
		}
		b.compare(t, account, m)
	})
}

// drawEvent draws an event of a small world, so that events meet.
func drawEvent(t *rapid.T) order.Event {
	id := rapid.SampledFrom([]string{"1", "2"}).Draw(t, "order")
	parcel := rapid.SampledFrom([]string{"C1", "C2", "C3"}).Draw(t, "parcel")
	after := time.Duration(rapid.IntRange(0, 3).Draw(t, "minutes")) * time.Minute
	amount := rapid.SampledFrom([]int64{25000, 100000, 125000}).Draw(t, "amount")
	statuses := []order.Status{
		order.Shipped, order.InTransit, order.OutForDelivery, order.FailedDelivery, order.Returning, order.Delivered,
		order.Returned, order.Cancelled,
	}
	status := rapid.SampledFrom(statuses).Draw(t, "status")
	var e order.Event
	switch rapid.IntRange(0, 7).Draw(t, "kind") {
	case 0:
		e = placed(id)
		e.OccurredAt = e.OccurredAt.Add(after)
	case 1:
		e = paid(id, rapid.SampledFrom([]string{"pay-1", "pay-2"}).Draw(t, "payment"), amount)
		e.Identity += e.Changes[0].Payment.PaymentID
	case 2:
		e = announced(id, parcel)
	case 3:
		e = scanned(parcel, status, after)
		e.Changes[0].Status.Shipment.TrackingNumber = rapid.SampledFrom([]string{"", "C1", "T9"}).Draw(t, "alias")
		e.Identity += e.Changes[0].Status.Shipment.TrackingNumber
	case 4:
		e = refunded(id, amount, after)
	case 5:
		e = cancelled(id, after)
	case 6:
		e = unrecognised(id, "word-"+parcel)
		e.Changes = append(e.Changes, scanned(parcel, status, after).Changes...)
	case 7:
		e = scanned(parcel, status, after)
	}
	// Nothing is said twice in other words: conflicts have checks of their own.
	e.Identity += fmt.Sprintf(" of %s %s %s %d %s", id, parcel, after, amount, status)
	return e
}

func refunded(id string, amount int64, after time.Duration) order.Event {
	e := base("stripe", fmt.Sprintf("evt_refund_%s_%d_%s", id, amount, after), "charge.refunded")
	e.References = []order.Reference{{Kind: order.OrderNumber, Value: number(id)}}
	e.OccurredAt = start.Add(-time.Hour + after)
	e.Changes = []order.Change{
		{Refund: &order.Refund{PaymentID: "pay-1", Amount: *bdt(amount), RunningTotal: true}},
		{Dispute: &order.Dispute{DisputeID: "dp-" + id, PaymentID: "pay-1", State: order.DisputeOpen, Amount: bdt(amount)}},
		{Fact: &order.Fact{Name: "note", Detail: "a\x00b", Amount: bdt(amount), NeedsAttention: after > 0}},
	}
	return e
}

func cancelled(id string, after time.Duration) order.Event {
	e := base("shopify", "orders/cancelled:"+id+after.String(), "orders/cancelled")
	e.References = []order.Reference{{Kind: order.OrderID, Value: id}}
	e.OccurredAt = start.Add(-time.Hour + after)
	e.Changes = []order.Change{{Cancelled: &order.Cancellation{Reason: "customer"}}}
	return e
}

// model is a store in maps.
type model struct {
	policy   order.Policy
	now      time.Time
	due      []order.Event
	stuck    map[string]*stuck
	subjects map[order.Key]*named
	orders   map[string]*order.Order
	steps    map[string][]order.Step
	outcomes map[string]map[int]order.Decision
	changes  map[string]int
}

// stuck is an event that waits or stands parked.
type stuck struct {
	event order.Event
	state order.EventState
	waits []order.Key
}

type named struct {
	order  string
	shared bool
}

func newModel(policy order.Policy, now time.Time) *model {
	return &model{
		policy: policy, now: now, stuck: map[string]*stuck{}, subjects: map[order.Key]*named{},
		orders: map[string]*order.Order{}, steps: map[string][]order.Step{},
		outcomes: map[string]map[int]order.Decision{}, changes: map[string]int{},
	}
}

// settle decides what is due, and what that wakes, until nothing is.
func (m *model) settle() {
	for len(m.due) > 0 {
		round := m.due
		m.due = nil
		slices.SortFunc(round, func(a, b order.Event) int { return cmp.Compare(a.ID, b.ID) })
		got := map[order.Key]bool{}
		for _, e := range round {
			m.decide(e, got)
		}
		for id, s := range m.stuck {
			if slices.ContainsFunc(s.waits, func(key order.Key) bool { return got[key] }) {
				delete(m.stuck, id)
				m.due = append(m.due, s.event)
			}
		}
	}
}

func (m *model) decide(e order.Event, got map[order.Key]bool) {
	if m.outcomes[e.ID] == nil {
		m.outcomes[e.ID] = map[int]order.Decision{}
		m.changes[e.ID] = len(e.Changes)
	}
	found := map[order.Key]order.Found{}
	for _, key := range e.Keys() {
		if s := m.subjects[key]; s != nil {
			o := m.orders[s.order]
			found[key] = order.Found{OrderID: s.order, Shared: s.shared, HeardOf: o.Source == "", Source: o.Source}
		}
	}
	id, ambiguous := order.Pick(e, found)
	ruling := order.Rule(order.World{
		Event: e, Order: m.orders[id], Ambiguous: ambiguous, Undecided: m.undecided(e), Now: m.now,
	}, m.policy)

	if ruling.Order != nil {
		if id == "" {
			id = fmt.Sprintf("order-%d", len(m.orders))
		}
		m.save(id, ruling.Order, got)
		m.steps[id] = append(m.steps[id], ruling.Steps...)
	}
	for _, d := range ruling.Decisions {
		m.outcomes[d.EventID][d.ChangeIndex] = d
	}
	if ruling.State != order.StateCompleted {
		s := &stuck{event: e, state: ruling.State}
		if id == "" {
			s.waits = e.Keys()
		}
		m.stuck[e.ID] = s
	}
	for other := range m.stuck {
		if m.ended(other) {
			delete(m.stuck, other)
		}
	}
}

func (m *model) undecided(e order.Event) []int {
	var open []int
	for i := range e.Changes {
		if d, decided := m.outcomes[e.ID][i]; !decided || d.Outcome == order.Parked {
			open = append(open, i)
		}
	}
	return open
}

func (m *model) ended(id string) bool {
	for i := range m.changes[id] {
		if d, decided := m.outcomes[id][i]; !decided || d.Outcome == order.Parked {
			return false
		}
	}
	return true
}

func (m *model) save(id string, o *order.Order, got map[order.Key]bool) {
	for i, parcel := range o.Shipments {
		if parcel.ID == "" {
			parcel.ID = fmt.Sprintf("%s-%d-%d", id, len(m.steps[id]), i)
		}
	}
	o.ID = id
	m.orders[id] = o
	for _, key := range o.Keys() {
		switch s := m.subjects[key]; {
		case s == nil:
			m.subjects[key] = &named{order: id}
			got[key] = true
		case s.order != id:
			s.shared = true
		}
	}
}

// compare compares what the store has of an account with the model.
func (b *bench) compare(t *rapid.T, account string, m *model) {
	for _, o := range m.orders {
		view, err := b.store.OrderByNumber(b.ctx, account, o.Number)
		if err != nil {
			t.Fatalf("order %s: %v", o.Number, err)
		}
		wantSame(t, "order "+o.Number, bare(view.Order, b.clock.Now()), bare(o, b.clock.Now()))
		wantSame(t, "steps of "+o.Number, bareSteps(view.Steps), bareSteps(m.steps[o.ID]))
	}
	for id, outcomes := range m.outcomes {
		view, err := b.store.Event(b.ctx, account, id, false)
		if err != nil {
			t.Fatalf("event %s: %v", id, err)
		}
		want := order.StateCompleted
		if s := m.stuck[id]; s != nil {
			want = s.state
		}
		if view.State != want {
			t.Fatalf("event %s is %s, want %s", id, view.State, want)
		}
		for _, d := range view.Decisions {
			wantSame(t, "decision", normal(d.Decision), normal(outcomes[d.ChangeIndex]))
		}
		if len(view.Decisions) != len(outcomes) {
			t.Fatalf("event %s has %d decisions, want %d", id, len(view.Decisions), len(outcomes))
		}
	}
	page, err := b.store.PendingWork(b.ctx, store.PendingFilter{Account: account, Limit: 1000})
	if err != nil || len(page.Items) != len(m.stuck) {
		t.Fatalf("%d items are pending, %v; want %d", len(page.Items), err, len(m.stuck))
	}
}

func wantSame[T any](t *rapid.T, what string, got, want T) {
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

// bare is an order without what only the store gives.
func bare(o *order.Order, now time.Time) order.Order {
	copied := *o
	copied.ID, copied.Version, copied.Account = "", 0, ""
	copied.CreatedAt, copied.UpdatedAt = now, now
	copied.Shipments = nil
	for _, parcel := range o.Shipments {
		s := *parcel
		s.ID, s.CreatedAt = "", now
		copied.Shipments = append(copied.Shipments, &s)
	}
	return normal(copied)
}

func bareSteps(steps []order.Step) []order.Step {
	copied := slices.Clone(steps)
	for i := range copied {
		copied[i].ID = ""
	}
	return normal(copied)
}
