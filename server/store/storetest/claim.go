package storetest

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/waybillhq/waybill/server/order"
	"github.com/waybillhq/waybill/server/store"
)

var claimChecks = []check{
	{"a claim takes no more than its limit, the longest due first", claimLimit},
	{"rivals never claim the same item", rivalsClaim},
	{"what is not due, parked or failed can't be claimed", onlyDue},
	{"an item is claimed again when its lease has ended, under a new fence", leaseEnds},
	{"an overtaken claim can write nothing", overtaken},
	{"a claim decides once", claimDecidesOnce},
	{"a retried item is due when it is said to be", retried},
	{"a failed item stands still", failed},
	{"attempts count claims since the last answer", attempts},
	{"the next due time is that of the next claim", nextDue},
}

func claimLimit(b *bench) {
	for i := range 30 {
		b.accept(placed(fmt.Sprint(i)))
		b.clock.advance(time.Second)
	}
	var last time.Time
	for _, want := range []int{7, 7, 7, 7, 2, 0} {
		claims := b.claim(7)
		if len(claims) != want {
			b.Errorf("%d claims, want %d", len(claims), want)
		}
		for _, c := range claims {
			if c.DueAt.Before(last) || c.Fence != 1 || c.Attempts != 1 || c.Account != shop || c.Kind != store.KindEvent ||
				!c.ReceivedAt.Equal(start) || c.Provider != "shopify" {
				b.Errorf("claim: %+v", c)
			}
			last = c.DueAt
		}
	}
}

func rivalsClaim(b *bench) {
	const items = 200
	together(items, func(i int) { b.accept(placed(fmt.Sprint(i))) })
	stores := []*store.Store{b.store, b.rival(), b.rival()}
	var mu sync.Mutex
	owners := make(map[string]int)
	together(len(stores)*2, func(i int) {
		for {
			claims, err := stores[i%len(stores)].Claim(b.ctx, 9, time.Minute)
			if err != nil {
				b.Errorf("claim: %v", err)
			}
			if len(claims) == 0 {
				return
			}
			mu.Lock()
			for _, c := range claims {
				owners[c.ID]++
			}
			mu.Unlock()
		}
	})
	if len(owners) != items {
		b.Errorf("%d items were claimed of %d", len(owners), items)
	}
	for id, claims := range owners {
		if claims != 1 {
			b.Errorf("%s was claimed %d times", id, claims)
		}
	}
}

func onlyDue(b *bench) {
	b.accept(paid("1", "pay-1", 100))
	b.accept(undecoded("x"))
	b.accept(placed("2"))
	for _, c := range b.claim(10) {
		if c.Provider == "shopify" {
			if err := b.store.Fail(b.ctx, c, "for the test"); err != nil {
				b.Fatal(err)
			}
			continue
		}
		b.decide([]store.Claim{c}, lenient)
	}

	if claims := b.claim(10); len(claims) != 0 {
		b.Errorf("claimed: %+v", claims)
	}
	b.clock.advance(48 * time.Hour)
	if claims := b.claim(10); len(claims) != 1 || claims[0].Provider != "stripe" {
		b.Errorf("when the wait is over: %+v", claims)
	}
}

// shortClaim claims everything for a moment only, and claims again when that is over.
func (b *bench) claimTwice() (old, fresh store.Claim) {
	b.Helper()
	claims, err := b.store.Claim(b.ctx, 1, time.Microsecond)
	if err != nil || len(claims) != 1 {
		b.Fatalf("claim: %d, %v", len(claims), err)
	}
	b.eventually("the lease ends", func() bool {
		again, err := b.store.Claim(b.ctx, 1, time.Minute)
		if err != nil {
			b.Fatal(err)
		}
		if len(again) == 1 {
			fresh = again[0]
		}
		return len(again) == 1
	})
	return claims[0], fresh
}

func leaseEnds(b *bench) {
	b.accept(placed("1"))
	old, fresh := b.claimTwice()

	if fresh.ID != old.ID || fresh.Fence <= old.Fence || fresh.Attempts != 2 {
		b.Errorf("claimed %+v, then %+v", old, fresh)
	}
	if more := b.claim(1); len(more) != 0 {
		b.Errorf("claimed within its lease: %+v", more)
	}
}

