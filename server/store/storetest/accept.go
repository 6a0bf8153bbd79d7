package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/waybillhq/waybill/server/order"
	"github.com/waybillhq/waybill/server/store"
)

var acceptChecks = []check{
	{"the first delivery is the event and a later one is a duplicate", firstAndLater},
	{"a duplicate is told where the event stands by now", duplicateStandsNow},
	{"fifty copies at once are one event", copiesAtOnce},
	{"copies to two processes are one event", copiesToRivals},
	{"an eleventh delivery that says something else is kept and flagged", conflictingEleventh},
	{"a conflicting delivery marks an order that was decided before", conflictAfterDecision},
	{"a conflicting delivery marks an order that is decided later", conflictBeforeDecision},
	{"a conflicting delivery marks an order that its event leaves as it is", conflictWithoutChange},
	{"other references under an assigned identity conflict", otherReferences},
	{"other words under a derived identity are a variant", variantOfDerived},
	{"other money under a derived identity conflicts", moneyOfDerived},
	{"a newer translator with the same money makes a variant", newerTranslatorSameMoney},
	{"a newer translator with other money conflicts", newerTranslatorOtherMoney},
	{"a newer translator that understands more does not conflict", newerTranslatorUnderstands},
	{"every variant keeps its words and its bytes, equal ones are counted", variantsAreKept},
	{"bytes that events share are kept once", sharedBytes},
	{"U+0000 and every other character survive", everyCharacter},
	{"a row that breaks a rule fails alone", badRowFailsAlone},
	{"a caller that gives up harms nobody", callerGivesUp},
	{"batches of the same keys in opposite order both commit", oppositeBatches},
	{"no time is later than the receipt", timesAreSettled},
	{"identities of different accounts and providers don't meet", identitiesDontMeet},
	{"a closed store takes nothing", closedStore},
}

func firstAndLater(b *bench) {
	first := b.accept(placed("1"))
	if !first.FirstDelivery() || first.State != order.StateReceived || first.Event.ID == "" {
		b.Errorf("first delivery: %+v", first)
	}

	b.clock.advance(time.Hour)
	again := placed("1")
	again.ReceivedAt = b.clock.Now()
	again.DeliveryID = "delivery-2"
	later := b.accept(again)

	if later.FirstDelivery() || later.Verdict != store.Duplicate || later.Event.ID != first.Event.ID {
		b.Errorf("later delivery: %+v", later)
	}
	if !later.Event.ReceivedAt.Equal(start) || later.Event.DeliveryID != "delivery-1" {
		b.Errorf("a duplicate changed the receipt: %+v", later.Event)
	}
	view := b.event(first.Event.ID)
	if len(view.Deliveries) != 2 || view.Deliveries[1].DeliveryID != "delivery-2" ||
		!view.Deliveries[1].ReceivedAt.Equal(start.Add(time.Hour)) || view.Deliveries[1].Verdict != store.Duplicate {
		b.Errorf("deliveries: %+v", view.Deliveries)
	}
	b.wantCount(1, "SELECT count(*) FROM pending_items")
}

func duplicateStandsNow(b *bench) {
	b.accept(placed("1"))
	b.settle()

	receipt := b.accept(placed("1"))

	if receipt.State != order.StateCompleted || receipt.Outcome != order.Applied {
		b.Errorf("duplicate of a decided event: %s, %s", receipt.State, receipt.Outcome)
	}
	b.wantCount(0, "SELECT count(*) FROM pending_items")
}

func copiesAtOnce(b *bench) {
	b.copies(50, func(int) *store.Store { return b.store })
}

func copiesToRivals(b *bench) {
	stores := []*store.Store{b.store, b.rival()}
	b.copies(50, func(i int) *store.Store { return stores[i%2] })
}

