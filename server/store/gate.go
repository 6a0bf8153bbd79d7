package store

import (
	"context"
	"sync"
	"time"
)

// gate lets one writer at a time to a database that takes one at a time. Receipts go before everything else, because
// a sender waits for them; but an ordinary writer that has waited for as long as patience goes next, or a flood of
// receipts would keep everything from being decided.
type gate struct {
	patience time.Duration
	now      func() time.Time

	mu       sync.Mutex
	taken    bool
	urgent   []*turn
	ordinary []*turn
}

type turn struct {
	since time.Time
	ready chan struct{}
}

func newGate(patience time.Duration) *gate {
	return &gate{patience: patience, now: time.Now}
}

// enter waits for the turn. Whoever got it must call leave.
func (g *gate) enter(ctx context.Context, urgent bool) error {
	if g == nil {
		return ctx.Err()
	}
	mine := g.queue(urgent)
	if mine == nil {
		return nil
	}
	select {
	case <-mine.ready:
		return nil
	case <-ctx.Done():
	}
	if !g.forget(mine) {
		// The turn came at the same moment: pass it on.
		g.leave()
	}
	return ctx.Err()
}

// queue takes the gate, or a place in the line.
func (g *gate) queue(urgent bool) *turn {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.taken {
		g.taken = true
		return nil
	}
	mine := &turn{since: g.now(), ready: make(chan struct{})}
	if urgent {
		g.urgent = append(g.urgent, mine)
	} else {
		g.ordinary = append(g.ordinary, mine)
	}
	return mine
}

// leave hands the gate to the next in line.
func (g *gate) leave() {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	next := g.pick()
	if next == nil {
		g.taken = false
		return
	}
	close(next.ready)
}

func (g *gate) pick() *turn {
	impatient := len(g.ordinary) > 0 && g.now().Sub(g.ordinary[0].since) >= g.patience
	line := &g.urgent
	if len(g.urgent) == 0 || impatient {
		line = &g.ordinary
	}
	if len(*line) == 0 {
		return nil
	}
	next := (*line)[0]
	*line = (*line)[1:]
	return next
}

// forget takes a turn out of its line. False: it has been called already.
func (g *gate) forget(mine *turn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, line := range []*[]*turn{&g.urgent, &g.ordinary} {
		for i, waiting := range *line {
			if waiting == mine {
				*line = append((*line)[:i:i], (*line)[i+1:]...)
				return true
			}
		}
	}
	return false
}
