package order

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// docket is a ruling in the making. The changes are ruled one by one, in their order; what the order as a whole makes of
// them is decided at the end, for a snapshot's changes are one statement.
type docket struct {
	event  Event
	policy Policy
	now    time.Time
	// order is a copy that belongs to the docket. Nil: no change is about an order.
	order *Order
	// before is how the order was shown before this ruling. No status: it is new.
	before struct {
		status  Status
		payment PaymentStatus
		balance Balance
	}
	// balance is where the money stands now.
	balance   Balance
	decisions []Decision
	steps     []Step
	// attached are the parcels that are new, each with who told of it.
	attached []attachment
	// cause is what moved the order last: where its steps come from. moneyCause is the same for its money.
	cause, moneyCause moment
	changed           bool
}

// moment is when something happened and who said so.
type moment struct {
	FactID
	at        time.Time
	certainty Certainty
}

type attachment struct {
	shipment *Shipment
	moment   moment
}

func newDocket(w World, p Policy, o *Order) *docket {
	d := &docket{event: w.Event, policy: p, now: w.Now, order: o}
	if o == nil {
		return d
	}
	d.balance = o.Balance()
	d.before.balance, d.before.payment = d.balance, o.Payment
	if w.Order != nil {
		d.before.status = o.Status
	}
	return d
}

// rule decides the changes and closes the docket.
func (d *docket) rule(undecided []int) Ruling {
	for _, i := range undecided {
		d.decide(d.change(i))
	}
	if d.order != nil {
		d.close()
	}

	ruling := Ruling{State: StateCompleted, Decisions: d.decisions, Steps: d.steps}
	if d.changed {
		d.order.UpdatedAt = d.now
		ruling.Order = d.order
	}
	own := d.own()
	headline := Headline(own)
	if headline == Parked {
		ruling.State = StateParked
	}
	if i := slices.IndexFunc(own, func(s Decision) bool { return s.Outcome == headline }); i >= 0 {
		ruling.Reason = own[i].Reason
	}
	return ruling
}

// change rules one change.
func (d *docket) change(i int) Decision {
	c := d.event.Changes[i]
	m := d.moment(i)
	switch {
	case c.Placed != nil:
		return d.placed(m, *c.Placed)
	case c.Status != nil:
		return d.status(m, *c.Status)
	case c.Announced != nil:
		return d.announced(m, *c.Announced)
	case c.Payment != nil:
		return d.book(m, c.Payment.entry())
	case c.Refund != nil:
		return d.book(m, c.Refund.entry())
	case c.Dispute != nil:
		return d.book(m, c.Dispute.entry())
	case c.Cancelled != nil:
		return d.cancelled(m, *c.Cancelled)
	case c.Checkpoint != nil:
		return d.checkpoint(m, *c.Checkpoint)
	case c.Fact != nil:
		return d.fact(m, *c.Fact)
	case c.Unrecognised != nil:
		return m.parked(fmt.Sprintf("unknown word %q in %s", c.Unrecognised.Word, c.Unrecognised.Field))
	case c.Undecoded != nil:
		return m.parked("undecoded: " + c.Undecoded.Problem)
	case c.IgnoredReason != "":
		return m.says(Ignored, c.IgnoredReason)
	}
	return m.parked("the change says nothing")
}

func (d *docket) moment(i int) moment {
	at, certainty := d.event.TimeOf(d.event.Changes[i])
	id := FactID{EventID: d.event.ID, ChangeIndex: i, Identity: d.event.Identity, Provider: d.event.Provider}
	return moment{FactID: id, at: at, certainty: certainty}
}

// says is a decision about the change that the moment is of.
func (m moment) says(outcome Outcome, reason string) Decision {
	return Decision{EventID: m.EventID, ChangeIndex: m.ChangeIndex, Outcome: outcome, Reason: reason}
}

func (m moment) parked(reason string) Decision {
	return m.says(Parked, reason)
}

const (
	knownAlready = "recorded before"
	saidBefore   = "says what is known"
)

// decide records a decision; of a change that was decided already in this ruling, the later one counts.
func (d *docket) decide(decision Decision) {
	for i, made := range d.decisions {
		if made.EventID == decision.EventID && made.ChangeIndex == decision.ChangeIndex {
			d.decisions[i] = decision
			return
		}
	}
	d.decisions = append(d.decisions, decision)
}

