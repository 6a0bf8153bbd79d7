package api

import (
	"encoding/hex"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/order"
	"github.com/waybillhq/waybill/server/store"
)

// toEventSummary shows an event as lists do: without what it says, its deliveries and bytes.
func toEventSummary(view store.EventView, directory directory) *waybillv1.Event {
	event := view.Event
	return &waybillv1.Event{
		Id:                  event.ID,
		Account:             event.Account,
		Provider:            directory.shown(event.Account, event.Provider),
		EventId:             event.Identity,
		EventType:           event.Type,
		OccurredAt:          toTime(event.OccurredAt),
		OccurredAtCertainty: certainties.to(event.Certainty),
		ReceivedAt:          toTime(event.ReceivedAt),
		State:               eventStates.to(view.State),
		Outcome:             outcomes.to(view.Outcome),
		Reason:              view.Reason,
		References:          each(event.References, toReference),
		Decisions:           each(view.Decisions, toDecision),
		TranslatorVersion:   event.TranslatorVersion,
		ParentId:            event.ParentID,
		OrderNumbers:        view.OrderNumbers,
	}
}

// toEvent shows an event with all that is known about it. Without the right to see payloads the providers' free texts
// stay out of it.
func toEvent(view store.EventView, payload bool, directory directory) *waybillv1.Event {
	wire := toEventSummary(view, directory)
	wire.Changes = each(view.Event.Changes, toChange)
	wire.ChildIds = view.ChildIDs
	wire.Deliveries = each(view.Deliveries, toDelivery)
	if payload && len(view.Event.Raw.Body) > 0 {
		wire.Raw = toRaw(view.Event.Raw)
	}
	if payload {
		return wire
	}
	withoutFreeText(wire.GetChanges())
	for _, delivery := range wire.GetDeliveries() {
		withoutFreeText(delivery.GetChanges())
	}
	return wire
}

// withoutFreeText takes away what providers, riders and customers may have written about anybody.
func withoutFreeText(changes []*waybillv1.Change) {
	for _, change := range changes {
		switch said := change.GetChange().(type) {
		case *waybillv1.Change_StatusChanged:
			said.StatusChanged.Reason = ""
		case *waybillv1.Change_OrderCancelled:
			said.OrderCancelled.Reason = ""
		case *waybillv1.Change_Checkpoint:
			said.Checkpoint.Description, said.Checkpoint.Location = "", ""
		case *waybillv1.Change_Fact:
			said.Fact.Detail = ""
		}
	}
}

func toDecision(decision store.Decision) *waybillv1.Decision {
	return &waybillv1.Decision{
		ChangeIndex: int32(decision.ChangeIndex),
		Outcome:     outcomes.to(decision.Outcome),
		Reason:      decision.Reason,
		FromStatus:  decision.From,
		ToStatus:    decision.To,
		Skipped:     each(decision.Skipped, toWord),
		OrderNumber: decision.OrderNumber,
		Shipment:    decision.Shipment,
		DecidedAt:   toTime(decision.DecidedAt),
		Revision:    int32(decision.Revision),
	}
}

func toWord(status order.Status) string { return string(status) }

func toDelivery(delivery store.Delivery) *waybillv1.Delivery {
	return &waybillv1.Delivery{
		ReceivedAt: toTime(delivery.ReceivedAt),
		DeliveryId: delivery.DeliveryID,
		Receipt:    receipts.to(delivery.Verdict),
		BodySha256: hex.EncodeToString(delivery.BodyDigest),
		Changes:    each(delivery.Changes, toChange),
		Further:    delivery.Further,
	}
}
