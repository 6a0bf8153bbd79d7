// Package work claims what is due and gets it decided.
//
// A pending item moves like this:
//
//	due ──claim──▶ leased ──decide──▶ gone (completed), waiting or parked
//	 ▲               │ decide failed, attempts left
//	 ├──retry────────┤
//	 │               │ decide failed, none left
//	 │               └──fail──▶ failed, until an operator reprocesses it
//	 └── the lease ran out: its worker is dead or stopped, and its fence is void
//
// An attempt is counted at the claim, before anything can go wrong, so an item that kills its process can't loop.
package work

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/waybillhq/waybill/server/order"
	"github.com/waybillhq/waybill/server/store"
)

// Queue is where work is claimed and decided.
type Queue interface {
	// Claim leases up to limit due items under new fences and counts the attempt.
	Claim(ctx context.Context, limit int, lease time.Duration) ([]store.Claim, error)
	// Decide decides the claimed items and commits everything about each in one transaction. An item that can't be
	// decided comes back with its own error and costs no other.
	Decide(ctx context.Context, claims []store.Claim, policy store.PolicyFunc) ([]store.Decided, error)
	// Retry makes a claimed item due again.
	Retry(ctx context.Context, claim store.Claim, dueAt time.Time, reason string) error
	// Fail parks a claimed item until an operator looks at it.
	Fail(ctx context.Context, claim store.Claim, reason string) error
	// Release gives claimed items back untried: their attempts don't count.
	Release(ctx context.Context, claims []store.Claim) error
}

// Options tune an Engine. The zero value of each field is its default.
type Options struct {
	// Policy is what each account has configured.
	Policy func(account string) order.Policy
	Logger *slog.Logger
	// Now is the clock. Leases run on the database's.
	Now func() time.Time
	// Batch is how many items are claimed at once.
	Batch int
	// Lease is how long a claim holds.
	Lease time.Duration
	// Poll is how often the queue is looked at when nobody says that something is due. It is the truth; Wake is a
	// hint.
	Poll time.Duration
	// MaxAttempts is how often an item is tried before it fails.
	MaxAttempts int
}

// Engine claims and decides until it is stopped.
type Engine struct {
	queue   Queue
	options Options
	wake    chan struct{}
}

// New makes an engine.
func New(queue Queue, options Options) *Engine {
	if options.Logger == nil {
		options.Logger = slog.Default()
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	options.Batch = orDefault(options.Batch, 64)
	options.Lease = orDefault(options.Lease, 5*time.Second)
	options.Poll = orDefault(options.Poll, 500*time.Millisecond)
	options.MaxAttempts = orDefault(options.MaxAttempts, 8)
	return &Engine{queue: queue, options: options, wake: make(chan struct{}, 1)}
}

func orDefault[T int | time.Duration](value, fallback T) T {
	if value > 0 {
		return value
	}
	return fallback
}

// Wake says that something may be due. It never blocks.
func (e *Engine) Wake() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// Run works until ctx ends. What is claimed by then is finished first.
func (e *Engine) Run(ctx context.Context) {
	poll := time.NewTicker(e.options.Poll)
	defer poll.Stop()
	for {
		e.drain(ctx)
		select {
		case <-ctx.Done():
			return
		case <-e.wake:
		case <-poll.C:
		}
	}
}

// drain works until nothing is due, or until the database fails: then the next poll tries again.
func (e *Engine) drain(ctx context.Context) {
	for ctx.Err() == nil {
		claimed, err := e.runOnce(ctx)
		if err != nil && ctx.Err() == nil {
			e.options.Logger.Error("work: claim and decide", "error", err)
		}
		if err != nil || claimed == 0 {
			return
		}
	}
}

// runOnce claims one batch and decides it.
func (e *Engine) runOnce(ctx context.Context) (claimed int, err error) {
	claims, err := e.queue.Claim(ctx, e.options.Batch, e.options.Lease)
	if err != nil {
		return 0, fmt.Errorf("claim: %w", err)
	}
	// A batch that is claimed is finished even when ctx ends meanwhile, within its lease.
	held, release := context.WithTimeout(context.WithoutCancel(ctx), e.options.Lease)
	defer release()

	fresh, err := e.giveUp(held, claims)
	if err != nil || len(fresh) == 0 {
		return len(claims), err
	}
	decided, err := e.queue.Decide(held, fresh, e.options.Policy)
	if err != nil {
		// The database is at fault, not the items: they must not be given up for it.
		return len(claims), errors.Join(fmt.Errorf("decide %d items: %w", len(fresh), err), e.queue.Release(held, fresh))
	}
	for _, item := range decided {
		if item.Err == nil {
			continue
		}
		if err := e.postpone(held, item); err != nil {
			return len(claims), err
		}
	}
	return len(claims), nil
}

// giveUp fails the items whose workers died too often, and returns the others.
func (e *Engine) giveUp(ctx context.Context, claims []store.Claim) ([]store.Claim, error) {
	fresh := claims[:0:0]
	for _, claim := range claims {
		if claim.Attempts <= e.options.MaxAttempts {
			fresh = append(fresh, claim)
			continue
		}
		reason := fmt.Sprintf("its worker stopped without an answer %d times", claim.Attempts-1)
		if err := e.fail(ctx, claim, reason); err != nil {
			return nil, err
		}
	}
	return fresh, nil
}

// postpone tries an item again later, or fails it when its attempts are used up.
func (e *Engine) postpone(ctx context.Context, item store.Decided) error {
	claim := item.Claim
	e.options.Logger.Warn("work: item could not be decided",
		"event", claim.EventID, "attempt", claim.Attempts, "error", item.Err)
	if claim.Attempts >= e.options.MaxAttempts {
		return e.fail(ctx, claim, item.Err.Error())
	}
	err := e.queue.Retry(ctx, claim, e.options.Now().Add(backoff(claim.Attempts)), item.Err.Error())
	if errors.Is(err, store.ErrLeaseLost) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("event %s: retry: %w", claim.EventID, err)
	}
	return nil
}

func (e *Engine) fail(ctx context.Context, claim store.Claim, reason string) error {
	err := e.queue.Fail(ctx, claim, reason)
	if errors.Is(err, store.ErrLeaseLost) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("event %s: fail: %w", claim.EventID, err)
	}
	e.options.Logger.Error("work: item failed for good", "event", claim.EventID, "reason", reason)
	return nil
}

// backoff is the pause after an attempt: doubling from half a second up to five minutes, with up to a half of jitter
// so that items that failed together don't return together.
func backoff(attempt int) time.Duration {
	const longest = 5 * time.Minute
	pause := longest
	if attempt < 10 {
		pause = min(longest, 500*time.Millisecond<<attempt)
	}
	return pause/2 + rand.N(pause/2)
}
