package order

import "time"

// Derived is what a shipment's facts say together.
type Derived struct {
	// Status is where the shipment stands.
	Status Status
	// At is when it came to stand there, Certainty how sure that is. Zero where no fact says so: a shipment that is
	// only announced.
	At        time.Time
	Certainty Certainty
	// By is the fact that says so.
	By FactID
	// Findings are what became of each fact, in the order of the set.
	Findings []Finding
}

// Standing is how a fact stands to the status that its set gives.
type Standing string

// The standings.
const (
	// Supports: the fact says what stands.
	Supports Standing = "supports"
	// Below: the fact was passed over; it is older than, or below, what stands.
	Below Standing = "below"
	// Against: the fact speaks against an ending, or is a cancellation against movement. A person is told.
	Against Standing = "against"
	// Uncounted: the fact is parked.
	Uncounted Standing = "uncounted"
)

// Finding is what became of one fact.
type Finding struct {
	// Fact is the fact, with Parked as it is now.
	Fact     StatusFact
	Standing Standing
	// Reason says why, for all but Supports. Attention is the word to flag it with, where a person must see it.
	Reason    string
	Attention string
}

// Derive gives a shipment's state from the whole set of its facts. shown is the status shown so far; only an ending
// matters, for it stands whatever the set says.
//
// The highest rank that any fact has wins; shipments start at processing. Among moving facts the newest wins, by time,
// then by the smaller identity. Cancelled counts only while nothing of rank 3 or more is known. Delivered that is not
// older than a returning fact is parked: delivered to whom? Of two endings the newest wins. The facts of a strict
// account count only where the table's edges reach them from the start through other facts.
//
// So the result depends on the set alone, unless the set holds rival endings: two endings, cancellation against
// movement, delivered after a return began. Those end in what was shown first, and are flagged whichever way round.
func Derive(set []StatusFact, shown Status, strict bool) Derived {
	d := derivation{set: set, counted: counted(set, strict)}
	d.returnBegan = d.earliest(Returning)
	d.status = d.standing(shown)
	d.began = d.earliest(d.status)
	d.moved = d.newest(func(i int) bool { return Rank(set[i].Status) >= rankShipped }) >= 0

	derived := Derived{Status: d.status, Findings: make([]Finding, len(set))}
	for i := range set {
		derived.Findings[i] = d.finding(i)
	}
	if first := d.since(); first >= 0 {
		derived.At, derived.Certainty, derived.By = set[first].At, set[first].Certainty, set[first].FactID
	}
	return derived
}

type derivation struct {
	set []StatusFact
	// counted says of each fact whether the table reaches it.
	counted []bool
	status  Status
	// began is when the status was first said, returnBegan the same of returning. Zero: nobody did.
	began, returnBegan time.Time
	// moved says whether a counted fact of rank 3 or more is known.
	moved bool
}

// counted says which facts count: all of them, or those that the table's edges reach.
func counted(set []StatusFact, strict bool) []bool {
	reached := map[Status]bool{Pending: true, Confirmed: true, Processing: true}
	for grown := strict; grown; {
		grown = false
		for _, fact := range set {
			if !reached[fact.Status] && reachedFrom(reached, fact.Status) {
				reached[fact.Status] = true
				grown = true
			}
		}
	}
	counts := make([]bool, len(set))
	for i, fact := range set {
		counts[i] = !strict || reached[fact.Status]
	}
	return counts
}

func reachedFrom(reached map[Status]bool, to Status) bool {
	for from := range reached {
		if Rank(from) >= rankProcessing && Allowed(from, to) {
			return true
		}
	}
	return false
}

// standing is the status that the facts give.
func (d *derivation) standing(shown Status) Status {
	if Terminal(shown) {
		return shown
	}
	if end := d.newest(func(i int) bool { return Rank(d.set[i].Status) == rankEnded && !d.afterReturn(i) }); end >= 0 {
		return d.set[end].Status
	}
	if moving := d.newest(func(i int) bool { return Rank(d.set[i].Status) == rankMoving }); moving >= 0 {
		return d.set[moving].Status
	}
	if d.knows(Shipped) {
		return Shipped
	}
	if d.knows(Cancelled) {
		return Cancelled
	}
	return Processing
}

// newest is the newest counted fact that is wanted, or -1.
func (d *derivation) newest(wanted func(i int) bool) int {
	newest := -1
	for i := range d.set {
		if !d.counted[i] || !wanted(i) {
			continue
		}
		if newest < 0 || newer(d.set[i], d.set[newest]) {
			newest = i
		}
	}
	return newest
}

