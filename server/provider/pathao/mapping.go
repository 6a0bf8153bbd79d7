package pathao

import (
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
)

// meaning is what one of Pathao's words says.
type meaning struct {
	// status the parcel has. Unspecified: the word moves no parcel.
	status waybillv1.ShipmentStatus
	// announced: the parcel exists, and that is all.
	announced bool
	// fact to show beside the order, and whether a person should look.
	fact      string
	attention bool
	// collects: collected_amount is what the customer paid for the goods.
	collects bool
	// charges: collected_amount is a fee that the customer paid at the door, and nothing for the goods.
	charges bool
	// returning: the word is about goods on their way back (see shipment).
	returning bool
	// ignored says why nobody needs the word.
	ignored string
}

// The return types. After an exchange and a partial delivery the customer has kept something.
const (
	wholeReturn     = "return"
	paidReturn      = "paid-return"
	exchanged       = "exchange"
	partlyDelivered = "partial-delivery"
)

const (
	shipped        = waybillv1.ShipmentStatus_SHIPMENT_STATUS_SHIPPED
	inTransit      = waybillv1.ShipmentStatus_SHIPMENT_STATUS_IN_TRANSIT
	outForDelivery = waybillv1.ShipmentStatus_SHIPMENT_STATUS_OUT_FOR_DELIVERY
	failedDelivery = waybillv1.ShipmentStatus_SHIPMENT_STATUS_FAILED_DELIVERY
	returning      = waybillv1.ShipmentStatus_SHIPMENT_STATUS_RETURNING
	delivered      = waybillv1.ShipmentStatus_SHIPMENT_STATUS_DELIVERED
	returned       = waybillv1.ShipmentStatus_SHIPMENT_STATUS_RETURNED
	cancelled      = waybillv1.ShipmentStatus_SHIPMENT_STATUS_CANCELLED
)

// meanings is the mapping table; README.md shows it with how sure each row is.
var meanings = map[string]meaning{
	"order.created":                   {announced: true},
	"order.updated":                   {announced: true},
	"order.pickup-requested":          {announced: true},
	"order.assigned-for-pickup":       {announced: true},
	"order.picked":                    {status: shipped},
	"order.pickup-failed":             {fact: "pickup_failed", attention: true},
	"order.pickup-cancelled":          {status: cancelled},
	"order.at-the-sorting-hub":        {status: inTransit},
	"order.in-transit":                {status: inTransit},
	"order.received-at-last-mile-hub": {status: inTransit},
	"order.assigned-for-delivery":     {status: outForDelivery},
	"order.delivered":                 {status: delivered, collects: true},
	"order.partial-delivery":          {status: delivered, collects: true, fact: "partial_delivery"},
	"order.exchanged":                 {status: delivered, collects: true, fact: exchanged},
	"order.delivery-failed":           {status: failedDelivery},
	"order.on-hold":                   {fact: "on_hold", attention: true},
	"order.returned":                  {status: returning, returning: true},
	"order.paid-return":               {status: returning, returning: true, charges: true, fact: "paid_return"},
	"order.return-id-created":         {status: returning, returning: true},
	"order.return-in-transit":         {status: returning, returning: true},
	"order.returned-to-merchant":      {status: returned, returning: true},
	"order.paid":                      {fact: "settlement"},
	"store.created":                   {ignored: "it is about a pickup store, not about an order"},
	"store.updated":                   {ignored: "it is about a pickup store, not about an order"},
	probeEvent:                        {ignored: "it is the set-up probe"},
}

// legacy are the labels that the older payloads carry in order_status, in lower case.
var legacy = map[string]string{
	"order_created":             "order.created",
	"order_updated":             "order.updated",
	"pickup_requested":          "order.pickup-requested",
	"assigned_for_pickup":       "order.assigned-for-pickup",
	"picked":                    "order.picked",
	"pickup_failed":             "order.pickup-failed",
	"pickup_cancelled":          "order.pickup-cancelled",
	"at_the_sorting_hub":        "order.at-the-sorting-hub",
	"in_transit":                "order.in-transit",
	"received_at_last_mile_hub": "order.received-at-last-mile-hub",
	"assigned_for_delivery":     "order.assigned-for-delivery",
	"delivered":                 "order.delivered",
	"partial_delivery":          "order.partial-delivery",
	"return":                    "order.returned",
	"delivery_failed":           "order.delivery-failed",
	"on_hold":                   "order.on-hold",
	"paid_return":               "order.paid-return",
	exchanged:                   "order.exchanged",
	"payment_invoice":           "order.paid",
}
