package woocommerce

import (
	"cmp"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// The core knows no parcels; plugins leave them in the order's meta data, under these keys.
const (
	trackingKey    = "_wc_shipment_tracking_items" // Shipment Tracking, and the plugins that keep to its shape
	consignmentKey = "ptc_consignment_id"          // Pathao's own plugin
)

// parcels are those that plugins have noted. An order that is completed has left, so each of them is shipped; where none
// is noted one parcel stands for all, and gets its number when there is one.
func parcels(b orderBody, shipped bool, names *provider.References) []*waybillv1.Change {
	noted := noted(b)
	if shipped {
		own := "order:" + string(b.ID)
		switch len(noted) {
		case 0:
			noted = []provider.Parcel{{Shipment: &waybillv1.ShipmentReference{FulfilmentId: own}}}
		case 1:
			noted[0].Shipment.FulfilmentId = own
		}
	}

	var changes []*waybillv1.Change
	for _, parcel := range noted {
		names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_CONSIGNMENT_ID, provider.ID(parcel.Shipment.GetConsignmentId()))
		names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_TRACKING_NUMBER, provider.ID(parcel.Shipment.GetTrackingNumber()))
		names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_FULFILMENT_ID, provider.ID(parcel.Shipment.GetFulfilmentId()))
		said := provider.Meaning{Announced: true}
		if shipped {
			said.Status = waybillv1.ShipmentStatus_SHIPMENT_STATUS_SHIPPED
			parcel.Word = b.Status
		}
		changes = append(changes, parcel.Says(said)...)
	}
	if at := utc(b.DateCompletedGMT); shipped && !at.At.IsZero() {
		for _, change := range changes {
			if change.GetStatusChanged() != nil {
				change.OccurredAt = at.Timestamp()
			}
		}
	}
	return changes
}

// noted are the parcels in the meta data, each once. What has another shape than its plugin's says nothing.
func noted(b orderBody) []provider.Parcel {
	var found []provider.Parcel
	known := make(map[provider.ID]bool)
	note := func(number provider.ID, shipment *waybillv1.ShipmentReference, courier provider.Text) {
		if number != "" && !known[number] && len(found) < maxParcels {
			known[number] = true
			found = append(found, provider.Parcel{Shipment: shipment, Courier: courier})
		}
	}
	var data []metaDatum
	if provider.Decode(b.MetaData, &data) != nil {
		return nil
	}
	for _, datum := range data {
		switch string(datum.Key) {
		case consignmentKey:
			var number provider.ID
			if provider.Decode(datum.Value, &number) == nil {
				note(number, &waybillv1.ShipmentReference{ConsignmentId: string(number)}, "Pathao")
			}
		case trackingKey:
			var items []trackingItem
			if provider.Decode(datum.Value, &items) != nil {
				continue
			}
			for _, item := range items {
				note(item.Number, &waybillv1.ShipmentReference{TrackingNumber: string(item.Number)},
					cmp.Or(item.Provider, item.Custom))
			}
		}
	}
	return found
}

// maxParcels bounds what one body announces: more is not an order but a mistake.
const maxParcels = 20
