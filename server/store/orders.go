package store

import (
	"context"
	"fmt"

	"github.com/waybillhq/waybill/ent"
	"github.com/waybillhq/waybill/ent/attentionmark"
	"github.com/waybillhq/waybill/ent/ledgerentry"
	"github.com/waybillhq/waybill/ent/note"
	entorder "github.com/waybillhq/waybill/ent/order"
	"github.com/waybillhq/waybill/ent/shipment"
	"github.com/waybillhq/waybill/ent/statusfact"
	"github.com/waybillhq/waybill/server/order"
)

// wanted names orders, of some accounts.
type wanted struct{ accounts, ids []string }

// loadOrders loads orders whole. With lock they stay as they are until the transaction ends.
func (s *Store) loadOrders(ctx context.Context, tx *ent.Tx, w wanted, lock bool) (map[string]*order.Order, error) {
	orders := make(map[string]*order.Order, len(w.ids))
	if len(w.ids) == 0 {
		return orders, nil
	}
	query := tx.Order.Query().Where(entorder.AccountIn(w.accounts...), entorder.IDIn(w.ids...)).Order(entorder.ByID())
	if lock && s.db.rowLocks {
		query.ForUpdate()
	}
	rows, err := query.All(ctx)
	if err != nil {
		return nil, fmt.Errorf("orders: load: %w", err)
	}
	for _, row := range rows {
		if orders[row.ID], err = toOrder(row); err != nil {
			return nil, err
		}
	}
	if err := loadParts(ctx, tx, orders, w); err != nil {
		return nil, fmt.Errorf("orders: load: %w", err)
	}
	return orders, nil
}

// loadParts gives orders their parcels, facts and marks.
func loadParts(ctx context.Context, tx *ent.Tx, orders map[string]*order.Order, w wanted) error {
	shipments := make(map[string]*order.Shipment)
	shipmentRows, err := tx.Shipment.Query().Where(shipment.AccountIn(w.accounts...), shipment.OrderIDIn(w.ids...)).
		Order(shipment.ByPosition(), shipment.ByID()).All(ctx)
	if err != nil {
		return err
	}
	for _, row := range shipmentRows {
		s, err := toShipment(row)
		if err != nil {
			return err
		}
		shipments[row.ID] = s
		if o := orders[row.OrderID]; o != nil {
			o.Shipments = append(o.Shipments, s)
		}
	}
	if err := loadStatuses(ctx, tx, shipments, w); err != nil {
		return err
	}
	if err := loadNotes(ctx, tx, orders, shipments, w); err != nil {
		return err
	}
	entries, err := tx.LedgerEntry.Query().Where(ledgerentry.AccountIn(w.accounts...), ledgerentry.OrderIDIn(w.ids...)).
		Order(ledgerentry.ByPosition(), ledgerentry.ByID()).All(ctx)
	if err != nil {
		return err
	}
	for _, row := range entries {
		if o := orders[row.OrderID]; o != nil {
			o.Ledger = append(o.Ledger, toEntry(row))
		}
	}
	marks, err := tx.AttentionMark.Query().Where(attentionmark.AccountIn(w.accounts...), attentionmark.OrderIDIn(w.ids...)).
		Order(attentionmark.ByPosition(), attentionmark.ByID()).All(ctx)
	if err != nil {
		return err
	}
	for _, row := range marks {
		if o := orders[row.OrderID]; o != nil {
			o.Attention = append(o.Attention, toMark(row))
		}
	}
	return nil
}

func loadStatuses(ctx context.Context, tx *ent.Tx, shipments map[string]*order.Shipment, w wanted) error {
	rows, err := tx.StatusFact.Query().Where(statusfact.AccountIn(w.accounts...), statusfact.OrderIDIn(w.ids...)).
		Order(statusfact.ByPosition(), statusfact.ByID()).All(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if s := shipments[row.ShipmentID]; s != nil {
			s.Set = append(s.Set, toStatusFact(row))
		}
	}
	return nil
}

func loadNotes(
	ctx context.Context, tx *ent.Tx, orders map[string]*order.Order, shipments map[string]*order.Shipment, w wanted,
) error {
	rows, err := tx.Note.Query().Where(note.AccountIn(w.accounts...), note.OrderIDIn(w.ids...)).Order(note.ByPosition(), note.ByID()).All(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		n, err := toNote(row)
		if err != nil {
			return err
		}
		if s := shipments[row.ShipmentID]; s != nil {
			s.Notes = append(s.Notes, n)
			continue
		}
		if o := orders[row.OrderID]; o != nil && row.ShipmentID == "" {
			o.Notes = append(o.Notes, n)
		}
	}
	return nil
}

// held is an order inside a deciding transaction.
type held struct {
	order *order.Order
	// saved are the rows that it came from; nothing of a new order is saved.
	saved orderRows
	isNew bool
	// known are the keys that were claimed for it before.
	known map[order.Key]bool
	steps []order.Step
}

func hold(o *order.Order) (*held, error) {
	rows, err := fromOrder(o)
	if err != nil {
		return nil, err
	}
	h := &held{order: o, saved: rows, known: make(map[order.Key]bool)}
	for _, key := range o.Keys() {
		h.known[key] = true
	}
	return h, nil
}

// saveOrders writes what has changed in orders, each as one new version.
func (s *Store) saveOrders(ctx context.Context, tx *ent.Tx, orders []*held) error {
	save := saver{tx: tx, store: s}
	for _, h := range orders {
		if err := save.order(ctx, h); err != nil {
			return fmt.Errorf("order %s: save: %w", h.order.ID, err)
		}
	}
	if err := save.insert(ctx); err != nil {
		return fmt.Errorf("orders: save: %w", err)
	}
	return nil
}
