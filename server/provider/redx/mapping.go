package redx

import (
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// meanings is the mapping table of status; README.md shows it with how sure each row is.
var meanings = map[string]provider.Meaning{
	"pickup-pending":       {Announced: true},
	"ready-for-delivery":   {Status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_IN_TRANSIT},
	"delivery-in-progress": {Status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_OUT_FOR_DELIVERY},
	delivered:              {Status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_DELIVERED},
	"agent-hold":           {Fact: "on_hold", Attention: true},
	"agent-area-change":    {Fact: "area_change"},
	agentReturning:         {Status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_RETURNING},
	returned:               {Status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_RETURNED},
	"paid":                 {Fact: "settlement"},
	"cancelled":            {Status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_CANCELLED},
}

const (
	delivered      = "delivered"
	agentReturning = "agent-returning"
	returned       = "returned"

	partialDelivery = "partial-delivery"
)

// leg is which way a parcel travels.
type leg struct {
	// toSeller: the parcel takes goods from the customer back to the seller.
	toSeller bool
	// fact goes with delivered.
	fact string
}

// legs is the table of delivery_type. Payloads of the older kind have none.
var legs = map[string]leg{
	"":                  {},
	"regular":           {},
	"exchange-delivery": {fact: "exchange"},
	partialDelivery:     {fact: "partial_delivery"},
	"reverse":           {toSeller: true},
	"exchange-return":   {toSeller: true},
	"partial-return":    {toSeller: true},
}