func (b *bench) copies(n int, to func(i int) *store.Store) {
	var first, later atomic.Int64
	ids := make([]string, n)
	together(n, func(i int) {
		receipt, err := to(i).Accept(b.ctx, placed("1"))
		if err != nil {
			b.Errorf("copy %d: %v", i, err)
			return
		}
		ids[i] = receipt.Event.ID
		if receipt.FirstDelivery() {
			first.Add(1)
		} else {
			later.Add(1)
		}
	})

	slices.Sort(ids)
	if distinct := slices.Compact(ids); first.Load() != 1 || later.Load() != int64(n-1) || len(distinct) != 1 {
		b.Fatalf("%d first, %d later, ids %v", first.Load(), later.Load(), distinct)
	}
	b.wantCount(1, "SELECT count(*) FROM events")
	b.wantCount(1, "SELECT count(*) FROM pending_items")
	b.wantCount(1, "SELECT count(*) FROM payloads")
	seen := int64(0)
	for _, d := range b.event(ids[0]).Deliveries {
		seen += 1 + d.Further
	}
	if seen != int64(n) {
		b.Errorf("%d deliveries are recorded, want %d", seen, n)
	}
}

func conflictingEleventh(b *bench) {
	id := b.accept(paid("1", "pay-1", 125000)).Event.ID
	for range 9 {
		b.accept(paid("1", "pay-1", 125000))
	}
	other := paid("1", "pay-1", 999)
	other.Raw.Body = []byte("something else")

	receipt := b.accept(other)

	if receipt.Verdict != store.Conflicting || receipt.Event.ID != id {
		b.Errorf("receipt: %+v", receipt)
	}
	view := b.event(id)
	last := view.Deliveries[len(view.Deliveries)-1]
	if len(view.Deliveries) != 11 || last.Verdict != store.Conflicting || len(last.Changes) != 1 ||
		last.Changes[0].Payment.Amount.MinorUnits != 999 {
		b.Errorf("the conflicting delivery was not kept: %d deliveries, the last %+v", len(view.Deliveries), last)
	}
	if view.Event.Changes[0].Payment.Amount.MinorUnits != 125000 {
		b.Error("the event says what the conflicting delivery said")
	}
	b.wantCount(2, "SELECT count(*) FROM payloads")
	page, err := b.store.Events(b.ctx, store.EventFilter{Account: shop, Outcome: order.Conflicting})
	if err != nil || len(page.Events) != 1 || page.Events[0].Event.ID != id {
		b.Errorf("events that conflict: %+v, %v", page, err)
	}
}

func conflictAfterDecision(b *bench) {
	b.accept(placed("1"))
	id := b.accept(paid("1", "pay-1", 125000)).Event.ID
	b.settle()
	before := b.order(number("1"))

	b.accept(paid("1", "pay-1", 1))
	b.accept(paid("1", "pay-1", 1))

	after := b.order(number("1"))
	b.wantConflictMark(after, id)
	if after.Version != before.Version+1 {
		b.Errorf("version went from %d to %d", before.Version, after.Version)
	}
	if after.Payment != order.PaymentPaid {
		b.Errorf("payment is %s: the conflicting delivery was applied", after.Payment)
	}
}

func conflictBeforeDecision(b *bench) {
	id := b.accept(paid("1", "pay-1", 125000)).Event.ID
	b.accept(paid("1", "pay-1", 1))
	b.settle()
	b.accept(placed("1"))
	b.settle()

	o := b.order(number("1"))

	b.wantConflictMark(o, id)
	if o.Payment != order.PaymentPaid {
		b.Errorf("payment is %s", o.Payment)
	}
	b.stands(id, order.StateCompleted, order.Applied)
}

func conflictWithoutChange(b *bench) {
	b.accept(placed("1"))
	b.settle()
	ignored := base("shopify", "orders/whatever:1", "orders/whatever")
	ignored.References = []order.Reference{{Kind: order.OrderID, Value: "1"}}
	ignored.Changes = []order.Change{{IgnoredReason: "nobody needs it"}}
	id := b.accept(ignored).Event.ID
	ignored.Changes = placed("2").Changes
	b.accept(ignored)
	before := b.order(number("1")).Version
	b.settle()

	b.stands(id, order.StateCompleted, order.Ignored)
	o := b.order(number("1"))
	b.wantConflictMark(o, id)
	if o.Version != before+1 {
		b.Errorf("version goes from %d to %d", before, o.Version)
	}
}

