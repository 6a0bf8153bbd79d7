package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// maxTries bounds how often a transaction that was given up for another's sake is run again.
const maxTries = 5

// insist runs something again that lost against another transaction, after a short pause of random length, so that the
// same two don't meet again.
func (s *Store) insist(ctx context.Context, do func() error) error {
	for try := 1; ; try++ {
		err := do()
		if err == nil || try == maxTries || s.db.conflict == nil || !s.db.conflict(err) {
			return err
		}
		pause := time.NewTimer(time.Duration(try) * (time.Millisecond + rand.N(4*time.Millisecond)))
		select {
		case <-ctx.Done():
			pause.Stop()
			return fmt.Errorf("%w: %w", ErrUnavailable, ctx.Err())
		case <-pause.C:
		}
	}
}

// commitShared commits a batch where other processes write too. What is new is one statement, committed by itself; what
// turned out not to be new is compared in a transaction of its own, in the same flush. When that one fails, the new ones
// are recorded all the same, and nobody may find them to be duplicates of themselves.
func (s *Store) commitShared(ctx context.Context, batch []*entry) error {
	perhapsNew := without(batch, func(en *entry) bool { return en.recorded || s.taken.has(identityOf(en)) })
	if err := s.insist(ctx, func() error { return s.insertReceipts(ctx, perhapsNew) }); err != nil {
		return s.db.translate(err)
	}
	rest := without(batch, func(en *entry) bool { return en.recorded })
	if len(rest) > 0 {
		err := s.insist(ctx, func() error { return s.recordDuplicates(ctx, rest) })
		if errors.Is(err, errNoStanding) && len(perhapsNew) < len(batch) {
			// Somebody has removed an event after all. Nothing is remembered any more, so this happens once.
			s.taken.forget()
			return s.commitShared(ctx, batch)
		}
		if err != nil {
			return s.db.translate(err)
		}
	}
	s.taken.add(batch)
	return nil
}

func without(batch []*entry, drop func(*entry) bool) []*entry {
	kept := make([]*entry, 0, len(batch))
	for _, en := range batch {
		if !drop(en) {
			kept = append(kept, en)
		}
	}
	return kept
}

// insertReceipts writes what is new. There is no transaction around it: the statement is one, without two more round
// trips.
func (s *Store) insertReceipts(ctx context.Context, batch []*entry) error {
	if len(batch) == 0 {
		return nil
	}
	direct, err := s.statements.direct(ctx)
	if err != nil {
		return err
	}
	began := time.Now()
	if err := s.db.recorder.record(ctx, direct, batch); err != nil {
		return err
	}
	s.committer.lanes.took(time.Since(began), len(batch))
	for _, en := range batch {
		en.recorded, en.verdict = en.first, Accepted
	}
	return nil
}
