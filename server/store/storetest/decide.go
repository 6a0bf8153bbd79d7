package storetest

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/waybillhq/waybill/server/order"
	"github.com/waybillhq/waybill/server/store"
)

var decideChecks = []check{
	{"a decision leaves an order, its history, an outcome and nothing pending", decisionLeaves},
	{"events of one order in one batch see each other's effects", oneOrderOneBatch},
	{"a poison event costs only itself", poisonCostsItself},
	{"a rule that can't be followed names the event that was at fault", poisonAlone},
	{"an event whose record is damaged costs only itself", damaged},
	{"a number of two shops is ambiguous", sharedNumber},
	{"an event that is told of twice is ruled once", snapshotTwice},
	{"deciders of the same orders in opposite order both get there", oppositeDeciders},
	{"a parked fact of another event that counts now gets a new revision and ends it", strictRevision},
	{"parcels that turn out to be one are merged", mergedParcels},
	{"accounts don't meet", accountsDontMeet},
	{"an order that nothing changes keeps its version", versionStands},
}

func decisionLeaves(b *bench) {
	id := b.accept(placed("1")).Event.ID

	decided := b.decide(b.claim(1), lenient)

	d := decided[0]
	if d.State != order.StateCompleted || d.Outcome != order.Applied || d.OrderID == "" || d.OrderVersion != 1 || d.Claim.EventID != id {
		b.Errorf("decided: %+v", d)
	}
	view, err := b.store.OrderByNumber(b.ctx, shop, "#"+number("1"))
	if err != nil {
		b.Fatal(err)
	}
	o := view.Order
	if o.ID != d.OrderID || o.Account != shop || o.Source != "shopify" || o.SourceID != "1" || o.Version != 1 ||
		!o.CreatedAt.Equal(start) || !o.UpdatedAt.Equal(start) || o.Placement.Lines[0].Quantity != 2 {
		b.Errorf("order: %+v", o)
	}
	if len(view.Steps) == 0 || view.Steps[0].ID == "" || view.Steps[0].EventID != id {
		b.Errorf("steps: %+v", view.Steps)
	}
	e := b.stands(id, order.StateCompleted, order.Applied)
	if len(e.Decisions) != 1 || e.Decisions[0].Revision != 1 || e.Decisions[0].OrderNumber != number("1") ||
		!e.Decisions[0].DecidedAt.Equal(start) || !slices.Equal(e.OrderNumbers, []string{number("1")}) {
		b.Errorf("decisions: %+v", e.Decisions)
	}
	b.wantCount(0, "SELECT count(*) FROM pending_items")
	b.wantCount(1, "SELECT count(*) FROM payloads WHERE expires_at IS NOT NULL")
}

func oneOrderOneBatch(b *bench) {
	ids := []string{
		b.accept(placed("1")).Event.ID,
		b.accept(paid("1", "pay-1", 25000)).Event.ID,
		b.accept(paid("1", "pay-2", 100000)).Event.ID,
		b.accept(announced("1", "C1")).Event.ID,
		b.accept(scanned("C1", order.InTransit, time.Minute)).Event.ID,
		b.accept(scanned("C1", order.Delivered, 2*time.Minute)).Event.ID,
	}

	decided := b.decide(b.claim(10), lenient)
	b.settle()

	if len(decided) != len(ids) {
		b.Errorf("%d decided", len(decided))
	}
	for _, id := range ids {
		b.stands(id, order.StateCompleted, order.Applied)
	}
	o := b.order(number("1"))
	if o.Status != order.Delivered || o.Payment != order.PaymentPaid || len(o.Shipments) != 1 || len(o.Ledger) != 2 {
		b.Errorf("order: %s, %s, %d parcels, %d entries", o.Status, o.Payment, len(o.Shipments), len(o.Ledger))
	}
	b.wantCount(1, "SELECT count(*) FROM orders")
}

// poisonous is a policy that panics for one account, as a rule with a fault would.
func poisonous(account string) order.Policy {
	if account == "poison" {
		panic("a fault in a rule")
	}
	return lenient(account)
}

func poisonCostsItself(b *bench) {
	var good []string
	for i := range 20 {
		good = append(good, b.accept(placed(fmt.Sprint(i))).Event.ID)
		if i == 7 {
			bad := placed("bad")
			bad.Account = "poison"
			b.accept(bad)
		}
	}

	decided, err := b.store.Decide(b.ctx, b.claim(30), poisonous)
	if err != nil {
		b.Fatal(err)
	}

	if len(decided) != 21 {
		b.Errorf("%d decided", len(decided))
	}
	for _, d := range decided {
		if (d.Err != nil) != (d.Claim.Account == "poison") {
			b.Errorf("%s of %s: %v", d.Claim.EventID, d.Claim.Account, d.Err)
		}
		if d.Err != nil {
			if err := b.store.Retry(b.ctx, d.Claim, start.Add(time.Hour), d.Err.Error()); err != nil {
				b.Errorf("its claim still holds, but: %v", err)
			}
		}
	}
	for _, id := range good {
		b.stands(id, order.StateCompleted, order.Applied)
	}
	b.wantCount(1, "SELECT count(*) FROM pending_items")
	b.wantCount(20, "SELECT count(*) FROM orders")
}

