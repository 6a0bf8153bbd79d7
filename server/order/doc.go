// Package order is the ground floor: the nouns, the table of moves, and the pure rules that turn recorded facts into
// the state of orders, parcels and money. It imports the standard library only and knows no clock, database or wire.
//
// # How an event is decided
//
// [Pick] finds the one order that an event is about, from what its keys were found to name. [Rule] then decides each of
// its changes: it records what was said, derives what stands, and gives everything that must be committed together. An
// event whose order nobody knows waits, and is parked in the end; so is one that names two orders, and every change
// that nobody can read. Nothing is dropped: every change ends in a [Decision] that says why.
//
//	event ──▶ Pick ──▶ Rule ──▶ per change: record the fact ──▶ Derive (parcel)   BalanceOf (money)
//	                     │                                           └──────┬────────────┘
//	                     │ no order: waiting, then parked                  Fold (order)
//	                     └ ambiguous: parked                                │
//	                                              Ruling: order, decisions, history steps, attention
//
// # What may follow what
//
// Steps marked + are ours; the founding table lacks them.
//
//	pending ──▶ confirmed ──▶ processing ──▶ shipped ──▶ in_transit ──▶ DELIVERED
//	   │            │              │
//	   └────────────┴──────────────┴──▶ CANCELLED
//
//	shipped            ▶ in_transit, failed_delivery, + out_for_delivery, + returning, + RETURNED
//	in_transit         ▶ DELIVERED, RETURNED, failed_delivery, + out_for_delivery, + returning
//	+ out_for_delivery ▶ DELIVERED, failed_delivery, RETURNED, returning, in_transit
//	+ failed_delivery  ▶ in_transit, out_for_delivery, DELIVERED, returning, RETURNED
//	+ returning        ▶ RETURNED, in_transit
//
// Capitals are ends. Couriers skip steps; [Path] names those that were passed over.
//
// # Why arrival can't matter
//
// A parcel's status, an order's status and a payment's status are functions of the set of facts recorded, so it is all
// the same in which order they came in. What depends on arrival is only what must: an ending that was shown stands,
// whatever is said later. That matters for rival endings alone, and a person is told whenever a set holds some:
//
//   - two endings of one parcel, delivered and returned,
//   - a cancellation against movement, of a parcel or of an order,
//   - delivered after a return began: delivered to whom?
//   - a parcel, or units, that come after their order has ended.
//
// The first three are the only ones within a parcel; all sets of three facts are tried in every order in the tests.
//
// # Outcomes
//
//   - Applied: it moved something, or is shown beside the order.
//   - Unchanged: it was known.
//   - Stale: older than, or below, what stands. A late scan is kept in the history.
//   - Illegal: it speaks against what stands. What stands, stands, and a person is told.
//   - Parked: it stands still until a person, a newer translator or a further fact has looked at it.
//   - Ignored: nobody needs it.
package order
