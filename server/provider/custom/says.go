package custom

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// says are the changes of an event.
func (p *plan) says(s *scope, eventType string, names *provider.References) ([]*waybillv1.Change, error) {
	elsewhere, err := p.elsewhere(s)
	if err != nil {
		return nil, err
	}
	if elsewhere != "" {
		return changed(provider.IgnoredChange(elsewhere)), nil
	}

	var made []*waybillv1.Change
	ignored := ""
	for _, one := range p.changes {
		holds := one.when == nil
		if !holds {
			if holds, err = one.when.holds(s); err != nil {
				return nil, err
			}
		}
		switch {
		case !holds:
		case one.make == nil:
			ignored = one.ignored
		default:
			changes, err := one.changes(s, names, p)
			if err != nil {
				return nil, err
			}
			made = append(made, changes...)
		}
	}
	switch {
	case len(made) > 0:
		return withoutRepeats(made), nil
	case ignored != "":
		return changed(provider.IgnoredChange(ignored)), nil
	default:
		return changed(provider.UnrecognisedChange(p.eventType.member("type"), provider.Word(eventType))), nil
	}
}

// withoutRepeats leaves out a bare announcement of a parcel that another one announces with what is in it.
func withoutRepeats(changes []*waybillv1.Change) []*waybillv1.Change {
	fuller := func(bare, other *waybillv1.ShipmentAnnounced) bool {
		return other != nil && len(bare.GetUnits()) == 0 && len(other.GetUnits()) > 0 && proto.Equal(bare.GetShipment(), other.GetShipment())
	}
	var kept []*waybillv1.Change
	for _, change := range changes {
		bare := change.GetShipmentAnnounced()
		repeats := bare != nil && slices.ContainsFunc(changes, func(other *waybillv1.Change) bool {
			return fuller(bare, other.GetShipmentAnnounced())
		})
		if !repeats {
			kept = append(kept, change)
		}
	}
	return kept
}

// changes are what a change makes of an event, at its own time where it has one.
func (c change) changes(s *scope, names *provider.References, p *plan) ([]*waybillv1.Change, error) {
	made, err := c.make(s, names)
	if err != nil || c.time == nil {
		return made, err
	}
	when, err := c.time.text(s)
	if err != nil {
		return nil, err
	}
	moment := provider.AnyMoment(provider.Number(strings.TrimSpace(when)), p.zone)
	if moment.Certainty != waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_EXACT {
		return made, nil // the event's own time says at least how sure it is
	}
	for _, one := range made {
		one.OccurredAt = moment.Timestamp()
	}
	return made, nil
}