func (b *bench) wantConflictMark(o *order.Order, eventID string) {
	b.Helper()
	marks := 0
	for _, mark := range o.Attention {
		if mark.Reason == "conflicting" && mark.EventID == eventID && !mark.Since.IsZero() && mark.Detail != "" {
			marks++
		}
	}
	if marks != 1 {
		b.Errorf("%d conflict marks of the event, want 1: %+v", marks, o.Attention)
	}
}

func otherReferences(b *bench) {
	b.accept(paid("1", "pay-1", 125000))
	other := paid("2", "pay-1", 125000)

	if receipt := b.accept(other); receipt.Verdict != store.Conflicting {
		b.Errorf("the same payment for another order is %s", receipt.Verdict)
	}
}

func variantOfDerived(b *bench) {
	e := scanned("C1", order.InTransit, 0)
	b.accept(e)
	e.Changes = []order.Change{{Status: &order.StatusChange{
		Shipment: order.ShipmentKey{ConsignmentID: "C1"}, Status: order.InTransit, Reason: "another wording",
	}}}

	receipt := b.accept(e)

	view := b.event(receipt.Event.ID)
	if receipt.Verdict != store.Duplicate || len(view.Deliveries) != 2 || len(view.Deliveries[1].Changes) != 1 {
		b.Errorf("receipt %s, deliveries %+v", receipt.Verdict, view.Deliveries)
	}
	b.wantCount(0, "SELECT count(*) FROM outcomes")
}

func moneyOfDerived(b *bench) {
	e := paid("1", "pay-1", 100)
	e.IdentityDerived = true
	b.accept(e)
	other := paid("1", "pay-1", 101)
	other.IdentityDerived = true

	if receipt := b.accept(other); receipt.Verdict != store.Conflicting {
		b.Errorf("other money is %s", receipt.Verdict)
	}
}

func newerTranslatorSameMoney(b *bench) {
	b.accept(paid("1", "pay-1", 100))
	newer := paid("1", "pay-1", 100)
	newer.TranslatorVersion = "2"
	newer.Changes = []order.Change{{Payment: &order.Payment{
		PaymentID: "pay-1", State: order.StatePaymentAuthorized, Amount: bdt(100),
	}}}

	receipt := b.accept(newer)

	view := b.event(receipt.Event.ID)
	if receipt.Verdict != store.Duplicate || len(view.Deliveries) != 2 || view.Deliveries[1].TranslatorVersion != "2" ||
		len(view.Deliveries[1].Changes) != 1 {
		b.Errorf("receipt %s, deliveries %+v", receipt.Verdict, view.Deliveries)
	}
	newer.TranslatorVersion = "1"
	if receipt := b.accept(newer); receipt.Verdict != store.Conflicting {
		b.Errorf("the same under the same translator is %s", receipt.Verdict)
	}
}

func newerTranslatorOtherMoney(b *bench) {
	b.accept(paid("1", "pay-1", 100))
	newer := paid("1", "pay-1", 10000)
	newer.TranslatorVersion = "2"

	if receipt := b.accept(newer); receipt.Verdict != store.Conflicting {
		b.Errorf("other money is %s", receipt.Verdict)
	}
}

func newerTranslatorUnderstands(b *bench) {
	e := unrecognised("1", "payment.settled")
	b.accept(e)
	newer := e
	newer.TranslatorVersion = "2"
	newer.Changes = paid("1", "pay-1", 100).Changes

	if receipt := b.accept(newer); receipt.Verdict != store.Duplicate {
		b.Errorf("a body that is understood by now is %s", receipt.Verdict)
	}
}

func variantsAreKept(b *bench) {
	e := scanned("C1", order.InTransit, 0)
	var id string
	send := func(variant, times int) {
		for range times {
			copied := e
			copied.Changes = []order.Change{{Status: &order.StatusChange{
				Shipment: order.ShipmentKey{ConsignmentID: "C1"}, Status: order.InTransit, Reason: fmt.Sprint(variant),
			}}}
			copied.Raw.Body = fmt.Appendf(nil, "variant %d", variant)
			id = b.accept(copied).Event.ID
		}
	}
	send(0, 25)
	for variant := 1; variant <= 12; variant++ {
		send(variant, 1)
	}
	send(12, 14)

	// 10 of the first, the first included, one of each of 11 variants, and 10 of the last.
	view := b.event(id)
	if len(view.Deliveries) != 10+11+10 {
		b.Errorf("%d deliveries are kept", len(view.Deliveries))
	}
	distinct, further := 0, int64(0)
	for _, d := range view.Deliveries {
		further += d.Further
		if len(d.Changes) > 0 {
			distinct++
		}
	}
	if distinct != 12 || further != 15+5 {
		b.Errorf("%d variants and %d further deliveries, want 12 and 20", distinct, further)
	}
	b.wantCount(13, "SELECT count(*) FROM payloads")
}

