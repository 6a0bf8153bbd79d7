package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/waybillhq/waybill/ent"
	"github.com/waybillhq/waybill/ent/pendingitem"
	"github.com/waybillhq/waybill/ent/wait"
	"github.com/waybillhq/waybill/server/order"
)

// write commits what the batch came to.
func (b *batch) write(ctx context.Context) error {
	if err := b.takeOthers(ctx); err != nil {
		return err
	}
	orders := make([]*held, 0, len(b.orders))
	for _, h := range b.orders {
		orders = append(orders, h)
	}
	slices.SortFunc(orders, func(a, b *held) int { return strings.Compare(a.order.ID, b.order.ID) })
	if err := b.store.saveOrders(ctx, b.tx, orders); err != nil {
		return err
	}
	if err := b.saveOutcomes(ctx); err != nil {
		return err
	}
	if err := b.saveSubjects(ctx); err != nil {
		return err
	}
	if err := b.savePending(ctx); err != nil {
		return err
	}
	return b.wake(ctx)
}

// takeOthers records decisions about changes of other events, which were parked until now, and ends those that have
// nothing parked any more.
func (b *batch) takeOthers(ctx context.Context) error {
	var strangers []Claim
	for _, ruled := range b.others {
		if b.events[ruled.EventID] == nil {
			strangers = append(strangers, Claim{EventID: ruled.EventID})
		}
	}
	if len(strangers) > 0 {
		events, err := b.store.loadEvents(ctx, b.tx, strangers)
		if err != nil {
			return err
		}
		if err := b.addEvents(ctx, events); err != nil {
			return err
		}
	}
	for _, ruled := range b.others {
		e := b.events[ruled.EventID]
		if e == nil {
			return fmt.Errorf("event %s: decided again, but not recorded", ruled.EventID)
		}
		b.takeOther(e, ruled)
	}
	return nil
}

func (b *batch) saveOutcomes(ctx context.Context) error {
	var rows []*ent.OutcomeCreate
	for _, e := range b.events {
		for _, ruled := range e.fresh {
			rows = append(rows, b.tx.Outcome.Create().SetAccount(e.Account).SetEventID(e.ID).
				SetChangeIndex(ruled.ChangeIndex).SetRevision(ruled.revision).SetOutcome(string(ruled.Outcome)).
				SetReason(ruled.Reason).SetFromStatus(plain(ruled.From)).SetToStatus(plain(ruled.To)).
				SetSkipped([]byte(jsonOf(ruled.Skipped, len(ruled.Skipped)))).SetOrderID(ruled.orderID).
				SetShipment(plain(ruled.Shipment)).SetReceivedAt(micros(e.ReceivedAt)).SetDecidedAt(micros(b.now)))
		}
	}
	err := inBulk(rows, func(rows []*ent.OutcomeCreate) error { return b.tx.Outcome.CreateBulk(rows...).Exec(ctx) })
	if err != nil {
		return fmt.Errorf("outcomes: save: %w", err)
	}
	return nil
}

// savePending says of each event where it stands now, and forgets those that have ended.
func (b *batch) savePending(ctx context.Context) error {
	var done []*decidedEvent
	for _, it := range b.items {
		if it.ruling.State != order.StateCompleted && it.event.finished() {
			it.ruling.State, it.ruling.Reason = order.StateCompleted, ""
		}
		if it.ruling.State == order.StateCompleted {
			done = append(done, it.event)
			continue
		}
		if err := b.keepPending(ctx, it); err != nil {
			return fmt.Errorf("event %s: keep pending: %w", it.event.ID, err)
		}
	}
	var others []string
	for _, e := range b.touched {
		if e.finished() && !slices.Contains(done, e) {
			done, others = append(done, e), append(others, e.ID)
		}
	}
	if err := b.lockItems(ctx, others); err != nil {
		return err
	}
	return b.store.endEvents(ctx, b.tx, done)
}

