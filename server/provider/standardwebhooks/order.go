package standardwebhooks

import (
	"cmp"
	"errors"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// placed reads an order that was placed or edited: the whole of it.
func placed(s *service, d data) ([]*waybillv1.Change, error) {
	id, number := cmp.Or(d.OrderID, d.OrderNumber), cmp.Or(d.OrderNumber, d.OrderID)
	if id == "" {
		return nil, errors.New("order_id or order_number is missing")
	}
	total, err := s.money("total", d.Total, d.Currency)
	if err != nil {
		return nil, err
	}
	lines := make([]*waybillv1.OrderLine, 0, len(d.Lines))
	for _, l := range d.Lines {
		if l.LineID == "" || l.Quantity == nil {
			return nil, errors.New("lines: a line lacks its line_id or its quantity")
		}
		lines = append(lines, &waybillv1.OrderLine{LineId: string(l.LineID), Sku: string(l.SKU), Quantity: *l.Quantity})
	}
	return one(&waybillv1.Change{Change: &waybillv1.Change_OrderPlaced{OrderPlaced: &waybillv1.OrderPlaced{
		OrderId:     string(id),
		OrderNumber: provider.OrderNumber(number),
		Total:       total,
		Lines:       lines,
	}}}), nil
}

func cancelled(_ *service, d data) ([]*waybillv1.Change, error) {
	if d.OrderID == "" && d.OrderNumber == "" {
		return nil, errors.New("order_id or order_number is missing")
	}
	return one(&waybillv1.Change{Change: &waybillv1.Change_OrderCancelled{
		OrderCancelled: &waybillv1.OrderCancelled{Reason: provider.Short(string(d.Reason), 2000)},
	}}), nil
}

// fact reads something worth showing that moves neither parcel nor money.
func fact(s *service, d data) ([]*waybillv1.Change, error) {
	if d.Name.Fold() == "" {
		return nil, errors.New("name is missing")
	}
	amount, err := s.money("amount", d.Amount, d.Currency)
	if err != nil {
		return nil, err
	}
	made := &waybillv1.Fact{
		Name:           d.Name.Fold(),
		Detail:         provider.Short(string(d.Detail), 2000),
		Amount:         amount,
		NeedsAttention: d.NeedsAttention,
	}
	if d.namesParcel() {
		made.Shipment = d.parcel()
	}
	return one(provider.FactChange(made)), nil
}

func one(change *waybillv1.Change) []*waybillv1.Change { return []*waybillv1.Change{change} }
