package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/waybillhq/waybill/ent"
	"github.com/waybillhq/waybill/ent/event"
	"github.com/waybillhq/waybill/ent/outcome"
	"github.com/waybillhq/waybill/ent/pendingitem"
	"github.com/waybillhq/waybill/ent/reading"
	"github.com/waybillhq/waybill/server/order"
)

// decidedEvent is an event with what was decided about it so far.
type decidedEvent struct {
	order.Event
	// newest are the newest decisions, by change.
	newest map[int]ruledChange
	// conflicting is what a later delivery says that disagrees. Nil: none does.
	conflicting *ent.Outcome
	// fresh are decisions of this transaction, to be written.
	fresh []ruledChange
}

// ruledChange is a decision about a change, with the order that it was about.
type ruledChange struct {
	order.Decision
	orderID  string
	revision int
}

// gather locks and loads all that the claims' events name, in the order in which everybody locks.
func (b *batch) gather(ctx context.Context, claims []Claim, also []subjectKey) error {
	// Who was overtaken long ago makes no subjects; who is overtaken while we wait for locks is found below.
	claims, err := b.checkFences(ctx, claims, false)
	if err != nil || len(claims) == 0 {
		return err
	}
	events, err := b.store.loadEvents(ctx, b.tx, claims)
	if err != nil {
		return err
	}
	keys := slices.Clone(also)
	for _, e := range events {
		for _, key := range keysToLock(e) {
			keys = append(keys, subjectKey{e.Account, key})
		}
	}
	if b.subjects, err = b.store.lockSubjects(ctx, b.tx, keys); err != nil {
		return err
	}
	if err := b.loadOrders(ctx); err != nil {
		return err
	}
	held, err := b.checkFences(ctx, claims, true)
	if err != nil {
		return err
	}
	if err := b.addEvents(ctx, events); err != nil {
		return err
	}
	for _, claim := range held {
		e := b.events[claim.EventID]
		if e == nil {
			return fmt.Errorf("event %s: pending, but not recorded", claim.EventID)
		}
		b.items = append(b.items, &item{claim: claim, event: e, keys: e.Keys()})
	}
	slices.SortStableFunc(b.items, func(a, b *item) int {
		return cmp.Or(a.event.ReceivedAt.Compare(b.event.ReceivedAt), cmp.Compare(a.event.ID, b.event.ID))
	})
	return nil
}

// keysToLock are the subjects that an event names, and those by which an order that it places will be known.
func keysToLock(e order.Event) []order.Key {
	keys := e.Keys()
	for _, change := range e.Changes {
		if p := change.Placed; p != nil {
			placed := order.Order{Source: e.Provider, SourceID: p.OrderID, Number: p.Number}
			keys = append(keys, placed.Keys()...)
		}
	}
	return keys
}

// loadEvents loads the claims' events as their newest reading has them, without their bytes.
func (s *Store) loadEvents(ctx context.Context, tx *ent.Tx, claims []Claim) ([]order.Event, error) {
	ids := make([]string, len(claims))
	for i, claim := range claims {
		ids[i] = claim.EventID
	}
	rows, err := tx.Event.Query().Where(event.IDIn(ids...)).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("events: load: %w", err)
	}
	events := make([]order.Event, 0, len(rows))
	for _, row := range rows {
		e, err := toEvent(row)
		if err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	return events, s.readAgain(ctx, tx, events)
}

// readAgain replaces what events say by what a newer translator read in them.
func (s *Store) readAgain(ctx context.Context, tx *ent.Tx, events []order.Event) error {
	byID := make(map[string]*order.Event, len(events))
	w := wantedOf(events)
	for i := range events {
		byID[events[i].ID] = &events[i]
	}
	rows, err := tx.Reading.Query().Where(reading.AccountIn(w.accounts...), reading.EventIDIn(w.ids...)).
		Order(reading.ByRevision()).All(ctx)
	if err != nil {
		return fmt.Errorf("events: readings: %w", err)
	}
	for _, row := range rows {
		if e := byID[row.EventID]; e != nil {
			if err := applyReading(e, row); err != nil {
				return err
			}
		}
	}
	return nil
}

// wantedOf names events and their accounts.
func wantedOf(events []order.Event) wanted {
	var w wanted
	for _, e := range events {
		w.ids = append(w.ids, e.ID)
		w.accounts = append(w.accounts, e.Account)
	}
	slices.Sort(w.accounts)
	w.accounts = slices.Compact(w.accounts)
	return w
}

