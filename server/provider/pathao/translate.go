package pathao

import (
	"cmp"
	"errors"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// body is what Waybill reads of a webhook.
type body struct {
	Event               provider.Word   `json:"event"`
	OrderStatus         provider.Word   `json:"order_status"`
	ConsignmentID       provider.ID     `json:"consignment_id"`
	MerchantOrderID     provider.ID     `json:"merchant_order_id"`
	ReturnConsignmentID provider.ID     `json:"return_consignment_id"`
	ReturnType          provider.Word   `json:"return_type"`
	StoreID             provider.ID     `json:"store_id"`
	CollectedAmount     provider.Number `json:"collected_amount"`
	InvoiceID           provider.Text   `json:"invoice_id"`
	Reason              provider.Text   `json:"reason"`
	Timestamp           provider.Word   `json:"timestamp"`
	UpdatedAt           provider.Word   `json:"updated_at"`
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
	word := cmp.Or(b.Event, b.OrderStatus)
	if word.Fold() == "" {
		return nil, errors.New("event is missing")
	}
	changes, err := c.changes(b)
	if err != nil {
		return nil, err
	}

	moment := c.moment(b)
	event := &waybillv1.IngestEventRequest{
		EventId:             identity(b, raw),
		EventIdDerived:      true,
		EventType:           provider.Short(string(word), 255),
		OccurredAt:          moment.Timestamp(),
		OccurredAtCertainty: moment.Certainty,
		Changes:             changes,
	}
	var names provider.References
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_NUMBER, b.MerchantOrderID)
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_CONSIGNMENT_ID, b.ConsignmentID, b.ReturnConsignmentID)
	event.References = names.List()
	return event, nil
}

// identity is derived, because Pathao sends none: consignment, status, time and return consignment, as they stand in
// the body. A body about no parcel adds itself.
func identity(b body, raw []byte) string {
	text := cmp.Or(b.Timestamp, b.UpdatedAt)
	parts := []string{
		string(b.ConsignmentID), string(cmp.Or(b.Event, b.OrderStatus)), string(text), string(b.ReturnConsignmentID),
	}
	if b.ConsignmentID == "" {
		parts = append(parts, string(raw))
	}
	return provider.DerivedID(provider.TextTime(string(text)), parts...)
}

// moment prefers timestamp, which has a zone, to updated_at, which has none.
func (c *courier) moment(b body) provider.Moment {
	if moment := provider.ParseMoment(string(b.Timestamp), c.zone); !moment.At.IsZero() {
		return moment
	}
	return provider.ParseMoment(string(b.UpdatedAt), c.zone)
}

func (c *courier) changes(b body) ([]*waybillv1.Change, error) {
	meaning, field, known := lookUp(b)
	switch {
	case known && meaning.ignored != "":
		return []*waybillv1.Change{provider.IgnoredChange(meaning.ignored)}, nil
	case c.storeID != "" && b.StoreID != "" && string(b.StoreID) != c.storeID:
		return []*waybillv1.Change{provider.IgnoredChange("it is for another store than expect.store_id says")}, nil
	case !known:
		return []*waybillv1.Change{provider.UnrecognisedChange(field, cmp.Or(b.Event, b.OrderStatus))}, nil
	case b.ConsignmentID == "":
		return nil, errors.New("consignment_id is missing")
	}

	changes := parcelChanges(b, meaning)
	money, err := c.collected(b, meaning)
	if err != nil {
		return nil, err
	}
	if fact := facts(b, meaning, money); fact != nil {
		changes = append(changes, fact)
	}
	if meaning.collects && money.GetMinorUnits() > 0 {
		changes = append(changes, payment(b, money))
	}
	return changes, nil
}

// lookUp finds what the body's word means: event in the newer payloads, order_status in the older ones.
func lookUp(b body) (meaning, string, bool) {
	if b.Event.Fold() != "" {
		found, ok := meanings[b.Event.Fold()]
		return found, "event", ok
	}
	found, ok := meanings[legacy[b.OrderStatus.Fold()]]
	return found, "order_status", ok
}

