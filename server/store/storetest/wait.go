package storetest

import (
	"fmt"
	"time"

	"github.com/waybillhq/waybill/server/order"
	"github.com/waybillhq/waybill/server/store"
)

var waitChecks = []check{
	{"an event without its order waits on everything it names", waitsOnAll},
	{"the transaction that brings the order wakes who waits for it", orderWakes},
	{"a parcel's events wait for the order to claim the parcel", parcelWakes},
	{"an event and its order in one batch meet, whichever comes first", meetInOneBatch},
	{"an event and its order decided at once always meet", meetConcurrently},
	{"a wait that is over is parked, and can still be woken", parkedAndWoken},
	{"what failed is not woken", failedSleeps},
	{"an event that found its order waits for nothing any more", foundWaitsNoMore},
	{"an event that is leased when its order comes is not lost", wokenWhileLeased},
}

func waitsOnAll(b *bench) {
	id := b.accept(paid("1", "pay-1", 100)).Event.ID
	b.settle()

	b.stands(id, order.StateWaiting, "")
	b.wantCount(b.count("SELECT count(*) FROM subjects"), "SELECT count(*) FROM waits")
	b.unchanged("waiting on", func() { b.settle() })
	page, err := b.store.PendingWork(b.ctx, store.PendingFilter{Account: shop})
	if err != nil || len(page.Items) != 1 {
		b.Fatalf("pending: %+v, %v", page, err)
	}
	if item := page.Items[0]; item.State != order.StateWaiting || item.Reason == "" ||
		!item.DueAt.Equal(start.Add(48*time.Hour)) || len(item.References) != 2 {
		b.Errorf("item: %+v", item)
	}
}

func orderWakes(b *bench) {
	id := b.accept(paid("1", "pay-1", 125000)).Event.ID
	b.settle()
	b.clock.advance(time.Hour)
	b.accept(placed("1"))
	b.decide(b.claim(1), lenient)

	view := b.stands(id, order.StateReceived, "")
	if view.Reason != "" {
		b.Errorf("reason: %q", view.Reason)
	}
	b.wantCount(1, "SELECT count(*) FROM pending_items")
	b.settle()

	b.stands(id, order.StateCompleted, order.Applied)
	if o := b.order(number("1")); o.Payment != order.PaymentPaid {
		b.Errorf("payment is %s", o.Payment)
	}
	b.wantCount(0, "SELECT count(*) FROM waits")
}

func parcelWakes(b *bench) {
	id := b.accept(scanned("C1", order.InTransit, 0)).Event.ID
	b.accept(placed("1"))
	b.settle()
	b.stands(id, order.StateWaiting, "")

	b.accept(announced("1", "C1"))
	b.settle()

	b.stands(id, order.StateCompleted, order.Applied)
	if o := b.order(number("1")); o.Status != order.InTransit {
		b.Errorf("order is %s", o.Status)
	}
}

func meetInOneBatch(b *bench) {
	for i, orderFirst := range []bool{true, false} {
		id := fmt.Sprint(i)
		events := []order.Event{placed(id), paid(id, "pay-"+id, 125000)}
		if !orderFirst {
			events[0], events[1] = events[1], events[0]
		}
		for _, e := range events {
			b.accept(e)
			b.clock.advance(time.Second)
		}
		b.decide(b.claim(2), lenient)
		b.settle()
		if o := b.order(number(id)); o.Payment != order.PaymentPaid {
			b.Errorf("order first %t: payment is %s", orderFirst, o.Payment)
		}
		b.wantCount(0, "SELECT count(*) FROM pending_items")
	}
}

func meetConcurrently(b *bench) {
	stores := []*store.Store{b.store, b.rival()}
	const rounds = 25
	for round := range rounds {
		id := fmt.Sprint(round)
		b.accept(placed(id))
		b.accept(paid(id, "pay-"+id, 125000))
		claims := b.claim(2)
		together(2, func(i int) {
			decided, err := stores[i].Decide(b.ctx, claims[i:i+1], lenient)
			if err != nil || len(decided) != 1 || decided[0].Err != nil {
				b.Errorf("round %d, side %d: %+v, %v", round, i, decided, err)
			}
		})
	}
	b.settle()
	for round := range rounds {
		if o := b.order(number(fmt.Sprint(round))); o.Payment != order.PaymentPaid {
			b.Errorf("round %d: payment is %s", round, o.Payment)
		}
	}
	b.wantCount(0, "SELECT count(*) FROM pending_items")
	b.wantCount(0, "SELECT count(*) FROM waits")
}

func parkedAndWoken(b *bench) {
	id := b.accept(paid("1", "pay-1", 125000)).Event.ID
	b.settle()
	b.clock.advance(48 * time.Hour)
	b.settle()
	view := b.stands(id, order.StateParked, order.Parked)
	if !view.Event.ReceivedAt.Equal(start) {
		b.Errorf("received at %s", view.Event.ReceivedAt)
	}

	late := placed("1")
	late.ReceivedAt = b.clock.Now()
	b.accept(late)
	b.settle()

	view = b.stands(id, order.StateCompleted, order.Applied)
	if view.Decisions[0].Revision != 2 {
		b.Errorf("revision %d", view.Decisions[0].Revision)
	}
	// One that comes in when its wait is over already can be woken all the same.
	second := paid("2", "pay-2", 125000)
	id = b.accept(second).Event.ID
	b.settle()
	b.stands(id, order.StateParked, order.Parked)
	b.accept(placed("2"))
	b.settle()
	b.stands(id, order.StateCompleted, order.Applied)
}

func failedSleeps(b *bench) {
	id := b.accept(paid("1", "pay-1", 125000)).Event.ID
	b.settle()
	b.clock.advance(48 * time.Hour)
	if err := b.store.Fail(b.ctx, b.claim(1)[0], "for the test"); err != nil {
		b.Fatal(err)
	}
	b.accept(placed("1"))
	b.settle()

	b.stands(id, order.StateFailed, "")
}

func foundWaitsNoMore(b *bench) {
	scan := scanned("C1", order.Delivered, 3*time.Minute)
	scan.References = append(scan.References, order.Reference{Kind: order.PaymentID, Value: "pay-9"})
	id := b.accept(scan).Event.ID
	b.settleWith(strict)
	b.stands(id, order.StateWaiting, "")
	b.wantCount(2, "SELECT count(*) FROM waits")

	b.accept(placed("1"))
	b.accept(announced("1", "C1"))
	b.settleWith(strict)

	b.stands(id, order.StateParked, order.Parked)
	b.wantCount(0, "SELECT count(*) FROM waits")
}

func wokenWhileLeased(b *bench) {
	id := b.accept(paid("1", "pay-1", 125000)).Event.ID
	b.settle()
	b.clock.advance(48 * time.Hour)
	leased := b.claim(1)
	b.accept(placed("1"))
	b.settle()

	if decided := b.decide(leased, lenient); len(decided) != 1 {
		b.Errorf("who holds the lease decided %+v", decided)
	}
	b.stands(id, order.StateCompleted, order.Applied)
}
