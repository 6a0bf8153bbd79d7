package order

import "slices"

// table holds every move that is allowed, the likelier step first: Path follows that order. The founding rows are those
// of pending to in_transit without the steps marked +, and the three ends; the founding table gave failed_delivery no
// way out, and knew neither the rider nor the way back.
var table = map[Status][]Status{
	Pending:    {Confirmed, Cancelled},
	Confirmed:  {Processing, Cancelled},
	Processing: {Shipped, Cancelled},
	Shipped: {
		InTransit, FailedDelivery,
		OutForDelivery, Returning, Returned, // +
	},
	InTransit: {
		Delivered, Returned, FailedDelivery,
		OutForDelivery, Returning, // +
	},
	OutForDelivery: {Delivered, FailedDelivery, Returned, Returning, InTransit}, // +
	FailedDelivery: {InTransit, OutForDelivery, Delivered, Returning, Returned}, // +
	Returning:      {Returned, InTransit},                                       // +
	Delivered:      nil,
	Cancelled:      nil,
	Returned:       nil,
}

// The ranks: a shipment stands at the highest that any of its facts has. Cancelled has none, see Derive.
const (
	rankPending = iota
	rankConfirmed
	rankProcessing
	rankShipped
	rankMoving
	rankEnded
)

const noRank = -1

// Statuses are all the statuses, in the order of the table.
func Statuses() []Status {
	return []Status{
		Pending, Confirmed, Processing, Shipped, InTransit, OutForDelivery, FailedDelivery, Returning,
		Delivered, Returned, Cancelled,
	}
}

// Next are the statuses that the table allows after one, the likelier first.
func Next(from Status) []Status {
	return slices.Clone(table[from])
}

// Allowed says whether the table has the step.
func Allowed(from, to Status) bool {
	return slices.Contains(table[from], to)
}

// Terminal says whether a status is an end. What was shown as an end stays.
func Terminal(status Status) bool {
	return status == Delivered || status == Returned || status == Cancelled
}

// Rank is how far a status is on the way: pending 0, confirmed 1, processing 2, shipped 3, all that moves 4, delivered
// and returned 5. Cancelled, which is no step on the way, and what is no status have -1.
func Rank(status Status) int {
	switch status {
	case Pending:
		return rankPending
	case Confirmed:
		return rankConfirmed
	case Processing:
		return rankProcessing
	case Shipped:
		return rankShipped
	case InTransit, OutForDelivery, FailedDelivery, Returning:
		return rankMoving
	case Delivered, Returned:
		return rankEnded
	case Cancelled:
	}
	return noRank
}

// Path names the statuses that are passed over when a courier skips from one status to another: those between the two
// on the shortest way through the table. False: the table has no way.
func Path(from, to Status) ([]Status, bool) {
	before := map[Status]Status{from: from}
	for queue := []Status{from}; len(queue) > 0; queue = queue[1:] {
		for _, next := range table[queue[0]] {
			if _, seen := before[next]; seen {
				continue
			}
			before[next] = queue[0]
			queue = append(queue, next)
		}
	}
	if _, reached := before[to]; !reached {
		return nil, false
	}
	var between []Status
	for at := before[to]; at != from; at = before[at] {
		between = append(between, at)
	}
	slices.Reverse(between)
	return between, true
}
