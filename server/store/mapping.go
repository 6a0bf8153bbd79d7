package store

import (
	"encoding/json"
	"fmt"

	"github.com/waybillhq/waybill/server/order"
)

// Changes and references are stored as JSON, in bytes. The structs below are that format: a field that is renamed here
// is lost in every stored event, so none ever is. Marshalling them is deterministic, so their digest is one of what
// they say.

type changeJSON struct {
	At            *int64            `json:"at,omitempty"`
	Placed        *placedJSON       `json:"placed,omitempty"`
	Status        *statusJSON       `json:"status,omitempty"`
	Announced     *announcedJSON    `json:"announced,omitempty"`
	Payment       *paymentJSON      `json:"payment,omitempty"`
	Refund        *refundJSON       `json:"refund,omitempty"`
	Dispute       *disputeJSON      `json:"dispute,omitempty"`
	Cancelled     *cancelledJSON    `json:"cancelled,omitempty"`
	Checkpoint    *checkpointJSON   `json:"checkpoint,omitempty"`
	Fact          *factJSON         `json:"fact,omitempty"`
	Unrecognised  *unrecognisedJSON `json:"unrecognised,omitempty"`
	Undecoded     *undecodedJSON    `json:"undecoded,omitempty"`
	IgnoredReason string            `json:"ignored,omitempty"`
}

type moneyJSON struct {
	Currency   string `json:"currency"`
	MinorUnits int64  `json:"minor_units"`
}

type lineJSON struct {
	ID       string `json:"id"`
	SKU      string `json:"sku,omitempty"`
	Quantity int64  `json:"quantity"`
}

type placedJSON struct {
	OrderID string     `json:"order_id"`
	Number  string     `json:"number"`
	Total   *moneyJSON `json:"total,omitempty"`
	Lines   []lineJSON `json:"lines,omitempty"`
}

type shipmentJSON struct {
	ConsignmentID  string `json:"consignment_id,omitempty"`
	TrackingNumber string `json:"tracking_number,omitempty"`
	FulfilmentID   string `json:"fulfilment_id,omitempty"`
	Return         bool   `json:"return,omitempty"`
}

type statusJSON struct {
	Shipment       shipmentJSON `json:"shipment"`
	Status         order.Status `json:"status"`
	ProviderStatus string       `json:"provider_status,omitempty"`
	Reason         string       `json:"reason,omitempty"`
}

type unitsJSON struct {
	LineID   string `json:"line_id"`
	Quantity int64  `json:"quantity"`
}

type announcedJSON struct {
	Shipment shipmentJSON `json:"shipment"`
	Courier  string       `json:"courier,omitempty"`
	Units    []unitsJSON  `json:"units,omitempty"`
}

type paymentJSON struct {
	PaymentID      string             `json:"payment_id"`
	Assertion      bool               `json:"assertion,omitempty"`
	State          order.PaymentState `json:"state"`
	Amount         *moneyJSON         `json:"amount,omitempty"`
	CashOnDelivery bool               `json:"cash_on_delivery,omitempty"`
}

type refundJSON struct {
	PaymentID    string    `json:"payment_id,omitempty"`
	RefundID     string    `json:"refund_id,omitempty"`
	Amount       moneyJSON `json:"amount"`
	RunningTotal bool      `json:"running_total,omitempty"`
}

type disputeJSON struct {
	DisputeID string             `json:"dispute_id"`
	PaymentID string             `json:"payment_id,omitempty"`
	State     order.DisputeState `json:"state"`
	Amount    *moneyJSON         `json:"amount,omitempty"`
}

type cancelledJSON struct {
	Reason string `json:"reason,omitempty"`
}

type checkpointJSON struct {
	Shipment    shipmentJSON `json:"shipment"`
	Description string       `json:"description,omitempty"`
	Location    string       `json:"location,omitempty"`
}

type factJSON struct {
	Name           string        `json:"name"`
	Shipment       *shipmentJSON `json:"shipment,omitempty"`
	Detail         string        `json:"detail,omitempty"`
	Amount         *moneyJSON    `json:"amount,omitempty"`
	NeedsAttention bool          `json:"needs_attention,omitempty"`
}

type unrecognisedJSON struct {
	Field string `json:"field"`
	Word  string `json:"word"`
}

type undecodedJSON struct {
	Problem string `json:"problem"`
}

type referenceJSON struct {
	Kind  order.ReferenceKind `json:"kind"`
	Value string              `json:"value"`
}

func fromChanges(changes []order.Change) ([]byte, error) {
	rows := make([]changeJSON, len(changes))
	for i := range changes {
		rows[i] = fromChange(&changes[i])
	}
	return json.Marshal(rows)
}

func toChanges(text []byte) ([]order.Change, error) {
	var rows []changeJSON
	if err := json.Unmarshal(text, &rows); err != nil {
		return nil, fmt.Errorf("changes: %w", err)
	}
	changes := make([]order.Change, len(rows))
	for i := range rows {
		changes[i] = toChange(&rows[i])
	}
	return changes, nil
}

