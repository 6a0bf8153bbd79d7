package aftership

import (
	"errors"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// Translate makes one event of a body.
func (t *trackings) Translate(r *provider.Request) ([]*waybillv1.IngestEventRequest, error) {
	event, err := t.event(r.Body)
	if err != nil {
		event = provider.Undecoded(r.Body, err.Error())
	}
	return []*waybillv1.IngestEventRequest{provider.Checked(event, r.Body)}, nil
}

func (t *trackings) event(raw []byte) (*waybillv1.IngestEventRequest, error) {
	var e envelope
	if err := provider.Decode(raw, &e); err != nil {
		return nil, err
	}
	if e.Event.Fold() == "" {
		return nil, errors.New("event is missing")
	}

	moment := provider.AnyMoment(e.TS, nil)
	event := &waybillv1.IngestEventRequest{
		EventId:             string(e.EventID),
		EventType:           provider.Short(string(e.Event), 255),
		OccurredAt:          moment.Timestamp(),
		OccurredAtCertainty: moment.Certainty,
	}
	if e.Event.Fold() == trackingUpdate {
		return event, t.read(e, event)
	}
	event.Changes = []*waybillv1.Change{provider.IgnoredChange("nobody needs this type")}
	if e.EventID == "" {
		event.EventId, event.EventIdDerived = provider.DerivedID(provider.AnyTextTime(e.TS), string(e.Event), string(raw)), true
	}
	return event, nil
}

// read reads the tracking: its status, and the scan that brought it there. Every body repeats all scans, so only the
// newest is taken.
func (t *trackings) read(e envelope, event *waybillv1.IngestEventRequest) error {
	var parcel tracking
	if len(e.Msg) == 0 {
		return errors.New("msg is missing")
	}
	if err := provider.Decode(e.Msg, &parcel); err != nil {
		return errors.New("msg: " + err.Error())
	}
	if parcel.TrackingNumber == "" || parcel.Tag.Fold() == "" {
		return errors.New("msg.tracking_number or msg.tag is missing")
	}

	scan := parcel.newestCheckpoint()
	seen := provider.ParseMoment(string(scan.Time), t.zone)
	moment := provider.FirstMoment(provider.AnyMoment(e.TS, nil), seen)
	event.OccurredAt, event.OccurredAtCertainty = moment.Timestamp(), moment.Certainty
	if e.EventID == "" {
		event.EventId, event.EventIdDerived = identity(e, parcel, scan), true
	}
	var names provider.References
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_NUMBER, parcel.orderNumber())
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_TRACKING_NUMBER, parcel.TrackingNumber)
	event.References = names.List()
	event.Changes = changes(parcel, scan, seen)
	return nil
}

// identity is derived where an older payload has no event_id. The scan's time stands in for a time that is missing.
func identity(e envelope, parcel tracking, scan checkpoint) string {
	at, text := provider.AnyTextTime(e.TS), string(e.TS)
	if at.IsZero() {
		at, text = provider.TextTime(string(scan.Time)), string(scan.Time)
	}
	return provider.DerivedID(at, string(parcel.TrackingNumber), string(parcel.Tag)+"/"+string(parcel.Subtag), text, "")
}

func changes(parcel tracking, scan checkpoint, seen provider.Moment) []*waybillv1.Change {
	meaning, known := parcel.meaning()
	if !known {
		return []*waybillv1.Change{provider.UnrecognisedChange("msg.tag", parcel.Tag)}
	}
	said := provider.Parcel{
		Shipment: &waybillv1.ShipmentReference{TrackingNumber: string(parcel.TrackingNumber)},
		Courier:  parcel.Slug,
		Word:     parcel.Tag,
		Reason:   parcel.reason(),
	}
	if meaning.Ignored != "" {
		return said.Says(meaning)
	}
	return append(said.Says(meaning), said.Seen(scan.Message, scan.Location, seen)...)
}

// reason is the subtag with its text.
func (t tracking) reason() provider.Text {
	if t.SubtagMessage == "" {
		return provider.Text(t.Subtag)
	}
	return provider.Text(t.Subtag) + ": " + t.SubtagMessage
}
