package work_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/waybillhq/waybill/server/order"
	"github.com/waybillhq/waybill/server/store"
	"github.com/waybillhq/waybill/server/work"
)

// bench is a real store with a clock that a test moves.
type bench struct {
	t     *testing.T
	store *store.Store

	mu  sync.Mutex
	now time.Time
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, now: time.Now()}
	opened, err := store.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "work.db"), store.Options{
		Clock: b.clock, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := opened.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.store = opened
	return b
}

func (b *bench) clock() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}

func (b *bench) advance(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = b.now.Add(d)
}

// place records the event of an order that was placed.
func (b *bench) place(account, number string) string {
	b.t.Helper()
	receipt, err := b.store.Accept(b.t.Context(), order.Event{
		Account: account, Provider: "shop", Identity: "placed-" + number, Type: "placed",
		OccurredAt: b.clock(), Certainty: order.Exact, ReceivedAt: b.clock(),
		References: []order.Reference{{Kind: order.OrderID, Value: number}, {Kind: order.OrderNumber, Value: number}},
		Changes: []order.Change{{Placed: &order.Placed{
			OrderID: number, Number: number, Total: &order.Money{Currency: "EUR", MinorUnits: 4200},
		}}},
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return receipt.Event.ID
}

// run starts an engine and ends it with the test.
func (b *bench) run(queue work.Queue, options work.Options) {
	b.t.Helper()
	options.Now, options.Poll = b.clock, 5*time.Millisecond
	options.Logger = slog.New(slog.DiscardHandler)
	if options.Policy == nil {
		options.Policy = func(string) order.Policy { return order.Policy{} }
	}
	engine := work.New(queue, options)
	ctx, stop := context.WithCancel(context.WithoutCancel(b.t.Context()))
	var running sync.WaitGroup
	running.Go(func() { engine.Run(ctx) })
	b.t.Cleanup(func() {
		stop()
		running.Wait()
	})
}

// await asks until the fact holds.
func (b *bench) await(what string, holds func() (bool, error)) {
	b.t.Helper()
	deadline := time.NewTimer(30 * time.Second)
	defer deadline.Stop()
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for {
		ok, err := holds()
		if ok {
			return
		}
		select {
		case <-again.C:
		case <-deadline.C:
			b.t.Fatalf("%s did not come true: %v", what, err)
		}
	}
}

func (b *bench) state(account, id string) (order.EventState, string, error) {
	view, err := b.store.Event(b.t.Context(), account, id, false)
	return view.State, view.Reason, err
}

func TestAPoisonousEventCostsOnlyItself(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	poison := b.place("cursed", "1")
	var healthy []string
	for n := range 50 {
		healthy = append(healthy, b.place("lucky", fmt.Sprint(n)))
	}

	b.run(b.store, work.Options{MaxAttempts: 4, Policy: func(account string) order.Policy {
		if account == "cursed" {
			panic("the rules choke on this one")
		}
		return order.Policy{}
	}})

	for _, id := range healthy {
		b.await("completion of "+id, func() (bool, error) {
			state, _, err := b.state("lucky", id)
			return state == order.StateCompleted, err
		})
	}
	b.await("the end of the poisonous event's attempts", func() (bool, error) {
		b.advance(time.Minute) // every look is a minute later, so that no pause is waited for
		state, reason, err := b.state("cursed", poison)
		return state == order.StateFailed && reason != "", err
	})
	page, err := b.store.PendingWork(t.Context(), store.PendingFilter{Account: "cursed", Limit: 10})
	if err != nil || len(page.Items) != 1 || page.Items[0].Attempts != 4 {
		t.Errorf("unfinished work is %+v, %v; want one item after 4 attempts", page.Items, err)
	}
}

// mute is a queue whose worker dies in every decision: it never answers.
type mute struct {
	work.Queue
}

var errMute = errors.New("no answer")

func (m mute) Decide(context.Context, []store.Claim, store.PolicyFunc) ([]store.Decided, error) {
	return nil, errMute
}

func (m mute) Release(context.Context, []store.Claim) error { return errMute }

func TestAnEventWhoseWorkersDieIsGivenUpAndStaysInSight(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.place("lucky", "1")

	b.run(mute{b.store}, work.Options{MaxAttempts: 3, Lease: 200 * time.Millisecond})

	b.await("giving up", func() (bool, error) {
		state, reason, err := b.state("lucky", id)
		return state == order.StateFailed && reason == "its worker stopped without an answer 3 times", err
	})
}

// stumbling fails whole batches, as a database does that is away for a while.
type stumbling struct {
	work.Queue

	mu    sync.Mutex
	fails int
}

func (s *stumbling) Decide(ctx context.Context, claims []store.Claim, policy store.PolicyFunc) ([]store.Decided, error) {
	s.mu.Lock()
	s.fails--
	failing := s.fails >= 0
	s.mu.Unlock()
	if failing {
		return nil, store.ErrUnavailable
	}
	return s.Queue.Decide(ctx, claims, policy)
}

func TestAnOutageOfTheDatabaseUsesUpNoAttempts(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.place("lucky", "1")

	b.run(&stumbling{Queue: b.store, fails: 10}, work.Options{MaxAttempts: 3})

	b.await("completion after the outage", func() (bool, error) {
		state, reason, err := b.state("lucky", id)
		if state == order.StateFailed {
			t.Fatalf("the event failed: %s", reason)
		}
		return state == order.StateCompleted, err
	})
}

func TestAWaitingEventIsParkedWhenItsTimeIsOverAndStillWakes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	receipt, err := b.store.Accept(t.Context(), order.Event{
		Account: "lucky", Provider: "bank", Identity: "pay-1", OccurredAt: b.clock(), Certainty: order.Exact,
		ReceivedAt: b.clock(), References: []order.Reference{{Kind: order.OrderNumber, Value: "1"}},
		Changes: []order.Change{{Payment: &order.Payment{
			PaymentID: "p1", State: order.StatePaymentPaid, Amount: &order.Money{Currency: "EUR", MinorUnits: 4200},
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	id := receipt.Event.ID
	b.run(b.store, work.Options{Policy: func(string) order.Policy { return order.Policy{WaitLimit: time.Hour} }})

	awaitState := func(want order.EventState) {
		t.Helper()
		b.await(string(want), func() (bool, error) {
			state, reason, err := b.state("lucky", id)
			return state == want, errors.Join(err, fmt.Errorf("it is %s: %s", state, reason))
		})
	}
	awaitState(order.StateWaiting)
	b.advance(2 * time.Hour)
	awaitState(order.StateParked)
	b.place("lucky", "1")
	awaitState(order.StateCompleted)
}
