package store

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/lib/pq"
)

const (
	// dueChannel is where processes that share a database tell each other that something became due.
	dueChannel = "waybill_due"
	// coalesce is the shortest time between two notifications of a process: each costs a commit, and inside the
	// transactions they would cost two thirds of the throughput.
	coalesce = 20 * time.Millisecond
	// maxNotification bounds what a notification says; PostgreSQL takes 8,000 bytes.
	maxNotification = 7000
	// listenerPing is how often the connection that listens is used by ourselves, and listenerPatience how long it may
	// say nothing at all before it is given up and made again.
	listenerPing     = 10 * time.Second
	listenerPatience = 25 * time.Second
	// watchSnapshots is how often the oldest open snapshot is looked at, and oldSnapshot the age from which on it is
	// worth a warning.
	watchSnapshots = 30 * time.Second
	oldSnapshot    = time.Minute
)

// wakeups tell other processes what became due by a commit of this one, and listen to them. They are hints: whatever is
// lost on the way, the next poll finds.
type wakeups struct {
	store *Store
	// me tells our own notifications from others'.
	me string

	start   sync.Once
	stop    context.CancelFunc
	ctx     context.Context
	running sync.WaitGroup

	mu    sync.Mutex
	due   map[string]bool
	again chan struct{}
}

// notification is what processes tell each other.
type notification struct {
	From string `json:"from"`
	// Accounts have something due. Empty: there are too many to name.
	Accounts []string `json:"accounts,omitempty"`
}

func newWakeups(s *Store) *wakeups {
	ctx, stop := context.WithCancel(context.Background())
	return &wakeups{
		store: s, me: s.ids.next("", time.Now()), ctx: ctx, stop: stop,
		due: make(map[string]bool), again: make(chan struct{}, 1),
	}
}

// tell has other processes told, soon, that accounts have something due. It never waits.
func (w *wakeups) tell(accounts []string) {
	if w == nil {
		return
	}
	w.mu.Lock()
	for _, account := range accounts {
		w.due[account] = true
	}
	w.mu.Unlock()
	select {
	case w.again <- struct{}{}:
	default:
	}
}

// begin starts telling and listening. Nobody listens in a process that never asks what is due, and nothing is told.
func (w *wakeups) begin() {
	if w == nil {
		return
	}
	w.start.Do(func() {
		w.running.Go(w.notify)
		w.running.Go(w.watch)
		if err := w.listen(); err != nil {
			w.store.logger.Error("store: can't listen for other processes; polling goes on", "error", err)
		}
	})
}

func (w *wakeups) close() {
	if w == nil {
		return
	}
	// From now on it is too late to begin.
	w.start.Do(func() {})
	w.stop()
	w.running.Wait()
}

// notify sends what is to be told, at most once in a while.
func (w *wakeups) notify() {
	pause := time.NewTicker(coalesce)
	defer pause.Stop()
	for {
		select {
		case <-w.ctx.Done():
			return
		case <-w.again:
		}
		if err := w.send(); err != nil && w.ctx.Err() == nil {
			w.store.logger.Debug("store: other processes could not be told what is due", "error", err)
		}
		pause.Reset(coalesce)
		select {
		case <-w.ctx.Done():
			return
		case <-pause.C:
		}
	}
}

func (w *wakeups) send() error {
	w.mu.Lock()
	said := notification{From: w.me}
	size := 0
	for account := range w.due {
		said.Accounts = append(said.Accounts, account)
		size += 6*len(account) + 3 // JSON may write six bytes for one
	}
	clear(w.due)
	w.mu.Unlock()
	if size > maxNotification {
		said.Accounts = nil
	}
	text, err := json.Marshal(said)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(w.ctx, writeStatement)
	defer cancel()
	_, err = w.store.db.writer.ExecContext(ctx, "SELECT pg_notify($1, $2)", dueChannel, string(text))
	return err
}