// lockItems locks items that are not claimed, sorted like everybody does: a statement that changes several locks them as
// it meets them.
func (b *batch) lockItems(ctx context.Context, ids []string) error {
	if !b.store.db.rowLocks || len(ids) == 0 {
		return nil
	}
	_, err := b.tx.PendingItem.Query().Where(pendingitem.IDIn(ids...)).Order(pendingitem.ByID()).ForUpdate().All(ctx)
	if err != nil {
		return fmt.Errorf("pending items: lock: %w", err)
	}
	return nil
}

// keepPending writes where an unfinished event stands, and what it waits for.
func (b *batch) keepPending(ctx context.Context, it *item) error {
	update := b.tx.PendingItem.Update().Where(pendingitem.ID(it.claim.ID)).SetState(string(it.ruling.State)).
		SetReason(plain(it.ruling.Reason)).AddFence(1).ClearLeasedUntil().SetAttempts(0)
	if !it.ruling.DueAt.IsZero() {
		update.SetDueAt(micros(it.ruling.DueAt))
	}
	if err := update.Exec(ctx); err != nil {
		return err
	}
	if it.order != nil {
		_, err := b.tx.Wait.Delete().Where(wait.Account(it.event.Account), wait.PendingID(it.claim.ID)).Exec(ctx)
		return err
	}
	return b.hang(ctx, it)
}

// hang lets an event that found no order wait on everything it names that belongs to none. What got its order in this
// very transaction is among it: then the event is woken at once.
func (b *batch) hang(ctx context.Context, it *item) error {
	args := make([]any, 0, 3*len(it.keys))
	for _, key := range it.keys {
		row := b.subjects[subjectKey{it.event.Account, key}]
		if row.orderID == "" || row.got {
			args = append(args, it.event.Account, row.id, it.claim.ID)
		}
	}
	if len(args) == 0 {
		return nil
	}
	query := "INSERT INTO waits (account, subject_id, pending_id) VALUES " +
		strings.TrimSuffix(strings.Repeat("(?, ?, ?), ", len(args)/3), ", ") +
		" ON CONFLICT (account, subject_id, pending_id) DO NOTHING"
	_, err := b.tx.ExecContext(ctx, b.store.db.bind(query), args...)
	return err
}

// wake makes due whatever waits on a subject that belongs to an order since this transaction. What was parked when its
// wait was over is woken too; what failed stays, for a person to look at.
func (b *batch) wake(ctx context.Context) error {
	var accounts []string
	var subjects []int64
	for key, row := range b.subjects {
		if row.got {
			accounts, subjects = append(accounts, key.account), append(subjects, row.id)
		}
	}
	if len(subjects) == 0 {
		return nil
	}
	slices.Sort(accounts)
	accounts = slices.Compact(accounts)
	waits, err := b.tx.Wait.Query().Where(wait.AccountIn(accounts...), wait.SubjectIDIn(subjects...)).All(ctx)
	if err != nil {
		return fmt.Errorf("waits: load: %w", err)
	}
	ids := make([]string, len(waits))
	for i, row := range waits {
		ids[i] = row.PendingID
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	for chunk := range slices.Chunk(ids, bulk) {
		if err := b.lockItems(ctx, chunk); err != nil {
			return err
		}
		err := b.tx.PendingItem.Update().
			Where(pendingitem.IDIn(chunk...), pendingitem.StateIn(string(order.StateWaiting), string(order.StateParked))).
			SetState(string(order.StateReceived)).SetReason("").SetDueAt(micros(b.now)).SetAttempts(0).Exec(ctx)
		if err != nil {
			return fmt.Errorf("pending items: wake: %w", err)
		}
	}
	_, err = b.tx.Wait.Delete().Where(wait.AccountIn(accounts...), wait.SubjectIDIn(subjects...)).Exec(ctx)
	if err != nil {
		return fmt.Errorf("waits: delete: %w", err)
	}
	return nil
}