func sharedBytes(b *bench) {
	body := []byte(`[{"one":1},{"two":2}]`)
	one, two := scanned("C1", order.InTransit, 0), scanned("C2", order.InTransit, 0)
	one.Raw.Body, two.Raw.Body = body, body
	first, second := b.accept(one), b.accept(two)
	b.accept(one)

	b.wantCount(1, "SELECT count(*) FROM payloads")
	for _, id := range []string{first.Event.ID, second.Event.ID} {
		if got := b.event(id).Event.Raw.Body; !bytes.Equal(got, body) {
			b.Errorf("body of %s: %q", id, got)
		}
	}
}

func everyCharacter(b *bench) {
	strange := "a\x00b \\u0000 \u2028 😀 \u202eمرحبا e\u0301 <&>"
	e := scanned("C1", order.InTransit, 0)
	e.Changes = append(e.Changes,
		order.Change{Checkpoint: &order.Checkpoint{Shipment: order.ShipmentKey{ConsignmentID: "C1"}, Description: strange}},
		order.Change{Fact: &order.Fact{Name: "note", Detail: strange}},
		order.Change{Unrecognised: &order.Unrecognised{Field: "status", Word: strange}})
	e.Raw.Body = []byte("\x00\xff" + strange)
	e.Raw.Headers = map[string]string{"x-note": "😀"}
	id := b.accept(e).Event.ID
	b.accept(placed("1"))
	b.accept(announced("1", "C1"))
	b.settle()

	view := b.event(id)
	if got := view.Event.Changes[1].Checkpoint.Description; got != strange {
		b.Errorf("description: %q", got)
	}
	if got := view.Event.Changes[2].Fact.Detail; got != strange {
		b.Errorf("detail: %q", got)
	}
	if !bytes.Equal(view.Event.Raw.Body, e.Raw.Body) || view.Event.Raw.Headers["x-note"] != "😀" {
		b.Errorf("raw: %+v", view.Event.Raw)
	}
	found := false
	for _, note := range b.order(number("1")).Shipments[0].Notes {
		found = found || note.Text == strange
	}
	if !found {
		b.Errorf("no note of the parcel has the courier's words: %+v", b.order(number("1")).Shipments[0].Notes)
	}
}

func badRowFailsAlone(b *bench) {
	const n = 60
	bad := map[int]order.Event{}
	for i, spoil := range []func(e *order.Event){
		func(e *order.Event) { e.Account = "" },
		func(e *order.Event) { e.Provider = "" },
		func(e *order.Event) { e.Identity = "" },
		func(e *order.Event) { e.Identity = string(bytes.Repeat([]byte("x"), 513)) },
		func(e *order.Event) { e.Type = "a\x00b" },
		func(e *order.Event) { e.DeliveryID = "\xff" },
		func(e *order.Event) { e.References[0].Value = "a\x00b" },
		func(e *order.Event) { e.Changes[0].Placed.Number = "\xff" },
	} {
		e := placed("bad")
		spoil(&e)
		bad[i*7] = e
	}
	together(n, func(i int) {
		if e, spoilt := bad[i]; spoilt {
			if _, err := b.store.Accept(b.ctx, e); !errors.Is(err, store.ErrInvalid) {
				b.Errorf("bad row %d: %v", i, err)
			}
			return
		}
		if _, err := b.store.Accept(b.ctx, placed(fmt.Sprint(i))); err != nil {
			b.Errorf("good row %d: %v", i, err)
		}
	})

	b.wantCount(n-len(bad), "SELECT count(*) FROM events")
	b.wantCount(n-len(bad), "SELECT count(*) FROM pending_items")
}

