package store

import (
	"errors"
	"fmt"

	"github.com/waybillhq/waybill/server/order"
)

// poison is an event's own fault: the rules can't decide it. Nothing was written when it is found.
type poison struct{ err error }

func (p *poison) Error() string { return p.err.Error() }

func (p *poison) Unwrap() error { return p.err }

func isPoison(err error) bool {
	var fault *poison
	return errors.As(err, &fault)
}

// decide has the rules decide one event, on what the batch has come to so far.
func (b *batch) decide(it *item) error {
	open := it.event.undecided()
	if open != nil && len(open) == 0 {
		// Another event of the batch has decided the rest of it.
		it.ruling = order.Ruling{State: order.StateCompleted}
		return nil
	}
	account := it.event.Account
	picked, ambiguous := order.Pick(it.event.Event, b.found(account, it.keys))
	world := order.World{Event: it.event.Event, Ambiguous: ambiguous, Undecided: open, Now: b.now}
	if picked != "" {
		it.order = b.orders[picked]
		world.Order = it.order.order
	}

	ruling := order.Rule(world, b.policy(account))
	it.ruling = ruling
	if err := b.takeOrder(it); err != nil {
		return err
	}
	return b.takeDecisions(it)
}

// takeOrder takes the ruled order into the batch, for the events that follow.
func (b *batch) takeOrder(it *item) error {
	ruled := it.ruling.Order
	if ruled == nil {
		if len(it.ruling.Steps) > 0 {
			return errors.New("ruled to have steps without an order")
		}
		it.markConflict()
		return nil
	}
	ruled.Account = it.event.Account
	if it.order == nil {
		ruled.ID = b.store.ids.next(orderID, b.now)
		it.order = &held{isNew: true, known: make(map[order.Key]bool)}
		b.orders[ruled.ID] = it.order
	}
	if it.order.order != nil && ruled.ID != it.order.order.ID {
		return fmt.Errorf("ruled to change order %s instead of %s", ruled.ID, it.order.order.ID)
	}
	it.order.order = ruled
	it.order.steps = append(it.order.steps, it.ruling.Steps...)
	it.markConflict()
	// At once, so that the next event of the batch finds the order by its new keys. What is missing is asked for
	// when all is decided.
	b.claimKeys(it.order)
	return nil
}

// markConflict marks the order of an event one of whose deliveries said something else.
func (it *item) markConflict() {
	if late := it.event.conflicting; late != nil && it.order != nil {
		it.order.order.Flag(attentionConflicting, late.Reason, moment(late.DecidedAt), it.event.ID)
	}
}

// takeDecisions records what the ruling decided, about this event and about parked changes of others.
func (b *batch) takeDecisions(it *item) error {
	orderID := ""
	if it.order != nil {
		orderID = it.order.order.ID
	}
	for _, d := range it.ruling.Decisions {
		switch {
		case d.EventID != "" && d.EventID != it.event.ID:
			ruled := ruledChange{Decision: d, orderID: orderID}
			if e := b.events[d.EventID]; e != nil {
				b.takeOther(e, ruled)
				continue
			}
			b.others = append(b.others, ruled)
		case d.ChangeIndex < 0 || d.ChangeIndex >= len(it.event.Changes):
			return fmt.Errorf("ruled on change %d, which it does not have", d.ChangeIndex)
		default:
			it.event.take(d, orderID)
		}
	}
	if it.ruling.State == order.StateCompleted && !it.event.finished() {
		return errors.New("ruled to be completed, but a change of it has no outcome")
	}
	return nil
}

// takeOther records a decision about another event than the one ruled on.
func (b *batch) takeOther(e *decidedEvent, ruled ruledChange) {
	e.take(ruled.Decision, ruled.orderID)
	b.touched = append(b.touched, e)
}

// claimAll gives every order of the batch its keys. What is not locked is returned.
func (b *batch) claimAll() (missing []subjectKey) {
	for _, h := range b.orders {
		missing = append(missing, b.claimKeys(h)...)
	}
	return missing
}
