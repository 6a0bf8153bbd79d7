package shopify

import (
	"cmp"
	"errors"
	"strings"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// order reads a whole order: one event with a change for each thing that the snapshot says.
func (s *shop) order(body []byte) (reading, error) {
	var b orderBody
	if err := provider.Decode(body, &b); err != nil {
		return reading{}, err
	}
	switch {
	case b.ID == "":
		return reading{}, errors.New("id is missing")
	case b.LineItems == nil:
		return reading{}, errors.New("line_items is missing: a subscription must not strip the body")
	}
	found := reading{moment: moment(b.UpdatedAt, b.CreatedAt), domain: statusPage(b.OrderStatusURL)}
	found.references.Add(waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_ID, b.ID)
	found.references.Add(waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_NUMBER, b.Name, b.OrderNumber)

	refunds, back, err := s.refunds(b)
	if err != nil {
		return reading{}, err
	}
	total, err := s.total(b, back)
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
// counts. nil: nobody says.
func (s *shop) total(b orderBody, refunded *waybillv1.Money) (total *waybillv1.Money, err error) {
	currency := string(s.currencyOf(b))
	price := cmp.Or(b.TotalPrice, b.TotalPriceSet.ShopMoney.Amount, b.CurrentTotalPrice)
	switch {
	case currency == "":
	case b.CurrentTotalPrice != "" && refunded != nil:
		if total, err = provider.Major("current_total_price", b.CurrentTotalPrice, currency); err == nil {
			total, err = add(total, refunded)
		}
	case price != "":
		total, err = provider.Major("total_price", price, currency)
	}
	return total, err
}

func (s *shop) currencyOf(b orderBody) provider.Word {
	return cmp.Or(b.Currency, b.TotalPriceSet.ShopMoney.CurrencyCode, provider.Word(s.currency))
}

// asserted is what the platform says about the order's money. It is no movement: the payment provider reports those.
func asserted(b orderBody, total *waybillv1.Money) ([]*waybillv1.Change, error) {
	word := b.FinancialStatus.Fold()
	if word == "" {
		return nil, nil
	}
	state, known := payments[word]
	if !known {
		return []*waybillv1.Change{provider.UnrecognisedChange("financial_status", b.FinancialStatus)}, nil
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

// paidPart is the total less what is outstanding, where both are known.
func paidPart(b orderBody, total *waybillv1.Money) (part *waybillv1.Money, known bool, err error) {
	if total == nil || b.TotalOutstanding == "" {
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
		OccurredAt: moment(b.CancelledAt).Timestamp(),
	}}
}

// refunds are the steps in a whole order, and the sum of what went back. The sum is nil where it can't be told in the
// order's own currency: the body lists no refunds, or a customer who paid in another one got that back.
func (s *shop) refunds(b orderBody) ([]*waybillv1.Change, *waybillv1.Money, error) {
	if b.Refunds == nil {
		return nil, nil, nil
	}
	var changes []*waybillv1.Change
	sum := &waybillv1.Money{Currency: strings.ToUpper(string(s.currencyOf(b)))}
	for _, refund := range *b.Refunds {
		amount, err := wentBack(refund, s.currencyOf(b))
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
