package order

import (
	"strconv"
	"time"
)

// The facts that the fold shows beside an order.
const (
	FactPartlyReturned = "partly_returned"
	FactUnitsShipped   = "units_shipped"
)

// Folded is what an order's parcels, its platform and its money say together.
type Folded struct {
	Status Status
	// At is when it came to stand there. Zero: none of its facts says so.
	At time.Time
	// PartlyReturned says that some parcels were delivered and others came back.
	PartlyReturned bool
	// Units are how many units the order has, UnitsShipped how many are with a courier or beyond, UnitsLeft how many
	// no parcel carries.
	Units, UnitsShipped, UnitsLeft int64
}

// Fold gives an order's status from everything recorded about it, and from nothing that was shown before.
//
// While a parcel is open it is the highest rank that any has reached; one that has ended counts as in transit. When all
// have ended it is delivered if any was, else returned. Cancelled parcels and parcels on their way back don't count.
// With none counted the order has its own status: pending, or confirmed once it is placed with a known total, or paid.
// It is cancelled when its platform says so and nothing has moved. An order that has units which no parcel carries is
// not at its end: a parcel that names no units carries every unit that no other names.
func Fold(o *Order) Folded {
	var f Folded
	counted := o.counted()
	f.countUnits(o, counted)

	open, ended := split(counted)
	switch {
	case o.Cancellation != nil && !moved(counted):
		f.Status, f.At = Cancelled, o.Cancellation.At
	case len(counted) == 0:
		f.Status, f.At = o.own()
	case len(open) == 0 && f.UnitsLeft == 0:
		f.end(ended)
	default:
		f.underWay(open, ended)
	}
	return f
}

// counted are the parcels that count for the order: those on their way to the customer that aren't cancelled. A platform
// that says "shipped" and names neither number nor units speaks of the parcel that a courier names: once there is one,
// the nameless one counts no more until it ends, or the order would wait for ever for news of what nobody tracks.
func (o *Order) counted() []*Shipment {
	var named, nameless []*Shipment
	for _, s := range o.Shipments {
		switch {
		case s.Key.Return || s.Status == Cancelled:
		case s.nameless() && Rank(s.Status) < rankEnded:
			nameless = append(nameless, s)
		default:
			named = append(named, s)
		}
	}
	if len(named) == 0 {
		return nameless
	}
	return named
}

// nameless parcels are known by a platform's id alone and say nothing of what they carry.
func (s *Shipment) nameless() bool {
	return s.Key.ConsignmentID == "" && s.Key.TrackingNumber == "" && len(s.Units) == 0
}

func split(parcels []*Shipment) (open, ended []*Shipment) {
	for _, s := range parcels {
		if Rank(s.Status) == rankEnded {
			ended = append(ended, s)
			continue
		}
		open = append(open, s)
	}
	return open, ended
}

func moved(parcels []*Shipment) bool {
	for _, s := range parcels {
		if Rank(s.Status) >= rankShipped {
			return true
		}
	}
	return false
}

// own is the status of an order that no parcel speaks for.
func (o *Order) own() (Status, time.Time) {
	switch {
	case o.Placement != nil && o.Placement.Total != nil:
		return Confirmed, o.Placement.At
	case o.Balance().Covered:
		return Confirmed, time.Time{}
	case o.Placement != nil:
		return Pending, o.Placement.At
	}
	return Pending, time.Time{}
}

// end is the status of an order all of whose parcels have ended.
func (f *Folded) end(ended []*Shipment) {
	f.Status = Returned
	returned := 0
	for _, s := range ended {
		if s.Status == Returned {
			returned++
		}
		if s.Status == Delivered {
			f.Status = Delivered
		}
		if s.StatusAt.After(f.At) {
			f.At = s.StatusAt
		}
	}
	f.PartlyReturned = returned > 0 && returned < len(ended)
}

// underWay is the status of an order some of whose parcels are open, or some of whose units are in none.
func (f *Folded) underWay(open, ended []*Shipment) {
	f.Status = Processing
	for _, s := range ended {
		f.Status = InTransit
		if f.At.IsZero() || s.StatusAt.Before(f.At) {
			f.At = s.StatusAt
		}
	}
	var furthest *Shipment
	for _, s := range open {
		if furthest == nil || s.furtherThan(furthest) {
			furthest = s
		}
	}
	if furthest != nil && Rank(furthest.Status) >= Rank(f.Status) {
		f.Status, f.At = furthest.Status, furthest.StatusAt
	}
}

// furtherThan orders open parcels: by rank, then the one whose status is newer, then by name.
func (s *Shipment) furtherThan(other *Shipment) bool {
	if Rank(s.Status) != Rank(other.Status) {
		return Rank(s.Status) > Rank(other.Status)
	}
	if !s.StatusAt.Equal(other.StatusAt) {
		return s.StatusAt.After(other.StatusAt)
	}
	return s.Name() < other.Name()
}

// countUnits counts the order's units and where they are.
func (f *Folded) countUnits(o *Order, counted []*Shipment) {
	if o.Placement == nil {
		return
	}
	left := make(map[string]int64)
	for _, line := range o.Placement.Lines {
		left[line.ID] += max(0, line.Quantity)
		f.Units += max(0, line.Quantity)
	}

	f.UnitsLeft = f.Units
	unnamed, unnamedShipped := 0, true
	for _, s := range counted {
		shipped := Rank(s.Status) >= rankShipped
		if !s.namesUnits(left) {
			unnamed++
			unnamedShipped = unnamedShipped && shipped
			continue
		}
		for _, u := range s.Units {
			carried := min(max(0, u.Quantity), left[u.LineID])
			left[u.LineID] -= carried
			f.UnitsLeft -= carried
			if shipped {
				f.UnitsShipped += carried
			}
		}
	}
	if unnamed == 0 {
		return
	}
	if unnamedShipped {
		f.UnitsShipped += f.UnitsLeft
	}
	f.UnitsLeft = 0
}

// namesUnits says whether a parcel names units of the order's lines. One that names only lines that the order doesn't
// have counts as one that names none.
func (s *Shipment) namesUnits(lines map[string]int64) bool {
	for _, u := range s.Units {
		if _, known := lines[u.LineID]; known {
			return true
		}
	}
	return false
}

// show puts what the fold found beside the order. It reports whether anything is new.
func (f *Folded) show(o *Order) bool {
	facts := map[string]string{}
	if f.UnitsShipped > 0 {
		facts[FactUnitsShipped] = strconv.FormatInt(f.UnitsShipped, 10) + " of " + strconv.FormatInt(f.Units, 10)
	}
	if f.PartlyReturned && o.Status == Delivered {
		facts[FactPartlyReturned] = "yes"
	}
	changed := false
	for _, name := range []string{FactUnitsShipped, FactPartlyReturned} {
		if o.Facts[name] == facts[name] {
			continue
		}
		changed = true
		if facts[name] == "" {
			delete(o.Facts, name)
			continue
		}
		if o.Facts == nil {
			o.Facts = make(map[string]string)
		}
		o.Facts[name] = facts[name]
	}
	return changed
}
