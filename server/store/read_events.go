package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/waybillhq/waybill/ent"
	"github.com/waybillhq/waybill/ent/event"
	entorder "github.com/waybillhq/waybill/ent/order"
	"github.com/waybillhq/waybill/ent/outcome"
	"github.com/waybillhq/waybill/ent/payload"
	"github.com/waybillhq/waybill/ent/pendingitem"
	"github.com/waybillhq/waybill/server/order"
)

// Events is a page of an account's events, newest first.
func (s *Store) Events(ctx context.Context, filter EventFilter) (page EventPage, err error) {
	limit := pageSize(filter.Limit)
	err = s.read(ctx, func(tx *ent.Tx) error {
		places, err := s.findEvents(ctx, tx, filter, limit+1)
		if err != nil {
			return err
		}
		if len(places) > limit {
			places = places[:limit]
			page.Next = places[limit-1]
		}
		ids := make([]string, len(places))
		for i, place := range places {
			ids[i] = place.ID
		}
		page.Events, err = s.eventViews(ctx, tx, filter.Account, ids)
		return err
	})
	if err != nil {
		return EventPage{}, fmt.Errorf("events: list: %w", err)
	}
	return page, nil
}

// findEvents finds where the filtered events stand in the list. Each way of looking for them has an index that gives
// them in this order, so a page costs what is on it, however long the history is.
func (s *Store) findEvents(ctx context.Context, tx *ent.Tx, filter EventFilter, limit int) ([]Cursor, error) {
	var sel *entsql.Selector
	if filter.Outcome == "" && filter.OrderNumber == "" {
		sel = s.allEvents(filter)
	} else {
		orders, err := ordersOf(ctx, tx, filter)
		if err != nil {
			return nil, err
		}
		if filter.OrderNumber != "" && len(orders) == 0 {
			return nil, nil
		}
		sel = s.decidedEvents(filter, orders)
	}
	query, args := sel.Limit(limit).Query()
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	return scanCursors(rows)
}

func scanCursors(rows *sql.Rows) ([]Cursor, error) {
	var places []Cursor
	for rows.Next() {
		var at int64
		var place Cursor
		if err := rows.Scan(&at, &place.ID); err != nil {
			return nil, err
		}
		place.At = moment(at)
		places = append(places, place)
	}
	return places, rows.Err()
}

// allEvents looks through the receipts.
func (s *Store) allEvents(filter EventFilter) *entsql.Selector {
	e := entsql.Dialect(s.db.name).Table(event.Table).As("e")
	at, id := e.C(event.FieldReceivedAt), e.C(event.FieldID)
	sel := entsql.Dialect(s.db.name).Select(at, id).From(e).Where(entsql.EQ(e.C(event.FieldAccount), filter.Account))
	if filter.Provider != "" {
		sel.Where(entsql.EQ(e.C(event.FieldProvider), filter.Provider))
	}
	return within(sel, filter, at, id)
}

// decidedEvents looks through the outcomes: those with the wanted outcome, or those of the wanted orders.
func (s *Store) decidedEvents(filter EventFilter, orders []string) *entsql.Selector {
	build := entsql.Dialect(s.db.name)
	o := build.Table(outcome.Table).As("o")
	at, id := o.C(outcome.FieldReceivedAt), o.C(outcome.FieldEventID)
	sel := build.Select(at, id).Distinct().From(o).Where(entsql.EQ(o.C(outcome.FieldAccount), filter.Account))
	if filter.Outcome != "" {
		newer := build.Table(outcome.Table).As("newer")
		sel.Where(entsql.EQ(o.C(outcome.FieldOutcome), string(filter.Outcome)))
		sel.Where(entsql.NotExists(build.Select(newer.C(outcome.FieldID)).From(newer).Where(entsql.And(
			entsql.ColumnsEQ(newer.C(outcome.FieldAccount), o.C(outcome.FieldAccount)),
			entsql.ColumnsEQ(newer.C(outcome.FieldEventID), o.C(outcome.FieldEventID)),
			entsql.ColumnsEQ(newer.C(outcome.FieldChangeIndex), o.C(outcome.FieldChangeIndex)),
			entsql.ColumnsGT(newer.C(outcome.FieldRevision), o.C(outcome.FieldRevision)),
		))))
	}
	if filter.OrderNumber != "" {
		sel.Where(entsql.In(o.C(outcome.FieldOrderID), anySlice(orders)...))
	}
	if filter.Provider != "" {
		e := build.Table(event.Table).As("e")
		sel.Join(e).On(e.C(event.FieldID), id).Where(entsql.EQ(e.C(event.FieldProvider), filter.Provider))
	}
	return within(sel, filter, at, id)
}

// within bounds a list by time and by the page before, and sorts it newest first.
func within(sel *entsql.Selector, filter EventFilter, at, id string) *entsql.Selector {
	if !filter.ReceivedFrom.IsZero() {
		sel.Where(entsql.GTE(at, micros(filter.ReceivedFrom)))
	}
	if !filter.ReceivedBefore.IsZero() {
		sel.Where(entsql.LT(at, micros(filter.ReceivedBefore)))
	}
	if !filter.After.IsZero() {
		sel.Where(entsql.CompositeLT([]string{at, id}, micros(filter.After.At), filter.After.ID))
	}
	return sel.OrderBy(entsql.Desc(at), entsql.Desc(id))
}

func ordersOf(ctx context.Context, tx *ent.Tx, filter EventFilter) ([]string, error) {
	if filter.OrderNumber == "" {
		return nil, nil
	}
	return tx.Order.Query().
		Where(entorder.Account(filter.Account), entorder.Number(plain(order.NormalNumber(filter.OrderNumber)))).IDs(ctx)
}

