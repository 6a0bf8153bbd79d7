package storetest

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/waybillhq/waybill/server/order"
	"github.com/waybillhq/waybill/server/store"
)

var readChecks = []check{
	{"pages of pending work are stable while work comes and goes", pendingPages},
	{"pending work is filtered by state and kind", pendingFilters},
	{"the summary counts by kind and state and tells both ages", summary},
	{"pages of events are stable while events come in", eventPages},
	{"events are found by outcome, order, provider and time", eventFilters},
	{"an outcome that was decided anew is found by the new one only", newestOutcome},
	{"an order is found by its number and by its parcels", orderNames},
	{"the last receipt of every provider is known", lastReceived},
	{"what does not exist is not found", notFound},
	{"a cursor survives as text", cursorText},
}

func pendingPages(b *bench) {
	var want []string
	for i := range 25 {
		e := paid(fmt.Sprint(i), fmt.Sprintf("pay-%d", i), 100)
		// Several have the same time: ids break the tie.
		e.ReceivedAt = start.Add(time.Duration(i/4) * time.Second)
		want = append(want, b.accept(e).Event.ID)
	}
	var got []string
	filter := store.PendingFilter{Account: shop, Limit: 4}
	for page := 0; ; page++ {
		list, err := b.store.PendingWork(b.ctx, filter)
		if err != nil {
			b.Fatal(err)
		}
		for _, item := range list.Items {
			got = append(got, item.ID)
		}
		if list.Next.IsZero() {
			break
		}
		filter.After = list.Next
		// Newer work, and work that is done, must not shift the pages.
		newer := undecoded(fmt.Sprint(page))
		newer.ReceivedAt = start.Add(time.Hour)
		b.accept(newer)
		if page == 2 {
			late := base("shopify", "late", "late")
			late.ReceivedAt, late.Changes = start.Add(-time.Hour), []order.Change{{IgnoredReason: "late"}}
			b.accept(late)
		}
	}
	slices.Sort(want)
	seen := slices.Clone(got[:25])
	slices.Sort(seen)
	if !slices.Equal(seen, want) {
		b.Errorf("pages held %v, want %v", got, want)
	}
	if distinct := len(slices.Compact(slices.Sorted(slices.Values(got)))); distinct != len(got) {
		b.Errorf("%d items, %d distinct", len(got), distinct)
	}
}

func pendingFilters(b *bench) {
	b.accept(paid("1", "pay-1", 100))
	b.accept(undecoded("x"))
	b.settle()
	b.accept(placed("2"))
	for state, want := range map[order.EventState]int{
		order.StateWaiting: 1, order.StateParked: 1, order.StateReceived: 1, order.StateFailed: 0,
	} {
		page, err := b.store.PendingWork(b.ctx, store.PendingFilter{Account: shop, States: []order.EventState{state}})
		if err != nil || len(page.Items) != want {
			b.Errorf("%s: %d items, %v; want %d", state, len(page.Items), err, want)
		}
		for _, item := range page.Items {
			if moves := state == order.StateWaiting || state == order.StateReceived; item.DueAt.IsZero() == moves {
				b.Errorf("%s: due at %s", state, item.DueAt)
			}
		}
	}
	page, err := b.store.PendingWork(b.ctx, store.PendingFilter{Account: shop, Kinds: []string{"email"}})
	if err != nil || len(page.Items) != 0 {
		b.Errorf("kind email: %+v, %v", page, err)
	}
	if page, err = b.store.PendingWork(b.ctx, store.PendingFilter{Account: "other"}); err != nil || len(page.Items) != 0 {
		b.Errorf("other account: %+v, %v", page, err)
	}
}

