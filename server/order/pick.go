package order

// Found is what a key was found to name.
type Found struct {
	// OrderID is our id of the order. Empty: the key names none yet.
	OrderID string
	// Shared says that several orders claim the key.
	Shared bool
	// HeardOf says that the order has no source yet.
	HeardOf bool
	// Source is the provider that owns the order, where it is known. An order that the event's own provider knows
	// under another id is not the event's order, whatever its number.
	Source string
}

// Pick gives the one order that an event is about. Empty: none is known, or the event places a new one. ambiguous says
// in words why there is no single one.
//
// An identity at a source that is known decides, and parcels and payments must not belong to another order. Otherwise
// all that is known must name the same order; a number that several orders claim says nothing. An event that places an
// order under an unknown identity takes an order over only if that was merely heard of.
func Pick(e Event, found map[Key]Found) (orderID, ambiguous string) {
	p := picker{event: e, found: found}
	p.sort()

	if len(p.identities) > 0 {
		return p.agree(append(p.identities, p.belongings...))
	}
	if placed := e.placed(); placed != nil {
		return p.place(placed)
	}
	return p.locate()
}

type claim struct {
	key   Key
	found Found
}

type picker struct {
	event Event
	found map[Key]Found
	// unknown is an identity that the event names and nobody knows.
	unknown *Key
	// identities, belongings (parcels and payments) and numbers are what is known. shared is what several orders claim.
	identities, belongings, numbers, shared []claim
}

func (p *picker) sort() {
	for _, key := range p.event.Keys() {
		found := p.found[key]
		switch {
		case found.OrderID == "" && !found.Shared:
			if key.Kind == KeyOrder {
				p.unknown = &key
			}
		case found.Shared:
			p.shared = append(p.shared, claim{key, found})
		case key.Kind == KeyOrder:
			p.identities = append(p.identities, claim{key, found})
		case key.Kind == KeyNumber, key.Kind == KeyNumberAlias:
			p.numbers = append(p.numbers, claim{key, found})
		default:
			p.belongings = append(p.belongings, claim{key, found})
		}
	}
}

// agree gives the order that all the claims name.
func (p *picker) agree(claims []claim) (orderID, ambiguous string) {
	for _, c := range claims {
		if c.found.OrderID != claims[0].found.OrderID {
			return "", c.key.words() + " belongs to another order than " + claims[0].key.words()
		}
	}
	if len(claims) == 0 {
		return "", ""
	}
	return claims[0].found.OrderID, ""
}

// place gives the order that was only heard of and is placed now: by the number that it is placed under, or else by
// another name of it, or by its parcels and payments.
func (p *picker) place(placed *Placed) (orderID, ambiguous string) {
	var claims, others []claim
	for _, c := range p.numbers {
		switch {
		case !c.found.HeardOf:
		case c.key == NumberKey(placed.Number):
			claims = append(claims, c)
		default:
			others = append(others, c)
		}
	}
	if len(claims) == 0 {
		claims = others
	}
	for _, c := range p.belongings {
		if !c.found.HeardOf {
			return "", c.key.words() + " belongs to another order than order " + placed.OrderID
		}
		claims = append(claims, c)
	}
	return p.agree(claims)
}

// locate gives the order of an event that names no known identity.
func (p *picker) locate() (orderID, ambiguous string) {
	var claims []claim
	for _, c := range p.numbers {
		if !p.another(c) && !p.outdone(c) {
			claims = append(claims, c)
		}
	}
	for _, c := range p.belongings {
		if p.another(c) {
			return "", c.key.words() + " belongs to another order than " + p.unknown.words()
		}
		claims = append(claims, c)
	}
	if len(claims) == 0 {
		return "", p.torn()
	}
	return p.agree(claims)
}

// another says whether a claim is of an order that the event's own provider knows under another identity.
func (p *picker) another(c claim) bool {
	return p.unknown != nil && c.found.Source != "" && c.found.Source == p.event.Provider
}

// outdone says whether a claim is by alias, of a number that some order has.
func (p *picker) outdone(c claim) bool {
	if c.key.Kind != KeyNumberAlias {
		return false
	}
	number := p.found[NumberKey(c.key.Value)]
	return number.OrderID != "" || number.Shared
}

// torn says in words that what the event names belongs to two orders. Empty: it does not.
func (p *picker) torn() string {
	for _, c := range p.shared {
		if c.key.Kind == KeyNumber && p.unknown != nil {
			continue
		}
		if !p.outdone(c) {
			return c.key.words() + " belongs to two orders"
		}
	}
	return ""
}

// placed is the order that the event places. Nil: it places none.
func (e Event) placed() *Placed {
	for _, change := range e.Changes {
		if change.Placed != nil {
			return change.Placed
		}
	}
	return nil
}
