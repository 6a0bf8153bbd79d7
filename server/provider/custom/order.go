package custom

import (
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

func orderPlaced(b *builder) maker {
	id := b.named("order_id", b.set.GetOrderId(), waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_ID)
	number := b.named("order_number", b.set.GetOrderNumber(), waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_NUMBER)
	total := b.money()
	lines := b.part("lines", b.set.GetLines(), facts, someRows)
	if (id == nil || number == nil) && len(b.problems) == 0 {
		b.report(b.path, "an order has order_id and order_number: write both, here or in references")
	}

	return func(s *scope, names *provider.References) ([]*waybillv1.Change, error) {
		placed := &waybillv1.OrderPlaced{}
		orderID, err := id.needed(s, "order_id")
		if err != nil {
			return nil, err
		}
		orderNumber, err := number.needed(s, "order_number")
		if err != nil {
			return nil, err
		}
		names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_ID, orderID)
		names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_NUMBER, orderNumber)
		placed.OrderId, placed.OrderNumber = string(orderID), provider.OrderNumber(orderNumber)
		if placed.Total, err = total.read(s); err != nil {
			return nil, err
		}
		if placed.Lines, err = linesOf(s, lines); err != nil {
			return nil, err
		}
		return changed(&waybillv1.Change{Change: &waybillv1.Change_OrderPlaced{OrderPlaced: placed}}), nil
	}
}

func linesOf(s *scope, from *expression) ([]*waybillv1.OrderLine, error) {
	rows, err := from.rows(s)
	if err != nil {
		return nil, err
	}
	var lines []*waybillv1.OrderLine
	for _, one := range rows {
		id, err := one.member("line_id")
		if err != nil {
			return nil, err
		}
		sku, err := one.member("sku")
		if err != nil {
			return nil, err
		}
		quantity, err := one.quantity()
		if err != nil {
			return nil, err
		}
		lines = append(lines, &waybillv1.OrderLine{LineId: string(id), Sku: string(sku), Quantity: quantity})
	}
	return lines, nil
}

func orderCancelled(b *builder) maker {
	reason := b.fact("reason", b.set.GetReason())
	return func(s *scope, _ *provider.References) ([]*waybillv1.Change, error) {
		why, err := reason.text(s)
		if err != nil {
			return nil, err
		}
		return changed(&waybillv1.Change{Change: &waybillv1.Change_OrderCancelled{
			OrderCancelled: &waybillv1.OrderCancelled{Reason: short(why, 2000)},
		}}), nil
	}
}
