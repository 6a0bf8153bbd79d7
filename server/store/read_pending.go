package store

import (
	"context"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/waybillhq/waybill/ent"
	"github.com/waybillhq/waybill/ent/event"
	"github.com/waybillhq/waybill/ent/pendingitem"
	"github.com/waybillhq/waybill/ent/predicate"
	"github.com/waybillhq/waybill/server/order"
)

// PendingWork is a page of what is unfinished, longest unfinished first.
func (s *Store) PendingWork(ctx context.Context, filter PendingFilter) (page PendingPage, err error) {
	limit := pageSize(filter.Limit)
	err = s.read(ctx, func(tx *ent.Tx) error {
		// One more than asked for tells whether there is a next page.
		rows, err := tx.PendingItem.Query().Where(pendingIn(filter)...).
			Order(pendingitem.ByReceivedAt(), pendingitem.ByID()).Limit(limit + 1).All(ctx)
		if err != nil {
			return err
		}
		if len(rows) > limit {
			rows = rows[:limit]
			page.Next = Cursor{At: moment(rows[limit-1].ReceivedAt), ID: rows[limit-1].ID}
		}
		for _, row := range rows {
			page.Items = append(page.Items, toPendingItem(row))
		}
		return addReferences(ctx, tx, page.Items)
	})
	if err != nil {
		return PendingPage{}, fmt.Errorf("pending items: list: %w", err)
	}
	return page, nil
}

func pendingIn(filter PendingFilter) []predicate.PendingItem {
	var where []predicate.PendingItem
	if filter.Account != "" {
		where = append(where, pendingitem.Account(filter.Account))
	}
	if len(filter.Kinds) > 0 {
		where = append(where, pendingitem.KindIn(filter.Kinds...))
	}
	if len(filter.States) > 0 {
		states := make([]string, len(filter.States))
		for i, state := range filter.States {
			states[i] = string(state)
		}
		where = append(where, pendingitem.StateIn(states...))
	}
	if !filter.After.IsZero() {
		where = append(where, func(sel *entsql.Selector) {
			sel.Where(entsql.CompositeGT([]string{
				sel.C(pendingitem.FieldReceivedAt), sel.C(pendingitem.FieldID),
			}, micros(filter.After.At), filter.After.ID))
		})
	}
	return where
}

func toPendingItem(row *ent.PendingItem) PendingItem {
	item := PendingItem{
		ID: row.ID, Kind: row.Kind, Account: row.Account, Provider: row.Provider, Type: row.Type,
		State: order.EventState(row.State), Reason: row.Reason, ReceivedAt: moment(row.ReceivedAt),
		Attempts: row.Attempts,
	}
	if claimable(item.State) {
		item.DueAt = moment(row.DueAt)
	}
	return item
}

// claimable says that an item of this state is tried again by itself.
func claimable(state order.EventState) bool {
	return state == order.StateReceived || state == order.StateWaiting
}

func addReferences(ctx context.Context, tx *ent.Tx, items []PendingItem) error {
	ids := make([]string, len(items))
	for i, item := range items {
		ids[i] = item.ID
	}
	refs := make(map[string][]byte, len(items))
	for start := 0; start < len(ids); start += bulk {
		rows, err := tx.Event.Query().Where(event.IDIn(ids[start:min(start+bulk, len(ids))]...)).
			Select(event.FieldRefs).All(ctx)
		if err != nil {
			return err
		}
		for _, row := range rows {
			refs[row.ID] = row.Refs
		}
	}
	for i := range items {
		text, known := refs[items[i].ID]
		if !known {
			continue
		}
		var err error
		if items[i].References, err = toReferences(text); err != nil {
			return fmt.Errorf("event %s: %w", items[i].ID, err)
		}
	}
	return nil
}

// PendingSummary is all of an account's unfinished work in numbers. It reads what is unfinished and no history.
func (s *Store) PendingSummary(ctx context.Context, account string) (summary Summary, err error) {
	err = s.read(ctx, func(tx *ent.Tx) error {
		var counts []struct {
			Kind   string
			State  order.EventState
			Count  int64
			Oldest int64
		}
		err := tx.PendingItem.Query().Where(pendingitem.Account(account)).
			Order(pendingitem.ByKind(), pendingitem.ByState()).
			GroupBy(pendingitem.FieldKind, pendingitem.FieldState).
			Aggregate(ent.Count(), ent.As(ent.Min(pendingitem.FieldReceivedAt), "oldest")).Scan(ctx, &counts)
		if err != nil {
			return err
		}
		for _, c := range counts {
			summary.Counts = append(summary.Counts, PendingCount{Kind: c.Kind, State: c.State, Count: c.Count})
			oldest := moment(c.Oldest)
			if summary.OldestWaitingAt.IsZero() || oldest.Before(summary.OldestWaitingAt) {
				summary.OldestWaitingAt = oldest
			}
		}
		return s.oldestDue(ctx, tx, account, &summary)
	})
	if err != nil {
		return Summary{}, fmt.Errorf("pending items: summary: %w", err)
	}
	return summary, nil
}

func (s *Store) oldestDue(ctx context.Context, tx *ent.Tx, account string, summary *Summary) error {
	row, err := tx.PendingItem.Query().
		Where(
			pendingitem.Account(account), pendingitem.DueAtLTE(micros(s.now())),
			pendingitem.StateIn(string(order.StateReceived), string(order.StateWaiting)),
		).
		Order(pendingitem.ByDueAt()).First(ctx)
	if ent.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	summary.OldestDueAt = moment(row.DueAt)
	return nil
}
