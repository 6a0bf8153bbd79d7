package store

import (
	"context"
	"errors"
	"testing"
	"time"
)

// lineUp lets writers line up at a taken gate, in order, and returns the order in which they will be let in.
func lineUp(t *testing.T, g *gate, urgent ...bool) <-chan int {
	t.Helper()
	entered := make(chan int, len(urgent))
	for i, u := range urgent {
		go func() {
			if err := g.enter(context.Background(), u); err != nil {
				t.Errorf("writer %d: %v", i, err)
			}
			entered <- i
			g.leave()
		}()
		waitFor(t, func() bool {
			g.mu.Lock()
			defer g.mu.Unlock()
			return len(g.urgent)+len(g.ordinary) == i+1
		})
	}
	return entered
}

func waitFor(t *testing.T, holds func() bool) {
	t.Helper()
	deadline := time.NewTimer(10 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-deadline.C:
			t.Fatal("what was waited for never came")
		case <-tick.C:
		}
	}
}

func wantOrder(t *testing.T, entered <-chan int, want ...int) {
	t.Helper()
	for i, w := range want {
		if got := <-entered; got != w {
			t.Errorf("place %d: writer %d, want %d", i, got, w)
		}
	}
}

func TestReceiptsGoBeforeDecisions(t *testing.T) {
	t.Parallel()
	g := newGate(time.Hour)
	if err := g.enter(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	entered := lineUp(t, g, false, true, false, true)
	g.leave()
	wantOrder(t, entered, 1, 3, 0, 2)
}

func TestADecisionThatHasWaitedLongEnoughGoesNext(t *testing.T) {
	t.Parallel()
	g := newGate(100 * time.Millisecond)
	now := time.Unix(0, 0)
	g.now = func() time.Time { return now }
	if err := g.enter(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	entered := lineUp(t, g, false, true, true)
	now = now.Add(100 * time.Millisecond)
	g.leave()
	wantOrder(t, entered, 0, 1, 2)
}

func TestWhoGivesUpAtTheGateLosesItsPlaceOnly(t *testing.T) {
	t.Parallel()
	g := newGate(time.Hour)
	if err := g.enter(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	ctx, giveUp := context.WithCancel(t.Context())
	gone := make(chan error)
	go func() { gone <- g.enter(ctx, true) }()
	waitFor(t, func() bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		return len(g.urgent) == 1
	})
	giveUp()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("who gave up got: %v", err)
	}
	g.leave()
	if err := g.enter(t.Context(), false); err != nil {
		t.Errorf("the gate is not free: %v", err)
	}
}

func TestATurnThatComesAsItsWriterGivesUpIsPassedOn(t *testing.T) {
	t.Parallel()
	for range 2000 {
		g := newGate(time.Hour)
		if err := g.enter(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		ctx, giveUp := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			if g.enter(ctx, true) == nil {
				g.leave()
			}
		}()
		go giveUp()
		g.leave()
		<-done
		if g.taken {
			t.Fatal("nobody has the gate, and it is taken")
		}
	}
}