func poisonAlone(b *bench) {
	bad := placed("bad")
	bad.Account = "poison"
	id := b.accept(bad).Event.ID
	claims := b.claim(1)

	b.unchanged("a poison event", func() {
		decided, err := b.store.Decide(b.ctx, claims, poisonous)
		if err != nil || len(decided) != 1 || decided[0].Err == nil || decided[0].Claim.ID != id {
			b.Errorf("decided: %+v, %v", decided, err)
		}
	})
}

func damaged(b *bench) {
	good, bad := b.accept(placed("1")).Event.ID, b.accept(placed("2")).Event.ID
	query := "UPDATE events SET changes = " + b.database.Bytes("no JSON") + " WHERE id = '" + bad + "'"
	if _, err := b.database.SQL.ExecContext(b.ctx, query); err != nil {
		b.Fatal(err)
	}

	decided, err := b.store.Decide(b.ctx, b.claim(2), lenient)

	if err != nil || len(decided) != 2 {
		b.Fatalf("decided: %+v, %v", decided, err)
	}
	for _, d := range decided {
		if (d.Err != nil) != (d.Claim.EventID == bad) {
			b.Errorf("%s: %v", d.Claim.EventID, d.Err)
		}
	}
	b.stands(good, order.StateCompleted, order.Applied)
}

func sharedNumber(b *bench) {
	one, two := placed("1"), placed("2")
	two.Provider, two.Identity = "woo", "order.created:2"
	two.Changes[0].Placed.Number = "#" + number("1")
	two.References = []order.Reference{{Kind: order.OrderID, Value: "2"}}
	b.accept(one)
	b.settle()
	b.accept(two)
	b.settle()
	id := b.accept(paid("1", "pay-1", 100)).Event.ID
	b.settle()

	_, err := b.store.OrderByNumber(b.ctx, shop, number("1"))
	if !errors.Is(err, store.ErrAmbiguous) || !errors.Is(err, store.ErrNotFound) {
		b.Errorf("order of a shared number: %v", err)
	}
	b.stands(id, order.StateParked, order.Parked)
	b.wantCount(2, "SELECT count(*) FROM orders")
	b.wantCount(1, "SELECT count(*) FROM subjects WHERE shared")
	page, err := b.store.Events(b.ctx, store.EventFilter{Account: shop, OrderNumber: number("1")})
	if err != nil || len(page.Events) != 2 {
		b.Errorf("%d events touched one of the orders, %v", len(page.Events), err)
	}
}

func snapshotTwice(b *bench) {
	b.accept(placed("1"))
	b.settle()
	before := b.order(number("1"))
	again := placed("1")
	again.Identity = "orders/updated:1"
	id := b.accept(again).Event.ID
	b.settle()

	after := b.order(number("1"))

	b.stands(id, order.StateCompleted, order.Unchanged)
	if len(after.Placement.Lines) != 1 || after.Status != before.Status {
		b.Errorf("order: %+v", after)
	}
	b.wantCount(1, "SELECT count(*) FROM orders")
}

func oppositeDeciders(b *bench) {
	const orders = 12
	for i := range orders {
		b.accept(placed(fmt.Sprint(i)))
	}
	b.settle()
	var ids []string
	for i := range orders {
		ids = append(ids, b.accept(paid(fmt.Sprint(i), fmt.Sprintf("pay-a-%d", i), 1)).Event.ID)
		ids = append(ids, b.accept(paid(fmt.Sprint(orders-1-i), fmt.Sprintf("pay-b-%d", i), 2)).Event.ID)
	}
	claims := b.claim(2 * orders)
	sides := [2][]store.Claim{}
	for i, c := range claims {
		sides[i%2] = append(sides[i%2], c)
	}
	slices.Reverse(sides[1])
	stores := []*store.Store{b.store, b.rival()}

	together(2, func(side int) {
		decided, err := stores[side].Decide(b.ctx, sides[side], lenient)
		if err != nil || len(decided) != len(sides[side]) {
			b.Errorf("side %d: %d decided, %v", side, len(decided), err)
		}
	})

	for _, id := range ids {
		b.stands(id, order.StateCompleted, order.Applied)
	}
	for i := range orders {
		if o := b.order(number(fmt.Sprint(i))); len(o.Ledger) != 2 || o.Version != 3 {
			b.Errorf("order %d: %d entries, version %d", i, len(o.Ledger), o.Version)
		}
	}
}

