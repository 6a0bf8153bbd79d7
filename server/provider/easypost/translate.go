package easypost

import (
	"errors"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// Translate makes one event of a body.
func (t *trackers) Translate(r *provider.Request) ([]*waybillv1.IngestEventRequest, error) {
	event, err := t.event(r.Body)
	if err != nil {
		event = provider.Undecoded(r.Body, err.Error())
	}
	return []*waybillv1.IngestEventRequest{provider.Checked(event, r.Body)}, nil
}

func (t *trackers) event(raw []byte) (*waybillv1.IngestEventRequest, error) {
	var e envelope
	if err := provider.Decode(raw, &e); err != nil {
		return nil, err
	}
	if e.ID == "" || e.Description.Fold() == "" {
		return nil, errors.New("id or description is missing")
	}

	moment := provider.ParseMoment(string(e.CreatedAt), nil)
	event := &waybillv1.IngestEventRequest{
		EventId:             string(e.ID),
		EventType:           provider.Short(string(e.Description), 255),
		OccurredAt:          moment.Timestamp(),
		OccurredAtCertainty: moment.Certainty,
	}
	change, err := t.setAside(e)
	if err != nil {
		return nil, err
	}
	if change != nil {
		event.Changes = []*waybillv1.Change{change}
		return event, nil
	}
	return event, read(e, event)
}

// setAside is the change of an event that is not read any further. Nil: it is.
func (t *trackers) setAside(e envelope) (*waybillv1.Change, error) {
	live, known := modes[e.Mode.Fold()]
	switch {
	case !needed[e.Description.Fold()]:
		return provider.IgnoredChange("nobody needs this type"), nil
	case e.Mode.Fold() == "":
		return nil, errors.New("mode is missing")
	case !known:
		return provider.UnrecognisedChange("mode", e.Mode), nil
	case live != t.livemode:
		return provider.IgnoredChange("mode is not what expect.livemode says"), nil
	default:
		return nil, nil //nolint:nilnil // nothing sets it aside
	}
}

// read reads the tracker: its status, and the scan that brought it there. Every body repeats all scans, so only the newest
// is taken; one that comes late has a body of its own, with its own status and time, and shows as late.
func read(e envelope, event *waybillv1.IngestEventRequest) error {
	var parcel tracker
	if len(e.Result) == 0 {
		return errors.New("result is missing")
	}
	if err := provider.Decode(e.Result, &parcel); err != nil {
		return errors.New("result: " + err.Error())
	}
	if parcel.TrackingCode == "" || parcel.Status.Fold() == "" {
		return errors.New("result.tracking_code or result.status is missing")
	}

	scan := parcel.newestDetail()
	moment := provider.FirstMoment(
		provider.ParseMoment(string(parcel.UpdatedAt), nil), scan.moment(), provider.ParseMoment(string(e.CreatedAt), nil),
	)
	event.OccurredAt, event.OccurredAtCertainty = moment.Timestamp(), moment.Certainty
	var names provider.References
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_TRACKING_NUMBER, parcel.TrackingCode)
	event.References = names.List()
	event.Changes = changes(parcel, scan)
	return nil
}

func changes(parcel tracker, scan detail) []*waybillv1.Change {
	meaning, known := meanings[parcel.Status.Fold()]
	if !known {
		return []*waybillv1.Change{provider.UnrecognisedChange("result.status", parcel.Status)}
	}
	said := provider.Parcel{
		Shipment: &waybillv1.ShipmentReference{TrackingNumber: string(parcel.TrackingCode)},
		Courier:  parcel.Carrier,
		Word:     parcel.Status,
		Reason:   parcel.StatusDetail,
	}
	if parcel.IsReturn != nil && *parcel.IsReturn {
		said.Shipment = provider.ReturnOf(parcel.TrackingCode)
		meaning = meaning.GoingBack()
	}
	if meaning.Ignored != "" {
		return said.Says(meaning)
	}
	return append(said.Says(meaning), said.Seen(scan.Message, scan.place(), scan.moment())...)
}
