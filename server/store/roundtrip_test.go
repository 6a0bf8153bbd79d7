package store

import (
	"context"
	"fmt"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/waybillhq/waybill/ent"
	"github.com/waybillhq/waybill/server/order"
)

// drawer draws parts of orders. Facts need identities of their own, so it counts.
type drawer struct {
	*rapid.T
	facts int
}

func (d *drawer) word(label string) string {
	return rapid.StringMatching(`[a-zé#<&"\\ ]{0,6}`).Draw(d.T, label)
}

func (d *drawer) at(label string) time.Time {
	us := rapid.Int64Range(-1, 4_000_000_000_000_000).Draw(d.T, label)
	if us < 0 {
		return time.Time{}
	}
	return moment(us)
}

func (d *drawer) money(label string) *order.Money {
	if rapid.Bool().Draw(d.T, label+" known") {
		return nil
	}
	return &order.Money{Currency: "BDT", MinorUnits: rapid.Int64().Draw(d.T, label)}
}

func (d *drawer) fact() order.FactID {
	d.facts++
	return order.FactID{
		EventID: fmt.Sprintf("evt_%d", d.facts), ChangeIndex: rapid.IntRange(0, 3).Draw(d.T, "change"),
		Identity: d.word("identity"), Provider: d.word("provider"),
	}
}

func (d *drawer) shown(label string) map[string]string {
	return rapid.MapOfN(rapid.StringMatching(`[a-z]{1,4}`), rapid.String(), 0, 3).Draw(d.T, label)
}

func (d *drawer) units() []order.Units {
	var units []order.Units
	for range rapid.IntRange(0, 2).Draw(d.T, "units") {
		units = append(units, order.Units{LineID: d.word("line"), Quantity: rapid.Int64().Draw(d.T, "quantity")})
	}
	return units
}

func (d *drawer) note() order.Note {
	return order.Note{
		FactID: d.fact(), Kind: order.NoteFact, At: d.at("note at"), Name: d.word("name"),
		Text: rapid.String().Draw(d.T, "text"), Amount: d.money("note"), Courier: d.word("courier"), Units: d.units(),
	}
}

func (d *drawer) shipment() *order.Shipment {
	s := &order.Shipment{
		Key: order.ShipmentKey{
			ConsignmentID: d.word("consignment"), TrackingNumber: d.word("tracking"), FulfilmentID: d.word("fulfilment"),
			Return: rapid.Bool().Draw(d.T, "return"),
		},
		Courier: d.word("courier"), Units: d.units(), Status: order.Status(d.word("status")), StatusAt: d.at("status at"),
		StatusCertainty: order.Certainty(d.word("certainty")), Facts: d.shown("facts"), CreatedAt: moment(1),
	}
	for range rapid.IntRange(0, 2).Draw(d.T, "aliases") {
		s.Aliases = append(s.Aliases, order.Reference{Kind: order.FulfilmentID, Value: d.word("alias")})
	}
	for range rapid.IntRange(0, 3).Draw(d.T, "set") {
		s.Set = append(s.Set, order.StatusFact{
			FactID: d.fact(), Status: order.Status(d.word("status")), At: d.at("at"),
			Certainty: order.Exact, Parked: rapid.Bool().Draw(d.T, "parked"),
		})
	}
	for range rapid.IntRange(0, 2).Draw(d.T, "notes") {
		s.Notes = append(s.Notes, d.note())
	}
	return s
}

func (d *drawer) entry() order.Entry {
	return order.Entry{
		FactID: d.fact(), Kind: order.EntryRefund, PaymentID: d.word("payment"), Ref: d.word("ref"),
		State: d.word("state"), Amount: d.money("entry"), RunningTotal: rapid.Bool().Draw(d.T, "running"),
		CashOnDelivery: rapid.Bool().Draw(d.T, "cash"), At: d.at("at"),
	}
}

// change changes an order in some ways: parts come, go, change and change places.
func (d *drawer) change(o *order.Order) {
	o.Source, o.SourceID, o.Number = d.word("source"), d.word("source id"), d.word("number")
	o.Status, o.StatusAt = order.Status(d.word("status")), d.at("status at")
	o.Payment, o.Facts = order.PaymentStatus(d.word("payment")), d.shown("facts")
	o.Placement, o.Cancellation = nil, nil
	if rapid.Bool().Draw(d.T, "placed") {
		o.Placement = &order.Placement{
			FactID: d.fact(), At: moment(rapid.Int64Range(0, 1<<50).Draw(d.T, "placed at")), Total: d.money("total"),
			Lines: []order.Line{{ID: d.word("line"), SKU: d.word("sku"), Quantity: 2}},
		}
	}
	if rapid.Bool().Draw(d.T, "cancelled") {
		o.Cancellation = &order.CancellationFact{FactID: d.fact(), At: moment(5), Reason: rapid.String().Draw(d.T, "reason")}
	}
	o.Shipments = changed(d, o.Shipments, d.shipment, func(s *order.Shipment) { s.Status = order.Status(d.word("status")) })
	o.Ledger = changed(d, o.Ledger, d.entry, func(order.Entry) {})
	o.Notes = changed(d, o.Notes, d.note, func(order.Note) {})
	o.Attention = changed(d, o.Attention, func() order.Attention {
		d.facts++
		return order.Attention{Reason: "r", Detail: d.word("detail"), Since: d.at("since"), EventID: fmt.Sprint(d.facts)}
	}, func(order.Attention) {})
	for _, s := range o.Shipments {
		if len(o.Shipments) > 1 && len(s.Set) > 0 && rapid.Bool().Draw(d.T, "fact moves") {
			// As when parcels are merged.
			o.Shipments[0].Set = append(o.Shipments[0].Set, s.Set[len(s.Set)-1])
			s.Set = s.Set[:len(s.Set)-1]
		}
		for i := range s.Set {
			s.Set[i].Parked = rapid.Bool().Draw(d.T, "parked")
		}
	}
}

