package store

import (
	"encoding/json"
	"fmt"

	"github.com/waybillhq/waybill/server/order"
)

// An order is spread over rows. The structs below are those rows, comparable with ==, so that saving an order is
// comparing the rows it came from with the rows it has become. Bytes are strings in them for that reason alone.

type orderRow struct {
	source, sourceID, number string
	placement, cancellation  string
	status                   string
	statusAt                 stamp
	payment                  string
	facts                    string
	createdAt                stamp
}

type shipmentRow struct {
	position                                  int
	consignmentID, trackingNumber, fulfilment string
	returned                                  bool
	aliases, courier, units, status           string
	statusAt                                  stamp
	certainty, facts                          string
	createdAt                                 stamp
}

// factKey identifies a fact within an account. part is what else tells it from facts of the same change: the shipment
// of a status, the kind of a ledger entry, both of a note.
type factKey struct {
	eventID     string
	changeIndex int
	part        string
	kind        string
}

type origin struct{ identity, provider string }

type statusRow struct {
	origin
	position          int
	status, certainty string
	at                stamp
	parked            bool
}

type entryRow struct {
	origin
	position              int
	paymentID, ref, state string
	amount                amount
	running, cash         bool
	at                    stamp
}

type noteRow struct {
	origin
	position                   int
	name, courier, units, text string
	amount                     amount
	at                         stamp
}

type markKey struct{ reason, eventID string }

type markRow struct {
	position int
	detail   string
	since    stamp
}

// stamp is a time that may be unknown, comparable.
type stamp struct {
	known bool
	us    int64
}

// amount is money that may be unknown, comparable.
type amount struct {
	known bool
	money order.Money
}

// orderRows are all rows of an order.
type orderRows struct {
	order     orderRow
	shipments map[string]shipmentRow
	statuses  map[factKey]statusRow
	entries   map[factKey]entryRow
	notes     map[factKey]noteRow
	marks     map[markKey]markRow
}

type placementJSON struct {
	factIDJSON
	At    int64      `json:"at"`
	Total *moneyJSON `json:"total,omitempty"`
	Lines []lineJSON `json:"lines,omitempty"`
}

type cancellationJSON struct {
	factIDJSON
	At     int64  `json:"at"`
	Reason string `json:"reason,omitempty"`
}

type factIDJSON struct {
	EventID     string `json:"event_id"`
	ChangeIndex int    `json:"change_index"`
	Identity    string `json:"identity"`
	Provider    string `json:"provider"`
}

func fromOrder(o *order.Order) (orderRows, error) {
	rows := orderRows{
		shipments: make(map[string]shipmentRow, len(o.Shipments)),
		statuses:  make(map[factKey]statusRow),
		entries:   make(map[factKey]entryRow, len(o.Ledger)),
		notes:     make(map[factKey]noteRow),
		marks:     make(map[markKey]markRow, len(o.Attention)),
	}
	rows.order = orderRow{
		source: o.Source, sourceID: o.SourceID, number: o.Number,
		placement: fromPlacement(o.Placement), cancellation: fromCancellation(o.Cancellation),
		status: string(o.Status), statusAt: stampOf(perhapsMicros(o.StatusAt)), payment: string(o.Payment),
		facts: jsonOf(o.Facts, len(o.Facts)), createdAt: stampOf(perhapsMicros(o.CreatedAt)),
	}
	for i, entry := range o.Ledger {
		rows.entries[keyOf(entry.FactID, "", string(entry.Kind))] = fromEntry(i, entry)
	}
	for i, mark := range o.Attention {
		rows.marks[markKey{mark.Reason, mark.EventID}] = markRow{i, plain(mark.Detail), stampOf(perhapsMicros(mark.Since))}
	}
	rows.addNotes("", o.Notes)
	for i, s := range o.Shipments {
		rows.shipments[s.ID] = fromShipment(i, s)
		rows.addNotes(s.ID, s.Notes)
		for j, fact := range s.Set {
			rows.statuses[keyOf(fact.FactID, s.ID, "")] = statusRow{
				origin{fact.Identity, fact.Provider},
				j, string(fact.Status), string(fact.Certainty),
				stampOf(perhapsMicros(fact.At)), fact.Parked,
			}
		}
	}
	return rows, rows.complete(o)
}

