package courier

import (
	"errors"
	"fmt"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// Translate makes one event of a body, or one of each item of a batch. An item that can't be read is kept undecoded and
// keeps nobody else back.
func (c *courier) Translate(r *provider.Request) ([]*waybillv1.IngestEventRequest, error) {
	items, several, err := provider.Items(r.Body, batch)
	switch {
	case err != nil:
		return []*waybillv1.IngestEventRequest{provider.Undecoded(r.Body, err.Error())}, nil
	case !several:
		return []*waybillv1.IngestEventRequest{c.translate(r.Body)}, nil
	case len(items) == 0:
		return []*waybillv1.IngestEventRequest{provider.Undecoded(r.Body, "batch is empty")}, nil
	case len(items) > provider.MaxItems:
		problem := fmt.Sprintf("batch holds more than %d items", provider.MaxItems)
		return []*waybillv1.IngestEventRequest{provider.Undecoded(r.Body, problem)}, nil
	}
	events := make([]*waybillv1.IngestEventRequest, 0, len(items))
	for _, one := range items {
		events = append(events, c.translate(one))
	}
	return events, nil
}

func (c *courier) translate(raw []byte) *waybillv1.IngestEventRequest {
	event, err := c.event(raw)
	if err != nil {
		event = provider.Undecoded(raw, err.Error())
	}
	return provider.Checked(event, raw)
}

func (c *courier) event(raw []byte) (*waybillv1.IngestEventRequest, error) {
	var i item
	if err := provider.Decode(raw, &i); err != nil {
		return nil, err
	}
	changes, err := changes(i)
	if err != nil {
		return nil, err
	}

	moment := provider.AnyMoment(i.time(), c.zone)
	word, _ := i.word()
	event := &waybillv1.IngestEventRequest{
		EventType:           provider.Short(string(word), 255),
		OccurredAt:          moment.Timestamp(),
		OccurredAtCertainty: moment.Certainty,
		Changes:             changes,
	}
	event.EventId, event.EventIdDerived = i.identity()
	var names provider.References
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_NUMBER, i.order())
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_CONSIGNMENT_ID, i.ConsignmentID, i.ReturnConsignmentID)
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_TRACKING_NUMBER, i.tracking())
	event.References = names.List()
	return event, nil
}

func changes(i item) ([]*waybillv1.Change, error) {
	if i.parcel() == "" {
		return nil, errors.New("consignment_id is missing")
	}
	word, field := i.word()
	parcel := provider.Parcel{
		Shipment: &waybillv1.ShipmentReference{
			ConsignmentId: string(i.ConsignmentID), TrackingNumber: string(i.tracking()),
		},
		Courier: i.Courier,
		Word:    word,
		Reason:  i.message(),
	}
	if word.Fold() == "" {
		return seenOnly(i, parcel)
	}
	meaning, known := meanings[provider.FoldWords(word)]
	if !known {
		return []*waybillv1.Change{provider.UnrecognisedChange(field, word)}, nil
	}
	if i.ReturnConsignmentID != "" && (meaning == returning || meaning == returned) {
		parcel.Shipment = &waybillv1.ShipmentReference{ConsignmentId: string(i.ReturnConsignmentID), ReturnParcel: true}
	}
	says := parcel.Says(meaning)
	if len(i.Units) > 0 {
		says = withUnits(says, parcel, i.Units)
	}
	return append(says, parcel.Seen("", i.Location, provider.Moment{})...), nil
}

// seenOnly is the change of an item that has a message in place of a status.
func seenOnly(i item, parcel provider.Parcel) ([]*waybillv1.Change, error) {
	seen := parcel.Seen(i.message(), i.Location, provider.Moment{})
	if seen == nil {
		return nil, errors.New("event_status is missing")
	}
	return seen, nil
}

// withUnits says first what is in the parcel: each unit is a line of the order, by its number.
func withUnits(says []*waybillv1.Change, parcel provider.Parcel, units []provider.ID) []*waybillv1.Change {
	whole := parcel.Says(announced)[0]
	quantities := make(map[provider.ID]*waybillv1.ShipmentUnits)
	for _, unit := range units {
		if quantities[unit] == nil {
			quantities[unit] = &waybillv1.ShipmentUnits{LineId: string(unit)}
			named := whole.GetShipmentAnnounced()
			named.Units = append(named.Units, quantities[unit])
		}
		quantities[unit].Quantity++
	}
	if len(says) > 0 && says[0].GetShipmentAnnounced() != nil {
		says = says[1:]
	}
	return append([]*waybillv1.Change{whole}, says...)
}
