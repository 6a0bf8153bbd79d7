// Package storefault is a store that fails when it is told to: before the real call, so that nothing was done, or after
// it, so that all was done and the answer is lost. A script says which call fails and how, so that a failure repeats
// exactly.
package storefault

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/waybillhq/waybill/server/order"
	"github.com/waybillhq/waybill/server/store"
)

// ErrScripted is the error of a fault that names none. It is an ErrUnavailable, as a lost connection's is.
var ErrScripted = errors.Join(store.ErrUnavailable, errors.New("scripted fault"))

// Store is what can be made to fail: all that writes.
type Store interface {
	Accept(ctx context.Context, e order.Event) (store.Receipt, error)
	Claim(ctx context.Context, limit int, lease time.Duration) ([]store.Claim, error)
	Decide(ctx context.Context, claims []store.Claim, policy store.PolicyFunc) ([]store.Decided, error)
	Retry(ctx context.Context, claim store.Claim, dueAt time.Time, reason string) error
	Fail(ctx context.Context, claim store.Claim, reason string) error
	Reprocess(ctx context.Context, req store.ReprocessRequest, policy store.PolicyFunc) (store.Reprocessed, error)
	ExpirePayloads(ctx context.Context, now time.Time, limit int) (int, error)
}

// Op is a call that can fail.
type Op string

// The calls.
const (
	Accept         Op = "accept"
	Claim          Op = "claim"
	Decide         Op = "decide"
	Retry          Op = "retry"
	Fail           Op = "fail"
	Reprocess      Op = "reprocess"
	ExpirePayloads Op = "expire payloads"
)

// When is the moment of a fault.
type When int

// The moments.
const (
	// Before the real call: nothing was done.
	Before When = iota
	// After the real call succeeded: all was committed, and the caller never learns.
	After
)

// Fault makes one call fail.
type Fault struct {
	Op Op
	// Call is which one, from 1, counted for each Op. 0: every one.
	Call int
	When When
	// Err is what the caller gets. Nil: ErrScripted.
	Err error
	// Hook runs at that moment, before the error is returned: to kill the process, or to hold the call.
	Hook func()
}

// Faulty is a store with a script. It is safe for concurrent use.
type Faulty struct {
	inner Store

	mu     sync.Mutex
	script []Fault
	calls  map[Op]int
	struck []Fault
}

// New decorates a store.
func New(inner Store, script ...Fault) *Faulty {
	return &Faulty{inner: inner, script: script, calls: make(map[Op]int)}
}

// Add adds to the script. Calls are counted from the start.
func (f *Faulty) Add(faults ...Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.script = append(f.script, faults...)
}

// Calls is how often a call was made.
func (f *Faulty) Calls(op Op) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls[op]
}

// Struck are the faults that have come to pass, so that a test can tell whether its script was played.
func (f *Faulty) Struck() []Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]Fault(nil), f.struck...)
}

// call counts a call and runs it with its faults.
func call[T any](f *Faulty, op Op, inner func() (T, error)) (T, error) {
	var none T
	faults := f.next(op)
	if err := f.strike(faults, Before); err != nil {
		return none, err
	}
	value, err := inner()
	if err != nil {
		return value, err
	}
	if err := f.strike(faults, After); err != nil {
		return none, err
	}
	return value, nil
}

func (f *Faulty) next(op Op) []Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls[op]++
	var faults []Fault
	for _, fault := range f.script {
		if fault.Op == op && (fault.Call == 0 || fault.Call == f.calls[op]) {
			faults = append(faults, fault)
		}
	}
	return faults
}

func (f *Faulty) strike(faults []Fault, when When) error {
	for _, fault := range faults {
		if fault.When != when {
			continue
		}
		f.mu.Lock()
		f.struck = append(f.struck, fault)
		f.mu.Unlock()
		if fault.Hook != nil {
			fault.Hook()
		}
		if fault.Err != nil {
			return fault.Err
		}
		return ErrScripted
	}
	return nil
}

// none is the answer of calls that have none.
type none struct{}

func bare(inner func() error) func() (none, error) {
	return func() (none, error) { return none{}, inner() }
}

// Accept is the store's Accept.
func (f *Faulty) Accept(ctx context.Context, e order.Event) (store.Receipt, error) {
	return call(f, Accept, func() (store.Receipt, error) { return f.inner.Accept(ctx, e) })
}

// Claim is the store's Claim.
func (f *Faulty) Claim(ctx context.Context, limit int, lease time.Duration) ([]store.Claim, error) {
	return call(f, Claim, func() ([]store.Claim, error) { return f.inner.Claim(ctx, limit, lease) })
}

// Decide is the store's Decide.
func (f *Faulty) Decide(
	ctx context.Context, claims []store.Claim, policy store.PolicyFunc,
) ([]store.Decided, error) {
	return call(f, Decide, func() ([]store.Decided, error) { return f.inner.Decide(ctx, claims, policy) })
}

// Retry is the store's Retry.
func (f *Faulty) Retry(ctx context.Context, claim store.Claim, dueAt time.Time, reason string) error {
	_, err := call(f, Retry, bare(func() error { return f.inner.Retry(ctx, claim, dueAt, reason) }))
	return err
}

// Fail is the store's Fail.
func (f *Faulty) Fail(ctx context.Context, claim store.Claim, reason string) error {
	_, err := call(f, Fail, bare(func() error { return f.inner.Fail(ctx, claim, reason) }))
	return err
}

// Reprocess is the store's Reprocess.
func (f *Faulty) Reprocess(
	ctx context.Context, req store.ReprocessRequest, policy store.PolicyFunc,
) (store.Reprocessed, error) {
	return call(f, Reprocess, func() (store.Reprocessed, error) { return f.inner.Reprocess(ctx, req, policy) })
}

// ExpirePayloads is the store's ExpirePayloads.
func (f *Faulty) ExpirePayloads(ctx context.Context, now time.Time, limit int) (int, error) {
	return call(f, ExpirePayloads, func() (int, error) { return f.inner.ExpirePayloads(ctx, now, limit) })
}
