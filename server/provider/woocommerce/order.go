package woocommerce

import (
	"cmp"
	"errors"
	"slices"
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
	if err := s.wrongShape(b); err != nil {
		return reading{}, err
	}
	found := reading{moment: s.moment(b), timeText: b.DateModifiedGMT, address: b.Links.self}
	found.references.Add(waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_ID, b.ID)
	found.references.Add(waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_NUMBER, b.Number)

	said, known := statuses[b.Status.Fold()]
	if said.draft {
		found.changes = []*waybillv1.Change{provider.IgnoredChange("it is a draft and no order yet")}
		return found, nil
	}
	total, err := s.money("total", b.Total, b.Currency)
	if err != nil {
		return reading{}, err
	}
	placed, err := placed(b, total)
	if err != nil {
		return reading{}, err
	}
	refunds, err := s.refunds(b, total)
	if err != nil {
		return reading{}, err
	}

	found.changes = append(found.changes, placed)
	if known {
		found.changes = append(found.changes, says(said, b, total)...)
	} else {
		found.changes = append(found.changes, provider.UnrecognisedChange("status", b.Status))
	}
	found.changes = append(found.changes, parcels(b, said.shipped, &found.references)...)
	found.changes = append(found.changes, refunds...)
	return found, nil
}

func (s *shop) money(member string, amount provider.Number, currency provider.Word) (*waybillv1.Money, error) {
	code := cmp.Or(string(currency), s.currency)
	if amount == "" || code == "" {
		return nil, nil //nolint:nilnil // money that nobody can name is an answer
	}
	return provider.Major(member, amount, code)
}

func placed(b orderBody, total *waybillv1.Money) (*waybillv1.Change, error) {
	lines := make([]*waybillv1.OrderLine, 0, len(*b.LineItems))
	for _, item := range *b.LineItems {
		if item.ID == "" || item.Quantity == nil {
			return nil, errors.New("line_items: a line lacks its id or its quantity")
		}
		lines = append(lines, &waybillv1.OrderLine{LineId: string(item.ID), Sku: string(item.SKU), Quantity: *item.Quantity})
	}
	return &waybillv1.Change{Change: &waybillv1.Change_OrderPlaced{OrderPlaced: &waybillv1.OrderPlaced{
		OrderId:     string(b.ID),
		OrderNumber: cmp.Or(provider.OrderNumber(b.Number), string(b.ID)),
		Total:       total,
		Lines:       lines,
	}}}, nil
}

// says is what the order's status says of its money and of itself. It is no movement: payment providers report those.
func says(m meaning, b orderBody, total *waybillv1.Money) []*waybillv1.Change {
	changes := []*waybillv1.Change{{Change: &waybillv1.Change_PaymentReported{
		PaymentReported: &waybillv1.PaymentReported{
			PaymentId: "order:" + string(b.ID),
			Evidence:  waybillv1.PaymentEvidence_PAYMENT_EVIDENCE_ASSERTION,
			State:     m.state(b),
			Amount:    total,
		},
	}}}
	if m.cancelled {
		changes = append(changes, &waybillv1.Change{Change: &waybillv1.Change_OrderCancelled{
			OrderCancelled: &waybillv1.OrderCancelled{},
		}})
	}
	if m.fact != "" {
		changes = append(changes, provider.FactChange(&waybillv1.Fact{Name: m.fact, NeedsAttention: m.attention}))
	}
	return changes
}

// refunds are the steps that the order lists, each by its own id, so that one counts once however many bodies name it.
// An order that calls itself refunded without listing any has been given back as a whole.
func (s *shop) refunds(b orderBody, total *waybillv1.Money) ([]*waybillv1.Change, error) {
	var changes []*waybillv1.Change
	for _, refund := range b.Refunds {
		// The API writes refunds as negative totals.
		amount, err := s.money("refunds.total", provider.Number(strings.TrimPrefix(string(refund.Total), "-")), b.Currency)
		if err != nil {
			return nil, err
		}
		if amount.GetMinorUnits() == 0 {
			continue // goods were put back in stock
		}
		if refund.ID == "" {
			return nil, errors.New("refunds: a refund lacks its id")
		}
		changes = append(changes, refundStep(string(refund.ID), amount))
	}
	if len(changes) == 0 && b.Status.Fold() == "refunded" && total.GetMinorUnits() > 0 {
		changes = append(changes, refundStep("order:"+string(b.ID), total))
	}
	return slices.Clip(changes), nil
}

func refundStep(id string, amount *waybillv1.Money) *waybillv1.Change {
	return &waybillv1.Change{Change: &waybillv1.Change_RefundReported{
		RefundReported: &waybillv1.RefundReported{RefundId: id, Amount: amount},
	}}
}
