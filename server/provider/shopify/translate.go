package shopify

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// message is a request, seen by the parser that its topic picked.
type message struct {
	topic     string
	webhookID string
	domain    string
	body      []byte
}

// reading is what a parser found in the body.
type reading struct {
	moment     provider.Moment
	references provider.References
	changes    []*waybillv1.Change
	// domain is a shop's domain that the signature covers.
	domain string
}

// parsers by topic. A topic that is not here is one that nobody needs; the privacy topics are among them, because
// Waybill keeps no customers.
var parsers = map[string]func(s *shop, body []byte) (reading, error){
	"orders/create":       (*shop).order,
	"orders/paid":         (*shop).order,
	"orders/updated":      (*shop).order,
	"orders/cancelled":    (*shop).cancelledOrder,
	"orders/edited":       (*shop).edit,
	"refunds/create":      (*shop).refund,
	"fulfillments/create": (*shop).fulfillment,
	"fulfillments/update": (*shop).fulfillment,
}

// Translate makes one event of a body, with a change for each thing that it says.
func (s *shop) Translate(r *provider.Request) ([]*waybillv1.IngestEventRequest, error) {
	m := message{
		topic:     label(r.Header, "X-Shopify-Topic"),
		webhookID: label(r.Header, "X-Shopify-Webhook-Id"),
		domain:    label(r.Header, "X-Shopify-Shop-Domain"),
		body:      r.Body,
	}
	event, err := s.event(m)
	if err != nil {
		event = provider.Undecoded(r.Body, err.Error())
		event.DeliveryId = provider.Short(m.webhookID, 512)
	}
	return []*waybillv1.IngestEventRequest{provider.Checked(event, r.Body)}, nil
}

// label is a header as text.
func label(header http.Header, name string) string {
	return strings.TrimSpace(strings.ToValidUTF8(header.Get(name), "\uFFFD"))
}

func (s *shop) event(m message) (*waybillv1.IngestEventRequest, error) {
	if m.topic == "" {
		return nil, errors.New("header X-Shopify-Topic is missing, so nobody knows how to read the body")
	}
	found, err := s.read(m)
	if err != nil {
		return nil, err
	}
	other := s.otherShop(found.domain, m.domain)
	if other != "" {
		found.changes = []*waybillv1.Change{provider.IgnoredChange("it is for another shop than expect.shop_domain says")}
	}
	return &waybillv1.IngestEventRequest{
		EventId:             identity(m.topic, m.webhookID, other, m.body),
		EventIdDerived:      m.webhookID == "",
		DeliveryId:          m.webhookID,
		EventType:           m.topic,
		OccurredAt:          found.moment.Timestamp(),
		OccurredAtCertainty: found.moment.Certainty,
		References:          found.references.List(),
		Changes:             found.changes,
	}, nil
}

func (s *shop) read(m message) (reading, error) {
	parse, needed := parsers[m.topic]
	if needed {
		return parse(s, m.body)
	}
	return reading{
		moment:  provider.ParseMoment("", nil),
		changes: []*waybillv1.Change{provider.IgnoredChange("nobody needs this topic")},
	}, nil
}

// moment is the first time that can be read, out of the body: the header with a time is not signed.
func moment(texts ...provider.Word) provider.Moment {
	var found provider.Moment
	for _, text := range texts {
		found = provider.ParseMoment(string(text), nil)
		if !found.At.IsZero() {
			break
		}
	}
	return found
}

// edit reads orders/edited. It lists what was added and removed and not what the order is now: the orders/updated that
// Shopify sends beside it says that.
func (s *shop) edit(body []byte) (reading, error) {
	var b editBody
	if err := provider.Decode(body, &b); err != nil {
		return reading{}, err
	}
	if b.OrderEdit == nil {
		return s.order(body) // some API version may send the whole order
	}
	found := reading{moment: moment(b.OrderEdit.CommittedAt, b.OrderEdit.CreatedAt)}
	if b.OrderEdit.OrderID == "" {
		return reading{}, errors.New("order_edit.order_id is missing")
	}
	found.references.Add(waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_ID, b.OrderEdit.OrderID)
	found.changes = []*waybillv1.Change{{Change: &waybillv1.Change_Fact{Fact: &waybillv1.Fact{
		Name: "order_edited",
		Detail: fmt.Sprintf("%d lines added to, %d removed from; the next orders/updated has the new lines",
			len(b.OrderEdit.LineItems.Additions), len(b.OrderEdit.LineItems.Removals)),
	}}}}
	return found, nil
}

// refund reads a refund that comes alone.
func (s *shop) refund(body []byte) (reading, error) {
	var b refundBody
	if err := provider.Decode(body, &b); err != nil {
		return reading{}, err
	}
	if err := b.wrongShape(); err != nil {
		return reading{}, err
	}
	found := reading{moment: moment(b.ProcessedAt, b.CreatedAt)}
	found.references.Add(waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_ID, b.OrderID)
	amount, err := wentBack(b, provider.Word(s.currency))
	if err != nil {
		return reading{}, err
	}
	found.changes = []*waybillv1.Change{provider.IgnoredChange("no money went back with it")}
	if amount.GetMinorUnits() > 0 {
		found.changes = []*waybillv1.Change{refundStep(b, amount)}
	}
	return found, nil
}

// refundStep is a refund by its own id, so that it counts once however many bodies name it.
func refundStep(b refundBody, amount *waybillv1.Money) *waybillv1.Change {
	return &waybillv1.Change{Change: &waybillv1.Change_RefundReported{
		RefundReported: &waybillv1.RefundReported{RefundId: string(b.ID), Amount: amount},
	}}
}

// wentBack is the money that went back with a refund. It may be none: goods put back in stock, or a payment that is
// still on its way.
func wentBack(b refundBody, currency provider.Word) (*waybillv1.Money, error) {
	sum := &waybillv1.Money{}
	for _, t := range b.Transactions {
		if t.Kind.Fold() != "refund" || t.Status.Fold() != "success" {
			continue
		}
		amount, err := provider.Major("transactions.amount", t.Amount, string(cmp.Or(t.Currency, currency)))
		if err != nil {
			return nil, err
		}
		if sum, err = add(sum, amount); err != nil {
			return nil, err
		}
	}
	return sum, nil
}

// add adds money. To no money yet, any currency can be added.
func add(sum, amount *waybillv1.Money) (*waybillv1.Money, error) {
	switch {
	case sum.GetCurrency() == "":
		return amount, nil
	case sum.GetCurrency() != amount.GetCurrency():
		return nil, errors.New("transactions: one refund comes in two currencies")
	case sum.GetMinorUnits()+amount.GetMinorUnits() < 0:
		return nil, errors.New("transactions: the amounts are too large")
	}
	return &waybillv1.Money{
		Currency:   sum.GetCurrency(),
		MinorUnits: sum.GetMinorUnits() + amount.GetMinorUnits(),
	}, nil
}