func (d *derivation) knows(status Status) bool {
	return d.newest(func(i int) bool { return d.set[i].Status == status }) >= 0
}

// afterReturn says whether a fact is delivered, and not older than some return.
func (d *derivation) afterReturn(i int) bool {
	return d.set[i].Status == Delivered && !d.returnBegan.IsZero() && !d.set[i].At.Before(d.returnBegan)
}

// earliest is when a status was first said. Zero: nobody did.
func (d *derivation) earliest(status Status) time.Time {
	var at time.Time
	for _, fact := range d.set {
		if fact.Status == status && (at.IsZero() || fact.At.Before(at)) {
			at = fact.At
		}
	}
	return at
}

func (d *derivation) finding(i int) Finding {
	fact := d.set[i]
	fact.Parked = false
	switch {
	case fact.Status == d.status && (d.counted[i] || Terminal(d.status)):
		return Finding{Fact: fact, Standing: Supports}
	case Terminal(d.status):
		return d.beside(fact)
	case !d.counted[i]:
		fact.Parked = true
		return Finding{
			Fact: fact, Standing: Uncounted,
			Reason: "strict account: no recorded step leads to " + string(fact.Status),
		}
	case d.afterReturn(i):
		fact.Parked = true
		return Finding{
			Fact: fact, Standing: Uncounted, Attention: AttentionDeliveredAfterReturn,
			Reason: "delivered after a return began: delivered to whom?",
		}
	case fact.Status == Cancelled && d.moved:
		return Finding{
			Fact: fact, Standing: Against, Attention: AttentionCancelledAgainstMovement,
			Reason: "the parcel is moving, it can't be cancelled",
		}
	}
	return Finding{Fact: fact, Standing: Below, Reason: "older than, or below, " + string(d.status)}
}

// beside is what becomes of a fact beside an ending that it doesn't support.
func (d *derivation) beside(fact StatusFact) Finding {
	attention := d.rivalry(fact)
	if attention == "" {
		return Finding{Fact: fact, Standing: Below, Reason: "older than, or below, " + string(d.status)}
	}
	return Finding{
		Fact: fact, Standing: Against, Attention: attention,
		Reason: "the parcel is " + string(d.status) + " and stays so",
	}
}

// rivalry is the word for a fact that speaks against the ending that stands. Empty: it doesn't.
func (d *derivation) rivalry(fact StatusFact) string {
	rank := Rank(fact.Status)
	switch {
	case rank == rankEnded && d.status != Cancelled:
		return AttentionTwoEndings
	case fact.Status == Cancelled, rank >= rankShipped && d.status == Cancelled:
		return AttentionCancelledAgainstMovement
	case rank >= rankShipped && fact.At.After(d.began):
		return AttentionMovedAfterEnd
	case fact.Status == Returning && d.status == Delivered:
		return AttentionDeliveredAfterReturn
	}
	return ""
}

// since is the fact with which the shipment came to stand where it stands: of a moving status the first of its last run,
// of any other status the first of all. -1: it is only announced.
func (d *derivation) since() int {
	other := d.newest(func(i int) bool {
		return Rank(d.status) == rankMoving && Rank(d.set[i].Status) == rankMoving && d.set[i].Status != d.status
	})
	first := -1
	for i, fact := range d.set {
		if fact.Status != d.status || (other >= 0 && newer(d.set[other], fact)) {
			continue
		}
		if first < 0 || older(fact, d.set[first]) {
			first = i
		}
	}
	return first
}

// newer says whether a fact comes after another: by time, then by the smaller identity.
func newer(a, b StatusFact) bool {
	if !a.At.Equal(b.At) {
		return a.At.After(b.At)
	}
	return a.before(b.FactID)
}

func older(a, b StatusFact) bool {
	if !a.At.Equal(b.At) {
		return a.At.Before(b.At)
	}
	return a.before(b.FactID)
}

// before orders facts of the same time: the smaller identity comes first, and of one event the later change.
func (id FactID) before(other FactID) bool {
	switch {
	case id.Identity != other.Identity:
		return id.Identity < other.Identity
	case id.Provider != other.Provider:
		return id.Provider < other.Provider
	case id.EventID != other.EventID:
		return id.EventID < other.EventID
	}
	return id.ChangeIndex > other.ChangeIndex
}
