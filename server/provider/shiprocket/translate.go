package shiprocket

import (
	"errors"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// Translate makes one event of a body.
func (a *aggregator) Translate(r *provider.Request) ([]*waybillv1.IngestEventRequest, error) {
	event, err := a.event(r.Body)
	if err != nil {
		event = provider.Undecoded(r.Body, err.Error())
	}
	return []*waybillv1.IngestEventRequest{provider.Checked(event, r.Body)}, nil
}

func (a *aggregator) event(raw []byte) (*waybillv1.IngestEventRequest, error) {
	var b body
	if err := provider.Decode(raw, &b); err != nil {
		return nil, err
	}
	switch {
	case b.AWB == "":
		return nil, errors.New("awb is missing")
	case b.ShipmentStatusID == "":
		return nil, errors.New("shipment_status_id is missing")
	}
	changes, err := changes(b)
	if err != nil {
		return nil, err
	}

	moment := provider.ParseMoment(b.timeText(), a.zone)
	event := &waybillv1.IngestEventRequest{
		EventId:             identity(b),
		EventIdDerived:      true,
		EventType:           provider.Short(string(b.ShipmentStatusID), 255),
		OccurredAt:          moment.Timestamp(),
		OccurredAtCertainty: moment.Certainty,
		Changes:             changes,
	}
	var names provider.References
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_NUMBER, b.orderNumbers()...)
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_TRACKING_NUMBER, b.AWB)
	event.References = names.List()
	return event, nil
}

// identity is derived, because Shiprocket sends none. Both of its status ids are part of it: each is finer than the other
// in places.
func identity(b body) string {
	return provider.DerivedID(provider.TextTime(b.timeText()), string(b.AWB),
		string(b.ShipmentStatusID)+"/"+string(b.CurrentStatusID), string(b.CurrentTimestamp), "")
}

func changes(b body) ([]*waybillv1.Change, error) {
	toSeller, err := b.toSeller()
	if err != nil {
		return nil, err
	}
	row, known := rows[string(b.ShipmentStatusID)]
	if !known {
		return []*waybillv1.Change{provider.UnrecognisedChange("shipment_status_id", word(b))}, nil
	}
	if row.disputed && provider.FoldWords(b.ShipmentStatus) != row.label {
		return []*waybillv1.Change{provider.UnrecognisedChange("shipment_status", word(b))}, nil
	}

	scan := b.newestScan()
	parcel := provider.Parcel{
		Shipment: &waybillv1.ShipmentReference{TrackingNumber: string(b.AWB)},
		Courier:  b.CourierName,
		Word:     word(b),
		Reason:   scan.Activity,
	}
	meaning := row.Meaning
	if toSeller {
		parcel.Shipment = provider.ReturnOf(b.AWB)
		meaning = meaning.GoingBack()
	}
	return append(parcel.Says(meaning), parcel.Seen(scan.Activity, scan.Location, provider.Moment{})...), nil
}

// word is the status for operators: the id, and its text where one comes with it.
func word(b body) provider.Word {
	if b.ShipmentStatus.Fold() == "" {
		return provider.Word(b.ShipmentStatusID)
	}
	return provider.Word(b.ShipmentStatusID) + " " + b.ShipmentStatus
}
