package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/waybillhq/waybill/bench/database"
	"github.com/waybillhq/waybill/bench/load"
)

// pending looks at what a database has undecided.
type pending struct {
	db  *sql.DB
	url string
}

func openPending(url string) (*pending, error) {
	db, err := database.Open(url)
	if err != nil {
		return nil, err
	}
	return &pending{db: db, url: url}, nil
}

func (p *pending) close() { _ = p.db.Close() }

func (p *pending) count(ctx context.Context) (n int64, err error) {
	if err = p.db.QueryRowContext(ctx, "SELECT count(*) FROM pending_items").Scan(&n); err != nil {
		return 0, fmt.Errorf("pending items: %w", err)
	}
	return n, nil
}

// none waits until nothing is undecided.
func (p *pending) none(ctx context.Context) error {
	for {
		left, err := p.count(ctx)
		if err != nil || left == 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("pending items: %d are left: %w", left, ctx.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// decided gives those of the events that have an outcome.
func (p *pending) decided(ctx context.Context, events map[string]time.Time) ([]string, error) {
	places, args := make([]string, 0, len(events)), []any{load.Account}
	for id := range events {
		args = append(args, id)
		places = append(places, fmt.Sprintf("$%d", len(args)))
	}
	query := "SELECT DISTINCT event_id FROM outcomes WHERE account = $1 AND event_id IN (" + strings.Join(places, ", ") + ")"
	rows, err := p.db.QueryContext(ctx, database.Numbered(p.url, query), args...)
	if err != nil {
		return nil, fmt.Errorf("outcomes: %w", err)
	}
	defer rows.Close()
	var found []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, fmt.Errorf("outcomes: %w", err)
		}
		found = append(found, id)
	}
	return found, rows.Err()
}

// watch follows some of the acknowledged events until their outcomes can be read, as anybody else would see it. Looking
// every few milliseconds makes a time longer by that, never shorter.
type watch struct {
	pending *pending
	// every says which answers are followed: each so many. It may not depend on how long others take, or the slow
	// times would be followed less than the fast ones.
	every int64
	count atomic.Int64
	acked chan acked
	took  *hdrhistogram.Histogram
}

type acked struct {
	event string
	at    time.Time
}

const (
	// followed is how many events a second are followed: few enough that looking costs next to nothing.
	followed = 200
	look     = 2 * time.Millisecond
	// decidedWithin is when an event counts as taking for ever.
	decidedWithin = 30 * time.Second
)

// answered takes an answer's event.
func (w *watch) answered(body []byte) {
	if w.count.Add(1)%w.every != 0 {
		return
	}
	var said struct {
		Event struct {
			ID string `json:"id"`
		} `json:"event"`
	}
	now := time.Now()
	if err := json.Unmarshal(body, &said); err == nil {
		w.acked <- acked{event: said.Event.ID, at: now}
	}
}

// run follows events until the channel is closed and all of them are decided.
func (w *watch) run(ctx context.Context) error {
	open := true
	following := make(map[string]time.Time)
	for open || len(following) > 0 {
		open = w.gather(following) && open
		if len(following) > 0 {
			if err := w.note(ctx, following); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(look * time.Duration(1+len(following)/followed)):
		}
	}
	return nil
}

// gather takes in what was acknowledged. It reports false when there will be no more.
func (w *watch) gather(following map[string]time.Time) bool {
	for {
		select {
		case next, ok := <-w.acked:
			if !ok {
				return false
			}
			following[next.event] = next.at
		default:
			return true
		}
	}
}

func (w *watch) note(ctx context.Context, following map[string]time.Time) error {
	found, err := w.pending.decided(ctx, following)
	if err != nil {
		return err
	}
	for _, event := range found {
		_ = w.took.RecordValue(min(time.Since(following[event]), decidedWithin).Microseconds())
		delete(following, event)
	}
	for event, at := range following {
		if time.Since(at) > decidedWithin {
			_ = w.took.RecordValue(decidedWithin.Microseconds())
			delete(following, event)
		}
	}
	return nil
}

// measureDecisions measures how long after its acknowledgement an event is decided, at a rate.
func (b *bench) measureDecisions(ctx context.Context, c *contender, kind string, rate float64) error {
	found, err := openPending(c.data.URL)
	if err != nil {
		return err
	}
	defer found.close()
	w := &watch{
		pending: found, every: max(1, int64(rate/followed)), acked: make(chan acked, 1024),
		took: hdrhistogram.New(1, decidedWithin.Microseconds(), 3),
	}
	var watching sync.WaitGroup
	var watchErr error
	watching.Go(func() { watchErr = w.run(ctx) })
	measured, err := b.open(ctx, c, rate, w.answered)
	close(w.acked)
	watching.Wait()
	if err := errors.Join(err, watchErr); err != nil {
		return err
	}
	measured.p50, measured.p99, measured.p999 = w.quantile(50), w.quantile(99), w.quantile(99.9)
	b.say("%-10s %-18s decided after p50 %s  p99 %s (%d followed)", nameOf(c.server), c.name, measured.p50, measured.p99,
		w.took.TotalCount())
	b.book.add(key{nameOf(c.server), waybillWorker, kind, openConnections}, measured)
	return nil
}

func (w *watch) quantile(percent float64) time.Duration {
	return time.Duration(w.took.ValueAtQuantile(percent)) * time.Microsecond
}
