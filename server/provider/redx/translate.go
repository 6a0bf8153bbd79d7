package redx

import (
	"errors"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// body is what Waybill reads of a webhook.
type body struct {
	TrackingNumber provider.ID     `json:"tracking_number"`
	InvoiceNumber  provider.ID     `json:"invoice_number"`
	Status         provider.Word   `json:"status"`
	DeliveryType   provider.Word   `json:"delivery_type"`
	Timestamp      provider.Number `json:"timestamp"`
	MessageEN      provider.Text   `json:"message_en"`
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
	switch {
	case b.Status.Fold() == "":
		return nil, errors.New("status is missing")
	case b.TrackingNumber == "":
		return nil, errors.New("tracking_number is missing")
	}

	moment := provider.AnyMoment(b.Timestamp, c.zone)
	event := &waybillv1.IngestEventRequest{
		EventId:             identity(b),
		EventIdDerived:      true,
		EventType:           provider.Short(string(b.Status), 255),
		OccurredAt:          moment.Timestamp(),
		OccurredAtCertainty: moment.Certainty,
		Changes:             changes(b),
	}
	var names provider.References
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_NUMBER, b.InvoiceNumber)
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_CONSIGNMENT_ID, b.TrackingNumber)
	event.References = names.List()
	return event, nil
}

// identity is derived, because RedX sends none. The delivery type stands where others name a return consignment: it is
// what tells the two legs of an exchange apart.
func identity(b body) string {
	return provider.DerivedID(provider.AnyTextTime(b.Timestamp),
		string(b.TrackingNumber), string(b.Status), string(b.Timestamp), string(b.DeliveryType))
}

func changes(b body) []*waybillv1.Change {
	meaning, known := meanings[b.Status.Fold()]
	if !known {
		return []*waybillv1.Change{provider.UnrecognisedChange("status", b.Status)}
	}
	leg, known := legs[b.DeliveryType.Fold()]
	if !known {
		return []*waybillv1.Change{provider.UnrecognisedChange("delivery_type", b.DeliveryType)}
	}

	parcel := provider.Parcel{
		Shipment: &waybillv1.ShipmentReference{
			ConsignmentId: string(b.TrackingNumber), TrackingNumber: string(b.TrackingNumber),
		},
		Courier: "RedX",
		Word:    b.Status,
		Reason:  b.MessageEN,
	}
	switch {
	case leg.toSeller:
		parcel.Shipment = provider.ReturnOf(b.TrackingNumber)
		meaning = meaning.GoingBack()
	case b.restGoesBack():
		parcel.Shipment = provider.ReturnOf(b.TrackingNumber)
	}
	says := parcel.Says(meaning)
	if b.Status.Fold() == delivered && leg.fact != "" {
		says = append(says, provider.FactChange(&waybillv1.Fact{Name: leg.fact, Shipment: parcel.Shipment}))
	}
	return says
}

// restGoesBack says whether the body is about what the customer of a partly delivered parcel did not take.
func (b body) restGoesBack() bool {
	status := b.Status.Fold()
	return b.DeliveryType.Fold() == partialDelivery && (status == agentReturning || status == returned)
}
