package order

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// placed rules a platform's statement of the order: the newest counts.
func (d *docket) placed(m moment, p Placed) Decision {
	o := d.order
	if o.Source != "" && (o.Source != d.event.Provider || o.SourceID != p.OrderID) {
		return m.parked(fmt.Sprintf("order %s is another order than %s", p.OrderID, o.SourceID))
	}
	decision := m.says(Unchanged, knownAlready)
	decision.From, decision.To = string(d.before.status), string(d.before.status)
	if knows(o.Notes, m.FactID) || (o.Placement != nil && o.Placement.FactID == m.FactID) {
		return decision
	}

	heardOf := o.Placement == nil
	was := o.terms()
	o.Source, o.SourceID = d.event.Provider, p.OrderID
	newest := o.state(Placement{FactID: m.FactID, At: m.at, Total: p.Total, Lines: p.Lines}, p.Number)
	d.changed = true
	switch now := o.terms(); {
	case heardOf:
		decision.Outcome, decision.Reason = Applied, "the order is placed"
	case !was.equal(now):
		decision.Outcome, decision.Reason = Applied, "the order is edited"
	case newest || now.equal(terms{number: NormalNumber(p.Number), total: cmp.Or(p.Total, now.total), lines: p.Lines}):
		decision.Reason = saidBefore
	default:
		decision.Outcome = Stale
		decision.Reason = "older than the statement of " + o.Placement.At.Format(time.RFC3339)
	}
	if decision.Outcome == Applied {
		d.moneyCause = m
		d.moves(m)
	}
	return decision
}

// state records a statement. It reports whether that is the newest. A newest statement without a total leaves the one
// that was known: nobody said that it changed.
func (o *Order) state(p Placement, number string) bool {
	newest := o.Placement == nil || p.newerThan(*o.Placement)
	known := o.Notes
	if old := o.Placement; old != nil && old.Total != nil && !knows(o.Notes, old.FactID) {
		known = append(slices.Clone(known), Note{FactID: old.FactID, Kind: NotePlacement, At: old.At, Amount: old.Total})
	}
	note := Note{FactID: p.FactID, Kind: NotePlacement, At: p.At, Amount: p.Total}
	known = append(known, note)
	o.Notes = append(o.Notes, note)

	if newest {
		o.Placement = &p
		o.Number = cmp.Or(NormalNumber(number), o.Number)
	}
	total := newestNote(known, func(n Note) bool { return n.Kind == NotePlacement && n.Amount != nil })
	if total != nil {
		o.Placement.Total = total.Amount
	}
	return newest
}

func (p Placement) newerThan(other Placement) bool {
	if !p.At.Equal(other.At) {
		return p.At.After(other.At)
	}
	return p.before(other.FactID)
}

// terms are what a statement says.
type terms struct {
	number string
	total  *Money
	lines  []Line
}

func (o *Order) terms() terms {
	t := terms{number: o.Number}
	if o.Placement != nil {
		t.total, t.lines = o.Placement.Total, o.Placement.Lines
	}
	return t
}

func (t terms) equal(other terms) bool {
	return t.number == other.number && sameMoney(t.total, other.total) &&
		slices.Equal(sortedLines(t.lines), sortedLines(other.lines))
}

func sortedLines(lines []Line) []Line {
	sorted := slices.Clone(lines)
	slices.SortStableFunc(sorted, func(a, b Line) int { return cmp.Compare(a.ID, b.ID) })
	return sorted
}

func sameMoney(a, b *Money) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// cancelled rules the platform's word that the order is cancelled. Whether it is, depends on what moves.
func (d *docket) cancelled(m moment, c Cancellation) Decision {
	o := d.order
	decision := m.says(Unchanged, knownAlready)
	decision.From, decision.To = string(d.before.status), string(Cancelled)
	word := &CancellationFact{FactID: m.FactID, At: m.at, Reason: c.Reason}
	if o.Cancellation == nil {
		o.Cancellation = word
		d.moves(m)
		decision.Outcome, decision.Reason = Applied, "the platform cancelled the order"
		return decision
	}
	if word.earlierThan(*o.Cancellation) {
		o.Cancellation = word
		d.changed = true
	}
	return decision
}

