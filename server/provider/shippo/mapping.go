package shippo

import (
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// trackUpdated is the one event that is about a parcel's way.
const trackUpdated = "track_updated"

const (
	inTransit      = waybillv1.ShipmentStatus_SHIPMENT_STATUS_IN_TRANSIT
	outForDelivery = waybillv1.ShipmentStatus_SHIPMENT_STATUS_OUT_FOR_DELIVERY
	failedDelivery = waybillv1.ShipmentStatus_SHIPMENT_STATUS_FAILED_DELIVERY
	returning      = waybillv1.ShipmentStatus_SHIPMENT_STATUS_RETURNING
	delivered      = waybillv1.ShipmentStatus_SHIPMENT_STATUS_DELIVERED
)

// statuses is the mapping table of a scan's status; README.md shows it with how sure each row is.
var statuses = map[string]provider.Meaning{
	"unknown":     {Ignored: "the carrier has said nothing yet"},
	"pre_transit": {Announced: true},
	"transit":     {Status: inTransit},
	"delivered":   {Status: delivered},
	"returned":    {Status: returning},
	"failure":     {Status: failedDelivery, Fact: "undeliverable", Attention: true},
}

// substatuses are those that say more than transit does.
var substatuses = map[string]provider.Meaning{
	"out_for_delivery":   {Status: outForDelivery},
	"delivery_attempted": {Status: failedDelivery},
	"pickup_available":   {Status: inTransit, Fact: "ready_for_pickup"},
}
