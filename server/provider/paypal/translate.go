package paypal

import (
	"errors"
	"slices"
	"strings"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// Translate makes one event of a body.
func (p *payments) Translate(r *provider.Request) ([]*waybillv1.IngestEventRequest, error) {
	event, err := p.event(r.Body)
	if err != nil {
		event = provider.Undecoded(r.Body, err.Error())
	}
	transmission := strings.ToValidUTF8(r.Header.Get(headerID), "\uFFFD")
	event.DeliveryId = provider.Short(strings.ReplaceAll(transmission, "\x00", "\uFFFD"), 512)
	return []*waybillv1.IngestEventRequest{provider.Checked(event, r.Body)}, nil
}

func (p *payments) event(raw []byte) (*waybillv1.IngestEventRequest, error) {
	var e envelope
	if err := provider.Decode(raw, &e); err != nil {
		return nil, err
	}
	if e.ID == "" || e.EventType == "" {
		return nil, errors.New("id or event_type is missing")
	}
	moment := provider.ParseMoment(strings.TrimSpace(string(e.CreateTime)), nil)
	event := &waybillv1.IngestEventRequest{
		EventId:             string(e.ID),
		EventType:           provider.Short(string(e.EventType), 255),
		OccurredAt:          moment.Timestamp(),
		OccurredAtCertainty: moment.Certainty,
	}
	read, known := readers[string(e.EventType)]
	if !known {
		event.Changes = []*waybillv1.Change{unread(e.EventType)}
		return event, nil
	}

	var o resource
	if len(e.Resource) == 0 {
		return nil, errors.New("resource is missing")
	}
	if err := provider.Decode(e.Resource, &o); err != nil {
		return nil, errors.New("resource: " + err.Error())
	}
	changes, err := read(o)
	if err != nil {
		return nil, errors.New("resource: " + err.Error())
	}
	event.References = p.references(o)
	event.Changes = changes
	return event, nil
}

// unread is the change of a type that is not in the table.
func unread(eventType provider.Word) *waybillv1.Change {
	if slices.ContainsFunc(money, func(begin string) bool { return strings.HasPrefix(string(eventType), begin) }) {
		return provider.UnrecognisedChange("event_type", eventType)
	}
	return provider.IgnoredChange("nobody needs this type")
}

// references are what the resource names: our order's number, and the payment.
func (p *payments) references(o resource) []*waybillv1.Reference {
	var names provider.References
	for _, key := range p.orderKeys {
		if found := slices.DeleteFunc(o.carried(key), func(id provider.ID) bool { return id == "" }); len(found) > 0 {
			names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_NUMBER, found...)
			break
		}
	}
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_PAYMENT_ID, provider.ID(o.refundOf()), o.ID)
	for _, t := range o.Transactions {
		names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_PAYMENT_ID, t.Transaction)
	}
	return names.List()
}