func (c CancellationFact) earlierThan(other CancellationFact) bool {
	if !c.At.Equal(other.At) {
		return c.At.Before(other.At)
	}
	return c.before(other.FactID)
}

// cancellation finishes the decision about a cancellation, now that it is known what moves.
func (d *docket) cancellation(decision Decision) Decision {
	if d.order.Status == Cancelled {
		decision.Skipped, _ = Path(d.before.status, Cancelled)
		return decision
	}
	decision.Outcome = Illegal
	decision.Reason = fmt.Sprintf("the order is %s, it can't be cancelled", d.order.Status)
	d.flag(AttentionCancelledAgainstMovement, decision.Reason, d.event.ID)
	return decision
}

// checkpoint rules a scan that has no status.
func (d *docket) checkpoint(m moment, c Checkpoint) Decision {
	s := d.parcel(m, c.Shipment)
	if s == nil {
		return m.parked("the checkpoint names no parcel")
	}
	note := Note{FactID: m.FactID, Kind: NoteCheckpoint, At: m.at, Text: c.Description, Name: c.Location}
	decision := m.says(Unchanged, knownAlready)
	decision.Shipment = s.Name()
	if knows(s.Notes, m.FactID) {
		return decision
	}
	repeated := slices.ContainsFunc(s.Notes, note.saysTheSame)
	s.Notes = append(s.Notes, note)
	d.changed = true
	if repeated {
		decision.Reason = saidBefore
		return decision
	}
	d.step(StepCheckpoint, m, Step{Shipment: s.Name()})
	decision.Outcome, decision.Reason = Applied, "shown in the history"
	return decision
}

// fact rules something that is shown beside the order or a parcel: of facts of one name the newest.
func (d *docket) fact(m moment, f Fact) Decision {
	notes, facts, shipment := &d.order.Notes, &d.order.Facts, ""
	if f.Shipment != nil {
		s := d.parcel(m, *f.Shipment)
		if s == nil {
			return m.parked("the fact names no parcel")
		}
		notes, facts, shipment = &s.Notes, &s.Facts, s.Name()
	}
	note := Note{FactID: m.FactID, Kind: NoteFact, At: m.at, Name: f.Name, Text: f.Detail, Amount: f.Amount}
	decision := m.says(Unchanged, knownAlready)
	decision.To, decision.Shipment = f.Name, shipment
	if knows(*notes, m.FactID) {
		return decision
	}
	repeated := slices.ContainsFunc(*notes, note.saysTheSame)
	*notes = append(*notes, note)
	d.changed = true
	if repeated {
		decision.Reason = saidBefore
		return decision
	}

	*facts = show(*facts, f.Name, m.at.Format(time.RFC3339Nano))
	d.step(StepFact, m, Step{To: f.Name, Shipment: shipment})
	if f.NeedsAttention {
		// The provider's own text stays in the note: it may name people, and not every operator may read it.
		d.flag(f.Name, m.Provider+" says so", m.EventID)
	}
	decision.Outcome, decision.Reason = Applied, "shown beside the order"
	return decision
}

// knows says whether a change was noted before.
func knows(notes []Note, id FactID) bool {
	return slices.ContainsFunc(notes, func(n Note) bool { return n.FactID == id })
}

// saysTheSame says whether two notes differ in their origin only.
func (n Note) saysTheSame(other Note) bool {
	return n.Kind == other.Kind && n.At.Equal(other.At) && n.Name == other.Name && n.Text == other.Text &&
		sameMoney(n.Amount, other.Amount) && n.Courier == other.Courier && slices.Equal(n.Units, other.Units)
}
