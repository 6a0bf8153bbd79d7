package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/waybillhq/waybill/server/order"
)

// Verdict is what a receipt found.
type Verdict string

// The verdicts.
const (
	// Accepted: nobody had sent the event before.
	Accepted Verdict = "accepted"
	// Duplicate: it was recorded before; this delivery has no effect.
	Duplicate Verdict = "duplicate"
	// Conflicting: its identity was recorded before and said something else; kept, flagged and never applied.
	Conflicting Verdict = "conflicting"
)

// Receipt is what became of a delivery. It is only ever given after the commit.
type Receipt struct {
	// Event is the event as its first delivery recorded it, without its bytes.
	Event   order.Event
	Verdict Verdict
	// State is where the event stands by now.
	State order.EventState
	// Outcome is the one that matters most among its changes. Empty: nothing is decided yet.
	Outcome order.Outcome
	// Reason is why it stands where it stands.
	Reason string
}

// FirstDelivery says that nobody had sent the event before.
func (r Receipt) FirstDelivery() bool { return r.Verdict == Accepted }

// Accept records a delivery for ever and says what it found. The first delivery of an (account, provider, identity) is
// the event; later ones are compared with it and never have an effect.
//
// It returns after the commit. When ctx ends first the delivery may be recorded all the same, and nobody else's is
// harmed; the sender's retry is then a duplicate.
func (s *Store) Accept(ctx context.Context, e order.Event) (Receipt, error) {
	mine, err := s.newEntry(settled(e, s.now()))
	if err != nil {
		return Receipt{}, err
	}
	mine.ctx = ctx
	if err := s.committer.enqueue(mine); err != nil {
		return Receipt{}, err
	}
	select {
	case <-mine.done:
		return mine.answer()
	case <-ctx.Done():
		return Receipt{}, fmt.Errorf("event: accept: %w", ctx.Err())
	}
}

// entry is a delivery on its way into the database. What can be done before its turn, is: the one writer only writes.
type entry struct {
	ctx   context.Context
	event order.Event
	row   eventRow
	now   time.Time
	// forgetAt is when the bytes may go if the event is finished already.
	forgetAt time.Time

	// first is set where this delivery became the event, standing where it didn't.
	first bool
	// recorded is set when the event that it became is committed, whatever becomes of the rest of its batch.
	recorded bool
	standing *standing
	verdict  Verdict
	err      error
	done     chan struct{}
}

// eventRow is an event as its columns.
type eventRow struct {
	refs, changes, headers                 []byte
	bodyDigest, changesDigest, moneyDigest []byte
}

func (s *Store) newEntry(e order.Event) (*entry, error) {
	if err := checkNames(e); err != nil {
		return nil, err
	}
	row, err := newEventRow(e)
	if err != nil {
		return nil, fmt.Errorf("event: accept: %w: %w", ErrInvalid, err)
	}
	now := s.now()
	e.ID = s.ids.next(eventID, now)
	return &entry{
		ctx: context.Background(), event: e, row: row, now: now, forgetAt: now.Add(s.retention), done: make(chan struct{}),
	}, nil
}

func newEventRow(e order.Event) (row eventRow, err error) {
	if row.refs, err = fromReferences(e.References); err != nil {
		return row, err
	}
	if row.changes, err = fromChanges(e.Changes); err != nil {
		return row, err
	}
	if row.headers, err = fromHeaders(e.Raw.Headers); err != nil {
		return row, err
	}
	if len(e.Raw.Body) > 0 {
		digest := sha256.Sum256(e.Raw.Body)
		row.bodyDigest = digest[:]
	}
	row.changesDigest = digestOf(row.refs, row.changes)
	row.moneyDigest = moneyDigestOf(e.Changes)
	return row, nil
}

// checkNames refuses what not every database's text takes, so that all of them refuse the same. Lengths are left to
// the schema's own checks.
func checkNames(e order.Event) error {
	names := []string{e.Account, e.Provider, e.Identity, e.DeliveryID, e.Type, e.Raw.ContentType, e.TranslatorVersion}
	for _, key := range e.Keys() {
		names = append(names, key.Value)
	}
	for _, name := range names {
		if strings.ContainsRune(name, 0) || !utf8.ValidString(name) {
			return fmt.Errorf("event: accept: %w: a name holds U+0000 or is not UTF-8", ErrInvalid)
		}
	}
	return nil
}

// size is about how much memory an entry holds while it waits.
func (en *entry) size() int64 {
	return int64(len(en.event.Raw.Body) + len(en.row.changes) + len(en.row.refs) + 1024)
}

func (en *entry) finish(err error) {
	if en.recorded {
		err = nil
	}
	en.err = err
	close(en.done)
}

func (en *entry) answer() (Receipt, error) {
	if en.err != nil {
		return Receipt{}, fmt.Errorf("event: accept: %w", en.err)
	}
	if en.first {
		e := en.event
		e.Raw = order.Raw{}
		return Receipt{Event: e, Verdict: Accepted, State: order.StateReceived}, nil
	}
	return en.standing.receipt(en)
}

// byKey is the order in which every writer touches the keys of events: two batches with the same keys in opposite
// order would wait for each other for ever.
func byKey(a, b *entry) int {
	return cmp.Or(
		cmp.Compare(a.event.Account, b.event.Account),
		cmp.Compare(a.event.Provider, b.event.Provider),
		cmp.Compare(a.event.Identity, b.event.Identity),
	)
}

// recordBatch writes a batch in one transaction.
func (s *Store) recordBatch(batch []*entry) error {
	// The batch belongs to all its callers: none of their contexts may end it.
	ctx, cancel := context.WithTimeout(context.Background(), s.commitTimeout)
	defer cancel()
	slices.SortStableFunc(batch, byKey)
	err := s.gate.enter(ctx, true)
	if err == nil {
		err = s.commitBatch(ctx, batch)
		s.gate.leave()
	}
	if err == nil && s.db.present != nil {
		err = s.db.present()
	}
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%w: the commit took too long", ErrUnavailable)
	}
	if err == nil {
		s.hintAll(accountsOf(batch)...)
	}
	return err
}

// accountsOf are the accounts of a batch, which is sorted.
func accountsOf(batch []*entry) []string {
	var accounts []string
	for _, en := range batch {
		if last := len(accounts) - 1; last < 0 || accounts[last] != en.event.Account {
			accounts = append(accounts, en.event.Account)
		}
	}
	return accounts
}

func (s *Store) commitBatch(ctx context.Context, batch []*entry) error {
	if !s.db.lone {
		return s.commitShared(ctx, batch)
	}
	tx, err := s.statements.begin(ctx)
	if err != nil {
		return s.db.translate(err)
	}
	if err := s.record(ctx, tx, batch); err != nil {
		rollback(tx)
		return s.db.translate(err)
	}
	return s.db.translate(tx.Commit())
}

// record writes what is new in the batch and compares the rest with what stands.
func (s *Store) record(ctx context.Context, tx execer, batch []*entry) error {
	for _, en := range batch {
		en.first, en.standing, en.verdict = false, nil, Accepted
	}
	if err := s.db.recorder.record(ctx, tx, batch); err != nil {
		return err
	}
	for _, en := range batch {
		if en.first {
			continue
		}
		if err := s.compare(ctx, tx, en); err != nil {
			return err
		}
	}
	return nil
}
