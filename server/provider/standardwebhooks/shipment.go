package standardwebhooks

import (
	"errors"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

var errParcel = errors.New("consignment_id, tracking_number or fulfilment_id is missing")

func (d data) namesParcel() bool {
	return d.ConsignmentID != "" || d.TrackingNumber != "" || d.FulfilmentID != ""
}

func (d data) parcel() *waybillv1.ShipmentReference {
	return &waybillv1.ShipmentReference{
		ConsignmentId:  string(d.ConsignmentID),
		TrackingNumber: string(d.TrackingNumber),
		FulfilmentId:   string(d.FulfilmentID),
		ReturnParcel:   d.ReturnParcel,
	}
}

func announced(_ *service, d data) ([]*waybillv1.Change, error) {
	if !d.namesParcel() {
		return nil, errParcel
	}
	units := make([]*waybillv1.ShipmentUnits, 0, len(d.Units))
	for _, unit := range d.Units {
		if unit.LineID == "" || unit.Quantity == nil {
			return nil, errors.New("units: one lacks its line_id or its quantity")
		}
		units = append(units, &waybillv1.ShipmentUnits{LineId: string(unit.LineID), Quantity: *unit.Quantity})
	}
	return one(&waybillv1.Change{Change: &waybillv1.Change_ShipmentAnnounced{
		ShipmentAnnounced: &waybillv1.ShipmentAnnounced{
			Shipment: d.parcel(),
			Courier:  provider.Short(string(d.Courier), 255),
			Units:    units,
		},
	}}), nil
}

func status(_ *service, d data) ([]*waybillv1.Change, error) {
	found, known := statuses[d.Status.Fold()]
	switch {
	case !d.namesParcel():
		return nil, errParcel
	case d.Status.Fold() == "":
		return nil, errors.New("status is missing")
	case !known:
		return one(provider.UnrecognisedChange("data.status", d.Status)), nil
	}
	said := provider.Parcel{Shipment: d.parcel(), Word: d.Status, Reason: d.Reason}
	return said.Says(provider.Meaning{Status: found}), nil
}

func checkpoint(_ *service, d data) ([]*waybillv1.Change, error) {
	if !d.namesParcel() {
		return nil, errParcel
	}
	seen := provider.Parcel{Shipment: d.parcel()}.Seen(d.Description, d.Location, provider.Moment{})
	if len(seen) == 0 {
		return nil, errors.New("description or location is missing")
	}
	return seen, nil
}