func fromChange(c *order.Change) changeJSON {
	row := changeJSON{
		At:            perhapsMicros(c.At),
		Payment:       fromPayment(c.Payment),
		Dispute:       fromDispute(c.Dispute),
		Cancelled:     (*cancelledJSON)(c.Cancelled),
		Unrecognised:  (*unrecognisedJSON)(c.Unrecognised),
		Undecoded:     (*undecodedJSON)(c.Undecoded),
		IgnoredReason: c.IgnoredReason,
	}
	if p := c.Placed; p != nil {
		row.Placed = &placedJSON{p.OrderID, p.Number, (*moneyJSON)(p.Total), fromLines(p.Lines)}
	}
	if s := c.Status; s != nil {
		row.Status = &statusJSON{shipmentJSON(s.Shipment), s.Status, s.ProviderStatus, s.Reason}
	}
	if a := c.Announced; a != nil {
		row.Announced = &announcedJSON{shipmentJSON(a.Shipment), a.Courier, fromUnits(a.Units)}
	}
	if r := c.Refund; r != nil {
		row.Refund = &refundJSON{r.PaymentID, r.RefundID, moneyJSON(r.Amount), r.RunningTotal}
	}
	if p := c.Checkpoint; p != nil {
		row.Checkpoint = &checkpointJSON{shipmentJSON(p.Shipment), p.Description, p.Location}
	}
	if f := c.Fact; f != nil {
		row.Fact = &factJSON{f.Name, (*shipmentJSON)(f.Shipment), f.Detail, (*moneyJSON)(f.Amount), f.NeedsAttention}
	}
	return row
}

func toChange(row *changeJSON) order.Change {
	c := order.Change{
		At:            perhapsMoment(row.At),
		Payment:       toPayment(row.Payment),
		Dispute:       toDispute(row.Dispute),
		Cancelled:     (*order.Cancellation)(row.Cancelled),
		Unrecognised:  (*order.Unrecognised)(row.Unrecognised),
		Undecoded:     (*order.Undecoded)(row.Undecoded),
		IgnoredReason: row.IgnoredReason,
	}
	if p := row.Placed; p != nil {
		c.Placed = &order.Placed{OrderID: p.OrderID, Number: p.Number, Total: (*order.Money)(p.Total), Lines: toLines(p.Lines)}
	}
	if s := row.Status; s != nil {
		c.Status = &order.StatusChange{
			Shipment: order.ShipmentKey(s.Shipment), Status: s.Status, ProviderStatus: s.ProviderStatus, Reason: s.Reason,
		}
	}
	if a := row.Announced; a != nil {
		c.Announced = &order.Announced{Shipment: order.ShipmentKey(a.Shipment), Courier: a.Courier, Units: toUnits(a.Units)}
	}
	if r := row.Refund; r != nil {
		c.Refund = &order.Refund{
			PaymentID: r.PaymentID, RefundID: r.RefundID, Amount: order.Money(r.Amount), RunningTotal: r.RunningTotal,
		}
	}
	if p := row.Checkpoint; p != nil {
		c.Checkpoint = &order.Checkpoint{
			Shipment: order.ShipmentKey(p.Shipment), Description: p.Description, Location: p.Location,
		}
	}
	if f := row.Fact; f != nil {
		c.Fact = &order.Fact{
			Name: f.Name, Shipment: (*order.ShipmentKey)(f.Shipment), Detail: f.Detail,
			Amount: (*order.Money)(f.Amount), NeedsAttention: f.NeedsAttention,
		}
	}
	return c
}

func fromPayment(p *order.Payment) *paymentJSON {
	if p == nil {
		return nil
	}
	return &paymentJSON{p.PaymentID, p.Assertion, p.State, (*moneyJSON)(p.Amount), p.CashOnDelivery}
}

func toPayment(row *paymentJSON) *order.Payment {
	if row == nil {
		return nil
	}
	return &order.Payment{
		PaymentID: row.PaymentID, Assertion: row.Assertion, State: row.State,
		Amount: (*order.Money)(row.Amount), CashOnDelivery: row.CashOnDelivery,
	}
}

func fromDispute(d *order.Dispute) *disputeJSON {
	if d == nil {
		return nil
	}
	return &disputeJSON{d.DisputeID, d.PaymentID, d.State, (*moneyJSON)(d.Amount)}
}

func toDispute(row *disputeJSON) *order.Dispute {
	if row == nil {
		return nil
	}
	return &order.Dispute{
		DisputeID: row.DisputeID, PaymentID: row.PaymentID, State: row.State, Amount: (*order.Money)(row.Amount),
	}
}

func fromLines(lines []order.Line) []lineJSON {
	var rows []lineJSON
	for _, line := range lines {
		rows = append(rows, lineJSON(line))
	}
	return rows
}

func toLines(rows []lineJSON) []order.Line {
	var lines []order.Line
	for _, row := range rows {
		lines = append(lines, order.Line(row))
	}
	return lines
}

func fromUnits(units []order.Units) []unitsJSON {
	var rows []unitsJSON
	for _, unit := range units {
		rows = append(rows, unitsJSON(unit))
	}
	return rows
}

func toUnits(rows []unitsJSON) []order.Units {
	var units []order.Units
	for _, row := range rows {
		units = append(units, order.Units(row))
	}
	return units
}

func fromReferences(refs []order.Reference) ([]byte, error) {
	rows := make([]referenceJSON, len(refs))
	for i, ref := range refs {
		rows[i] = referenceJSON(ref)
	}
	return json.Marshal(rows)
}

func toReferences(text []byte) ([]order.Reference, error) {
	var rows []referenceJSON
	if err := json.Unmarshal(text, &rows); err != nil {
		return nil, fmt.Errorf("references: %w", err)
	}
	var refs []order.Reference
	for _, row := range rows {
		refs = append(refs, order.Reference(row))
	}
	return refs, nil
}

func fromHeaders(headers map[string]string) ([]byte, error) {
	if headers == nil {
		headers = map[string]string{}
	}
	return json.Marshal(headers)
}

func toHeaders(text []byte) (map[string]string, error) {
	var headers map[string]string
	if err := json.Unmarshal(text, &headers); err != nil {
		return nil, fmt.Errorf("headers: %w", err)
	}
	if len(headers) == 0 {
		return nil, nil
	}
	return headers, nil
}