func summary(b *bench) {
	empty, err := b.store.PendingSummary(b.ctx, shop)
	if err != nil || len(empty.Counts) != 0 || !empty.OldestDueAt.IsZero() || !empty.OldestWaitingAt.IsZero() {
		b.Errorf("of nothing: %+v, %v", empty, err)
	}
	b.accept(undecoded("x"))
	b.settle()
	b.clock.advance(time.Hour)
	for i := range 3 {
		e := paid(fmt.Sprint(i), fmt.Sprintf("pay-%d", i), 100)
		e.ReceivedAt = b.clock.Now()
		b.accept(e)
	}
	b.settle()
	b.clock.advance(time.Hour)
	e := placed("9")
	e.ReceivedAt = b.clock.Now()
	b.accept(e)
	b.clock.advance(time.Minute)

	got, err := b.store.PendingSummary(b.ctx, shop)

	want := []store.PendingCount{
		{Kind: store.KindEvent, State: order.StateParked, Count: 1},
		{Kind: store.KindEvent, State: order.StateReceived, Count: 1},
		{Kind: store.KindEvent, State: order.StateWaiting, Count: 3},
	}
	if err != nil || !slices.Equal(got.Counts, want) {
		b.Errorf("counts: %+v, %v", got.Counts, err)
	}
	if !got.OldestWaitingAt.Equal(start) || !got.OldestDueAt.Equal(start.Add(2*time.Hour)) {
		b.Errorf("oldest waiting %s, oldest due %s", got.OldestWaitingAt, got.OldestDueAt)
	}
	if other, err := b.store.PendingSummary(b.ctx, "other"); err != nil || len(other.Counts) != 0 {
		b.Errorf("other account: %+v, %v", other, err)
	}
}

func eventPages(b *bench) {
	var want []string
	for i := range 23 {
		e := placed(fmt.Sprint(i))
		e.ReceivedAt = start.Add(time.Duration(i/5) * time.Second)
		want = append(want, b.accept(e).Event.ID)
	}
	b.settle()
	for _, filter := range []store.EventFilter{
		{Account: shop, Limit: 5},
		{Account: shop, Limit: 5, Outcome: order.Applied},
		{Account: shop, Limit: 5, Provider: "shopify"},
		{Account: shop, Limit: 5, Provider: "shopify", Outcome: order.Applied},
	} {
		var got []string
		last := start.Add(time.Hour)
		for page := 0; ; page++ {
			list, err := b.store.Events(b.ctx, filter)
			if err != nil {
				b.Fatal(err)
			}
			for _, e := range list.Events {
				if e.Event.ReceivedAt.After(last) {
					b.Errorf("%s after %s", e.Event.ReceivedAt, last)
				}
				last = e.Event.ReceivedAt
				got = append(got, e.Event.ID)
			}
			if list.Next.IsZero() {
				break
			}
			filter.After = list.Next
			e := placed(fmt.Sprintf("new-%d-%s-%s", page, filter.Outcome, filter.Provider))
			e.ReceivedAt = start.Add(time.Minute)
			b.accept(e)
			b.settle()
		}
		// What was there before is listed whole; what came in while paging is newer than the first page.
		old := slices.DeleteFunc(slices.Clone(got), func(id string) bool { return !slices.Contains(want, id) })
		slices.Sort(old)
		if !slices.Equal(old, slices.Sorted(slices.Values(want))) {
			b.Errorf("%+v: pages held %d of %d", filter, len(old), len(want))
		}
	}
}

func eventFilters(b *bench) {
	create := b.accept(placed("1")).Event.ID
	pay := b.accept(paid("1", "pay-1", 125000)).Event.ID
	b.accept(placed("2"))
	waiting := b.accept(paid("3", "pay-3", 1)).Event.ID
	late := undecoded("x")
	late.ReceivedAt = start.Add(time.Hour)
	parked := b.accept(late).Event.ID
	b.settle()

	for _, c := range []struct {
		filter store.EventFilter
		want   []string
	}{
		{store.EventFilter{OrderNumber: "#" + number("1")}, []string{pay, create}},
		{store.EventFilter{OrderNumber: number("1"), Provider: "stripe"}, []string{pay}},
		{store.EventFilter{OrderNumber: number("1"), Outcome: order.Parked}, nil},
		{store.EventFilter{OrderNumber: "nobody's"}, nil},
		{store.EventFilter{Outcome: order.Parked}, []string{parked}},
		{store.EventFilter{Outcome: order.Conflicting}, nil},
		{store.EventFilter{Provider: "stripe"}, []string{waiting, pay}},
		{store.EventFilter{Provider: "pathao"}, []string{parked}},
		{store.EventFilter{ReceivedFrom: start.Add(time.Minute)}, []string{parked}},
		{store.EventFilter{ReceivedBefore: start.Add(time.Minute), Provider: "pathao"}, nil},
		{store.EventFilter{ReceivedBefore: start}, nil},
	} {
		c.filter.Account = shop
		page, err := b.store.Events(b.ctx, c.filter)
		if err != nil {
			b.Fatal(err)
		}
		var got []string
		for _, e := range page.Events {
			got = append(got, e.Event.ID)
		}
		if !slices.Equal(got, c.want) {
			b.Errorf("%+v: %v, want %v", c.filter, got, c.want)
		}
	}
}

