package store

import (
	"context"
	"encoding/hex"
	"slices"

	"github.com/waybillhq/waybill/ent"
	"github.com/waybillhq/waybill/ent/delivery"
	"github.com/waybillhq/waybill/ent/deliverycount"
	"github.com/waybillhq/waybill/ent/event"
	entorder "github.com/waybillhq/waybill/ent/order"
	"github.com/waybillhq/waybill/ent/outcome"
	"github.com/waybillhq/waybill/server/order"
)

// addDecisions gives events the newest decision of each change, and the numbers of the orders that they touched.
func addDecisions(
	ctx context.Context, tx *ent.Tx, account string, views map[string]*EventView, ids []string,
) error {
	rows, err := tx.Outcome.Query().
		Where(outcome.Account(account), outcome.EventIDIn(ids...), outcome.ChangeIndexGTE(0)).
		Order(outcome.ByChangeIndex(), outcome.ByRevision()).All(ctx)
	if err != nil {
		return err
	}
	numbers, err := numbersOf(ctx, tx, account, rows)
	if err != nil {
		return err
	}
	for _, row := range rows {
		view := views[row.EventID]
		if view == nil {
			continue
		}
		ruled, err := toRuledChange(row)
		if err != nil {
			return err
		}
		d := Decision{
			Decision: ruled.Decision, OrderID: row.OrderID, OrderNumber: numbers[row.OrderID],
			DecidedAt: moment(row.DecidedAt), Revision: row.Revision,
		}
		if last := len(view.Decisions) - 1; last >= 0 && view.Decisions[last].ChangeIndex == d.ChangeIndex {
			view.Decisions[last] = d
			continue
		}
		view.Decisions = append(view.Decisions, d)
	}
	for _, view := range views {
		view.sumUp()
	}
	return nil
}

// sumUp takes the outcome, its reason and the orders from the decisions.
func (v *EventView) sumUp() {
	decisions := make([]order.Decision, len(v.Decisions))
	for i, d := range v.Decisions {
		decisions[i] = d.Decision
		if d.OrderNumber != "" && !slices.Contains(v.OrderNumbers, d.OrderNumber) {
			v.OrderNumbers = append(v.OrderNumbers, d.OrderNumber)
		}
	}
	v.Outcome = order.Headline(decisions)
	if v.Reason != "" {
		return
	}
	for _, d := range decisions {
		if d.Outcome == v.Outcome {
			v.Reason = d.Reason
			return
		}
	}
}

func numbersOf(ctx context.Context, tx *ent.Tx, account string, rows []*ent.Outcome) (map[string]string, error) {
	numbers := make(map[string]string)
	var ids []string
	for _, row := range rows {
		if row.OrderID != "" {
			ids = append(ids, row.OrderID)
		}
	}
	slices.Sort(ids)
	for chunk := range slices.Chunk(slices.Compact(ids), bulk) {
		orders, err := tx.Order.Query().Where(entorder.Account(account), entorder.IDIn(chunk...)).
			Select(entorder.FieldNumber).All(ctx)
		if err != nil {
			return nil, err
		}
		for _, o := range orders {
			numbers[o.ID] = o.Number
		}
	}
	return numbers, nil
}

// deliveriesOf are all arrivals of an event, the first one first. What was only counted stands with the last arrival
// that said the same.
func deliveriesOf(ctx context.Context, tx *ent.Tx, e order.Event) ([]Delivery, error) {
	first, err := tx.Event.Query().Where(event.ID(e.ID)).
		Select(event.FieldBodyDigest, event.FieldChangesDigest, event.FieldTranslatorVersion).Only(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := tx.Delivery.Query().Where(delivery.Account(e.Account), delivery.EventID(e.ID)).
		Order(delivery.ByReceivedAt(), delivery.ByID()).All(ctx)
	if err != nil {
		return nil, err
	}
	counts, err := tx.DeliveryCount.Query().
		Where(deliverycount.Account(e.Account), deliverycount.EventID(e.ID)).All(ctx)
	if err != nil {
		return nil, err
	}

	deliveries := []Delivery{{
		ReceivedAt: e.ReceivedAt, DeliveryID: e.DeliveryID, Verdict: Accepted, BodyDigest: bytesOf(first.BodyDigest),
		TranslatorVersion: first.TranslatorVersion,
	}}
	last := map[string]int{hex.EncodeToString(first.ChangesDigest): 0}
	for _, row := range rows {
		d, err := toDelivery(row)
		if err != nil {
			return nil, err
		}
		last[hex.EncodeToString(row.ChangesDigest)] = len(deliveries)
		deliveries = append(deliveries, d)
	}
	for _, count := range counts {
		if i, known := last[hex.EncodeToString(count.ChangesDigest)]; known {
			deliveries[i].Further = count.Further
		}
	}
	return deliveries, nil
}

func toDelivery(row *ent.Delivery) (Delivery, error) {
	d := Delivery{
		ReceivedAt: moment(row.ReceivedAt), DeliveryID: row.DeliveryID, Verdict: Verdict(row.Verdict),
		BodyDigest: bytesOf(row.BodyDigest), TranslatorVersion: row.TranslatorVersion,
	}
	if len(bytesOf(row.Changes)) == 0 { // SQLite binds a nil slice as an empty blob
		return d, nil
	}
	var err error
	d.Changes, err = toChanges(*row.Changes)
	return d, err
}

// bytesOf are a column's bytes. Nil: it is null, which Ent tells by either pointer.
func bytesOf(column *[]byte) []byte {
	if column == nil || len(*column) == 0 {
		return nil
	}
	return *column
}
