package floor

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/waybillhq/waybill/bench/database"
)

// Direct inserts without HTTP.
type Direct struct {
	// Writers insert at the same time; an embedded database has one.
	Writers int
	// Batch is how many deliveries share a commit.
	Batch  int
	WarmUp time.Duration
	// Measure is how long it goes on.
	Measure time.Duration
	// Next gives the number of the next event.
	Next func() int64
}

// Place is a database, and the rows that go into it.
type Place struct {
	URL  string
	Rows *Rows
}

// Run inserts and gives the deliveries a second.
func (d Direct) Run(ctx context.Context, into Place) (float64, error) {
	db, err := database.Open(into.URL)
	if err != nil {
		return 0, err
	}
	defer func() { _ = db.Close() }() // what was written is committed
	write, err := d.writer(ctx, db, into)
	if err != nil {
		return 0, err
	}
	if db.Stats().MaxOpenConnections != 1 {
		db.SetMaxOpenConns(d.Writers)
		db.SetMaxIdleConns(d.Writers)
	}

	var written atomic.Int64
	var over atomic.Bool
	failures := make([]error, d.Writers)
	var writers sync.WaitGroup
	for i := range d.Writers {
		writers.Go(func() {
			for !over.Load() && failures[i] == nil && ctx.Err() == nil {
				failures[i] = write(ctx, d.batch(into.Rows))
				written.Add(int64(d.Batch))
			}
		})
	}
	time.Sleep(d.WarmUp)
	before, began := written.Load(), time.Now()
	time.Sleep(d.Measure)
	done, elapsed := written.Load()-before, time.Since(began)
	over.Store(true)
	writers.Wait()
	return float64(done) / elapsed.Seconds(), errors.Join(errors.Join(failures...), ctx.Err())
}

func (d Direct) batch(rows *Rows) []row {
	model, _ := rows.tables[payloads].value("body").([]byte)
	batch := make([]row, d.Batch)
	for i := range batch {
		id := strings.Repeat("9", max(0, len(rows.id)-12)) + fmt.Sprintf("%012d", d.Next())
		batch[i] = rows.newRow(id, []byte(strings.ReplaceAll(string(model), rows.id, id)))
	}
	return batch
}

// writer gives the function that writes a batch in one commit: where statements cost no round trip, row by row in one
// transaction; elsewhere in one statement that is its own transaction.
func (d Direct) writer(ctx context.Context, db *sql.DB, into Place) (func(context.Context, []row) error, error) {
	if strings.HasPrefix(into.URL, "sqlite:") {
		return d.embeddedWriter(ctx, db, into)
	}
	rows := into.Rows
	statement, err := db.PrepareContext(ctx, rows.together())
	if err != nil {
		return nil, fmt.Errorf("direct: prepare: %w", err)
	}
	return func(ctx context.Context, batch []row) error {
		done, err := statement.ExecContext(ctx, rows.arrays(batch)...)
		if err != nil {
			return fmt.Errorf("direct: %w", err)
		}
		if count, err := done.RowsAffected(); err != nil || count != int64(len(batch)) {
			return errors.Join(errors.New("direct: "+strconv.FormatInt(count, 10)+" rows were inserted"), err)
		}
		return nil
	}, nil
}

func (d Direct) embeddedWriter(ctx context.Context, db *sql.DB, into Place) (func(context.Context, []row) error, error) {
	naive := &Naive{db: db, rows: into.Rows}
	for i := range into.Rows.tables {
		var err error
		naive.statements[i], err = db.PrepareContext(ctx, database.Numbered(into.URL, into.Rows.tables[i].single()))
		if err != nil {
			return nil, fmt.Errorf("direct: prepare: %w", err)
		}
	}
	return func(ctx context.Context, batch []row) error {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return fmt.Errorf("direct: %w", err)
		}
		for _, each := range batch {
			if _, err := naive.insert(ctx, tx, each); err != nil {
				return errors.Join(fmt.Errorf("direct: %w", err), tx.Rollback())
			}
		}
		return tx.Commit()
	}, nil
}
