package store

import (
	"context"
	"slices"

	"github.com/waybillhq/waybill/ent"
	"github.com/waybillhq/waybill/server/order"
)

// bulk is how many rows one statement inserts; databases bound the number of a statement's arguments.
const bulk = 500

// add collects an order's new rows.
func (s *saver) add(o *order.Order, d orderDiff) {
	for id, row := range d.shipments.added {
		s.shipments = append(s.shipments, s.tx.Shipment.Create().SetID(id).SetAccount(o.Account).SetOrderID(o.ID).
			SetPosition(row.position).SetConsignmentID(row.consignmentID).SetTrackingNumber(row.trackingNumber).
			SetFulfilmentID(row.fulfilment).SetReturnParcel(row.returned).SetAliases([]byte(row.aliases)).
			SetCourier(row.courier).SetUnits([]byte(row.units)).SetStatus(row.status).
			SetNillableStatusAt(row.statusAt.column()).SetStatusCertainty(row.certainty).
			SetFacts([]byte(row.facts)).SetNillableCreatedAt(row.createdAt.column()))
	}
	for key, row := range d.statuses.added {
		s.statuses = append(s.statuses, s.tx.StatusFact.Create().SetAccount(o.Account).SetOrderID(o.ID).
			SetShipmentID(key.part).SetEventID(key.eventID).SetChangeIndex(key.changeIndex).
			SetIdentity(row.identity).SetProvider(row.provider).SetPosition(row.position).SetStatus(row.status).
			SetNillableEffectiveAt(row.at.column()).SetCertainty(row.certainty).SetParked(row.parked))
	}
	for key, row := range d.entries.added {
		currency, minorUnits := row.amount.columns()
		s.entries = append(s.entries, s.tx.LedgerEntry.Create().SetAccount(o.Account).SetOrderID(o.ID).
			SetEventID(key.eventID).SetChangeIndex(key.changeIndex).SetKind(key.kind).
			SetIdentity(row.identity).SetProvider(row.provider).SetPosition(row.position).SetPaymentID(row.paymentID).
			SetRef(row.ref).SetState(row.state).SetNillableCurrency(currency).SetNillableMinorUnits(minorUnits).
			SetRunningTotal(row.running).SetCashOnDelivery(row.cash).SetNillableEffectiveAt(row.at.column()))
	}
	s.addNotes(o, d.notes.added)
	for key, row := range d.marks.added {
		s.marks = append(s.marks, s.tx.AttentionMark.Create().SetAccount(o.Account).SetOrderID(o.ID).
			SetReason(key.reason).SetEventID(key.eventID).SetPosition(row.position).SetDetail(row.detail).
			SetNillableSinceAt(row.since.column()))
	}
}

func (s *saver) addNotes(o *order.Order, notes map[factKey]noteRow) {
	for key, row := range notes {
		currency, minorUnits := row.amount.columns()
		s.notes = append(s.notes, s.tx.Note.Create().SetAccount(o.Account).SetOrderID(o.ID).SetShipmentID(key.part).
			SetEventID(key.eventID).SetChangeIndex(key.changeIndex).SetKind(key.kind).
			SetIdentity(row.identity).SetProvider(row.provider).SetPosition(row.position).SetName(row.name).
			SetCourier(row.courier).SetNillableCurrency(currency).SetNillableMinorUnits(minorUnits).
			SetUnits([]byte(row.units)).SetText([]byte(row.text)).
			SetNillableEffectiveAt(row.at.column()))
	}
}

// addSteps collects what is appended to an order's history.
func (s *saver) addSteps(h *held) {
	o := h.order
	for i, step := range h.steps {
		if step.RecordedAt.IsZero() {
			step.RecordedAt = o.UpdatedAt
		}
		s.steps = append(s.steps, s.tx.Step.Create().SetID(s.store.ids.next(stepID, o.UpdatedAt)).
			SetAccount(o.Account).SetOrderID(o.ID).SetVersion(o.Version).SetPosition(i).SetKind(string(step.Kind)).
			SetNillableOccurredAt(perhapsMicros(step.At)).SetCertainty(string(step.Certainty)).
			SetNillableRecordedAt(perhapsMicros(step.RecordedAt)).SetFromStatus(plain(step.From)).
			SetToStatus(plain(step.To)).SetSkipped([]byte(jsonOf(step.Skipped, len(step.Skipped)))).
			SetShipment(step.Shipment).SetProvider(step.Provider).SetEventID(step.EventID))
	}
}

// insert writes the new rows of all orders.
func (s *saver) insert(ctx context.Context) error {
	inserts := []func() error{
		func() error {
			return inBulk(s.orders, func(b []*ent.OrderCreate) error { return s.tx.Order.CreateBulk(b...).Exec(ctx) })
		},
		func() error {
			return inBulk(s.shipments, func(b []*ent.ShipmentCreate) error { return s.tx.Shipment.CreateBulk(b...).Exec(ctx) })
		},
		func() error {
			return inBulk(s.statuses, func(b []*ent.StatusFactCreate) error { return s.tx.StatusFact.CreateBulk(b...).Exec(ctx) })
		},
		func() error {
			return inBulk(s.entries, func(b []*ent.LedgerEntryCreate) error { return s.tx.LedgerEntry.CreateBulk(b...).Exec(ctx) })
		},
		func() error {
			return inBulk(s.notes, func(b []*ent.NoteCreate) error { return s.tx.Note.CreateBulk(b...).Exec(ctx) })
		},
		func() error {
			return inBulk(s.marks, func(b []*ent.AttentionMarkCreate) error { return s.tx.AttentionMark.CreateBulk(b...).Exec(ctx) })
		},
		func() error {
			return inBulk(s.steps, func(b []*ent.StepCreate) error { return s.tx.Step.CreateBulk(b...).Exec(ctx) })
		},
	}
	for _, insert := range inserts {
		if err := insert(); err != nil {
			return err
		}
	}
	return nil
}

// inBulk inserts rows, so many at a time as a statement takes.
func inBulk[R any](rows []R, insert func(rows []R) error) error {
	for chunk := range slices.Chunk(rows, bulk) {
		if err := insert(chunk); err != nil {
			return err
		}
	}
	return nil
}