func newestOutcome(b *bench) {
	b.clock.advance(49 * time.Hour)
	id := b.accept(paid("1", "pay-1", 125000)).Event.ID
	b.settle()
	b.accept(placed("1"))
	b.settle()
	b.stands(id, order.StateCompleted, order.Applied)

	for outcome, want := range map[order.Outcome]int{order.Parked: 0, order.Applied: 2} {
		page, err := b.store.Events(b.ctx, store.EventFilter{Account: shop, Outcome: outcome})
		if err != nil || len(page.Events) != want {
			b.Errorf("%s: %d events, %v; want %d", outcome, len(page.Events), err, want)
		}
	}
}

func orderNames(b *bench) {
	b.accept(placed("1"))
	b.accept(announced("1", "C1"))
	b.settle()
	want := b.order(number("1")).ID
	for _, name := range []string{"#" + number("1"), " " + number("1")} {
		if view, err := b.store.OrderByNumber(b.ctx, shop, name); err != nil || view.Order.ID != want {
			b.Errorf("number %q: %v", name, err)
		}
	}
	view, err := b.store.OrderByConsignment(b.ctx, shop, " c1")
	if err != nil || view.Order.ID != want || len(view.Steps) == 0 {
		b.Errorf("parcel: %+v, %v", view, err)
	}
	if view.Order.Shipments[0].ID == "" || view.Order.Shipments[0].Courier != "Pathao" {
		b.Errorf("parcel: %+v", view.Order.Shipments[0])
	}
}

func lastReceived(b *bench) {
	for i, e := range []order.Event{placed("1"), placed("2"), paid("1", "pay-1", 1), undecoded("x")} {
		e.ReceivedAt = start.Add(time.Duration(i) * time.Minute)
		b.accept(e)
	}
	other := placed("1")
	other.Account, other.ReceivedAt = "other", start.Add(time.Hour)
	b.accept(other)

	got, err := b.store.LastReceived(b.ctx, shop)

	if err != nil || len(got) != 3 || !got["shopify"].Equal(start.Add(time.Minute)) ||
		!got["stripe"].Equal(start.Add(2*time.Minute)) || !got["pathao"].Equal(start.Add(3*time.Minute)) {
		b.Errorf("last received: %v, %v", got, err)
	}
	if none, err := b.store.LastReceived(b.ctx, "third"); err != nil || len(none) != 0 {
		b.Errorf("of an account without events: %v, %v", none, err)
	}
}

func notFound(b *bench) {
	b.accept(paid("1", "pay-1", 1))
	b.settle()
	for what, err := range map[string]error{
		"number nobody named":   second(b.store.OrderByNumber(b.ctx, shop, "nobody")),
		"number that is waited": second(b.store.OrderByNumber(b.ctx, shop, number("1"))),
		"empty number":          second(b.store.OrderByNumber(b.ctx, shop, "")),
		"parcel":                second(b.store.OrderByConsignment(b.ctx, shop, "C1")),
		"number with U+0000":    second(b.store.OrderByNumber(b.ctx, shop, "a\x00b")),
		"event":                 second(b.store.Event(b.ctx, shop, "evt_1", true)),
		"event with U+0000":     second(b.store.Event(b.ctx, shop, "evt_\x00", false)),
	} {
		if !errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrAmbiguous) {
			b.Errorf("%s: %v", what, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func cursorText(b *bench) {
	for _, c := range []store.Cursor{{}, {At: start, ID: "evt_1"}, {At: time.UnixMicro(-5).UTC(), ID: "a.b"}} {
		back, err := store.ParseCursor(c.String())
		if err != nil || back != c {
			b.Errorf("%+v became %+v, %v", c, back, err)
		}
	}
	for _, text := range []string{"x", "!.evt", "1.", ".evt", "1.a\x00"} {
		if _, err := store.ParseCursor(text); !errors.Is(err, store.ErrInvalid) {
			b.Errorf("%q: %v", text, err)
		}
	}
}
