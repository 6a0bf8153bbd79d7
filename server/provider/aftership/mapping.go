package aftership

import (
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// trackingUpdate is the one event that is about a parcel's status.
const trackingUpdate = "tracking_update"

// exception is the tag whose subtags say more.
const exception = "exception"

// tags is the mapping table of a tracking's tag, in lower case; README.md shows it with how sure each row is.
var tags = map[string]provider.Meaning{
	"pending":        {Ignored: "the carrier has said nothing yet"},
	"inforeceived":   {Announced: true},
	"intransit":      {Status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_IN_TRANSIT},
	"outfordelivery": {Status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_OUT_FOR_DELIVERY},
	"attemptfail":    {Status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_FAILED_DELIVERY},
	"delivered":      {Status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_DELIVERED},
	"availableforpickup": {
		Status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_IN_TRANSIT, Fact: "ready_for_pickup",
	},
	exception: {Fact: "exception", Attention: true},
	"expired": {Fact: "tracking_expired", Attention: true},
}

// subtags are those that say something else than their tag. A parcel that went back to its sender is not taken for
// returned: nobody has confirmed whether the word stands for the start or the end of the way.
var subtags = map[string]provider.Meaning{
	"exception_010": {Status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_RETURNING},
	"exception_011": {
		Status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_RETURNING, Fact: "returned_to_sender", Attention: true,
	},
}
