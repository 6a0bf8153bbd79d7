// Package store keeps Waybill's records. It is the only importer of Ent and the only place that knows SQL.
//
// # What it promises
//
// What is recorded once is never changed: events, deliveries, outcomes, steps and audit entries are only ever added.
// What is unfinished stands in one small table, pending_items, whose rows go when the work is done, so that claiming and
// counting never scan history. An answer leaves after its commit, never before.
//
// Every promise of this package holds for every database that it opens; the suite in storetest says so. What databases
// do differently stands in dialect.go and in one file for each of them.
//
// # How writers meet
//
// Whoever decides locks in this order, each group sorted: subjects, orders, its own pending items, then the items that
// it wakes. Two that need the same things meet at the first and wait there, so they can't wait for each other.
// Receipts lock nothing but what they insert, sorted by key.
//
// A claim carries a fence that moves on with every claim and every decision. It is checked inside the transaction
// that writes, so who was overtaken can write nothing, however late it wakes up.
package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/waybillhq/waybill/ent"
)

// Options tune a Store. The zero value of each field is its default.
type Options struct {
	// Clock is what the time is, for everything but leases: those run on the database's own clock.
	Clock func() time.Time
	// Logger gets what nobody is there to be told. Default: slog's default.
	Logger *slog.Logger
	// PayloadRetention is how long bytes are kept once all that needs them is finished. Default: 720 hours.
	PayloadRetention time.Duration
}

// Store keeps Waybill's records. It is safe for concurrent use.
type Store struct {
	db         *database
	writes     *ent.Client
	reads      *ent.Client
	clock      func() time.Time
	logger     *slog.Logger
	retention  time.Duration
	ids        *ids
	gate       *gate
	statements *statements
	committer  *committer
	trouble    trouble
	fair       *fair
	wakeups    *wakeups
	taken      *taken
	due        chan struct{}
	// commitTimeout bounds a group commit.
	commitTimeout time.Duration
}

const (
	defaultRetention = 720 * time.Hour
	// patience is how long a decision lets receipts go first. With a decision's own length it bounds what a receipt
	// waits for, well inside the 300 ms in which a webhook must be answered.
	patience = 100 * time.Millisecond
	// commitTimeout is longer than any sender waits; a commit that succeeds later is harmless, a goroutine that hangs
	// for ever is not.
	commitTimeout = 30 * time.Second
)

// Open opens the database that a URL names: sqlite:PATH or postgres://… It neither makes nor changes tables; see Migrate.
func Open(ctx context.Context, url string, options Options) (*Store, error) {
	db, err := openDatabase(url)
	if err != nil {
		return nil, err
	}
	s := newStore(db, options)
	if err := s.Ping(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("database: open: %w", err), s.Close())
	}
	return s, nil
}

func openDatabase(url string) (*database, error) {
	scheme, rest, found := strings.Cut(url, ":")
	if !found {
		return nil, errors.New("database: its URL has no scheme; use sqlite:PATH or postgres://…")
	}
	switch scheme {
	case "sqlite":
		return openSQLite(rest)
	case "postgres", "postgresql":
		return openPostgres(url)
	}
	// The URL may hold a password: only its scheme is told.
	return nil, fmt.Errorf("database: %s: URLs can't be opened; use sqlite:PATH or postgres://…", scheme)
}

func newStore(db *database, options Options) *Store {
	s := &Store{
		db:            db,
		writes:        ent.NewClient(ent.Driver(entsql.OpenDB(db.name, db.writer))),
		reads:         ent.NewClient(ent.Driver(entsql.OpenDB(db.name, db.reader))),
		clock:         options.Clock,
		logger:        options.Logger,
		retention:     options.PayloadRetention,
		ids:           newIDs(),
		statements:    newStatements(db.writer, append(db.recorder.queries(), bound(db, receiptQueries)...)),
		fair:          newFair(),
		taken:         newTaken(),
		due:           make(chan struct{}, 1),
		commitTimeout: commitTimeout,
	}
	if s.clock == nil {
		s.clock = time.Now
	}
	if s.logger == nil {
		s.logger = slog.Default()
	}
	if s.retention <= 0 {
		s.retention = defaultRetention
	}
	record := s.trouble.watch(s.clock, s.recordBatch)
	if db.lone {
		s.gate = newGate(patience)
		s.committer = newCommitter(record)
		return s
	}
	s.wakeups = newWakeups(s)
	s.committer = newSharedCommitter(record)
	return s
}

func bound(db *database, queries []string) []string {
	texts := make([]string, len(queries))
	for i, query := range queries {
		texts[i] = db.bind(query)
	}
	return texts
}

// Ping says whether the database answers, and whether it took the last receipt.
func (s *Store) Ping(ctx context.Context) error {
	if err := s.db.reader.PingContext(ctx); err != nil {
		return s.db.translate(err)
	}
	if s.db.present != nil {
		if err := s.db.present(); err != nil {
			return err
		}
	}
	return s.trouble.lately(s.clock())
}

// Close answers the deliveries that wait, lets no more in and closes the database.
func (s *Store) Close() error {
	s.committer.close()
	s.wakeups.close()
	s.statements.close()
	return s.db.close()
}

// Due says that something may have become due by a commit of this process or of another one. It is a hint: several may
// be one, and one may be lost.
func (s *Store) Due() <-chan struct{} {
	s.wakeups.begin()
	return s.due
}

// Embedded says that the database is a part of this process and belongs to nobody else, so that it may be migrated
// without asking.
func (s *Store) Embedded() bool { return s.db.lone }

// hintAll says, to other processes too, that accounts have something due.
func (s *Store) hintAll(accounts ...string) {
	s.fair.tell(accounts...)
	s.hint()
	s.wakeups.tell(accounts)
}

func (s *Store) hint() {
	select {
	case s.due <- struct{}{}:
	default:
	}
}

func (s *Store) now() time.Time { return whole(s.clock()) }
