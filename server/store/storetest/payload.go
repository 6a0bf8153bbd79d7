package storetest

import (
	"time"

	"github.com/waybillhq/waybill/server/order"
)

var payloadChecks = []check{
	{"bytes of finished events go when their time is over", finishedExpire},
	{"bytes that something unfinished needs never go", unfinishedStay},
	{"bytes that a second event shares wait for it too", sharedStay},
	{"bytes of a conflicting delivery wait for its event", conflictStay},
	{"bytes that are needed stay even when an expiry was set by a slip", slippedExpiry},
	{"a removal removes no more than its limit", expiryLimit},
}

func (b *bench) expire(limit, want int) {
	b.Helper()
	removed, err := b.store.ExpirePayloads(b.ctx, b.clock.Now(), limit)
	if err != nil || removed != want {
		b.Errorf("%d payloads expired, %v; want %d", removed, err, want)
	}
}

func finishedExpire(b *bench) {
	id := b.accept(placed("1")).Event.ID
	b.settle()
	b.clock.advance(720*time.Hour - time.Microsecond)
	b.expire(10, 0)
	b.clock.advance(time.Microsecond)
	b.expire(10, 1)

	view := b.stands(id, order.StateCompleted, order.Applied)
	if view.Event.Raw.Body != nil || len(view.Event.Changes) != 1 {
		b.Errorf("event: %+v", view.Event)
	}
	// The identity is known for ever.
	if receipt := b.accept(placed("1")); receipt.FirstDelivery() {
		b.Error("a delivery after the expiry is a first one")
	}
}

func unfinishedStay(b *bench) {
	ids := []string{
		b.accept(undecoded("x")).Event.ID,
		b.accept(paid("1", "pay-1", 1)).Event.ID,
		b.accept(placed("2")).Event.ID,
	}
	b.settle()
	fresh := b.accept(placed("3")).Event.ID
	b.clock.advance(10000 * time.Hour)
	b.expire(10, 1)
	for _, id := range append(ids[:2:2], fresh) {
		if b.event(id).Event.Raw.Body == nil {
			b.Errorf("the bytes of unfinished %s are gone", id)
		}
	}
	b.settle()
	// Parked by now, all of them but one.
	b.clock.advance(10000 * time.Hour)
	b.expire(10, 1)
	for _, id := range ids[:2] {
		if view := b.event(id); view.State != order.StateParked || view.Event.Raw.Body == nil {
			b.Errorf("%s is %s and has %d bytes", id, view.State, len(view.Event.Raw.Body))
		}
	}
}

func sharedStay(b *bench) {
	first, second := placed("1"), undecoded("x")
	second.Raw.Body = first.Raw.Body
	b.accept(first)
	parked := b.accept(second).Event.ID
	b.settle()
	b.clock.advance(10000 * time.Hour)
	b.expire(10, 0)
	if b.event(parked).Event.Raw.Body == nil {
		b.Error("the bytes of the parked event are gone")
	}

	// Also when the one that shares them comes later.
	third, fourth := placed("3"), undecoded("y")
	third.Raw.Body, fourth.Raw.Body = []byte("later"), []byte("later")
	b.accept(third)
	b.settle()
	later := b.accept(fourth).Event.ID
	b.clock.advance(10000 * time.Hour)
	b.expire(10, 0)
	if b.event(later).Event.Raw.Body == nil {
		b.Error("the bytes of the event that came later are gone")
	}
	b.wantCount(0, "SELECT count(*) FROM payloads WHERE expires_at IS NOT NULL")
}

func conflictStay(b *bench) {
	b.accept(paid("1", "pay-1", 1))
	other := paid("1", "pay-1", 2)
	other.Raw.Body = []byte("other")
	b.accept(other)
	b.settle()
	b.clock.advance(10000 * time.Hour)
	b.expire(10, 0)
	b.accept(placed("1"))
	b.settle()
	b.wantCount(0, "SELECT count(*) FROM payloads WHERE expires_at IS NULL")
	b.clock.advance(720 * time.Hour)
	b.expire(10, 3)

	// One that comes when its event has long ended is kept for as long as any other.
	late := paid("1", "pay-1", 3)
	late.Raw.Body = []byte("late")
	b.accept(late)
	b.expire(10, 0)
	b.clock.advance(720 * time.Hour)
	b.expire(10, 1)
}

func slippedExpiry(b *bench) {
	parked := b.accept(undecoded("x")).Event.ID
	// The bytes of a variant of an unfinished event, which a finished event shares.
	b.accept(paid("1", "pay-1", 1))
	variant := paid("1", "pay-1", 2)
	variant.Raw.Body = placed("2").Raw.Body
	b.accept(variant)
	b.accept(placed("2"))
	b.settle()
	if _, err := b.database.SQL.ExecContext(b.ctx, "UPDATE payloads SET expires_at = 1"); err != nil {
		b.Fatal(err)
	}

	b.expire(10, 0)

	if b.event(parked).Event.Raw.Body == nil {
		b.Error("the bytes of the parked event are gone")
	}
	b.accept(placed("1"))
	b.settle()
	b.expire(10, 2)
}

func expiryLimit(b *bench) {
	for _, id := range []string{"1", "2", "3", "4", "5"} {
		b.accept(placed(id))
	}
	b.settle()
	b.clock.advance(720 * time.Hour)
	b.expire(2, 2)
	b.expire(2, 2)
	b.expire(2, 1)
	b.expire(2, 0)
}
