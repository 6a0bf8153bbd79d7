package standardwebhooks

import (
	"errors"
	"strings"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// Translate makes one event of a body.
func (s *service) Translate(r *provider.Request) ([]*waybillv1.IngestEventRequest, error) {
	event, err := s.event(r)
	if err != nil {
		event = provider.Undecoded(r.Body, err.Error())
	}
	return []*waybillv1.IngestEventRequest{provider.Checked(event, r.Body)}, nil
}

func (s *service) event(r *provider.Request) (*waybillv1.IngestEventRequest, error) {
	names := provider.StandardHeadersOf(r.Header)
	id := r.Header.Get(names.ID)
	if !provider.IsStandardID(id) {
		return nil, errors.New("header " + names.ID + " is missing or not an id")
	}
	var e envelope
	if err := provider.Decode(r.Body, &e); err != nil {
		return nil, err
	}
	if e.Type.Fold() == "" {
		return nil, errors.New("type is missing")
	}

	moment := provider.ParseMoment(strings.TrimSpace(string(e.Timestamp)), nil)
	event := &waybillv1.IngestEventRequest{
		EventId:             id,
		EventType:           provider.Short(string(e.Type), 255),
		OccurredAt:          moment.Timestamp(),
		OccurredAtCertainty: moment.Certainty,
	}
	read, known := readers[e.Type.Fold()]
	if !known {
		event.Changes = []*waybillv1.Change{provider.UnrecognisedChange("type", e.Type)}
		return event, nil
	}
	return event, s.read(read, e, event)
}

func (s *service) read(read reader, e envelope, event *waybillv1.IngestEventRequest) error {
	if len(e.Data) == 0 {
		return errors.New("data is missing")
	}
	var d data
	if err := provider.Decode(e.Data, &d); err != nil {
		return errors.New("data: " + err.Error())
	}
	event.References = d.references()
	if len(event.GetReferences()) == 0 {
		return errors.New("data names no order, no parcel and no payment")
	}
	changes, err := read(s, d)
	if err != nil {
		return errors.New("data: " + err.Error())
	}
	event.Changes = changes
	return nil
}

func (d data) references() []*waybillv1.Reference {
	var names provider.References
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_ID, d.OrderID)
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_NUMBER, d.OrderNumber)
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_CONSIGNMENT_ID, d.ConsignmentID)
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_TRACKING_NUMBER, d.TrackingNumber)
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_FULFILMENT_ID, d.FulfilmentID)
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_PAYMENT_ID, d.PaymentID)
	return names.List()
}
