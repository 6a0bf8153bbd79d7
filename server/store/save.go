package store

import (
	"context"

	"github.com/waybillhq/waybill/ent"
	"github.com/waybillhq/waybill/ent/attentionmark"
	"github.com/waybillhq/waybill/ent/ledgerentry"
	"github.com/waybillhq/waybill/ent/note"
	entorder "github.com/waybillhq/waybill/ent/order"
	"github.com/waybillhq/waybill/ent/shipment"
	"github.com/waybillhq/waybill/ent/statusfact"
	"github.com/waybillhq/waybill/server/order"
)

// saver writes the differences of several orders. What goes and what changes it writes at once, what is new together.
type saver struct {
	store *Store
	tx    *ent.Tx

	orders    []*ent.OrderCreate
	shipments []*ent.ShipmentCreate
	statuses  []*ent.StatusFactCreate
	entries   []*ent.LedgerEntryCreate
	notes     []*ent.NoteCreate
	marks     []*ent.AttentionMarkCreate
	steps     []*ent.StepCreate
}

// order saves an order if anything about it has changed.
func (s *saver) order(ctx context.Context, h *held) error {
	s.complete(h.order)
	rows, err := fromOrder(h.order)
	if err != nil {
		return err
	}
	diff := diffOf(h.saved, rows)
	if !h.isNew && diff.empty() && h.saved.order == rows.order && len(h.steps) == 0 {
		return nil
	}
	h.order.Version++
	h.order.UpdatedAt = s.store.now()

	if err := s.head(ctx, h, rows.order); err != nil {
		return err
	}
	if err := s.remove(ctx, h.order, diff); err != nil {
		return err
	}
	s.add(h.order, diff)
	s.addSteps(h)
	h.saved, h.isNew, h.steps = rows, false, nil
	return nil
}

// complete gives what is new its id and the time of its making.
func (s *saver) complete(o *order.Order) {
	now := s.store.now()
	if o.CreatedAt.IsZero() {
		o.CreatedAt = now
	}
	for _, parcel := range o.Shipments {
		if parcel.ID == "" {
			parcel.ID = s.store.ids.next(shipmentID, now)
		}
		if parcel.CreatedAt.IsZero() {
			parcel.CreatedAt = now
		}
	}
}

// difference is what changed of rows with a key. A changed row is replaced: it goes, and it is new.
type difference[K, R comparable] struct {
	gone  []K
	added map[K]R
}

func differenceOf[K, R comparable](before, after map[K]R) difference[K, R] {
	d := difference[K, R]{added: make(map[K]R)}
	for key, row := range after {
		if old, known := before[key]; !known || old != row {
			d.added[key] = row
		}
	}
	for key, row := range before {
		if now, stays := after[key]; !stays || now != row {
			d.gone = append(d.gone, key)
		}
	}
	return d
}

func (d difference[K, R]) empty() bool { return len(d.added)+len(d.gone) == 0 }

// orderDiff is what changed of an order's parts.
type orderDiff struct {
	shipments difference[string, shipmentRow]
	statuses  difference[factKey, statusRow]
	entries   difference[factKey, entryRow]
	notes     difference[factKey, noteRow]
	marks     difference[markKey, markRow]
}

func diffOf(before, after orderRows) orderDiff {
	return orderDiff{
		differenceOf(before.shipments, after.shipments), differenceOf(before.statuses, after.statuses),
		differenceOf(before.entries, after.entries), differenceOf(before.notes, after.notes),
		differenceOf(before.marks, after.marks),
	}
}

func (d orderDiff) empty() bool {
	return d.shipments.empty() && d.statuses.empty() && d.entries.empty() && d.notes.empty() && d.marks.empty()
}

func (s *saver) head(ctx context.Context, h *held, row orderRow) error {
	o := h.order
	if h.isNew {
		s.orders = append(s.orders, s.tx.Order.Create().SetID(o.ID).SetAccount(o.Account).
			SetSource(row.source).SetSourceID(row.sourceID).SetNumber(row.number).
			SetPlacement([]byte(row.placement)).SetCancellation([]byte(row.cancellation)).
			SetStatus(row.status).SetNillableStatusAt(row.statusAt.column()).SetPaymentStatus(row.payment).
			SetFacts([]byte(row.facts)).SetNillableCreatedAt(row.createdAt.column()).
			SetUpdatedAt(micros(o.UpdatedAt)).SetVersion(o.Version))
		return nil
	}
	update := s.tx.Order.Update().Where(entorder.ID(o.ID)).SetVersion(o.Version).SetUpdatedAt(micros(o.UpdatedAt))
	old := h.saved.order
	if old != row {
		update.SetSource(row.source).SetSourceID(row.sourceID).SetNumber(row.number).
			SetStatus(row.status).SetPaymentStatus(row.payment)
		setOrClear(row.statusAt.column(), update.SetStatusAt, update.ClearStatusAt)
		setOrClear(row.createdAt.column(), update.SetCreatedAt, update.ClearCreatedAt)
		update.SetFacts([]byte(row.facts))
		update.SetCancellation([]byte(row.cancellation))
	}
	if old.placement != row.placement {
		update.SetPlacement([]byte(row.placement))
	}
	return update.Exec(ctx)
}

func setOrClear[T, U any](value *T, set func(T) U, unset func() U) {
	if value == nil {
		unset()
		return
	}
	set(*value)
}

func (s *saver) remove(ctx context.Context, o *order.Order, d orderDiff) error {
	for _, key := range d.statuses.gone {
		_, err := s.tx.StatusFact.Delete().Where(
			statusfact.Account(o.Account), statusfact.EventID(key.eventID), statusfact.ChangeIndex(key.changeIndex),
			statusfact.ShipmentID(key.part)).Exec(ctx)
		if err != nil {
			return err
		}
	}
	for _, key := range d.notes.gone {
		_, err := s.tx.Note.Delete().Where(
			note.Account(o.Account), note.EventID(key.eventID), note.ChangeIndex(key.changeIndex), note.Kind(key.kind),
			note.ShipmentID(key.part)).Exec(ctx)
		if err != nil {
			return err
		}
	}
	for _, key := range d.entries.gone {
		_, err := s.tx.LedgerEntry.Delete().Where(
			ledgerentry.Account(o.Account), ledgerentry.EventID(key.eventID), ledgerentry.ChangeIndex(key.changeIndex),
			ledgerentry.Kind(key.kind)).Exec(ctx)
		if err != nil {
			return err
		}
	}
	for _, key := range d.marks.gone {
		_, err := s.tx.AttentionMark.Delete().Where(
			attentionmark.Account(o.Account), attentionmark.OrderID(o.ID), attentionmark.Reason(key.reason),
			attentionmark.EventID(key.eventID)).Exec(ctx)
		if err != nil {
			return err
		}
	}
	if len(d.shipments.gone) == 0 {
		return nil
	}
	_, err := s.tx.Shipment.Delete().Where(shipment.Account(o.Account), shipment.IDIn(d.shipments.gone...)).Exec(ctx)
	return err
}
