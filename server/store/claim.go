package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/waybillhq/waybill/ent"
	"github.com/waybillhq/waybill/ent/pendingitem"
	"github.com/waybillhq/waybill/server/order"
)

// KindEvent is the kind of pending items that are events to decide.
const KindEvent = "event"

// Claim is the right to decide a pending item, for as long as nobody else claims it.
type Claim struct {
	// ID is the pending item's.
	ID string
	// EventID is the event to decide.
	EventID  string
	Account  string
	Kind     string
	Provider string
	State    order.EventState
	// Fence moves on with every claim; who writes with an older one has lost the item.
	Fence int64
	// Attempts counts the claims since the item last had an answer, this one included.
	Attempts   int
	ReceivedAt time.Time
	DueAt      time.Time
}

// What claimAccounts asks of each account, for the next due time. %[1]s is the database's clock.
const (
	nextUnleased = `min((
    SELECT due_at FROM pending_items
    WHERE account = names.name AND ` + isClaimable + ` AND (leased_until IS NULL OR leased_until <= %[1]s)
    ORDER BY due_at, id LIMIT 1))`

	nextLapse = `min((
    SELECT min(leased_until) FROM pending_items
    WHERE account = names.name AND ` + isClaimable + ` AND due_at <= ? AND leased_until > %[1]s))`
)

// Claim leases up to limit due items under new fences, and counts the attempt. Accounts get equal shares; of each, the
// longest due come first. A lease runs on the database's clock; who holds it past its end may find that somebody else
// has the item.
//
// Where several processes share a database, what another one made due may be found some seconds late, when nobody has
// said that it is due.
func (s *Store) Claim(ctx context.Context, limit int, lease time.Duration) ([]Claim, error) {
	claims, err := s.claimFairly(ctx, limit, lease)
	if err != nil {
		return nil, fmt.Errorf("pending items: claim: %w", err)
	}
	slices.SortFunc(claims, func(a, b Claim) int {
		return cmp.Or(a.DueAt.Compare(b.DueAt), cmp.Compare(a.ID, b.ID))
	})
	return claims, nil
}

func scanClaim(rows *sql.Rows) (c Claim, err error) {
	var received, due int64
	err = rows.Scan(&c.ID, &c.Account, &c.Kind, &c.Provider, &c.State, &c.Fence, &c.Attempts, &received, &due)
	c.EventID, c.ReceivedAt, c.DueAt = c.ID, moment(received), moment(due)
	return c, err
}

// NextDue is when something can be claimed next: now or in the past if something can be already. False: nothing ever
// will by itself.
func (s *Store) NextDue(ctx context.Context) (time.Time, bool, error) {
	var due, lapse sql.NullInt64
	err := s.read(ctx, func(tx *ent.Tx) error {
		if err := queryRow(ctx, tx, &due, fmt.Sprintf(claimAccounts, fmt.Sprintf(nextUnleased, s.db.clock))); err != nil {
			return err
		}
		if due.Valid && due.Int64 <= micros(s.now()) {
			return nil
		}
		// Nothing is due and free: what is due is in somebody's hands, which are few.
		query := fmt.Sprintf(claimAccounts, fmt.Sprintf(nextLapse, s.db.clock))
		return queryRow(ctx, tx, &lapse, s.db.bind(query), micros(s.now()))
	})
	if err != nil {
		return time.Time{}, false, fmt.Errorf("pending items: next due: %w", err)
	}
	switch {
	case due.Valid && lapse.Valid:
		return moment(min(due.Int64, lapse.Int64)), true, nil
	case due.Valid:
		return moment(due.Int64), true, nil
	case lapse.Valid:
		return moment(lapse.Int64), true, nil
	}
	return time.Time{}, false, nil
}

// Retry gives a claimed item back, to be tried again at dueAt. ErrLeaseLost: it is not the caller's any more.
func (s *Store) Retry(ctx context.Context, claim Claim, dueAt time.Time, reason string) error {
	return s.giveBack(ctx, claim, func(update *ent.PendingItemUpdate) {
		update.SetReason(plain(reason)).SetDueAt(micros(dueAt))
	})
}

// Fail takes a claimed item out of the queue until an operator looks at it. ErrLeaseLost: it is not the caller's any
// more.
func (s *Store) Fail(ctx context.Context, claim Claim, reason string) error {
	return s.giveBack(ctx, claim, func(update *ent.PendingItemUpdate) {
		update.SetReason(plain(reason)).SetState(string(order.StateFailed))
	})
}

func (s *Store) giveBack(ctx context.Context, claim Claim, set func(*ent.PendingItemUpdate)) error {
	err := s.write(ctx, func(tx *ent.Tx) error {
		update := tx.PendingItem.Update().
			Where(pendingitem.ID(claim.ID), pendingitem.Account(claim.Account), pendingitem.Fence(claim.Fence)).
			AddFence(1).ClearLeasedUntil()
		set(update)
		changed, err := update.Save(ctx)
		if err == nil && changed == 0 {
			return ErrLeaseLost
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("%s %s: give back: %w", claim.Kind, claim.ID, err)
	}
	s.fair.goBack(claim.Account)
	s.hint()
	return nil
}

func queryRow(ctx context.Context, tx execer, into any, query string, args ...any) error {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	if rows.Next() {
		if err := rows.Scan(into); err != nil {
			return err
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}