func strictRevision(b *bench) {
	b.accept(placed("1"))
	b.accept(announced("1", "C1"))
	b.settleWith(strict)
	early := b.accept(scanned("C1", order.Delivered, 3*time.Minute)).Event.ID
	b.settleWith(strict)
	b.stands(early, order.StateParked, order.Parked)
	if o := b.order(number("1")); o.Status == order.Delivered || !o.Shipments[0].Set[0].Parked {
		b.Errorf("order is %s, fact %+v", o.Status, o.Shipments[0].Set)
	}

	b.accept(scanned("C1", order.Shipped, time.Minute))
	b.settleWith(strict)
	b.stands(early, order.StateParked, order.Parked)
	b.accept(scanned("C1", order.InTransit, 2*time.Minute))
	b.settleWith(strict)

	view := b.stands(early, order.StateCompleted, order.Applied)
	if d := view.Decisions[0]; d.Revision != 2 || d.OrderNumber != number("1") {
		b.Errorf("decision: %+v", d)
	}
	if o := b.order(number("1")); o.Status != order.Delivered || slices.ContainsFunc(o.Shipments[0].Set, func(f order.StatusFact) bool { return f.Parked }) {
		b.Errorf("order is %s, facts %+v", o.Status, o.Shipments[0].Set)
	}
	b.wantCount(0, "SELECT count(*) FROM pending_items")
	b.wantCount(0, "SELECT count(*) FROM payloads WHERE expires_at IS NULL")
}

func mergedParcels(b *bench) {
	b.accept(placed("1"))
	b.accept(announced("1", "T1"))
	b.accept(announced("1", "C1"))
	b.accept(scanned("C1", order.InTransit, time.Minute))
	b.accept(scanned("T1", order.Shipped, 0))
	b.settle()
	if o := b.order(number("1")); len(o.Shipments) != 2 {
		b.Fatalf("%d parcels", len(o.Shipments))
	}

	// A scan that names both: they are one parcel.
	both := scanned("C1", order.OutForDelivery, 2*time.Minute)
	both.Changes[0].Status.Shipment.TrackingNumber = "T1"
	id := b.accept(both).Event.ID
	b.settle()

	b.stands(id, order.StateCompleted, order.Applied)
	o := b.order(number("1"))
	if len(o.Shipments) != 1 || len(o.Shipments[0].Set) != 3 || o.Status != order.OutForDelivery {
		b.Fatalf("order is %s, parcels: %+v", o.Status, o.Shipments)
	}
	b.wantCount(1, "SELECT count(*) FROM shipments")
	b.wantCount(3, "SELECT count(*) FROM status_facts")
	for _, name := range []string{"C1", "t1"} {
		view, err := b.store.OrderByConsignment(b.ctx, shop, name)
		if err != nil || view.Order.ID != o.ID {
			b.Errorf("order of parcel %s: %v", name, err)
		}
	}
}

func accountsDontMeet(b *bench) {
	b.accept(placed("1"))
	other := placed("1")
	other.Account = "other"
	b.accept(other)
	pay := paid("1", "pay-1", 125000)
	pay.Account = "other"
	b.accept(pay)
	b.settle()

	if o := b.order(number("1")); o.Payment != order.PaymentPending {
		b.Errorf("the shop's order is %s by another account's payment", o.Payment)
	}
	view, err := b.store.OrderByNumber(b.ctx, "other", number("1"))
	if err != nil || view.Order.Payment != order.PaymentPaid {
		b.Errorf("the other order: %+v, %v", view.Order, err)
	}
	if _, err := b.store.OrderByNumber(b.ctx, "third", number("1")); !errors.Is(err, store.ErrNotFound) {
		b.Errorf("an account without orders: %v", err)
	}
	if _, err := b.store.Event(b.ctx, "third", b.accept(placed("1")).Event.ID, true); !errors.Is(err, store.ErrNotFound) {
		b.Errorf("another account's event: %v", err)
	}
}

func versionStands(b *bench) {
	b.accept(placed("1"))
	b.settle()
	before := b.order(number("1"))
	ignored := base("shopify", "orders/whatever:1", "orders/whatever")
	ignored.References = []order.Reference{{Kind: order.OrderID, Value: "1"}}
	ignored.Changes = []order.Change{{IgnoredReason: "nobody needs it"}}
	id := b.accept(ignored).Event.ID
	b.clock.advance(time.Hour)
	b.settle()

	b.stands(id, order.StateCompleted, order.Ignored)
	if after := b.order(number("1")); after.Version != before.Version || !after.UpdatedAt.Equal(before.UpdatedAt) {
		b.Errorf("version %d at %s became %d at %s", before.Version, before.UpdatedAt, after.Version, after.UpdatedAt)
	}
}
