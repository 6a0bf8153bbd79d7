package order

import (
	"fmt"
	"slices"
)

// parcel gives the parcel that a key names. One that nobody has heard of is attached to the order; two that turn out to
// be one become one. Nil: the key names none.
func (d *docket) parcel(m moment, key ShipmentKey) *Shipment {
	if len(keysOf(key, m.Provider)) == 0 {
		return nil
	}
	var s *Shipment
	switch found := d.order.find(key, m.Provider); len(found) {
	case 0:
		s = d.attach(m, key)
	case 1:
		s = found[0]
	default:
		s = d.merge(m, found)
	}
	learnt, earlier := s.learn(key, m.Provider), s.began(m.at, m.certainty)
	d.changed = d.changed || learnt || earlier
	return s
}

// attach adds a parcel to the order.
func (d *docket) attach(m moment, key ShipmentKey) *Shipment {
	s := &Shipment{
		Key:             ShipmentKey{Return: key.Return},
		Status:          Processing,
		StatusAt:        m.at,
		StatusCertainty: m.certainty,
		CreatedAt:       d.now,
	}
	d.order.Shipments = append(d.order.Shipments, s)
	d.attached = append(d.attached, attachment{s, m})
	d.moves(m)
	if Terminal(d.before.status) && !key.Return {
		d.flag(AttentionParcelAfterEnd,
			fmt.Sprintf("a parcel was attached to an order that is %s", d.before.status), m.EventID)
	}
	return s
}

// merge makes one parcel of several, and keeps the one that is known longest. The first ending shown of any stands.
func (d *docket) merge(m moment, parcels []*Shipment) *Shipment {
	slices.SortStableFunc(parcels, func(a, b *Shipment) int { return a.CreatedAt.Compare(b.CreatedAt) })
	kept := parcels[0]
	shown, known := kept.Status, []string{string(kept.Status)}
	for _, other := range parcels[1:] {
		if !Terminal(shown) && Terminal(other.Status) {
			shown = other.Status
		}
		known = append(known, string(other.Status))
		kept.absorb(other)
		d.order.Shipments = slices.DeleteFunc(d.order.Shipments, func(s *Shipment) bool { return s == other })
		d.attached = slices.DeleteFunc(d.attached, func(a attachment) bool { return a.shipment == other })
	}
	d.moves(m)
	steps := len(d.steps)
	d.settle(kept, shown, nil)
	// What the history tells of one of them is no news.
	news := slices.DeleteFunc(d.steps[steps:], func(s Step) bool {
		return s.Kind == StepShipmentStatus && slices.Contains(known, s.To)
	})
	d.steps = d.steps[:steps+len(news)]
	return kept
}

// announced rules that a parcel exists. Of what it says about courier and contents, the newest counts.
func (d *docket) announced(m moment, a Announced) Decision {
	parcels := len(d.order.Shipments)
	known := d.order.find(a.Shipment, m.Provider)
	var names []Key
	if len(known) == 1 {
		names = known[0].Keys()
	}
	s := d.parcel(m, a.Shipment)
	if s == nil {
		return m.parked("the announcement names no parcel")
	}
	decision := m.says(Unchanged, knownAlready)
	decision.From, decision.To, decision.Shipment = string(s.Status), string(s.Status), s.Name()
	if knows(s.Notes, m.FactID) {
		return decision
	}

	courier, contents := s.Courier, s.Units
	s.Notes = append(s.Notes, Note{FactID: m.FactID, Kind: NoteAnnouncement, At: m.at, Courier: a.Courier, Units: a.Units})
	s.readAnnouncements()
	d.changed = true
	switch {
	case len(known) == 0:
		decision.From, decision.Outcome, decision.Reason = "", Applied, "the parcel is attached"
	case len(d.order.Shipments) < parcels:
		decision.Outcome, decision.Reason = Applied, "two parcels turned out to be one"
	case courier != s.Courier, !slices.Equal(contents, s.Units), !slices.Equal(names, s.Keys()):
		decision.Outcome, decision.Reason = Applied, "more is known of the parcel"
	case a.agrees(s):
		decision.Reason = saidBefore
	default:
		decision.Outcome, decision.Reason = Stale, "older than what is known of the parcel"
	}
	if decision.Outcome == Applied {
		d.moves(m)
	}
	return decision
}

// agrees says whether an announcement says what is known of the parcel.
func (a Announced) agrees(s *Shipment) bool {
	return (a.Courier == "" || a.Courier == s.Courier) && (len(a.Units) == 0 || slices.Equal(a.Units, s.Units))
}

// status rules a fact about a parcel's status.
func (d *docket) status(m moment, c StatusChange) Decision {
	if Rank(c.Status) < rankProcessing && c.Status != Cancelled {
		return m.parked(fmt.Sprintf("%q is no status of a parcel", c.Status))
	}
	parcels := len(d.attached)
	s := d.parcel(m, c.Shipment)
	if s == nil {
		return m.parked("the status names no parcel")
	}
	known := slices.IndexFunc(s.Set, func(f StatusFact) bool { return f.FactID == m.FactID })
	if known >= 0 && !s.Set[known].Parked {
		decision := m.says(Unchanged, knownAlready)
		decision.From, decision.To, decision.Shipment = string(s.Status), string(c.Status), s.Name()
		return decision
	}
	if known < 0 {
		s.Set = append(s.Set, StatusFact{
			FactID: m.FactID, Status: c.Status, At: m.at, Certainty: m.certainty, Parked: true,
		})
		d.changed = true
	}
	decision := d.settle(s, s.Status, &m.FactID)
	if len(d.attached) > parcels && decision.Outcome == Unchanged {
		decision.From, decision.Outcome, decision.Reason = "", Applied, "the parcel is attached"
	}
	return decision
}

// settle derives a parcel's status anew, decides the facts that count now and didn't before, and gives the decision
// about the fact that is asked for.
func (d *docket) settle(s *Shipment, shown Status, asked *FactID) Decision {
	settled := settlement{docket: d, shipment: s, before: shown}
	for _, fact := range s.Set {
		if !fact.Parked {
			settled.counted = append(settled.counted, fact)
		}
	}
	settled.after = Derive(s.Set, shown, settled.strict())

	var fresh []Finding
	for i, finding := range settled.after.Findings {
		if s.Set[i].Parked {
			fresh = append(fresh, finding)
		}
		d.changed = d.changed || s.Set[i].Parked != finding.Fact.Parked
		s.Set[i].Parked = finding.Fact.Parked
		if finding.Attention != "" {
			d.flag(finding.Attention, fmt.Sprintf("parcel %s: %s: %s", s.Name(), finding.Fact.Status, finding.Reason),
				finding.Fact.EventID)
		}
	}
	var answer Decision
	for _, finding := range fresh {
		decision := settled.decide(finding)
		switch {
		case asked != nil && finding.Fact.FactID == *asked:
			answer = decision
		case !finding.Fact.Parked:
			d.decide(decision)
		}
	}
	settled.show()
	return answer
}