// complete says in its error when two facts of an order have one identity: one of them would be lost.
func (r orderRows) complete(o *order.Order) error {
	statuses, notes := 0, len(o.Notes)
	for _, s := range o.Shipments {
		statuses += len(s.Set)
		notes += len(s.Notes)
	}
	if len(r.shipments) != len(o.Shipments) || len(r.statuses) != statuses || len(r.entries) != len(o.Ledger) ||
		len(r.notes) != notes || len(r.marks) != len(o.Attention) {
		return fmt.Errorf("order %s: two of its facts have the same identity", o.ID)
	}
	return nil
}

func (r orderRows) addNotes(shipmentID string, notes []order.Note) {
	for i, note := range notes {
		r.notes[keyOf(note.FactID, shipmentID, string(note.Kind))] = noteRow{
			origin{note.Identity, note.Provider},
			i, plain(note.Name), plain(note.Courier),
			jsonOf(fromUnits(note.Units), len(note.Units)), note.Text, amountOf(note.Amount),
			stampOf(perhapsMicros(note.At)),
		}
	}
}

func keyOf(id order.FactID, part, kind string) factKey {
	return factKey{id.EventID, id.ChangeIndex, part, kind}
}

func fromShipment(position int, s *order.Shipment) shipmentRow {
	aliases := make([]referenceJSON, len(s.Aliases))
	for i, alias := range s.Aliases {
		aliases[i] = referenceJSON(alias)
	}
	return shipmentRow{
		position, s.Key.ConsignmentID, s.Key.TrackingNumber, s.Key.FulfilmentID, s.Key.Return,
		jsonOf(aliases, len(aliases)), plain(s.Courier), jsonOf(fromUnits(s.Units), len(s.Units)), string(s.Status),
		stampOf(perhapsMicros(s.StatusAt)), string(s.StatusCertainty), jsonOf(s.Facts, len(s.Facts)),
		stampOf(perhapsMicros(s.CreatedAt)),
	}
}

func fromEntry(position int, e order.Entry) entryRow {
	return entryRow{
		origin{e.Identity, e.Provider},
		position, plain(e.PaymentID), plain(e.Ref), e.State, amountOf(e.Amount), e.RunningTotal,
		e.CashOnDelivery, stampOf(perhapsMicros(e.At)),
	}
}

func fromPlacement(p *order.Placement) string {
	if p == nil {
		return ""
	}
	return jsonOf(placementJSON{factIDJSON(p.FactID), micros(p.At), (*moneyJSON)(p.Total), fromLines(p.Lines)}, 1)
}

func fromCancellation(c *order.CancellationFact) string {
	if c == nil {
		return ""
	}
	return jsonOf(cancellationJSON{factIDJSON(c.FactID), micros(c.At), c.Reason}, 1)
}

func amountOf(money *order.Money) amount {
	if money == nil {
		return amount{}
	}
	return amount{true, *money}
}

func (a amount) columns() (currency *string, minorUnits *int64) {
	if !a.known {
		return nil, nil
	}
	return &a.money.Currency, &a.money.MinorUnits
}

func stampOf(us *int64) stamp {
	if us == nil {
		return stamp{}
	}
	return stamp{true, *us}
}

func (s stamp) column() *int64 {
	if !s.known {
		return nil
	}
	return &s.us
}

// jsonOf is the JSON of something with n parts; of none it is empty.
func jsonOf(value any, n int) string {
	if n == 0 {
		return ""
	}
	text, err := json.Marshal(value)
	if err != nil {
		// Only maps of strings, slices and structs of plain values come here.
		panic(err)
	}
	return string(text)
}
