package shopify

import (
	"errors"
	"slices"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// fulfillment reads a fulfilment that comes alone.
func (s *shop) fulfillment(body []byte) (reading, error) {
	var b fulfillmentBody
	if err := provider.Decode(body, &b); err != nil {
		return reading{}, err
	}
	if err := b.wrongShape(); err != nil {
		return reading{}, err
	}
	found := reading{moment: moment(b.UpdatedAt, b.CreatedAt)}
	found.references.Add(waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_ID, b.OrderID)
	changes, err := parcelsOf(b, &found.references)
	if err != nil {
		return reading{}, err
	}
	found.changes = changes
	return found, nil
}

// parcels reads the fulfilments inside a whole order, each with its own time.
func parcels(b orderBody, names *provider.References) ([]*waybillv1.Change, error) {
	var changes []*waybillv1.Change
	for _, fulfilment := range b.Fulfillments {
		if fulfilment.ID == "" {
			return nil, errors.New("fulfillments: a fulfilment lacks its id")
		}
		found, err := parcelsOf(fulfilment, names)
		if err != nil {
			return nil, err
		}
		at := moment(fulfilment.UpdatedAt, fulfilment.CreatedAt).Timestamp()
		for _, change := range found {
			change.OccurredAt = at
		}
		changes = append(changes, found...)
	}
	return changes, nil
}

// parcelsOf makes each tracking number a parcel. The fulfilment's id goes with the first number, or stands for the
// parcel while it has none; on two parcels it would name neither. What is in which parcel Shopify doesn't say: the
// units are counted with the first, and with none in the others.
func parcelsOf(b fulfillmentBody, names *provider.References) ([]*waybillv1.Change, error) {
	units, err := unitsOf(b)
	if err != nil {
		return nil, err
	}
	numbers := trackingNumbers(b)
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_TRACKING_NUMBER, numbers...)
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_FULFILMENT_ID, b.ID)

	first := &waybillv1.ShipmentReference{FulfilmentId: string(b.ID)}
	if len(numbers) > 0 {
		first.TrackingNumber = string(numbers[0])
	}
	changes := parcel(b, first, units)
	for _, number := range numbers[min(1, len(numbers)):] {
		shipment := &waybillv1.ShipmentReference{TrackingNumber: string(number)}
		changes = append(changes, parcel(b, shipment, without(units))...)
	}
	return changes, nil
}

func parcel(b fulfillmentBody, shipment *waybillv1.ShipmentReference, units []*waybillv1.ShipmentUnits) []*waybillv1.Change {
	changes := []*waybillv1.Change{{Change: &waybillv1.Change_ShipmentAnnounced{
		ShipmentAnnounced: &waybillv1.ShipmentAnnounced{
			Shipment: shipment,
			Courier:  provider.Short(string(b.TrackingCompany), 255),
			Units:    units,
		},
	}}}
	changes = append(changes, said(fulfilmentStatuses, "status", b.Status, shipment)...)
	if b.Status.Fold() == "cancelled" {
		return changes // the last shipment_status of a cancelled fulfilment moves nothing any more
	}
	return append(changes, said(shipmentStatuses, "shipment_status", b.ShipmentStatus, shipment)...)
}

// said turns a word into what it means.
func said(
	table map[string]meaning, field string, word provider.Word, shipment *waybillv1.ShipmentReference,
) []*waybillv1.Change {
	if word.Fold() == "" {
		return nil
	}
	found, known := table[word.Fold()]
	if !known {
		return []*waybillv1.Change{provider.UnrecognisedChange(field, word)}
	}
	var changes []*waybillv1.Change
	if found.status != waybillv1.ShipmentStatus_SHIPMENT_STATUS_UNSPECIFIED {
		changes = append(changes, &waybillv1.Change{Change: &waybillv1.Change_StatusChanged{
			StatusChanged: &waybillv1.StatusChanged{
				Shipment: shipment, Status: found.status, ProviderStatus: string(word),
			},
		}})
	}
	if found.fact != "" {
		changes = append(changes, &waybillv1.Change{Change: &waybillv1.Change_Fact{
			Fact: &waybillv1.Fact{Name: found.fact, Shipment: shipment, NeedsAttention: found.attention},
		}})
	}
	return changes
}

// trackingNumbers are the fulfilment's numbers, each once, the singular one first.
func trackingNumbers(b fulfillmentBody) []provider.ID {
	var numbers []provider.ID
	for _, number := range append([]provider.ID{b.TrackingNumber}, b.TrackingNumbers...) {
		if number != "" && !slices.Contains(numbers, number) {
			numbers = append(numbers, number)
		}
	}
	return numbers
}

func unitsOf(b fulfillmentBody) ([]*waybillv1.ShipmentUnits, error) {
	var units []*waybillv1.ShipmentUnits
	for _, item := range b.LineItems {
		if item.ID == "" || item.Quantity == nil {
			return nil, errors.New("line_items: a line of a fulfilment lacks its id or its quantity")
		}
		units = append(units, &waybillv1.ShipmentUnits{LineId: string(item.ID), Quantity: *item.Quantity})
	}
	return units, nil
}

func without(units []*waybillv1.ShipmentUnits) []*waybillv1.ShipmentUnits {
	none := make([]*waybillv1.ShipmentUnits, 0, len(units))
	for _, unit := range units {
		none = append(none, &waybillv1.ShipmentUnits{LineId: unit.GetLineId()})
	}
	return none
}
