package order

import (
	"maps"
	"slices"
)

// clone is a copy of the order that can be changed without changing the order. What is never changed in place (amounts,
// lines, units) is shared.
func (o *Order) clone() *Order {
	c := *o
	if o.Placement != nil {
		placement := *o.Placement
		c.Placement = &placement
	}
	c.Shipments = make([]*Shipment, len(o.Shipments))
	for i, s := range o.Shipments {
		c.Shipments[i] = s.clone()
	}
	c.Ledger = slices.Clone(o.Ledger)
	c.Notes = slices.Clone(o.Notes)
	c.Facts = maps.Clone(o.Facts)
	c.Attention = slices.Clone(o.Attention)
	return &c
}

func (s *Shipment) clone() *Shipment {
	c := *s
	c.Aliases = slices.Clone(s.Aliases)
	c.Set = slices.Clone(s.Set)
	c.Notes = slices.Clone(s.Notes)
	c.Facts = maps.Clone(s.Facts)
	return &c
}
