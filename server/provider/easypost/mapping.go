package easypost

import (
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// needed are the event types that are about a parcel's way.
var needed = map[string]bool{"tracker.created": true, "tracker.updated": true}

// modes says of each mode whether it is about real parcels.
var modes = map[string]bool{"production": true, "test": false}

// meanings is the mapping table of a tracker's status; README.md shows it with how sure each row is.
var meanings = map[string]provider.Meaning{
	"unknown":          {Ignored: "the carrier has said nothing yet"},
	"pre_transit":      {Announced: true},
	"in_transit":       {Status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_IN_TRANSIT},
	"out_for_delivery": {Status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_OUT_FOR_DELIVERY},
	"delivered":        {Status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_DELIVERED},
	"available_for_pickup": {
		Status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_IN_TRANSIT, Fact: "ready_for_pickup",
	},
	"return_to_sender": {Status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_RETURNING},
	"failure":          {Status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_FAILED_DELIVERY},
	"cancelled":        {Status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_CANCELLED},
	"error":            {Fact: "tracking_failed", Attention: true},
}
