package newprovider

import (
	"errors"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// words is the mapping table.
var words = map[string]waybillv1.ShipmentStatus{
	"aloft":  waybillv1.ShipmentStatus_SHIPMENT_STATUS_IN_TRANSIT,
	"landed": waybillv1.ShipmentStatus_SHIPMENT_STATUS_DELIVERED,
}

type body struct {
	Flight provider.ID   `json:"flight"`
	Pigeon provider.ID   `json:"pigeon"`
	Order  provider.ID   `json:"order"`
	Word   provider.Word `json:"word"`
	At     provider.Text `json:"at"`
}

// Translate makes one event of a body.
func (*loft) Translate(r *provider.Request) ([]*waybillv1.IngestEventRequest, error) {
	event, err := read(r.Body)
	if err != nil {
		event = provider.Undecoded(r.Body, err.Error())
	}
	return []*waybillv1.IngestEventRequest{provider.Checked(event, r.Body)}, nil
}

func read(raw []byte) (*waybillv1.IngestEventRequest, error) {
	var b body
	if err := provider.Decode(raw, &b); err != nil {
		return nil, err
	}
	if b.Flight == "" || b.Pigeon == "" {
		return nil, errors.New("flight or pigeon is missing")
	}
	moment := provider.ParseMoment(string(b.At), nil)
	var names provider.References
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_NUMBER, b.Order)
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_CONSIGNMENT_ID, b.Pigeon)
	return &waybillv1.IngestEventRequest{
		EventId:             string(b.Flight),
		EventType:           provider.Short(string(b.Word), 255),
		OccurredAt:          moment.Timestamp(),
		OccurredAtCertainty: moment.Certainty,
		References:          names.List(),
		Changes:             []*waybillv1.Change{change(b)},
	}, nil
}

func change(b body) *waybillv1.Change {
	status, known := words[b.Word.Fold()]
	if !known {
		return provider.UnrecognisedChange("word", b.Word)
	}
	return &waybillv1.Change{Change: &waybillv1.Change_StatusChanged{StatusChanged: &waybillv1.StatusChanged{
		Shipment: &waybillv1.ShipmentReference{ConsignmentId: string(b.Pigeon)}, Status: status,
	}}}
}