// listen hears other processes on a connection of its own.
func (w *wakeups) listen() error {
	dsn, err := session{settings: map[string]string{"application_name": "waybill listener"}}.dsn(w.store.db.listenURL())
	if err != nil {
		return err
	}
	// The driver reconnects by itself.
	listener := pq.NewDialListener(dialer{listenerPatience}, dsn, 100*time.Millisecond, 5*time.Second, w.event)
	// Nobody waits for what follows: in a network that swallows everything it takes its time to end.
	go w.drain(listener.NotificationChannel())
	go func() {
		// It waits for the first connection, for however long that takes.
		if err := listener.Listen(dueChannel); err != nil && w.ctx.Err() == nil {
			w.store.logger.Error("store: listen", "error", err)
		}
	}()
	go w.ping(listener)
	go func() {
		<-w.ctx.Done()
		// It is closed once: there is nothing to learn from it.
		_ = listener.Close()
	}()
	return nil
}

// event says in the log what becomes of the listening connection.
func (w *wakeups) event(kind pq.ListenerEventType, err error) {
	if w.ctx.Err() != nil {
		return
	}
	switch kind {
	case pq.ListenerEventDisconnected, pq.ListenerEventConnectionAttemptFailed:
		w.store.logger.Warn("store: the connection that listens is lost; polling goes on", "error", err)
	case pq.ListenerEventReconnected:
		w.store.logger.Info("store: listening again")
	case pq.ListenerEventConnected:
	}
}

// drain takes every notification, always: one that is not taken would keep the driver from noticing anything else.
func (w *wakeups) drain(notifications <-chan *pq.Notification) {
	for heard := range notifications {
		if heard == nil {
			// The connection was lost and made again; what was said meanwhile is lost too.
			w.store.fair.lookSoon()
			w.store.hint()
			continue
		}
		w.hear(heard.Extra)
	}
}

func (w *wakeups) hear(text string) {
	var said notification
	if err := json.Unmarshal([]byte(text), &said); err != nil {
		// Somebody else's, or another version's: something is due somewhere.
		said = notification{}
	}
	if said.From == w.me {
		return
	}
	if len(said.Accounts) == 0 {
		w.store.fair.lookSoon()
	}
	w.store.fair.tell(said.Accounts...)
	w.store.hint()
}

// ping uses the listening connection, so that one that leads nowhere is found out. It may block; nothing waits for it.
func (w *wakeups) ping(listener *pq.Listener) {
	tick := time.NewTicker(listenerPing)
	defer tick.Stop()
	for {
		select {
		case <-w.ctx.Done():
			return
		case <-tick.C:
			// Whatever is wrong with the connection, the driver sees it too and makes it again.
			_ = listener.Ping()
		}
	}
}

// watch warns of what makes claims slow and tables grow: a transaction that stays open.
func (w *wakeups) watch() {
	tick := time.NewTicker(watchSnapshots)
	defer tick.Stop()
	for {
		select {
		case <-w.ctx.Done():
			return
		case <-tick.C:
			w.warnOfSnapshot()
		}
	}
}

func (w *wakeups) warnOfSnapshot() {
	ctx, cancel := context.WithTimeout(w.ctx, writeStatement)
	defer cancel()
	age, _, err := w.store.OldestSnapshot(ctx)
	if err != nil || age < oldSnapshot {
		return
	}
	w.store.logger.Warn("store: a transaction of this database is open for long; nothing that is deleted can be removed before it ends",
		"age", age.Truncate(time.Second))
}

const oldestSnapshot = `
SELECT coalesce(extract(epoch FROM clock_timestamp() - min(since)) * 1000000, 0)::bigint FROM (
    SELECT xact_start AS since FROM pg_stat_activity
    WHERE datname = current_database() AND backend_xmin IS NOT NULL AND pid <> pg_backend_pid()
    UNION ALL
    SELECT prepared FROM pg_prepared_xacts WHERE database = current_database()) open`

// OldestSnapshot is how long the oldest open transaction of the database has been open. While it is, nothing that was
// deleted since can be removed. False: this database knows no such thing.
func (s *Store) OldestSnapshot(ctx context.Context) (time.Duration, bool, error) {
	if s.db.lone {
		return 0, false, nil
	}
	var age int64
	if err := s.db.reader.QueryRowContext(ctx, oldestSnapshot).Scan(&age); err != nil {
		return 0, false, fmt.Errorf("database: oldest snapshot: %w", s.db.translate(err))
	}
	return time.Duration(max(age, 0)) * time.Microsecond, true, nil
}
