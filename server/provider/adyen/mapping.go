package adyen

import (
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
)

// reader turns an item into changes.
type reader func(p *payments, i item) ([]*waybillv1.Change, error)

// outcome picks a reader by the item's success.
type outcome struct{ succeeded, failed reader }

// always reads an item that says the same whatever its success.
func always(read reader) outcome { return outcome{succeeded: read, failed: read} }

// readers is the mapping table; README.md shows it.
var readers = map[string]outcome{
	"PENDING":                  always(payment(waybillv1.PaymentState_PAYMENT_STATE_PENDING)),
	"AUTHORISATION":            {authorised, payment(waybillv1.PaymentState_PAYMENT_STATE_FAILED)},
	"AUTHORISATION_ADJUSTMENT": {adjusted, ignored("the adjustment was refused, so nothing changed")},
	"CAPTURE":                  {captured, alarm("capture_failed")},
	"CAPTURE_FAILED":           always(uncaptured),
	"CANCELLATION":             {voided, alarm("cancellation_failed")},
	"TECHNICAL_CANCEL":         {voided, alarm("cancellation_failed")},
	"EXPIRE":                   {voided, ignored("nothing expired")},
	"CANCEL_OR_REFUND":         {cancelledOrRefunded, alarm("cancellation_failed")},

	"REFUND":            {refunded, alarm("refund_failed")},
	"REFUND_WITH_DATA":  {refunded, alarm("refund_failed")},
	"REFUND_FAILED":     always(unrefunded("refund_failed")),
	"REFUNDED_REVERSED": always(unrefunded("refund_reversed")),

	"NOTIFICATION_OF_CHARGEBACK":        always(dispute(waybillv1.DisputeState_DISPUTE_STATE_OPEN)),
	"DISPUTE_OPENED_WITH_CHARGEBACK":    always(dispute(waybillv1.DisputeState_DISPUTE_STATE_OPEN)),
	"CHARGEBACK":                        always(chargeback),
	"SECOND_CHARGEBACK":                 always(dispute(waybillv1.DisputeState_DISPUTE_STATE_LOST)),
	"PREARBITRATION_LOST":               always(dispute(waybillv1.DisputeState_DISPUTE_STATE_LOST)),
	"DISPUTE_DEFENSE_PERIOD_ENDED":      always(dispute(waybillv1.DisputeState_DISPUTE_STATE_LOST)),
	"CHARGEBACK_REVERSED":               always(dispute(waybillv1.DisputeState_DISPUTE_STATE_WON)),
	"PREARBITRATION_WON":                always(dispute(waybillv1.DisputeState_DISPUTE_STATE_WON)),
	"ISSUER_RESPONSE_TIMEFRAME_EXPIRED": always(dispute(waybillv1.DisputeState_DISPUTE_STATE_WON)),
	"REQUEST_FOR_INFORMATION":           always(alarm("dispute_inquiry")),
	"NOTIFICATION_OF_FRAUD":             always(alarm("fraud_notification")),
}

// unneeded are the codes that say nothing about an order's money.
var unneeded = map[string]bool{
	"REPORT_AVAILABLE": true, "NOTIFICATIONTEST": true, "RECURRING_CONTRACT": true, "ORDER_OPENED": true,
	"ORDER_CLOSED": true, "OFFER_CLOSED": true, "MANUAL_REVIEW_ACCEPT": true, "MANUAL_REVIEW_REJECT": true,
	"PAYOUT_THIRDPARTY": true, "PAYOUT_DECLINE": true, "PAYOUT_EXPIRE": true, "PAIDOUT_REVERSED": true,
	"INFORMATION_SUPPLIED": true, "ISSUER_COMMENTS": true, "AUTORESCUE": true, "CANCEL_AUTORESCUE": true,
	"POSTPONED_REFUND": true,
}

// actions are what modification.action says became of a payment that was to be cancelled or refunded.
var actions = map[string]reader{
	"cancel": voided,
	"refund": refunded,
}
