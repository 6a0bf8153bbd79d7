package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/waybillhq/waybill/ent"
	"github.com/waybillhq/waybill/ent/predicate"
	"github.com/waybillhq/waybill/ent/subject"
	"github.com/waybillhq/waybill/server/order"
)

// subjectKey is a subject's name.
type subjectKey struct {
	account string
	order.Key
}

func bySubject(a, b subjectKey) int {
	return cmp.Or(
		cmp.Compare(a.account, b.account), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Value, b.Value),
	)
}

// subjectRow is a locked subject.
type subjectRow struct {
	id int64
	// orderID is the order that it belongs to. Empty: none yet.
	orderID string
	shared  bool
	// changed says that it belongs to another order, or to more of them, than it did; got, that it belongs to one now
	// and belonged to none.
	changed, got bool
}

// lockSubjects makes the subjects that nobody has named yet, and locks all of them, sorted, until the transaction ends.
// It is the only place that locks them. What they are found to name stays so until then.
func (s *Store) lockSubjects(ctx context.Context, tx *ent.Tx, keys []subjectKey) (map[subjectKey]*subjectRow, error) {
	keys = slices.Clone(keys)
	slices.SortFunc(keys, bySubject)
	keys = slices.Compact(keys)
	found := make(map[subjectKey]*subjectRow, len(keys))
	for chunk := range slices.Chunk(keys, bulk) {
		if err := s.makeSubjects(ctx, tx, chunk); err != nil {
			return nil, fmt.Errorf("subjects: make: %w", err)
		}
		rows, err := s.readSubjects(ctx, tx, chunk)
		if err != nil {
			return nil, fmt.Errorf("subjects: lock: %w", err)
		}
		for _, row := range rows {
			locked := &subjectRow{id: row.ID, shared: row.Shared}
			if row.OrderID != nil {
				locked.orderID = *row.OrderID
			}
			found[subjectKey{row.Account, order.Key{Kind: order.KeyKind(row.Kind), Value: row.Key}}] = locked
		}
	}
	return found, nil
}

// makeSubjects inserts what is not there. It is raw because Ent answers a conflict that does nothing with an error.
func (s *Store) makeSubjects(ctx context.Context, tx *ent.Tx, keys []subjectKey) error {
	args := make([]any, 0, 4*len(keys))
	for _, key := range keys {
		args = append(args, key.account, string(key.Kind), key.Value, false)
	}
	query := "INSERT INTO subjects (account, kind, key, shared) VALUES " +
		strings.TrimSuffix(strings.Repeat("(?, ?, ?, ?), ", len(keys)), ", ") +
		" ON CONFLICT (account, kind, key) DO NOTHING"
	_, err := tx.ExecContext(ctx, s.db.bind(query), args...)
	return err
}

func (s *Store) readSubjects(ctx context.Context, tx *ent.Tx, keys []subjectKey) ([]*ent.Subject, error) {
	byKind := make(map[subjectKey][]string)
	for _, key := range keys {
		group := subjectKey{account: key.account, Key: order.Key{Kind: key.Kind}}
		byKind[group] = append(byKind[group], key.Value)
	}
	var named []predicate.Subject
	for group, values := range byKind {
		named = append(named, subject.And(
			subject.Account(group.account), subject.Kind(string(group.Kind)), subject.KeyIn(values...)))
	}
	query := tx.Subject.Query().Where(subject.Or(named...)).
		Order(subject.ByAccount(), subject.ByKind(), subject.ByKey())
	if s.db.rowLocks {
		query.ForUpdate()
	}
	return query.All(ctx)
}

// found is what subjects name, as the rules ask for it.
func (b *batch) found(account string, keys []order.Key) map[order.Key]order.Found {
	found := make(map[order.Key]order.Found, len(keys))
	for _, key := range keys {
		row := b.subjects[subjectKey{account, key}]
		if row == nil || row.orderID == "" {
			continue
		}
		source := b.orders[row.orderID].order.Source
		found[key] = order.Found{OrderID: row.orderID, Shared: row.shared, HeardOf: source == "", Source: source}
	}
	return found
}

// claimKeys gives an order the keys that name it since its ruling. A key of another order becomes shared: from now on
// it names no single one. Keys that are not locked are returned: they must be before anything can be decided.
func (b *batch) claimKeys(h *held) (missing []subjectKey) {
	for _, key := range h.order.Keys() {
		if h.known[key] {
			continue
		}
		name := subjectKey{h.order.Account, key}
		row := b.subjects[name]
		switch {
		case row == nil:
			missing = append(missing, name)
			continue
		case row.orderID == "":
			row.orderID, row.changed, row.got = h.order.ID, true, true
		case row.orderID != h.order.ID && !row.shared:
			row.shared, row.changed = true, true
		}
		h.known[key] = true
	}
	return missing
}

// saveSubjects writes what subjects name now.
func (b *batch) saveSubjects(ctx context.Context) error {
	type state struct {
		orderID string
		shared  bool
	}
	changed := make(map[state][]int64)
	for _, row := range b.subjects {
		if row.changed {
			now := state{row.orderID, row.shared}
			changed[now] = append(changed[now], row.id)
		}
	}
	for now, ids := range changed {
		err := b.tx.Subject.Update().Where(subject.IDIn(ids...)).SetOrderID(now.orderID).SetShared(now.shared).Exec(ctx)
		if err != nil {
			return fmt.Errorf("subjects: save: %w", err)
		}
	}
	return nil
}
