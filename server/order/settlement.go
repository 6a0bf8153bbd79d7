package order

import (
	"fmt"
	"slices"
)

// settlement is a parcel's facts being decided: those that count for the first time, beside those that did before.
type settlement struct {
	docket   *docket
	shipment *Shipment
	// before is the status shown, after what the facts say now.
	before Status
	after  Derived
	// counted are the facts that counted before, applied those that moved the parcel now.
	counted, applied []StatusFact
}

// strict says whether only facts count that the table reaches. A parcel on its way back starts in the middle of the
// table, and one that moved when the account was not strict is not moved back.
func (s *settlement) strict() bool {
	if !s.docket.policy.Strict || s.shipment.Key.Return {
		return false
	}
	earlier := Derive(s.counted, s.before, true)
	return !slices.ContainsFunc(earlier.Findings, func(f Finding) bool { return f.Standing == Uncounted })
}

// decide gives the decision about a fact that did not count before.
func (s *settlement) decide(finding Finding) Decision {
	fact := finding.Fact
	decision := Decision{
		EventID:     fact.EventID,
		ChangeIndex: fact.ChangeIndex,
		Outcome:     Unchanged,
		Reason:      saidBefore,
		From:        string(s.before),
		To:          string(fact.Status),
		Shipment:    s.shipment.Name(),
	}
	switch {
	case finding.Standing == Uncounted:
		decision.Outcome, decision.Reason = Parked, finding.Reason
	case finding.Standing == Against:
		decision.Outcome, decision.Reason = Illegal, finding.Reason
	case s.moves(fact):
		s.applied = append(s.applied, fact)
		s.apply(&decision, fact)
	case finding.Standing == Supports, s.repeats(fact):
	default:
		decision.Outcome, decision.Reason = Stale, finding.Reason
		s.docket.step(StepLate, momentOf(fact), Step{
			From: string(s.after.Status), To: string(fact.Status), Shipment: s.shipment.Name(),
		})
	}
	return decision
}

// moves says whether a fact moves the parcel from where it was shown.
func (s *settlement) moves(fact StatusFact) bool {
	set := append(slices.Clone(s.counted), fact)
	return Derive(set, s.before, false).Status != s.before
}

// repeats says whether a fact says what another said before, of the same moment.
func (s *settlement) repeats(fact StatusFact) bool {
	return slices.ContainsFunc(s.counted, func(f StatusFact) bool {
		return f.Status == fact.Status && f.At.Equal(fact.At)
	})
}

// apply decides a fact that moved the parcel. Of a cancelled order it moves the parcel, and not the order.
func (s *settlement) apply(decision *Decision, fact StatusFact) {
	decision.Outcome, decision.Reason = Applied, "the parcel is "+string(fact.Status)
	decision.Skipped = s.skipped(s.before, fact.Status)
	d := s.docket
	d.moves(momentOf(fact))
	if !Terminal(d.before.status) || s.shipment.Key.Return || Rank(fact.Status) < rankShipped {
		return
	}
	if d.before.status != Cancelled {
		decision.Reason += fmt.Sprintf("; the order is %s and stays so", d.before.status)
		return
	}
	decision.Outcome = Illegal
	decision.Reason = fmt.Sprintf("the order is cancelled and stays so; its parcel is %s", fact.Status)
	d.flag(AttentionCancelledAgainstMovement, decision.Reason, fact.EventID)
}

// skipped are the statuses passed over, without those that a fact tells of.
func (s *settlement) skipped(from, to Status) []Status {
	between, _ := Path(from, to)
	return slices.DeleteFunc(between, func(status Status) bool {
		return slices.ContainsFunc(s.shipment.Set, func(f StatusFact) bool { return !f.Parked && f.Status == status })
	})
}

// show puts the parcel where its facts say, and writes the way there into the history.
func (s *settlement) show() {
	if s.after.Status != s.before || s.shipment.Status != s.after.Status {
		s.steps()
	}
	s.shipment.Status = s.after.Status
	if s.after.Status != Processing && !s.after.At.IsZero() {
		s.shipment.StatusAt, s.shipment.StatusCertainty = s.after.At, s.after.Certainty
	}
}

// steps writes one step for each fact that moved the parcel. Several do where a fact frees parked ones.
func (s *settlement) steps() {
	slices.SortStableFunc(s.applied, func(a, b StatusFact) int {
		switch {
		case Rank(a.Status) != Rank(b.Status):
			return Rank(a.Status) - Rank(b.Status)
		case newer(a, b):
			return 1
		}
		return -1
	})
	from := s.shipment.Status
	for _, fact := range s.applied {
		if fact.Status != from {
			s.step(momentOf(fact), from, fact.Status)
		}
		from = fact.Status
	}
	if from != s.after.Status {
		s.step(s.docket.cause, from, s.after.Status)
	}
}

func (s *settlement) step(m moment, from, to Status) {
	s.docket.step(StepShipmentStatus, m, Step{
		From: string(from), To: string(to), Skipped: s.skipped(from, to), Shipment: s.shipment.Name(),
	})
}

func momentOf(fact StatusFact) moment {
	return moment{FactID: fact.FactID, at: fact.At, certainty: fact.Certainty}
}
