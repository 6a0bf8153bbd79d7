package store

import (
	"context"
	"fmt"

	"github.com/waybillhq/waybill/ent"
	"github.com/waybillhq/waybill/ent/step"
	"github.com/waybillhq/waybill/ent/subject"
	"github.com/waybillhq/waybill/server/order"
)

// OrderByNumber is the order of a number; a leading # is no part of it. ErrNotFound: there is none. ErrAmbiguous, which
// is an ErrNotFound too: several orders have it.
func (s *Store) OrderByNumber(ctx context.Context, account, number string) (OrderView, error) {
	return s.orderByKey(ctx, account, order.NumberKey(number))
}

// OrderByConsignment is the order of a parcel, by its consignment id or tracking number. Errors are those of
// OrderByNumber.
func (s *Store) OrderByConsignment(ctx context.Context, account, consignment string) (OrderView, error) {
	return s.orderByKey(ctx, account, order.Key{Kind: order.KeyShipment, Value: order.ShipmentValue(consignment)})
}

func (s *Store) orderByKey(ctx context.Context, account string, key order.Key) (view OrderView, err error) {
	err = s.read(ctx, func(tx *ent.Tx) error {
		row, err := tx.Subject.Query().
			Where(subject.Account(account), subject.Kind(string(key.Kind)), subject.Key(plain(key.Value))).Only(ctx)
		if ent.IsNotFound(err) || (err == nil && row.OrderID == nil) {
			return ErrNotFound
		}
		if err != nil {
			return err
		}
		if row.Shared {
			return ErrAmbiguous
		}
		view, err = s.orderView(ctx, tx, account, *row.OrderID)
		return err
	})
	if err != nil {
		return OrderView{}, fmt.Errorf("order of %s %q: %w", key.Kind, key.Value, err)
	}
	return view, nil
}

func (s *Store) orderView(ctx context.Context, tx *ent.Tx, account, id string) (OrderView, error) {
	orders, err := s.loadOrders(ctx, tx, wanted{[]string{account}, []string{id}}, false)
	if err != nil {
		return OrderView{}, err
	}
	view := OrderView{Order: orders[id]}
	if view.Order == nil {
		return OrderView{}, ErrNotFound
	}
	rows, err := tx.Step.Query().Where(step.Account(account), step.OrderID(id)).
		Order(step.ByVersion(), step.ByPosition()).All(ctx)
	if err != nil {
		return OrderView{}, err
	}
	for _, row := range rows {
		entry, err := toStep(row)
		if err != nil {
			return OrderView{}, err
		}
		view.Steps = append(view.Steps, entry)
	}
	return view, nil
}
