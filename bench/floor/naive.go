package floor

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/waybillhq/waybill/bench/database"
)

// Naive writes each delivery in a transaction of its own.
type Naive struct {
	db         *sql.DB
	rows       *Rows
	statements [3]*sql.Stmt
}

// OpenNaive prepares the statements. On a server the pool has so many connections and keeps them.
func OpenNaive(ctx context.Context, url string, rows *Rows, pool int) (*Naive, error) {
	db, err := database.Open(url)
	if err != nil {
		return nil, err
	}
	if db.Stats().MaxOpenConnections != 1 {
		db.SetMaxOpenConns(pool)
		db.SetMaxIdleConns(pool)
	}
	n := &Naive{db: db, rows: rows}
	for i := range rows.tables {
		query := database.Numbered(url, rows.tables[i].single())
		if n.statements[i], err = db.PrepareContext(ctx, query); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: prepare: %w", rows.tables[i].name, err), db.Close())
		}
	}
	return n, nil
}

// Keep writes the rows of a delivery, unless its event is there.
func (n *Naive) Keep(ctx context.Context, body []byte) (first bool, err error) {
	id, err := idOf(body)
	if err != nil {
		return false, err
	}
	tx, err := n.db.BeginTx(ctx, nil)
	if err != nil {
		return false, fmt.Errorf("event %s: %w", id, err)
	}
	first, err = n.insert(ctx, tx, n.rows.newRow(id, body))
	if err != nil {
		return false, errors.Join(fmt.Errorf("event %s: %w", id, err), tx.Rollback())
	}
	return first, tx.Commit()
}

func (n *Naive) insert(ctx context.Context, tx *sql.Tx, of row) (first bool, err error) {
	for i, values := range n.rows.values(of) {
		inserted, err := tx.StmtContext(ctx, n.statements[i]).ExecContext(ctx, values...)
		if err != nil {
			return false, err
		}
		count, err := inserted.RowsAffected()
		if err != nil || count == 0 {
			return false, err
		}
	}
	return true, nil
}

// Close closes the database.
func (n *Naive) Close() error { return n.db.Close() }
