package store

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/waybillhq/waybill/ent"
	"github.com/waybillhq/waybill/server/order"
)

// PolicyFunc is what each account has configured.
type PolicyFunc func(account string) order.Policy

// Decided is what became of a claim.
type Decided struct {
	Claim Claim
	// Err is why the item could not be decided. It is still claimed; the rest is empty.
	Err error
	// State is where the event stands now, and Reason why.
	State  order.EventState
	Reason string
	// Outcome is the one that matters most among its changes. Empty: nothing is decided yet.
	Outcome order.Outcome
	// OrderID is the order that it found, if any, and OrderVersion that order's version by now.
	OrderID      string
	OrderVersion int64
}

// maxDecide is how many claims share a transaction, so that none holds a lone writer for long.
const maxDecide = 32

// Decide decides claimed events, by the rules and their accounts' policies, and commits everything about each in one
// transaction: the order, its history, the outcomes, who is woken, and that the work is done. Events of one order see
// each other's effects. Claims share transactions; when one can't be decided, or its rule panics, the others are
// decided without it, and it comes back with its error.
//
// A claim that somebody else has overtaken is left out of the answer and has no effect.
func (s *Store) Decide(ctx context.Context, claims []Claim, policy PolicyFunc) ([]Decided, error) {
	var all []Decided
	for chunk := range slices.Chunk(claims, maxDecide) {
		decided, err := s.decideChunk(ctx, chunk, policy)
		if err != nil {
			return all, fmt.Errorf("pending items: decide: %w", err)
		}
		all = append(all, decided...)
	}
	return all, nil
}

func (s *Store) decideChunk(ctx context.Context, claims []Claim, policy PolicyFunc) ([]Decided, error) {
	decided, err := s.decideTogether(ctx, claims, policy)
	if err == nil || hopeless(err) {
		return decided, err
	}
	if len(claims) == 1 {
		return []Decided{{Claim: claims[0], Err: err}}, nil
	}
	// One of them is poison. Alone, each costs only itself.
	var all []Decided
	for _, claim := range claims {
		decided, err := s.decideChunk(ctx, []Claim{claim}, policy)
		if err != nil {
			return all, err
		}
		all = append(all, decided...)
	}
	return all, nil
}

// decideTogether decides claims in one transaction.
func (s *Store) decideTogether(ctx context.Context, claims []Claim, policy PolicyFunc) ([]Decided, error) {
	var also []subjectKey
	for {
		var decided []Decided
		err := s.survive(func() error {
			return s.write(ctx, func(tx *ent.Tx) (err error) {
				decided, err = s.newBatch(tx, policy).run(ctx, claims, also)
				return err
			})
		})
		var more *needsMore
		if !errors.As(err, &more) {
			if err == nil {
				s.hint()
			}
			return decided, err
		}
		also = append(also, more.keys...)
	}
}

// survive turns a panic into an error: what one event does to the rules must neither stop the process nor cost another
// event.
func (s *Store) survive(fn func() error) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			s.logger.Error("store: deciding panicked", "stack", string(debug.Stack()))
			err = errors.New("deciding it panicked; the log has the stack")
		}
	}()
	return fn()
}

// needsMore ends a transaction that turned out to need subjects which it has not locked. They can't be locked late, for
// locks are taken in one order; so it begins anew with all of them.
type needsMore struct{ keys []subjectKey }

func (n *needsMore) Error() string {
	return fmt.Sprintf("%d more subjects must be locked first", len(n.keys))
}

// batch is a deciding transaction.
type batch struct {
	store  *Store
	tx     *ent.Tx
	policy PolicyFunc
	now    time.Time

	items    []*item
	subjects map[subjectKey]*subjectRow
	orders   map[string]*held
	events   map[string]*decidedEvent
	// others are decisions about events that are not loaded yet, touched the events that were decided by the way.
	others  []ruledChange
	touched []*decidedEvent
}

// item is a claim inside a deciding transaction.
type item struct {
	claim  Claim
	event  *decidedEvent
	keys   []order.Key
	ruling order.Ruling
	order  *held
}

func (s *Store) newBatch(tx *ent.Tx, policy PolicyFunc) *batch {
	return &batch{
		store: s, tx: tx, policy: policy, now: s.now(),
		orders: make(map[string]*held), events: make(map[string]*decidedEvent),
	}
}

// run gathers what the claims need, decides them and writes what came of it. Nothing is written before everything is
// decided.
func (b *batch) run(ctx context.Context, claims []Claim, also []subjectKey) ([]Decided, error) {
	if err := b.gather(ctx, claims, also); err != nil {
		return nil, err
	}

	for _, item := range b.items {
		err := b.store.survive(func() error { return b.decide(item) })
		if err != nil {
			return nil, &poison{fmt.Errorf("event %s: %w", item.claim.EventID, err)}
		}
	}
	if missing := b.claimAll(); len(missing) > 0 {
		return nil, &needsMore{missing}
	}

	if err := b.write(ctx); err != nil {
		return nil, err
	}
	return b.decided(), nil
}

func (b *batch) decided() []Decided {
	var all []Decided
	for _, item := range b.items {
		d := Decided{
			Claim: item.claim, State: item.ruling.State, Reason: item.ruling.Reason, Outcome: item.event.headline(),
		}
		if item.order != nil {
			d.OrderID, d.OrderVersion = item.order.order.ID, item.order.order.Version
		}
		all = append(all, d)
	}
	return all
}
