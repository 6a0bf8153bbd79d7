package shopify

import (
	"cmp"
	"errors"
	"strings"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// order reads the body of the orders topics.
func (*shop) order(body []byte) (reading, error) {
	var b orderBody
	if err := provider.Decode(body, &b); err != nil {
		return reading{}, err
	}
	return snapshot(b)
}

// cancelledOrder reads orders/cancelled. That the order is cancelled its cancelled_at says, or null doesn't; a body
// without that member can't say either.
func (*shop) cancelledOrder(body []byte) (reading, error) {
	var b orderBody
	if err := provider.Decode(body, &b); err != nil {
		return reading{}, err
	}
	found, err := snapshot(b)
	if err == nil && !b.CancelledAt.named {
		err = notA("a cancelled order", "it lacks cancelled_at")
	}
	return found, err
}

// snapshot reads a whole order: one event with a change for each thing that it says.
func snapshot(b orderBody) (reading, error) {
	if err := b.wrongShape(); err != nil {
		return reading{}, err
	}
	found := reading{moment: moment(b.UpdatedAt, b.CreatedAt), domain: statusPage(b.OrderStatusURL)}
	found.references.Add(waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_ID, b.ID)
	found.references.Add(waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_NUMBER, b.Name, b.OrderNumber)

	refunds, back, err := refunds(b)
	if err != nil {
		return reading{}, err
	}
	total, err := total(b, back)
	if err != nil {
		return reading{}, err
	}
	placed, err := placed(b, total)
	if err != nil {
		return reading{}, err
	}
	paid, err := asserted(b, total)
	if err != nil {
		return reading{}, err
	}
	parcels, err := parcels(b, &found.references)
	if err != nil {
		return reading{}, err
	}

	found.changes = append(found.changes, placed)
	found.changes = append(found.changes, paid...)
	found.changes = append(found.changes, cancelled(b)...)
	found.changes = append(found.changes, parcels...)
	found.changes = append(found.changes, refunds...)
	return found, nil
}

func placed(b orderBody, total *waybillv1.Money) (*waybillv1.Change, error) {
	lines := make([]*waybillv1.OrderLine, 0, len(*b.LineItems))
	for _, item := range *b.LineItems {
		quantity := item.CurrentQuantity // what is left of it after edits and refunds
		if quantity == nil {
			quantity = item.Quantity
		}
		if item.ID == "" || quantity == nil {
			return nil, errors.New("line_items: a line lacks its id or its quantity")
		}
		lines = append(lines, &waybillv1.OrderLine{
			LineId:   string(item.ID),
			Sku:      string(item.SKU),
			Quantity: *quantity,
		})
	}
	return &waybillv1.Change{Change: &waybillv1.Change_OrderPlaced{OrderPlaced: &waybillv1.OrderPlaced{
		OrderId:     string(b.ID),
		OrderNumber: cmp.Or(provider.OrderNumber(b.Name), provider.OrderNumber(b.OrderNumber), string(b.ID)),
		Total:       total,
		Lines:       lines,
	}}}, nil
}

// total is what the order costs. current_total_price follows edits, and also falls by what was refunded, which is
// counted on its own and so is added back. Where what was refunded can't be told (see refunds), the price at the till
// counts.
func total(b orderBody, refunded *waybillv1.Money) (*waybillv1.Money, error) {
	if b.CurrentTotalPrice == "" || refunded == nil {
		return provider.Major("total_price", b.TotalPrice, string(b.Currency))
	}
	left, err := provider.Major("current_total_price", b.CurrentTotalPrice, string(b.Currency))
	if err != nil {
		return nil, err
	}
	return add(left, refunded)
}

// asserted is what the platform says about the order's money. It is no movement: the payment provider reports those.
func asserted(b orderBody, total *waybillv1.Money) ([]*waybillv1.Change, error) {
	word := b.FinancialStatus.Fold()
	if word == "" {
		return nil, nil
	}
	state, known := payments[word]
	if !known {
		return []*waybillv1.Change{provider.UnrecognisedChange("financial_status", b.FinancialStatus.Word)}, nil
	}
	amount := total
	if word == partiallyPaid {
		part, known, err := paidPart(b, total)
		if err != nil {
			return nil, err
		}
		if !known { // how much is paid nobody says, so nothing is
			return []*waybillv1.Change{{Change: &waybillv1.Change_Fact{Fact: &waybillv1.Fact{Name: partiallyPaid}}}}, nil
		}
		amount = part
	}
	return []*waybillv1.Change{{Change: &waybillv1.Change_PaymentReported{
		PaymentReported: &waybillv1.PaymentReported{
			PaymentId: "order:" + string(b.ID),
			Evidence:  waybillv1.PaymentEvidence_PAYMENT_EVIDENCE_ASSERTION,
			State:     state,
			Amount:    amount,
		},
	}}}, nil
}

// paidPart is the total less what is outstanding, where that is known.
func paidPart(b orderBody, total *waybillv1.Money) (part *waybillv1.Money, known bool, err error) {
	if b.TotalOutstanding == "" {
		return nil, false, nil
	}
	open, err := provider.Major("total_outstanding", b.TotalOutstanding, total.GetCurrency())
	if err != nil || open.GetMinorUnits() > total.GetMinorUnits() {
		return nil, false, err
	}
	return &waybillv1.Money{
		Currency:   total.GetCurrency(),
		MinorUnits: total.GetMinorUnits() - open.GetMinorUnits(),
	}, true, nil
}

// cancelled counts from the body's own cancelled_at, never from the topic.
func cancelled(b orderBody) []*waybillv1.Change {
	if b.CancelledAt.Fold() == "" {
		return nil
	}
	return []*waybillv1.Change{{
		Change: &waybillv1.Change_OrderCancelled{
			OrderCancelled: &waybillv1.OrderCancelled{Reason: provider.Short(string(b.CancelReason), 2000)},
		},
		OccurredAt: moment(b.CancelledAt.Word).Timestamp(),
	}}
}

// refunds are the steps in a whole order, and the sum of what went back. The sum is nil where it can't be told in the
// order's own currency: the body lists no refunds, or a customer who paid in another one got that back.
func refunds(b orderBody) ([]*waybillv1.Change, *waybillv1.Money, error) {
	if b.Refunds == nil {
		return nil, nil, nil
	}
	var changes []*waybillv1.Change
	sum := &waybillv1.Money{Currency: strings.ToUpper(string(b.Currency))}
	for _, refund := range *b.Refunds {
		amount, err := wentBack(refund, b.Currency)
		if err != nil {
			return nil, nil, err
		}
		if amount.GetMinorUnits() == 0 {
			continue
		}
		if refund.ID == "" {
			return nil, nil, errors.New("refunds: a refund lacks its id")
		}
		step := refundStep(refund, amount)
		step.OccurredAt = moment(refund.ProcessedAt, refund.CreatedAt).Timestamp()
		changes = append(changes, step)
		if amount.GetCurrency() != sum.GetCurrency() {
			sum = nil
		}
		if sum == nil {
			continue
		}
		if sum, err = add(sum, amount); err != nil {
			return nil, nil, err
		}
	}
	return changes, sum, nil
}