// own are the decisions about this event's changes.
func (d *docket) own() []Decision {
	var own []Decision
	for _, decision := range d.decisions {
		if decision.EventID == d.event.ID {
			own = append(own, decision)
		}
	}
	return own
}

// step appends to the history.
func (d *docket) step(kind StepKind, m moment, s Step) {
	s.Kind = kind
	s.At, s.Certainty, s.RecordedAt = m.at, m.certainty, d.now
	s.Provider, s.EventID = m.Provider, m.EventID
	d.steps = append(d.steps, s)
}

// flag marks something that a person must see.
func (d *docket) flag(reason, detail, eventID string) {
	if d.order.Flag(reason, detail, d.now, eventID) {
		d.changed = true
	}
}

// moves notes what moved the order.
func (d *docket) moves(m moment) {
	d.cause = m
	d.changed = true
}

// close decides what the order as a whole makes of the changes.
func (d *docket) close() {
	o := d.order
	if d.before.status == "" {
		d.changed = true
		d.cause = cmp.Or(d.cause, d.moment(0))
	}
	if !d.changed {
		return
	}

	d.closeParcels()
	d.closeMoney()
	folded := Fold(o)
	d.closeStatus(folded)
	d.watchCancelled()
	if folded.show(o) && o.Facts[FactPartlyReturned] != "" {
		d.flagOnce(AttentionPartlyReturned, "some parcels were delivered, others came back")
	}
	d.settleOrderDecisions()
}

// closeParcels writes the parcels that are new and haven't moved into the history.
func (d *docket) closeParcels() {
	for _, a := range d.attached {
		name := a.shipment.Name()
		if !slices.ContainsFunc(d.steps, func(s Step) bool { return s.Kind == StepShipmentStatus && s.Shipment == name }) {
			d.step(StepShipmentStatus, a.moment, Step{To: string(a.shipment.Status), Shipment: name})
		}
	}
}

// closeStatus moves the order to where its facts say, unless it was shown to have ended.
func (d *docket) closeStatus(folded Folded) {
	o := d.order
	if Terminal(d.before.status) {
		d.watchEnd(folded)
		return
	}
	if folded.Status == d.before.status {
		return
	}
	skipped, _ := Path(d.before.status, folded.Status)
	d.step(StepOrderStatus, d.cause, Step{From: string(d.before.status), To: string(folded.Status), Skipped: skipped})
	o.Status, o.StatusAt = folded.Status, folded.At
	if o.StatusAt.IsZero() {
		o.StatusAt = d.cause.at
	}
}

// watchEnd sees to it that a person is told when an order that has ended would stand elsewhere by what is known now.
func (d *docket) watchEnd(folded Folded) {
	if folded.Status == d.before.status {
		return
	}
	if folded.UnitsLeft > 0 && d.before.status != Cancelled {
		d.flagOnce(AttentionUnitsAfterEnd, fmt.Sprintf("%s: %d of %d units are in no parcel",
			d.before.status, folded.UnitsLeft, folded.Units))
	}
	told := []string{AttentionParcelAfterEnd, AttentionUnitsAfterEnd, AttentionCancelledAgainstMovement, AttentionReopened}
	if !slices.ContainsFunc(told, d.flagged) {
		d.flag(AttentionReopened, fmt.Sprintf("the order is %s and stays so; what is known now says %s",
			d.before.status, folded.Status), d.event.ID)
	}
}

func (d *docket) flagged(reason string) bool {
	return slices.ContainsFunc(d.order.Attention, func(a Attention) bool { return a.Reason == reason })
}

// flagOnce flags a reason that the order as a whole has, whichever event brought it.
func (d *docket) flagOnce(reason, detail string) {
	if !d.flagged(reason) {
		d.flag(reason, detail, d.event.ID)
	}
}

// settleOrderDecisions finishes the decisions that depend on where the order stands in the end.
func (d *docket) settleOrderDecisions() {
	for i, decision := range d.decisions {
		if decision.EventID != d.event.ID {
			continue
		}
		c := d.event.Changes[decision.ChangeIndex]
		if c.Placed != nil && decision.Outcome == Applied {
			d.decisions[i].To = string(d.order.Status)
			d.decisions[i].Skipped, _ = Path(d.before.status, d.order.Status)
		}
		if c.Cancelled != nil && decision.Outcome == Applied {
			d.decisions[i] = d.cancellation(decision)
		}
	}
}
