package delhivery

import (
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// row is what StatusType and Status say together. Neither says anything without the other: Dispatched under RT is on its
// way to the seller.
type row struct {
	provider.Meaning

	// reverse: the parcel takes goods from the customer back to the seller, under a waybill of its own.
	reverse bool
}

const (
	inTransit      = waybillv1.ShipmentStatus_SHIPMENT_STATUS_IN_TRANSIT
	outForDelivery = waybillv1.ShipmentStatus_SHIPMENT_STATUS_OUT_FOR_DELIVERY
	returning      = waybillv1.ShipmentStatus_SHIPMENT_STATUS_RETURNING
	delivered      = waybillv1.ShipmentStatus_SHIPMENT_STATUS_DELIVERED
	returned       = waybillv1.ShipmentStatus_SHIPMENT_STATUS_RETURNED
	cancelled      = waybillv1.ShipmentStatus_SHIPMENT_STATUS_CANCELLED
)

// rows is the mapping table; README.md shows it with how sure each row is.
var rows = map[string]row{
	"UD/manifested": {Meaning: provider.Meaning{Announced: true}},
	"UD/not_picked": {Meaning: provider.Meaning{Fact: "pickup_failed", Attention: true}},
	"UD/in_transit": {Meaning: provider.Meaning{Status: inTransit}},
	"UD/pending":    {Meaning: provider.Meaning{Status: inTransit}},
	"UD/dispatched": {Meaning: provider.Meaning{Status: outForDelivery}},
	"DL/delivered":  {Meaning: provider.Meaning{Status: delivered}},

	"RT/in_transit": {Meaning: provider.Meaning{Status: returning}},
	"RT/pending":    {Meaning: provider.Meaning{Status: returning}},
	"RT/dispatched": {Meaning: provider.Meaning{Status: returning}},
	"DL/rto":        {Meaning: provider.Meaning{Status: returned}},

	"PP/open":       {Meaning: provider.Meaning{Announced: true}, reverse: true},
	"PP/scheduled":  {Meaning: provider.Meaning{Announced: true}, reverse: true},
	"PP/dispatched": {Meaning: provider.Meaning{Announced: true}, reverse: true},
	"PU/in_transit": {Meaning: provider.Meaning{Status: returning}, reverse: true},
	"PU/pending":    {Meaning: provider.Meaning{Status: returning}, reverse: true},
	"PU/dispatched": {Meaning: provider.Meaning{Status: returning}, reverse: true},
	"DL/dto":        {Meaning: provider.Meaning{Status: returned}, reverse: true},
	"CN/canceled":   {Meaning: provider.Meaning{Status: cancelled}, reverse: true},
	"CN/cancelled":  {Meaning: provider.Meaning{Status: cancelled}, reverse: true},
	"CN/closed":     {Meaning: provider.Meaning{Status: cancelled}, reverse: true},
}