func anySlice(texts []string) []any {
	values := make([]any, len(texts))
	for i, text := range texts {
		values[i] = text
	}
	return values
}

// Event is one event with its deliveries and decisions, and with its bytes if they are wanted and still kept.
func (s *Store) Event(ctx context.Context, account, id string, withRaw bool) (view EventView, err error) {
	err = s.read(ctx, func(tx *ent.Tx) (err error) {
		view, err = s.eventWhole(ctx, tx, account, id)
		if err != nil || !withRaw {
			return err
		}
		view.Event.Raw.Body, err = rawBody(ctx, tx, account, id)
		if errors.Is(err, ErrPayloadGone) {
			return nil
		}
		return err
	})
	if err != nil {
		return EventView{}, fmt.Errorf("event %s: %w", plain(id), err)
	}
	return view, nil
}

// eventWhole is an event with its deliveries and children.
func (s *Store) eventWhole(ctx context.Context, tx *ent.Tx, account, id string) (EventView, error) {
	views, err := s.eventViews(ctx, tx, account, []string{plain(id)})
	if err != nil {
		return EventView{}, err
	}
	if len(views) == 0 {
		return EventView{}, ErrNotFound
	}
	view := views[0]
	if view.Deliveries, err = deliveriesOf(ctx, tx, view.Event); err != nil {
		return EventView{}, err
	}
	view.ChildIDs, err = s.childrenOf(ctx, tx, account, view.Event.ID)
	return view, err
}

// findChildren leaves the sorting to its caller: asked to sort, SQLite prefers the index of all receipts.
const findChildren = `SELECT id FROM events WHERE account = ? AND parent_id = ?`

func (s *Store) childrenOf(ctx context.Context, tx *ent.Tx, account, id string) ([]string, error) {
	rows, err := tx.QueryContext(ctx, s.db.bind(findChildren), account, id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var ids []string
	for rows.Next() {
		var child string
		if err := rows.Scan(&child); err != nil {
			return nil, err
		}
		ids = append(ids, child)
	}
	slices.Sort(ids)
	return ids, rows.Err()
}

// rawBody is the body of an event. ErrPayloadGone: it is not kept any more.
func rawBody(ctx context.Context, tx *ent.Tx, account, id string) ([]byte, error) {
	row, err := tx.Event.Query().Where(event.Account(account), event.ID(id)).Select(event.FieldBodyDigest).Only(ctx)
	if err != nil {
		return nil, err
	}
	digest := bytesOf(row.BodyDigest)
	if digest == nil {
		return nil, nil
	}
	kept, err := tx.Payload.Query().Where(payload.Account(account), payload.Digest(digest)).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, ErrPayloadGone
	}
	if err != nil {
		return nil, err
	}
	return kept.Body, nil
}

// eventViews are events of an account, in the order of their ids, without deliveries, children and bytes.
func (s *Store) eventViews(ctx context.Context, tx *ent.Tx, account string, ids []string) ([]EventView, error) {
	var views []EventView
	for chunk := range slices.Chunk(ids, bulk) {
		some, err := s.someEventViews(ctx, tx, account, chunk)
		if err != nil {
			return nil, err
		}
		views = append(views, some...)
	}
	return views, nil
}

func (s *Store) someEventViews(ctx context.Context, tx *ent.Tx, account string, ids []string) ([]EventView, error) {
	rows, err := tx.Event.Query().Where(event.Account(account), event.IDIn(ids...)).All(ctx)
	if err != nil {
		return nil, err
	}
	events := make([]order.Event, len(rows))
	for i, row := range rows {
		if events[i], err = toEvent(row); err != nil {
			return nil, err
		}
	}
	if err := s.readAgain(ctx, tx, events); err != nil {
		return nil, err
	}
	byID := make(map[string]*EventView, len(events))
	for _, e := range events {
		byID[e.ID] = &EventView{Event: e, State: order.StateCompleted}
	}
	if err := addStates(ctx, tx, byID, ids); err != nil {
		return nil, err
	}
	if err := addDecisions(ctx, tx, account, byID, ids); err != nil {
		return nil, err
	}
	var views []EventView
	for _, id := range ids {
		if view := byID[id]; view != nil {
			views = append(views, *view)
		}
	}
	return views, nil
}

func addStates(ctx context.Context, tx *ent.Tx, views map[string]*EventView, ids []string) error {
	rows, err := tx.PendingItem.Query().Where(pendingitem.IDIn(ids...)).All(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if view := views[row.ID]; view != nil {
			view.State, view.Reason = order.EventState(row.State), row.Reason
		}
	}
	return nil
}

// LastReceived is the last receipt of each provider of an account that ever sent something.
func (s *Store) LastReceived(ctx context.Context, account string) (map[string]time.Time, error) {
	// The recursion steps from provider to provider in the index, however many events each has.
	query := s.db.bind(`
WITH RECURSIVE names (name) AS (
    SELECT min(provider) FROM events WHERE account = ?
    UNION ALL
    SELECT (SELECT min(provider) FROM events WHERE account = ? AND provider > names.name)
    FROM names WHERE names.name IS NOT NULL)
SELECT name, (SELECT max(received_at) FROM events WHERE account = ? AND provider = names.name)
FROM names WHERE name IS NOT NULL`)
	last := make(map[string]time.Time)
	err := s.read(ctx, func(tx *ent.Tx) error {
		rows, err := tx.QueryContext(ctx, query, account, account, account)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var name string
			var at int64
			if err := rows.Scan(&name, &at); err != nil {
				return err
			}
			last[name] = moment(at)
		}
		return rows.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("providers: last received: %w", err)
	}
	return last, nil
}
