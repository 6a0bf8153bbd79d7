package api

import (
	"cmp"
	"maps"
	"strconv"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/order"
	"github.com/waybillhq/waybill/server/store"
)

// toOrder shows an order to a caller with a key. What a person must see, and which event said what, is for operators.
func toOrder(view store.OrderView, operator bool, directory directory) *waybillv1.Order {
	o := view.Order
	wire := &waybillv1.Order{
		OrderNumber:   o.Number,
		Status:        orderStatuses.to(o.Status),
		PaymentStatus: paymentStatuses.to(cmp.Or(o.Payment, order.PaymentPending)),
		Facts:         maps.Clone(o.Facts),
		Cursor:        strconv.FormatInt(o.Version, 10),
		Paid:          toMoney(o.Balance().Paid()),
		Account:       o.Account,
		UpdatedAt:     toTime(o.UpdatedAt),
	}
	if o.Placement != nil {
		wire.Total = toMoney(o.Placement.Total)
	}
	wire.Shipments = each(o.Shipments, toOrderShipment)
	for _, step := range view.Steps {
		entry := toTimelineEntry(step)
		entry.Provider = directory.shown(o.Account, step.Provider)
		if operator {
			entry.EventId = step.EventID
		}
		wire.Timeline = append(wire.Timeline, entry)
	}
	if !operator {
		return wire
	}
	wire.Attention = each(o.Attention, toAttention)
	return wire
}

func toAttention(attention order.Attention) *waybillv1.Attention {
	return &waybillv1.Attention{
		Reason:  attention.Reason,
		Detail:  attention.Detail,
		Since:   toTime(attention.Since),
		EventId: attention.EventID,
	}
}

func toOrderShipment(shipment *order.Shipment) *waybillv1.Shipment {
	return &waybillv1.Shipment{
		ConsignmentId:     cmp.Or(shipment.Key.ConsignmentID, shipment.Key.TrackingNumber),
		TrackingNumber:    shipment.Key.TrackingNumber,
		Courier:           shipment.Courier,
		Status:            shipmentStatuses.to(shipment.Status),
		StatusAt:          toTime(shipment.StatusAt),
		StatusAtCertainty: certainties.to(shipment.StatusCertainty),
		ReturnParcel:      shipment.Key.Return,
		Facts:             maps.Clone(shipment.Facts),
	}
}

func toTimelineEntry(step order.Step) *waybillv1.TimelineEntry {
	return &waybillv1.TimelineEntry{
		Id:                  step.ID,
		Kind:                stepKinds.to(step.Kind),
		OccurredAt:          toTime(step.At),
		OccurredAtCertainty: certainties.to(step.Certainty),
		RecordedAt:          toTime(step.RecordedAt),
		FromStatus:          step.From,
		ToStatus:            step.To,
		Skipped:             each(step.Skipped, toWord),
		Shipment:            step.Shipment,
	}
}
