// Package storetest is what a store promises, as tests. Every database runs the same suite; nothing in it knows which
// one it is.
package storetest

import (
	"context"
	"database/sql"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/waybillhq/waybill/server/order"
	"github.com/waybillhq/waybill/server/store"
)

// Database is a fresh and migrated database, for one test.
type Database struct {
	// Open opens a store on it. Opened twice, the two are rivals, as two processes would be. It is closed when the
	// test ends.
	Open func(t *testing.T, options store.Options) *store.Store
	// SQL looks at the rows behind the stores' backs.
	SQL *sql.DB
	// Tables are the names of its tables, but those of the migrations.
	Tables []string
	// Bytes writes a text as a literal of the database's bytes.
	Bytes func(text string) string
}

// Run runs the suite. fresh makes a database for each test.
func Run(t *testing.T, fresh func(t *testing.T) Database) {
	t.Helper()
	groups := map[string][]check{
		"Accept":    acceptChecks,
		"Claim":     claimChecks,
		"Decide":    decideChecks,
		"Wait":      waitChecks,
		"Read":      readChecks,
		"Reprocess": reprocessChecks,
		"Payload":   payloadChecks,
		"Model":     modelChecks,
	}
	for group, checks := range groups {
		t.Run(group, func(t *testing.T) {
			t.Parallel()
			for _, c := range checks {
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					c.run(newBench(t, fresh(t)))
				})
			}
		})
	}
}

// check is one promise.
type check struct {
	name string
	run  func(b *bench)
}

// start is when every test begins.
var start = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

const shop = "shop"

// bench is what a check works on: a database, a store on it and a clock.
type bench struct {
	*testing.T
	ctx      context.Context
	database Database
	store    *store.Store
	clock    *clock
}

func newBench(t *testing.T, database Database) *bench {
	b := &bench{T: t, ctx: t.Context(), database: database, clock: &clock{now: start}}
	b.store = b.rival()
	return b
}

// rival opens another store on the same database.
func (b *bench) rival() *store.Store {
	return b.database.Open(b.T, store.Options{
		Clock: b.clock.Now, Logger: slog.New(slog.DiscardHandler), PayloadRetention: 720 * time.Hour,
	})
}

// clock is a clock that stands still until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(by)
}

// lenient is the policy of accounts that say nothing.
func lenient(string) order.Policy { return order.Policy{WaitLimit: 48 * time.Hour} }

func strict(string) order.Policy { return order.Policy{WaitLimit: 48 * time.Hour, Strict: true} }

func (b *bench) accept(e order.Event) store.Receipt {
	b.Helper()
	receipt, err := b.store.Accept(b.ctx, e)
	if err != nil {
		b.Fatalf("accept %s: %v", e.Identity, err)
	}
	return receipt
}

func (b *bench) claim(limit int) []store.Claim {
	b.Helper()
	claims, err := b.store.Claim(b.ctx, limit, time.Minute)
	if err != nil {
		b.Fatalf("claim: %v", err)
	}
	return claims
}

// decide decides claims, all of which must succeed.
func (b *bench) decide(claims []store.Claim, policy store.PolicyFunc) []store.Decided {
	b.Helper()
	decided, err := b.store.Decide(b.ctx, claims, policy)
	if err != nil {
		b.Fatalf("decide: %v", err)
	}
	for _, d := range decided {
		if d.Err != nil {
			b.Fatalf("decide %s: %v", d.Claim.EventID, d.Err)
		}
	}
	return decided
}

// settle claims and decides until nothing is due.
func (b *bench) settle() {
	b.Helper()
	b.settleWith(lenient)
}

func (b *bench) settleWith(policy store.PolicyFunc) {
	b.Helper()
	for {
		claims := b.claim(64)
		if len(claims) == 0 {
			return
		}
		b.decide(claims, policy)
	}
}

// event is one event as it stands.
func (b *bench) event(id string) store.EventView {
	b.Helper()
	view, err := b.store.Event(b.ctx, shop, id, true)
	if err != nil {
		b.Fatalf("event %s: %v", id, err)
	}
	return view
}

// order is the order of a number.
func (b *bench) order(number string) *order.Order {
	b.Helper()
	view, err := b.store.OrderByNumber(b.ctx, shop, number)
	if err != nil {
		b.Fatalf("order %s: %v", number, err)
	}
	return view.Order
}

// stands checks where an event stands, and what came of it.
func (b *bench) stands(id string, state order.EventState, outcome order.Outcome) store.EventView {
	b.Helper()
	view := b.event(id)
	if view.State != state || view.Outcome != outcome {
		b.Errorf("event %s is %s with outcome %q (%s), want %s with %q",
			view.Event.Type, view.State, view.Outcome, view.Reason, state, outcome)
	}
	return view
}

func (b *bench) count(query string) int {
	b.Helper()
	var n int
	if err := b.database.SQL.QueryRowContext(b.ctx, query).Scan(&n); err != nil {
		b.Fatalf("%s: %v", query, err)
	}
	return n
}

func (b *bench) wantCount(want int, query string) {
	b.Helper()
	if got := b.count(query); got != want {
		b.Errorf("%s: %d, want %d", query, got, want)
	}
}

// together runs fn n times at once and waits for all.
func together(n int, fn func(i int)) {
	var all sync.WaitGroup
	gun := make(chan struct{})
	for i := range n {
		all.Go(func() {
			<-gun
			fn(i)
		})
	}
	close(gun)
	all.Wait()
}

// eventually waits until something holds, for as long as it may reasonably take.
func (b *bench) eventually(what string, holds func() bool) {
	b.Helper()
	deadline := time.NewTimer(10 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-deadline.C:
			b.Fatalf("never: %s", what)
		case <-tick.C:
		}
	}
}
