package order

import (
	"slices"
	"time"
)

// The fixed words of attention that the rules use. A fact that needs attention uses its own name.
const (
	// AttentionTwoEndings: a parcel was delivered by one word and returned by another.
	AttentionTwoEndings = "two_endings"
	// AttentionCancelledAgainstMovement: cancelled by one word, moving by another; of a parcel or of an order.
	AttentionCancelledAgainstMovement = "cancelled_against_movement"
	// AttentionDeliveredAfterReturn: delivered when a return had begun. To whom?
	AttentionDeliveredAfterReturn = "delivered_after_return"
	// AttentionMovedAfterEnd: a parcel moved after its end.
	AttentionMovedAfterEnd = "moved_after_end"
	// AttentionParcelAfterEnd: a parcel was attached to an order that had ended.
	AttentionParcelAfterEnd = "parcel_after_end"
	// AttentionUnitsAfterEnd: an order has ended and has units that no parcel carried.
	AttentionUnitsAfterEnd = "units_after_end"
	// AttentionReopened: an order has ended and what is known now says something else, for no other reason.
	AttentionReopened = "reopened_after_end"
	// AttentionPartlyReturned: some parcels of an order were delivered, others came back.
	AttentionPartlyReturned = "partly_returned"
	// AttentionOverpaid: more was taken than the order costs.
	AttentionOverpaid = "overpaid"
	// AttentionPaidInAnotherCurrency: a payment that does not count, for it is in another currency than the order.
	AttentionPaidInAnotherCurrency = "paid_in_another_currency"
	// AttentionRefundedInAnotherCurrency: a refund that does not count, likewise.
	AttentionRefundedInAnotherCurrency = "refunded_in_another_currency"
	// AttentionRefundedMoreThanPaid: more went back than was taken.
	AttentionRefundedMoreThanPaid = "refunded_more_than_paid"
	// AttentionDisputed: a payment is disputed; somebody has to answer the bank.
	AttentionDisputed = "disputed"
	// AttentionPaidAfterCancellation: money came in for a cancelled order.
	AttentionPaidAfterCancellation = "paid_after_cancellation"
)

// Flag marks something that a person must see, once for each reason and event. It reports whether the mark is new.
func (o *Order) Flag(reason, detail string, since time.Time, eventID string) bool {
	if slices.ContainsFunc(o.Attention, func(a Attention) bool { return a.Reason == reason && a.EventID == eventID }) {
		return false
	}
	o.Attention = append(o.Attention, Attention{Reason: reason, Detail: detail, Since: since, EventID: eventID})
	return true
}
