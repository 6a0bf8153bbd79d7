package order

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Name is what people call the parcel: its first consignment id, tracking number or fulfilment id.
func (s *Shipment) Name() string {
	return cmp.Or(s.Key.ConsignmentID, s.Key.TrackingNumber, s.Key.FulfilmentID)
}

// Keys are the subjects that name the parcel, sorted.
func (s *Shipment) Keys() []Key {
	var keys []Key
	for _, value := range []string{s.Key.ConsignmentID, s.Key.TrackingNumber} {
		keys = append(keys, Key{Kind: KeyShipment, Value: ShipmentValue(value)})
	}
	for _, alias := range s.Aliases {
		keys = append(keys, aliasKey(alias))
	}
	return sortKeys(keys)
}

// aliasKey is the key of an alias, whose fulfilment id has its provider before it.
func aliasKey(alias Reference) Key {
	if alias.Kind == FulfilmentID {
		return Key{Kind: KeyFulfilment, Value: alias.Value}
	}
	return KeyOf("", alias)
}

// keysOf are the subjects that a key names when a provider uses it.
func keysOf(key ShipmentKey, provider string) []Key {
	var keys []Key
	for _, ref := range key.references() {
		keys = append(keys, KeyOf(provider, ref))
	}
	return sortKeys(keys)
}

// find gives the parcels of the order that a key names. There is more than one where the key names two parcels that
// are one, and nobody knew.
func (o *Order) find(key ShipmentKey, provider string) []*Shipment {
	wanted := keysOf(key, provider)
	var found []*Shipment
	for _, s := range o.Shipments {
		if s.Key.Return != key.Return {
			continue
		}
		if slices.ContainsFunc(s.Keys(), func(k Key) bool { return slices.Contains(wanted, k) }) {
			found = append(found, s)
		}
	}
	return found
}

// learn adds the names that a key gives the parcel. It reports whether one is new.
func (s *Shipment) learn(key ShipmentKey, provider string) bool {
	known := s.Keys()
	learnt := false
	for _, ref := range key.references() {
		name := KeyOf(provider, ref)
		if name.Value == "" {
			continue
		}
		if slices.Contains(known, name) && !s.lacks(ref.Kind) {
			continue
		}
		learnt = learnt || !slices.Contains(known, name)
		s.call(ref, provider)
	}
	return learnt
}

// lacks says whether the parcel has no first name of a kind. A courier's id can be the tracking number too.
func (s *Shipment) lacks(kind ReferenceKind) bool {
	return (kind == ConsignmentID && s.Key.ConsignmentID == "") || (kind == TrackingNumber && s.Key.TrackingNumber == "")
}

// call gives the parcel a name.
func (s *Shipment) call(ref Reference, provider string) {
	value := strings.TrimSpace(ref.Value)
	switch {
	case ref.Kind == FulfilmentID:
		if s.Key.FulfilmentID == "" {
			s.Key.FulfilmentID = ref.Value
		}
		s.Aliases = append(s.Aliases, Reference{Kind: FulfilmentID, Value: provider + "/" + ref.Value})
	case ref.Kind == ConsignmentID && s.Key.ConsignmentID == "":
		s.Key.ConsignmentID = value
	case ref.Kind == TrackingNumber && s.Key.TrackingNumber == "":
		s.Key.TrackingNumber = value
	default:
		s.Aliases = append(s.Aliases, Reference{Kind: ref.Kind, Value: value})
	}
}

// absorb makes another parcel, which turned out to be the same, part of this one: its names, its facts and what was
// said about it.
func (s *Shipment) absorb(other *Shipment) {
	known := s.Keys()
	for _, ref := range other.names() {
		if slices.Contains(known, aliasKey(ref)) {
			continue
		}
		s.adopt(ref)
	}
	if s.Key.FulfilmentID == "" {
		s.Key.FulfilmentID = other.Key.FulfilmentID
	}
	for _, fact := range other.Set {
		if !slices.ContainsFunc(s.Set, func(f StatusFact) bool { return f.FactID == fact.FactID }) {
			s.Set = append(s.Set, fact)
		}
	}
	for _, note := range other.Notes {
		if !slices.ContainsFunc(s.Notes, func(n Note) bool { return n.FactID == note.FactID }) {
			s.Notes = append(s.Notes, note)
		}
	}
	for name, value := range other.Facts {
		s.Facts = show(s.Facts, name, value)
	}
	if other.Status == Processing {
		s.began(other.StatusAt, other.StatusCertainty)
	}
	s.Courier = cmp.Or(s.Courier, other.Courier)
	if len(s.Units) == 0 {
		s.Units = other.Units
	}
	s.readAnnouncements()
}

// names are the parcel's names, fulfilment ids with their provider.
func (s *Shipment) names() []Reference {
	var names []Reference
	if s.Key.ConsignmentID != "" {
		names = append(names, Reference{ConsignmentID, s.Key.ConsignmentID})
	}
	if s.Key.TrackingNumber != "" {
		names = append(names, Reference{TrackingNumber, s.Key.TrackingNumber})
	}
	return append(names, s.Aliases...)
}

func (s *Shipment) adopt(ref Reference) {
	switch {
	case ref.Kind == ConsignmentID && s.Key.ConsignmentID == "":
		s.Key.ConsignmentID = ref.Value
	case ref.Kind == TrackingNumber && s.Key.TrackingNumber == "":
		s.Key.TrackingNumber = ref.Value
	default:
		s.Aliases = append(s.Aliases, ref)
	}
}

// began dates a parcel that has only begun by the earliest word of it. It reports whether that is new.
func (s *Shipment) began(at time.Time, certainty Certainty) bool {
	if s.Status != Processing || !at.Before(s.StatusAt) {
		return false
	}
	s.StatusAt, s.StatusCertainty = at, certainty
	return true
}

// readAnnouncements takes courier and units from the newest announcement that names them.
func (s *Shipment) readAnnouncements() {
	if newest := newestNote(s.Notes, func(n Note) bool { return n.Kind == NoteAnnouncement && n.Courier != "" }); newest != nil {
		s.Courier = newest.Courier
	}
	if newest := newestNote(s.Notes, func(n Note) bool { return n.Kind == NoteAnnouncement && len(n.Units) > 0 }); newest != nil {
		s.Units = newest.Units
	}
}

// newestNote is the newest of the notes that are wanted. Nil: none is.
func newestNote(notes []Note, wanted func(Note) bool) *Note {
	var newest *Note
	for i := range notes {
		if wanted(notes[i]) && (newest == nil || notes[i].newerThan(*newest)) {
			newest = &notes[i]
		}
	}
	return newest
}

func (n Note) newerThan(other Note) bool {
	if !n.At.Equal(other.At) {
		return n.At.After(other.At)
	}
	return n.before(other.FactID)
}

// show puts a provider's fact beside what is shown already. Its value is its time; of two the newer one stays.
func show(facts map[string]string, name, value string) map[string]string {
	if facts == nil {
		facts = make(map[string]string)
	}
	if old, shown := facts[name]; !shown || saidAt(value).After(saidAt(old)) {
		facts[name] = value
	}
	return facts
}

func saidAt(value string) time.Time {
	at, err := time.Parse(time.RFC3339Nano, value)
	if err != nil {
		return time.Time{}
	}
	return at
}
