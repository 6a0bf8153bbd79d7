package delhivery

import (
	"errors"
	"strings"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// body is what Waybill reads of a scan push.
type body struct {
	Shipment struct {
		AWB         provider.ID   `json:"AWB"`
		ReferenceNo provider.ID   `json:"ReferenceNo"`
		NSLCode     provider.Word `json:"NSLCode"`
		Status      status        `json:"Status"`
	} `json:"Shipment"`
}

type status struct {
	Status         provider.Word `json:"Status"`
	StatusType     provider.Word `json:"StatusType"`
	StatusDateTime provider.Word `json:"StatusDateTime"`
	StatusLocation provider.Text `json:"StatusLocation"`
	Instructions   provider.Text `json:"Instructions"`
}

// words are the two words that mean something together, as they were written.
func (s status) words() provider.Word { return s.StatusType + "/" + s.Status }

// row looks them up.
func (s status) row() (row, bool) {
	found, ok := rows[strings.ToUpper(s.StatusType.Fold())+"/"+provider.FoldWords(s.Status)]
	return found, ok
}

// Translate makes one event of a body.
func (c *courier) Translate(r *provider.Request) ([]*waybillv1.IngestEventRequest, error) {
	event, err := c.event(r.Body)
	if err != nil {
		event = provider.Undecoded(r.Body, err.Error())
	}
	return []*waybillv1.IngestEventRequest{provider.Checked(event, r.Body)}, nil
}

func (c *courier) event(raw []byte) (*waybillv1.IngestEventRequest, error) {
	var b body
	if err := provider.Decode(raw, &b); err != nil {
		return nil, err
	}
	said := b.Shipment.Status
	switch {
	case b.Shipment.AWB == "":
		return nil, errors.New("Shipment.AWB is missing")
	case said.Status.Fold() == "" || said.StatusType.Fold() == "":
		return nil, errors.New("Shipment.Status.Status or StatusType is missing")
	}

	moment := provider.ParseMoment(string(said.StatusDateTime), c.zone)
	event := &waybillv1.IngestEventRequest{
		EventId:             identity(b),
		EventIdDerived:      true,
		EventType:           provider.Short(string(said.words()), 255),
		OccurredAt:          moment.Timestamp(),
		OccurredAtCertainty: moment.Certainty,
		Changes:             changes(b),
	}
	var names provider.References
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_NUMBER, b.Shipment.ReferenceNo)
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_CONSIGNMENT_ID, b.Shipment.AWB)
	event.References = names.List()
	return event, nil
}

// identity is derived, because Delhivery sends none. The scan's code is part of it: one status holds many scans.
func identity(b body) string {
	said := b.Shipment.Status
	return provider.DerivedID(provider.TextTime(string(said.StatusDateTime)),
		string(b.Shipment.AWB), string(said.words()), string(said.StatusDateTime), "", string(b.Shipment.NSLCode))
}

func changes(b body) []*waybillv1.Change {
	said := b.Shipment.Status
	row, known := said.row()
	if !known {
		return []*waybillv1.Change{provider.UnrecognisedChange("StatusType/Status", said.words())}
	}

	parcel := provider.Parcel{
		Shipment: &waybillv1.ShipmentReference{
			ConsignmentId: string(b.Shipment.AWB), TrackingNumber: string(b.Shipment.AWB),
		},
		Courier: "Delhivery",
		Word:    said.words(),
		Reason:  provider.Text(b.Shipment.NSLCode),
	}
	if row.reverse {
		parcel.Shipment = provider.ReturnOf(b.Shipment.AWB)
	}
	return append(parcel.Says(row.Meaning), parcel.Seen(said.Instructions, said.StatusLocation, provider.Moment{})...)
}
