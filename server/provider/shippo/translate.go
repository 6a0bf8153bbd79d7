package shippo

import (
	"cmp"
	"errors"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// Translate makes one event of a body.
func (t *tracker) Translate(r *provider.Request) ([]*waybillv1.IngestEventRequest, error) {
	event, err := t.event(r.Body)
	if err != nil {
		event = provider.Undecoded(r.Body, err.Error())
	}
	return []*waybillv1.IngestEventRequest{provider.Checked(event, r.Body)}, nil
}

func (t *tracker) event(raw []byte) (*waybillv1.IngestEventRequest, error) {
	var e envelope
	if err := provider.Decode(raw, &e); err != nil {
		return nil, err
	}
	switch e.Event.Fold() {
	case "":
		return nil, errors.New("event is missing")
	case trackUpdated:
		return t.read(e)
	}
	moment := provider.ParseMoment("", nil)
	return &waybillv1.IngestEventRequest{
		EventId:             provider.DerivedID(moment.At, string(e.Event), string(raw)),
		EventIdDerived:      true,
		EventType:           provider.Short(string(e.Event), 255),
		OccurredAtCertainty: moment.Certainty,
		Changes:             []*waybillv1.Change{provider.IgnoredChange("nobody needs this type")},
	}, nil
}

func (t *tracker) read(e envelope) (*waybillv1.IngestEventRequest, error) {
	var parcel track
	if len(e.Data) == 0 {
		return nil, errors.New("data is missing")
	}
	if err := provider.Decode(e.Data, &parcel); err != nil {
		return nil, errors.New("data: " + err.Error())
	}
	if parcel.TrackingNumber == "" {
		return nil, errors.New("data.tracking_number is missing")
	}

	moment := provider.ParseMoment(string(parcel.Scan.StatusDate), nil)
	event := &waybillv1.IngestEventRequest{
		EventId:             cmp.Or(string(parcel.Scan.ObjectID), derived(parcel)),
		EventIdDerived:      parcel.Scan.ObjectID == "",
		EventType:           provider.Short(string(e.Event), 255),
		OccurredAt:          moment.Timestamp(),
		OccurredAtCertainty: moment.Certainty,
	}
	if test := e.Test != nil && *e.Test; test == t.livemode {
		event.Changes = []*waybillv1.Change{provider.IgnoredChange("test is not what expect.livemode says")}
		return event, nil
	}
	var names provider.References
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_NUMBER, parcel.orderNumber(t.reference))
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_TRACKING_NUMBER, parcel.TrackingNumber)
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_CONSIGNMENT_ID, parcel.Transaction)
	event.References = names.List()
	event.Changes = changes(parcel)
	return event, nil
}

// derived is the identity of a scan that comes without one.
func derived(parcel track) string {
	scan := parcel.Scan
	parts := []string{string(parcel.TrackingNumber), string(scan.Status), string(scan.StatusDate), ""}
	if scan.Status.Fold() == "" {
		parts = append(parts, string(scan.Details))
	}
	return provider.DerivedID(provider.TextTime(string(scan.StatusDate)), parts...)
}

func changes(parcel track) []*waybillv1.Change {
	scan := parcel.Scan
	if scan.Status.Fold() == "" {
		return []*waybillv1.Change{provider.IgnoredChange("the carrier has said nothing yet")}
	}
	meaning, known := scan.meaning()
	if !known {
		return []*waybillv1.Change{provider.UnrecognisedChange("data.tracking_status.status", scan.Status)}
	}
	said := provider.Parcel{
		Shipment: &waybillv1.ShipmentReference{TrackingNumber: string(parcel.TrackingNumber)},
		Courier:  parcel.Carrier,
		Word:     scan.Status,
		Reason:   provider.Text(scan.Substatus.Code),
	}
	if meaning.Ignored != "" {
		return said.Says(meaning)
	}
	return append(said.Says(meaning), said.Seen(scan.Details, scan.place(), provider.Moment{})...)
}