func callerGivesUp(b *bench) {
	gone, leave := context.WithCancel(b.ctx)
	leave()
	callers := []context.Context{gone, b.ctx}
	together(40, func(i int) {
		_, err := b.store.Accept(callers[i%2], placed(fmt.Sprint(i)))
		if i%2 == 0 && err != nil && !errors.Is(err, context.Canceled) {
			b.Errorf("who gave up got: %v", err)
		}
		if i%2 == 1 && err != nil {
			b.Errorf("who stayed got: %v", err)
		}
	})

	for i := 1; i < 40; i += 2 {
		if receipt := b.accept(placed(fmt.Sprint(i))); receipt.FirstDelivery() {
			b.Errorf("delivery %d was acknowledged and is not there", i)
		}
	}
}

func oppositeBatches(b *bench) {
	const keys, rounds = 40, 5
	stores := []*store.Store{b.store, b.rival()}
	for round := range rounds {
		var first atomic.Int64
		together(2*keys, func(i int) {
			side, key := i%2, i/2
			if side == 1 {
				key = keys - 1 - key
			}
			receipt, err := stores[side].Accept(b.ctx, placed(fmt.Sprintf("%d-%d", round, key)))
			if err != nil {
				b.Errorf("side %d, key %d: %v", side, key, err)
			}
			if receipt.FirstDelivery() {
				first.Add(1)
			}
		})
		if first.Load() != keys {
			b.Errorf("round %d: %d first deliveries of %d events", round, first.Load(), keys)
		}
	}
	b.wantCount(keys*rounds, "SELECT count(*) FROM events")
}

func timesAreSettled(b *bench) {
	future := scanned("C1", order.InTransit, 0)
	future.OccurredAt = start.Add(time.Hour)
	future.Changes[0].At = start.Add(2 * time.Hour)
	missing := scanned("C2", order.InTransit, 0)
	missing.OccurredAt = time.Time{}
	exact := scanned("C3", order.InTransit, 0)
	exact.OccurredAt = start.Add(-time.Hour).Add(123456789 * time.Nanosecond).In(time.FixedZone("Dhaka", 6*3600))

	one, two, three := b.event(b.accept(future).Event.ID), b.event(b.accept(missing).Event.ID), b.event(b.accept(exact).Event.ID)

	if !one.Event.OccurredAt.Equal(start) || one.Event.Certainty != order.Future || !one.Event.Changes[0].At.Equal(start) {
		b.Errorf("future: %s, %s, change at %s", one.Event.OccurredAt, one.Event.Certainty, one.Event.Changes[0].At)
	}
	if !two.Event.OccurredAt.Equal(start) || two.Event.Certainty != order.Missing {
		b.Errorf("missing: %s, %s", two.Event.OccurredAt, two.Event.Certainty)
	}
	if want := start.Add(-time.Hour).Add(123456 * time.Microsecond); three.Event.OccurredAt != want {
		b.Errorf("exact: %s, want %s in UTC", three.Event.OccurredAt, want)
	}
	// A future time that is in the past by the next delivery is still the same.
	b.clock.advance(24 * time.Hour)
	future.ReceivedAt = b.clock.Now()
	if receipt := b.accept(future); receipt.Verdict != store.Duplicate || len(b.event(receipt.Event.ID).Deliveries[1].Changes) != 0 {
		b.Errorf("the same a day later is %s, and not the same", receipt.Verdict)
	}
}

func identitiesDontMeet(b *bench) {
	for _, account := range []string{shop, "other"} {
		for _, provider := range []string{"shopify", "shopify-eu"} {
			e := placed("1")
			e.Account, e.Provider = account, provider
			if receipt := b.accept(e); !receipt.FirstDelivery() {
				b.Errorf("%s/%s: %s", account, provider, receipt.Verdict)
			}
		}
	}
}

func closedStore(b *bench) {
	rival := b.rival()
	if err := rival.Close(); err != nil {
		b.Fatal(err)
	}
	if _, err := rival.Accept(b.ctx, placed("1")); !errors.Is(err, store.ErrUnavailable) {
		b.Errorf("accept on a closed store: %v", err)
	}
}
