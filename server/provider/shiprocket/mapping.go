package shiprocket

import (
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// row is what a shipment_status_id says.
type row struct {
	provider.Meaning

	// label is the id's text, as FoldWords writes it.
	label string
	// disputed: the published lists disagree about the id, so it counts only where the body's own word agrees.
	disputed bool
}

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

// rows is the mapping table of shipment_status_id. current_status_id counts otherwise and is not read. README.md shows
// the table with how sure each row is.
var rows = map[string]row{
	"1":  {label: "awb_assigned", Meaning: provider.Meaning{Announced: true}},
	"2":  {label: "label_generated", Meaning: provider.Meaning{Announced: true}},
	"3":  {label: "pickup_scheduled", Meaning: provider.Meaning{Announced: true}},
	"4":  {label: "pickup_queued", Meaning: provider.Meaning{Announced: true}},
	"5":  {label: "manifest_generated", Meaning: provider.Meaning{Announced: true}},
	"6":  {label: "shipped", Meaning: provider.Meaning{Status: shipped}},
	"7":  {label: "delivered", Meaning: provider.Meaning{Status: delivered}},
	"8":  {label: "cancelled", Meaning: provider.Meaning{Status: cancelled}},
	"9":  {label: "rto_initiated", Meaning: provider.Meaning{Status: returning}},
	"10": {label: "rto_delivered", Meaning: provider.Meaning{Status: returned}},
	"11": {label: "pending", Meaning: provider.Meaning{Announced: true}},
	"12": {label: "lost", Meaning: provider.Meaning{Fact: "lost", Attention: true}},
	"13": {label: "pickup_error", Meaning: provider.Meaning{Fact: "pickup_failed", Attention: true}},
	"14": {label: "rto_acknowledged", Meaning: provider.Meaning{Status: returning}},
	"15": {label: "pickup_rescheduled", Meaning: provider.Meaning{Announced: true}},
	"16": {label: "cancellation_requested", Meaning: provider.Meaning{Fact: "cancellation_requested", Attention: true}},
	"17": {label: "out_for_delivery", Meaning: provider.Meaning{Status: outForDelivery}},
	"18": {label: "in_transit", Meaning: provider.Meaning{Status: inTransit}},
	"19": {label: "out_for_pickup", Meaning: provider.Meaning{Announced: true}},
	"20": {label: "pickup_exception", Meaning: provider.Meaning{Fact: "pickup_failed", Attention: true}},
	"21": {label: "undelivered", Meaning: provider.Meaning{Status: failedDelivery}},
	"22": {label: "delayed", Meaning: provider.Meaning{Fact: "delayed"}},
	"23": {label: "partial_delivered", Meaning: provider.Meaning{Status: delivered, Fact: "partial_delivery"}},
	"24": {label: "destroyed", Meaning: provider.Meaning{Fact: "destroyed", Attention: true}},
	"25": {label: "damaged", Meaning: provider.Meaning{Fact: "damaged", Attention: true}},
	"26": {label: "fulfilled", Meaning: provider.Meaning{Fact: "fulfilled"}},
	"27": {label: "pickup_booked", Meaning: provider.Meaning{Announced: true}, disputed: true},
	"38": {label: "reached_destination_hub", Meaning: provider.Meaning{Status: inTransit}},
	"39": {label: "misrouted", Meaning: provider.Meaning{Status: inTransit, Fact: "misrouted", Attention: true}},
	"40": {label: "rto_ndr", Meaning: provider.Meaning{Status: returning}},
	"41": {label: "rto_out_for_delivery", Meaning: provider.Meaning{Status: returning}},
	"42": {label: "picked_up", Meaning: provider.Meaning{Status: shipped}},
	"43": {label: "self_fulfilled", Meaning: provider.Meaning{Fact: "self_fulfilled"}, disputed: true},
	"44": {label: "disposed_off", Meaning: provider.Meaning{Fact: "disposed", Attention: true}, disputed: true},
	"45": {label: "cancelled_before_dispatch", Meaning: provider.Meaning{Status: cancelled}, disputed: true},
	"46": {label: "rto_in_transit", Meaning: provider.Meaning{Status: returning}, disputed: true},
	"47": {label: "qc_failed", Meaning: provider.Meaning{Fact: "qc_failed", Attention: true}, disputed: true},
	"48": {label: "reached_warehouse", Meaning: provider.Meaning{Status: inTransit}, disputed: true},
	"49": {label: "custom_cleared", Meaning: provider.Meaning{Status: inTransit}, disputed: true},
	"50": {label: "in_flight", Meaning: provider.Meaning{Status: inTransit}, disputed: true},
	"51": {label: "handover_to_courier", Meaning: provider.Meaning{Status: shipped}, disputed: true},
	"52": {label: "shipment_booked", Meaning: provider.Meaning{Announced: true}, disputed: true},
	"54": {label: "in_transit_overseas", Meaning: provider.Meaning{Status: inTransit}, disputed: true},
	"75": {label: "rto_lock", Meaning: provider.Meaning{Status: returning}},
	"76": {label: "untraceable", Meaning: provider.Meaning{Fact: "untraceable", Attention: true}},
	"77": {label: "recipient_issue", Meaning: provider.Meaning{Fact: "recipient_issue", Attention: true}},
	"78": {label: "back_at_seller_city", Meaning: provider.Meaning{Status: returning}},
}