// loadOrders locks and loads every order that one of the subjects belongs to.
func (b *batch) loadOrders(ctx context.Context) error {
	var w wanted
	for key, row := range b.subjects {
		if row.orderID != "" {
			w.ids = append(w.ids, row.orderID)
			w.accounts = append(w.accounts, key.account)
		}
	}
	slices.Sort(w.ids)
	w.ids = slices.Compact(w.ids)
	slices.Sort(w.accounts)
	w.accounts = slices.Compact(w.accounts)
	orders, err := b.store.loadOrders(ctx, b.tx, w, true)
	if err != nil {
		return err
	}
	for id, o := range orders {
		if b.orders[id], err = hold(o); err != nil {
			return err
		}
	}
	for key, row := range b.subjects {
		if row.orderID != "" && b.orders[row.orderID] == nil {
			return fmt.Errorf("subject %s of account %s: its order %s is not recorded", key.Kind, key.account, row.orderID)
		}
	}
	return nil
}

// checkFences leaves out the claims whose items somebody else has by now. With lock nobody can take the others until
// the transaction ends.
func (b *batch) checkFences(ctx context.Context, claims []Claim, lock bool) ([]Claim, error) {
	ids := make([]string, len(claims))
	for i, claim := range claims {
		ids[i] = claim.ID
	}
	query := b.tx.PendingItem.Query().Where(pendingitem.IDIn(ids...)).Order(pendingitem.ByID())
	if lock && b.store.db.rowLocks {
		query.ForUpdate()
	}
	rows, err := query.All(ctx)
	if err != nil {
		return nil, fmt.Errorf("pending items: lock: %w", err)
	}
	fences := make(map[string]int64, len(rows))
	for _, row := range rows {
		fences[row.ID] = row.Fence
	}
	var held []Claim
	for _, claim := range claims {
		if fence, pending := fences[claim.ID]; pending && fence == claim.Fence {
			held = append(held, claim)
		}
	}
	return held, nil
}

// addEvents takes events into the batch, with what was decided about them so far.
func (b *batch) addEvents(ctx context.Context, events []order.Event) error {
	w := wantedOf(events)
	for _, e := range events {
		b.events[e.ID] = &decidedEvent{Event: e, newest: make(map[int]ruledChange)}
	}
	rows, err := b.tx.Outcome.Query().Where(outcome.AccountIn(w.accounts...), outcome.EventIDIn(w.ids...)).
		Order(outcome.ByRevision()).All(ctx)
	if err != nil {
		return fmt.Errorf("outcomes: load: %w", err)
	}
	for _, row := range rows {
		e := b.events[row.EventID]
		if row.ChangeIndex == wholeEvent {
			e.conflicting = row
			continue
		}
		ruled, err := toRuledChange(row)
		if err != nil {
			return err
		}
		e.newest[row.ChangeIndex] = ruled
	}
	return nil
}

// undecided are the changes that stand still or were never decided. Nil: all of them.
func (e *decidedEvent) undecided() []int {
	open := make([]int, 0, len(e.Changes))
	for i := range e.Changes {
		if ruled, ok := e.newest[i]; !ok || ruled.Outcome == order.Parked {
			open = append(open, i)
		}
	}
	if len(e.newest) == 0 {
		return nil
	}
	return open
}

// finished says that every change has an end.
func (e *decidedEvent) finished() bool {
	for i := range e.Changes {
		if ruled, ok := e.newest[i]; !ok || ruled.Outcome == order.Parked {
			return false
		}
	}
	return true
}

// take records a decision, unless it says what was decided already.
func (e *decidedEvent) take(d order.Decision, orderID string) {
	old, known := e.newest[d.ChangeIndex]
	d.EventID, d.Reason = e.ID, plain(d.Reason)
	ruled := ruledChange{Decision: d, orderID: orderID, revision: old.revision + 1}
	if known && old.sameAs(ruled) {
		return
	}
	e.newest[d.ChangeIndex] = ruled
	for i, earlier := range e.fresh {
		// Decided twice in one transaction: only what it ends with is ever seen.
		if earlier.ChangeIndex == d.ChangeIndex {
			ruled.revision = earlier.revision
			e.newest[d.ChangeIndex] = ruled
			e.fresh[i] = ruled
			return
		}
	}
	e.fresh = append(e.fresh, ruled)
}

func (r ruledChange) sameAs(other ruledChange) bool {
	return r.Outcome == other.Outcome && r.Reason == other.Reason && r.From == other.From && r.To == other.To &&
		r.Shipment == other.Shipment && r.orderID == other.orderID && slices.Equal(r.Skipped, other.Skipped)
}

func (e *decidedEvent) headline() order.Outcome {
	decisions := make([]order.Decision, 0, len(e.newest))
	for i := range e.Changes {
		if ruled, ok := e.newest[i]; ok {
			decisions = append(decisions, ruled.Decision)
		}
	}
	return order.Headline(decisions)
}
