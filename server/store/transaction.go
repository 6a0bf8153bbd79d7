package store

import (
	"context"
	"errors"

	"github.com/waybillhq/waybill/ent"
)

// write runs fn in a transaction, in its turn after waiting receipts. Where it loses against another transaction, fn runs
// again, in a new one.
func (s *Store) write(ctx context.Context, fn func(tx *ent.Tx) error) error {
	return s.insist(ctx, func() error { return s.writeOnce(ctx, fn) })
}

func (s *Store) writeOnce(ctx context.Context, fn func(tx *ent.Tx) error) error {
	if err := s.gate.enter(ctx, false); err != nil {
		return err
	}
	defer s.gate.leave()
	tx, err := s.writes.Tx(ctx)
	if err != nil {
		return s.db.translate(err)
	}
	// After a panic too: a transaction that is left open would keep everybody from writing.
	open := true
	defer func() {
		if open {
			rollback(tx)
		}
	}()
	if err := fn(tx); err != nil {
		return s.db.translate(err)
	}
	open = false
	return s.db.translate(tx.Commit())
}

// read runs fn on one moment of the database, without waiting for writers.
func (s *Store) read(ctx context.Context, fn func(tx *ent.Tx) error) error {
	tx, err := s.reads.BeginTx(ctx, s.db.snapshot)
	if err != nil {
		return s.db.translate(err)
	}
	// There is nothing to commit.
	defer rollback(tx)
	return s.db.translate(fn(tx))
}

// errUndo ends a transaction that should leave nothing behind.
var errUndo = errors.New("undone on purpose")

// rollback gives up a transaction. Its own error says nothing more than the one that led here: the database has rolled
// back by itself already, or the connection is gone and the transaction with it.
func rollback(tx interface{ Rollback() error }) {
	_ = tx.Rollback()
}
