package woocommerce

import (
	"errors"
	"net/http"
	"strings"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// reading is what was found in a body.
type reading struct {
	moment     provider.Moment
	timeText   provider.Word
	references provider.References
	changes    []*waybillv1.Change
	// address is the order's own address at the shop, which the signature covers.
	address string
}

// parsers by topic. A topic that is not here is one that nobody needs.
var parsers = map[string]func(s *shop, body []byte) (reading, error){
	"order.created":  (*shop).order,
	"order.updated":  (*shop).order,
	"order.restored": (*shop).order,
	"order.deleted":  (*shop).deleted,
}

// Translate makes one event of a body, with a change for each thing that it says.
func (s *shop) Translate(r *provider.Request) ([]*waybillv1.IngestEventRequest, error) {
	delivery := label(r.Header, "X-WC-Webhook-Delivery-ID")
	event, err := s.event(r)
	if err != nil {
		event = provider.Undecoded(r.Body, err.Error())
	}
	event.DeliveryId = provider.Short(delivery, 512)
	return []*waybillv1.IngestEventRequest{provider.Checked(event, r.Body)}, nil
}

// label is a header as text that may be stored.
func label(header http.Header, name string) string {
	text := strings.ToValidUTF8(header.Get(name), "\uFFFD")
	return strings.TrimSpace(strings.ReplaceAll(text, "\x00", "\uFFFD"))
}

func (s *shop) event(r *provider.Request) (*waybillv1.IngestEventRequest, error) {
	topic := label(r.Header, "X-WC-Webhook-Topic")
	if topic == "" {
		return nil, errors.New("header X-WC-Webhook-Topic is missing, so nobody knows how to read the body")
	}
	found, err := s.read(topic, r.Body)
	if err != nil {
		return nil, err
	}
	other := s.otherShop(found.address, label(r.Header, "X-WC-Webhook-Source"))
	if other != "" {
		found.changes = []*waybillv1.Change{provider.IgnoredChange("it is for another shop than expect.shop_domain says")}
	}
	return &waybillv1.IngestEventRequest{
		EventId:             identity(topic, other, found.timeText, r.Body),
		EventIdDerived:      true,
		EventType:           topic,
		OccurredAt:          found.moment.Timestamp(),
		OccurredAtCertainty: found.moment.Certainty,
		References:          found.references.List(),
		Changes:             found.changes,
	}, nil
}

// identity is made of the topic and the body. WooCommerce's id of a delivery is none: it is made anew for every copy of
// one save, and two orders that are saved in the same second get the same. The topic picks the parser and so belongs to
// it: a copy under another topic must not stand in the way of the genuine one; nor must one for another shop.
func identity(topic, otherShop string, at provider.Word, body []byte) string {
	return provider.DerivedID(provider.TextTime(string(at)), topic, otherShop, string(body))
}

func (s *shop) read(topic string, body []byte) (reading, error) {
	parse, needed := parsers[topic]
	if needed {
		return parse(s, body)
	}
	return reading{
		moment:  provider.ParseMoment("", nil),
		changes: []*waybillv1.Change{provider.IgnoredChange("nobody needs this topic")},
	}, nil
}

// deleted reads the body of an order that went to the trash: its id, and nothing else. Which topic it came under is not
// signed, and what was deleted the body doesn't say, so a person should look before anything is done about it.
func (*shop) deleted(body []byte) (reading, error) {
	var b deletedBody
	if err := provider.Decode(body, &b); err != nil {
		return reading{}, err
	}
	switch {
	case len(b.Others) > 0:
		return reading{}, notA("a deleted order", "it holds more than an id")
	case b.ID == "":
		return reading{}, notA("a deleted order", "it lacks id")
	}
	found := reading{moment: provider.ParseMoment("", nil)}
	found.references.Add(waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_ID, b.ID)
	found.changes = []*waybillv1.Change{provider.FactChange(&waybillv1.Fact{Name: "order_deleted", NeedsAttention: true})}
	return found, nil
}