func parcelChanges(b body, m meaning) []*waybillv1.Change {
	if m.announced {
		return []*waybillv1.Change{{Change: &waybillv1.Change_ShipmentAnnounced{
			ShipmentAnnounced: &waybillv1.ShipmentAnnounced{Shipment: shipment(b, m), Courier: "Pathao"},
		}}}
	}
	if m.status == waybillv1.ShipmentStatus_SHIPMENT_STATUS_UNSPECIFIED {
		return nil
	}
	changes := []*waybillv1.Change{statusChange(b, m, shipment(b, m))}
	if m.returning && goesBackWhole(b) {
		changes = append(changes, statusChange(b, m, &waybillv1.ShipmentReference{ConsignmentId: string(b.ConsignmentID)}))
	}
	return changes
}

func statusChange(b body, m meaning, parcel *waybillv1.ShipmentReference) *waybillv1.Change {
	return &waybillv1.Change{Change: &waybillv1.Change_StatusChanged{StatusChanged: &waybillv1.StatusChanged{
		Shipment:       parcel,
		Status:         m.status,
		ProviderStatus: provider.Short(string(cmp.Or(b.Event, b.OrderStatus)), 255),
		Reason:         provider.Short(string(b.Reason), 2000),
	}}}
}

// goesBackWhole: the return consignment carries all that the consignment carried, so what is said of the one is said
// of the other. Without it the order would seem to be on its way back for ever.
func goesBackWhole(b body) bool {
	kind := b.ReturnType.Fold()
	return b.ReturnConsignmentID != "" && (kind == wholeReturn || kind == paidReturn)
}

// shipment names the parcel. Goods on their way back are a parcel of their own where a return consignment is named,
// and where the customer kept something (an exchange, a partial delivery); otherwise the parcel itself goes back.
func shipment(b body, m meaning) *waybillv1.ShipmentReference {
	own := string(b.ConsignmentID)
	if !m.returning {
		return &waybillv1.ShipmentReference{ConsignmentId: own}
	}
	if b.ReturnConsignmentID != "" {
		return &waybillv1.ShipmentReference{ConsignmentId: string(b.ReturnConsignmentID), ReturnParcel: true}
	}
	switch b.ReturnType.Fold() {
	case exchanged, partlyDelivered:
		return &waybillv1.ShipmentReference{ConsignmentId: own + "#return", ReturnParcel: true}
	default:
		return &waybillv1.ShipmentReference{ConsignmentId: own}
	}
}

// collected is the money in the body, where the word says that there may be some. Nothing collected is no payment: the
// order was paid before, or not at all.
func (c *courier) collected(b body, m meaning) (*waybillv1.Money, error) {
	if b.CollectedAmount == "" || (!m.collects && !m.charges) {
		return &waybillv1.Money{}, nil
	}
	return provider.Major("collected_amount", b.CollectedAmount, c.currency)
}

// payment is cash on delivery: one movement per consignment, whichever words report it.
func payment(b body, money *waybillv1.Money) *waybillv1.Change {
	return &waybillv1.Change{Change: &waybillv1.Change_PaymentReported{PaymentReported: &waybillv1.PaymentReported{
		PaymentId:      "cod:" + string(b.ConsignmentID),
		Evidence:       waybillv1.PaymentEvidence_PAYMENT_EVIDENCE_MOVEMENT,
		State:          waybillv1.PaymentState_PAYMENT_STATE_PAID,
		Amount:         money,
		CashOnDelivery: true,
	}}}
}

func facts(b body, m meaning, money *waybillv1.Money) *waybillv1.Change {
	if m.fact == "" {
		return nil
	}
	fact := &waybillv1.Fact{
		Name:           m.fact,
		Shipment:       &waybillv1.ShipmentReference{ConsignmentId: string(b.ConsignmentID)},
		Detail:         provider.Short(string(cmp.Or(b.InvoiceID, b.Reason)), 2000),
		NeedsAttention: m.attention,
	}
	if m.charges && money.GetMinorUnits() > 0 {
		fact.Amount = money
	}
	return &waybillv1.Change{Change: &waybillv1.Change_Fact{Fact: fact}}
}
