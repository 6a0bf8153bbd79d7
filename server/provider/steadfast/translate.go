package steadfast

import (
	"errors"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// body is what Waybill reads of a webhook.
type body struct {
	NotificationType provider.Word   `json:"notification_type"`
	ConsignmentID    provider.ID     `json:"consignment_id"`
	Invoice          provider.ID     `json:"invoice"`
	Status           provider.Word   `json:"status"`
	CODAmount        provider.Number `json:"cod_amount"`
	TrackingMessage  provider.Text   `json:"tracking_message"`
	UpdatedAt        provider.Word   `json:"updated_at"`
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
	changes, err := c.changes(b)
	if err != nil {
		return nil, err
	}

	moment := provider.ParseMoment(string(b.UpdatedAt), c.zone)
	event := &waybillv1.IngestEventRequest{
		EventId:             identity(b),
		EventIdDerived:      true,
		EventType:           provider.Short(string(b.NotificationType), 255),
		OccurredAt:          moment.Timestamp(),
		OccurredAtCertainty: moment.Certainty,
		Changes:             changes,
	}
	var names provider.References
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_NUMBER, b.Invoice)
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_CONSIGNMENT_ID, b.ConsignmentID)
	event.References = names.List()
	return event, nil
}

// identity is derived, because Steadfast sends none. A tracking update has no status: its message tells two of the same
// second apart.
func identity(b body) string {
	parts := []string{string(b.ConsignmentID), string(b.Status), string(b.UpdatedAt), ""}
	if b.Status.Fold() == "" {
		parts = append(parts, string(b.TrackingMessage))
	}
	return provider.DerivedID(provider.TextTime(string(b.UpdatedAt)), parts...)
}

func (c *courier) changes(b body) ([]*waybillv1.Change, error) {
	switch {
	case b.NotificationType.Fold() == "":
		return nil, errors.New("notification_type is missing")
	case b.ConsignmentID == "":
		return nil, errors.New("consignment_id is missing")
	}
	parcel := provider.Parcel{
		Shipment: &waybillv1.ShipmentReference{ConsignmentId: string(b.ConsignmentID)},
		Courier:  "Steadfast",
		Word:     b.Status,
		Reason:   b.TrackingMessage,
	}
	switch provider.FoldWords(b.NotificationType) {
	case deliveryStatus:
		return c.statusChanges(b, parcel)
	case trackingUpdate:
		return updateChanges(b, parcel)
	default:
		return []*waybillv1.Change{provider.UnrecognisedChange("notification_type", b.NotificationType)}, nil
	}
}

func updateChanges(b body, parcel provider.Parcel) ([]*waybillv1.Change, error) {
	seen := parcel.Seen(b.TrackingMessage, "", provider.Moment{})
	if seen == nil {
		return nil, errors.New("tracking_message is missing")
	}
	return seen, nil
}

func (c *courier) statusChanges(b body, parcel provider.Parcel) ([]*waybillv1.Change, error) {
	status := provider.FoldWords(b.Status)
	if status == "" {
		return nil, errors.New("status is missing")
	}
	meaning, known := meanings[status]
	if !known {
		return []*waybillv1.Change{provider.UnrecognisedChange("status", b.Status)}, nil
	}
	changes := parcel.Says(meaning)
	if status != delivered && status != partialDelivered {
		return changes, nil
	}

	money, err := c.cash(b)
	switch {
	case err != nil:
		return nil, err
	case status == partialDelivered:
		// The amount may be what was asked for, and not what was paid: it is shown, and a person decides.
		changes = append(changes, provider.FactChange(&waybillv1.Fact{
			Name:           "partial_delivery",
			Shipment:       parcel.Shipment,
			Amount:         money,
			NeedsAttention: true,
		}))
	case money != nil:
		changes = append(changes, provider.CashOnDelivery(b.ConsignmentID, money))
	}
	return changes, nil
}

// cash is the amount that the courier collects. Nothing to collect is no payment: the order was paid before.
func (c *courier) cash(b body) (*waybillv1.Money, error) {
	if b.CODAmount == "" {
		return nil, nil //nolint:nilnil // no money is an answer
	}
	money, err := provider.Major("cod_amount", b.CODAmount, c.currency)
	if err != nil || money.GetMinorUnits() == 0 {
		return nil, err
	}
	return money, nil
}