func changed[P any](d *drawer, parts []P, draw func() P, touch func(P)) []P {
	var kept []P
	for _, part := range parts {
		if rapid.Bool().Draw(d.T, "stays") {
			touch(part)
			kept = append(kept, part)
		}
	}
	for range rapid.IntRange(0, 2).Draw(d.T, "new") {
		kept = append(kept, draw())
	}
	return rapid.Permutation(kept).Draw(d.T, "places")
}

func TestAnOrderIsLoadedAsItWasSaved(t *testing.T) {
	t.Parallel()
	s := openTest(t, Options{})
	story := 0
	rapid.Check(t, func(rt *rapid.T) {
		story++
		account := fmt.Sprint("shop-", story)
		d := &drawer{T: rt}
		o := &order.Order{ID: fmt.Sprint("ord_", story), Account: account}
		h := &held{order: o, isNew: true}
		for version := int64(1); version <= 4; version++ {
			d.change(o)
			h.steps = []order.Step{{Kind: order.StepFact, At: d.at("step"), To: d.word("to"), Skipped: []order.Status{"a"}}}
			save(t, s, h)
			loaded := load(t, s, account, o.ID)
			if diff := gocmp.Diff(o, loaded, cmpopts.EquateEmpty()); diff != "" {
				rt.Fatalf("version %d (-saved +loaded):\n%s", version, diff)
			}
			if loaded.Version != version {
				rt.Fatalf("version %d, want %d", loaded.Version, version)
			}
			h = &held{order: loaded}
			var err error
			if h.saved, err = fromOrder(loaded); err != nil {
				rt.Fatal(err)
			}
			save(t, s, h)
			if loaded.Version != version {
				rt.Fatal("saving what has not changed made a version")
			}
			o = loaded
		}
	})
}

func save(t *testing.T, s *Store, h *held) {
	t.Helper()
	err := s.write(context.Background(), func(tx *ent.Tx) error {
		return s.saveOrders(context.Background(), tx, []*held{h})
	})
	if err != nil {
		t.Fatal(err)
	}
}

func load(t *testing.T, s *Store, account, id string) *order.Order {
	t.Helper()
	var loaded map[string]*order.Order
	err := s.read(context.Background(), func(tx *ent.Tx) (err error) {
		loaded, err = s.loadOrders(context.Background(), tx, wanted{[]string{account}, []string{id}}, false)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return loaded[id]
}

func TestFactsWithOneIdentityAreRefusedInsteadOfLost(t *testing.T) {
	t.Parallel()
	id := order.FactID{EventID: "evt_1"}
	for what, o := range map[string]*order.Order{
		"entries":   {Ledger: []order.Entry{{FactID: id}, {FactID: id}}},
		"notes":     {Notes: []order.Note{{FactID: id}, {FactID: id}}},
		"marks":     {Attention: []order.Attention{{Reason: "a"}, {Reason: "a"}}},
		"statuses":  {Shipments: []*order.Shipment{{ID: "1", Set: []order.StatusFact{{FactID: id}, {FactID: id}}}}},
		"shipments": {Shipments: []*order.Shipment{{ID: "1"}, {ID: "1"}}},
	} {
		if _, err := fromOrder(o); err == nil {
			t.Errorf("two %s of one identity are taken", what)
		}
	}
}

func TestAnEventIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		d := &drawer{T: rt}
		text := rapid.String().Draw(rt, "text")
		key := order.ShipmentKey{
			ConsignmentID: text, TrackingNumber: d.word("t"), FulfilmentID: d.word("f"), Return: rapid.Bool().Draw(rt, "r"),
		}
		changes := []order.Change{
			{At: d.at("at"), Placed: &order.Placed{OrderID: text, Number: text, Total: d.money("m"), Lines: []order.Line{{ID: text, SKU: text, Quantity: 1}}}},
			{Status: &order.StatusChange{Shipment: key, Status: order.Shipped, ProviderStatus: text, Reason: text}},
			{Announced: &order.Announced{Shipment: key, Courier: text, Units: d.units()}},
			{Payment: &order.Payment{PaymentID: text, Assertion: true, State: order.StatePaymentPaid, Amount: d.money("m"), CashOnDelivery: true}},
			{Refund: &order.Refund{PaymentID: text, RefundID: text, Amount: order.Money{Currency: "KWD", MinorUnits: 1 << 60}, RunningTotal: true}},
			{Dispute: &order.Dispute{DisputeID: text, PaymentID: text, State: order.DisputeWon, Amount: d.money("m")}},
			{Cancelled: &order.Cancellation{Reason: text}},
			{Checkpoint: &order.Checkpoint{Shipment: key, Description: text, Location: text}},
			{Fact: &order.Fact{Name: text, Shipment: &key, Detail: text, Amount: d.money("m"), NeedsAttention: true}},
			{Unrecognised: &order.Unrecognised{Field: text, Word: text}},
			{Undecoded: &order.Undecoded{Problem: text}},
			{IgnoredReason: text},
		}
		written, err := fromChanges(changes)
		if err != nil {
			rt.Fatal(err)
		}
		read, err := toChanges(written)
		if err != nil {
			rt.Fatal(err)
		}
		if diff := gocmp.Diff(changes, read, cmpopts.EquateEmpty()); diff != "" {
			rt.Fatalf("(-written +read):\n%s", diff)
		}
		again, err := fromChanges(read)
		if err != nil || string(again) != string(written) {
			rt.Fatalf("written again it differs: %v", err)
		}
	})
}
