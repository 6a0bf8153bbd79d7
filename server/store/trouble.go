package store

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// trouble remembers that receipts could not be committed lately. A database that can be read and not written, as on a
// full disk, would otherwise seem to be there.
type trouble struct {
	mu    sync.Mutex
	since time.Time
	cause error
}

// troubleLasts is how long a failed commit counts. After it the next senders are the ones to find out: a server that
// got no requests could never learn that the disk has room again.
const troubleLasts = 5 * time.Second

// watch passes a commit's error on and remembers it.
func (t *trouble) watch(now func() time.Time, commit func([]*entry) error) func([]*entry) error {
	return func(batch []*entry) error {
		err := commit(batch)
		t.mu.Lock()
		defer t.mu.Unlock()
		switch {
		case err == nil:
			t.cause = nil
		case errors.Is(err, ErrUnavailable):
			t.since, t.cause = now(), err
		}
		return err
	}
}

// lately is the error of a commit that failed a short while ago, if none has succeeded since.
func (t *trouble) lately(now time.Time) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cause == nil || now.Sub(t.since) > troubleLasts {
		return nil
	}
	return fmt.Errorf("database: the last receipt could not be committed: %w", t.cause)
}