func overtaken(b *bench) {
	b.accept(placed("1"))
	old, fresh := b.claimTwice()

	b.unchanged("an overtaken claim", func() {
		decided, err := b.store.Decide(b.ctx, []store.Claim{old}, lenient)
		if err != nil || len(decided) != 0 {
			b.Errorf("decided: %+v, %v", decided, err)
		}
		if err := b.store.Retry(b.ctx, old, start, "late"); !errors.Is(err, store.ErrLeaseLost) {
			b.Errorf("retry: %v", err)
		}
		if err := b.store.Fail(b.ctx, old, "late"); !errors.Is(err, store.ErrLeaseLost) {
			b.Errorf("fail: %v", err)
		}
	})

	// In one batch with others it costs nobody anything.
	b.accept(placed("2"))
	decided := b.decide(append(b.claim(5), old), lenient)
	if len(decided) != 1 || decided[0].Claim.ID == old.ID {
		b.Errorf("decided: %+v", decided)
	}
	if decided := b.decide([]store.Claim{fresh}, lenient); len(decided) != 1 || decided[0].State != order.StateCompleted {
		b.Errorf("decided: %+v", decided)
	}
}

func claimDecidesOnce(b *bench) {
	b.accept(placed("1"))
	b.accept(paid("2", "pay-2", 100))
	claims := b.claim(5)
	if decided := b.decide(claims, lenient); len(decided) != 2 {
		b.Fatalf("decided: %+v", decided)
	}
	// As if the answer had been lost.
	b.unchanged("deciding again with the same claims", func() {
		if decided := b.decide(claims, lenient); len(decided) != 0 {
			b.Errorf("decided again: %+v", decided)
		}
	})
}

func retried(b *bench) {
	id := b.accept(placed("1")).Event.ID
	claim := b.claim(1)[0]
	if err := b.store.Retry(b.ctx, claim, start.Add(time.Minute), "its rule\x00panicked"); err != nil {
		b.Fatal(err)
	}
	if claims := b.claim(1); len(claims) != 0 {
		b.Errorf("claimed at once: %+v", claims)
	}
	if view := b.stands(id, order.StateReceived, ""); view.Reason != "its rule\uFFFDpanicked" {
		b.Errorf("reason: %q", view.Reason)
	}
	b.clock.advance(time.Minute)
	claims := b.claim(1)
	if len(claims) != 1 || claims[0].Attempts != 2 || !claims[0].ReceivedAt.Equal(start) {
		b.Fatalf("claimed when due: %+v", claims)
	}
	if err := b.store.Retry(b.ctx, claim, start, "stale"); !errors.Is(err, store.ErrLeaseLost) {
		b.Errorf("retry with the old claim: %v", err)
	}
}

func failed(b *bench) {
	id := b.accept(placed("1")).Event.ID
	if err := b.store.Fail(b.ctx, b.claim(1)[0], "it panicked 8 times"); err != nil {
		b.Fatal(err)
	}
	b.clock.advance(1000 * time.Hour)
	if claims := b.claim(1); len(claims) != 0 {
		b.Errorf("claimed: %+v", claims)
	}
	if view := b.stands(id, order.StateFailed, ""); view.Reason != "it panicked 8 times" {
		b.Errorf("reason: %q", view.Reason)
	}
}

func attempts(b *bench) {
	b.accept(paid("1", "pay-1", 100))
	claim := b.claim(1)[0]
	for want := 2; want <= 4; want++ {
		if err := b.store.Retry(b.ctx, claim, start, "again"); err != nil {
			b.Fatal(err)
		}
		claim = b.claim(1)[0]
		if claim.Attempts != want {
			b.Errorf("attempt %d, want %d", claim.Attempts, want)
		}
	}
	b.decide([]store.Claim{claim}, lenient)
	b.clock.advance(48 * time.Hour)
	if claims := b.claim(1); len(claims) != 1 || claims[0].Attempts != 1 {
		b.Errorf("after an answer: %+v", claims)
	}
}

func nextDue(b *bench) {
	want := func(at time.Time, some bool) {
		b.Helper()
		got, ok, err := b.store.NextDue(b.ctx)
		if err != nil || ok != some || (some && !got.Equal(at)) {
			b.Errorf("next due: %s, %t, %v; want %s, %t", got, ok, err, at, some)
		}
	}
	want(time.Time{}, false)
	b.accept(paid("1", "pay-1", 100))
	want(start, true)
	b.settle()
	want(start.Add(48*time.Hour), true)
	b.accept(undecoded("x"))
	b.settle()
	want(start.Add(48*time.Hour), true)

	b.accept(placed("2"))
	b.claim(1)
	got, ok, err := b.store.NextDue(b.ctx)
	if err != nil || !ok || got.Equal(start) {
		b.Errorf("while all that is due is leased: %s, %t, %v", got, ok, err)
	}
}
