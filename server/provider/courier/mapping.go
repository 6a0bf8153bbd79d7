package courier

import (
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

var (
	announced      = provider.Meaning{Announced: true}
	shipped        = provider.Meaning{Status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_SHIPPED}
	inTransit      = provider.Meaning{Status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_IN_TRANSIT}
	outForDelivery = provider.Meaning{Status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_OUT_FOR_DELIVERY}
	failedDelivery = provider.Meaning{Status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_FAILED_DELIVERY}
	delivered      = provider.Meaning{Status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_DELIVERED}
	returning      = provider.Meaning{Status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_RETURNING}
	returned       = provider.Meaning{Status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_RETURNED}
	cancelled      = provider.Meaning{Status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_CANCELLED}
	onHold         = provider.Meaning{Fact: "on_hold", Attention: true}
	partly         = provider.Meaning{
		Status: waybillv1.ShipmentStatus_SHIPMENT_STATUS_DELIVERED, Fact: "partial_delivery",
	}
)

// meanings is the mapping table: Waybill's own words, and those that couriers commonly use for them. README.md shows it.
var meanings = map[string]provider.Meaning{
	"announced":           announced,
	"created":             announced,
	"pending":             announced,
	"processing":          announced,
	"label_created":       announced,
	"pickup_scheduled":    announced,
	"shipped":             shipped,
	"picked_up":           shipped,
	"in_transit":          inTransit,
	"out_for_delivery":    outForDelivery,
	"failed_delivery":     failedDelivery,
	"delivery_failed":     failedDelivery,
	"attempt_failed":      failedDelivery,
	"undelivered":         failedDelivery,
	"delivered":           delivered,
	"partial_delivery":    partly,
	"partially_delivered": partly,
	"returning":           returning,
	"return_in_transit":   returning,
	"returned":            returned,
	"cancelled":           cancelled,
	"canceled":            cancelled,
	"on_hold":             onHold,
}
