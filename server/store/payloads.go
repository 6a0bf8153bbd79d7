package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/waybillhq/waybill/ent"
	"github.com/waybillhq/waybill/ent/pendingitem"
	"github.com/waybillhq/waybill/ent/wait"
)

// stillNeeded says of a payload that something unfinished needs it: an event whose bytes it is, or one of whose
// deliveries said something else in them.
const stillNeeded = `
EXISTS (SELECT 1 FROM pending_items p WHERE p.account = payloads.account AND p.body_digest = payloads.digest)
OR EXISTS (SELECT 1 FROM deliveries d JOIN pending_items p ON p.id = d.event_id
           WHERE d.account = payloads.account AND d.body_digest = payloads.digest AND d.changes IS NOT NULL)`

// The time is asked of the row that goes, too: between the search and the removal somebody may have come to need it.
const expirePayloads = `
DELETE FROM payloads WHERE expires_at <= ? AND id IN (
    SELECT id FROM payloads WHERE expires_at IS NOT NULL AND expires_at <= ? AND NOT (` + stillNeeded + `)
    ORDER BY expires_at LIMIT ?)`

// endEvents takes events that have ended out of what is pending. From now on their bytes have an expiry, unless
// something else needs them.
func (s *Store) endEvents(ctx context.Context, tx *ent.Tx, events []*decidedEvent) error {
	if len(events) == 0 {
		return nil
	}
	byAccount := make(map[string][]string)
	var ids []string
	for _, e := range events {
		byAccount[e.Account] = append(byAccount[e.Account], e.ID)
		ids = append(ids, e.ID)
	}
	slices.Sort(ids)
	if _, err := tx.PendingItem.Delete().Where(pendingitem.IDIn(ids...)).Exec(ctx); err != nil {
		return fmt.Errorf("pending items: end: %w", err)
	}
	for account, ids := range byAccount {
		if _, err := tx.Wait.Delete().Where(wait.Account(account), wait.PendingIDIn(ids...)).Exec(ctx); err != nil {
			return fmt.Errorf("waits: end: %w", err)
		}
		if err := s.letExpire(ctx, tx, account, ids); err != nil {
			return fmt.Errorf("payloads: let expire: %w", err)
		}
	}
	return nil
}

// letExpire gives the bytes of n events that have ended an expiry. UNION ALL, for a UNION would be merged by digest,
// through all variants that the account ever had.
func letExpire(n int) string {
	marks := strings.TrimSuffix(strings.Repeat("?, ", n), ", ")
	return `
UPDATE payloads SET expires_at = ? WHERE account = ? AND expires_at IS NULL AND digest IN (
    SELECT body_digest FROM events WHERE account = ? AND id IN (` + marks + `)
    UNION ALL
    SELECT body_digest FROM deliveries WHERE account = ? AND event_id IN (` + marks + `) AND changes IS NOT NULL)
AND NOT (` + stillNeeded + `)`
}

func (s *Store) letExpire(ctx context.Context, tx *ent.Tx, account string, eventIDs []string) error {
	args := []any{micros(s.now().Add(s.retention)), account, account}
	args = append(args, anySlice(eventIDs)...)
	args = append(args, account)
	args = append(args, anySlice(eventIDs)...)
	_, err := tx.ExecContext(ctx, s.db.bind(letExpire(len(eventIDs))), args...)
	return err
}

// ExpirePayloads removes up to limit payloads whose time is over by now, and says how many. Bytes that something
// unfinished needs stay, whatever their time.
func (s *Store) ExpirePayloads(ctx context.Context, now time.Time, limit int) (int, error) {
	var removed int64
	err := s.write(ctx, func(tx *ent.Tx) error {
		result, err := tx.ExecContext(ctx, s.db.bind(expirePayloads), micros(now), micros(now), limit)
		if err != nil {
			return err
		}
		removed, err = result.RowsAffected()
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("payloads: expire: %w", err)
	}
	return int(removed), nil
}
