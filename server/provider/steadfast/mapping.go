package steadfast

import (
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// The notification types.
const (
	deliveryStatus = "delivery_status"
	trackingUpdate = "tracking_update"
)

const (
	delivered        = "delivered"
	partialDelivered = "partial_delivered"
)

// meanings is the mapping table of status; README.md shows it with how sure each row is.
var meanings = map[string]provider.Meaning{
	"pending":                            {Announced: true},
	"in_review":                          {Announced: true},
	delivered:                            {Status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_DELIVERED},
	partialDelivered:                     {Status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_DELIVERED},
	"cancelled":                          {Status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_RETURNED},
	"unknown":                            {Fact: "unknown_at_courier", Attention: true},
	"hold":                               {Fact: "on_hold", Attention: true},
	"delivered_approval_pending":         {Fact: "delivered_approval_pending"},
	"partial_delivered_approval_pending": {Fact: "partial_delivered_approval_pending"},
	"cancelled_approval_pending":         {Fact: "cancelled_approval_pending"},
	"unknown_approval_pending":           {Fact: "unknown_approval_pending"},
}
