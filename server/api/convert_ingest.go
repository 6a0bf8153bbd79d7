package api

import (
	"time"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/order"
	"github.com/waybillhq/waybill/server/store"
)

// fromIngest reads an event. Nothing has happened later than it was received: a time that says so counts as the
// receipt's. Identifiers are kept as they are: another text would be another identity.
func fromIngest(req *waybillv1.IngestEventRequest, receivedAt time.Time) order.Event {
	event := order.Event{
		Account:           req.GetAccount(),
		Provider:          req.GetProvider(),
		Identity:          req.GetEventId(),
		IdentityDerived:   req.GetEventIdDerived(),
		DeliveryID:        fromText(req.GetDeliveryId()),
		Type:              fromText(req.GetEventType()),
		ReceivedAt:        receivedAt,
		References:        each(req.GetReferences(), fromReference),
		Changes:           each(req.GetChanges(), fromChange),
		Raw:               fromRaw(req.GetRaw()),
		TranslatorVersion: fromText(req.GetTranslatorVersion()),
	}
	event.OccurredAt, event.Certainty = fromOccurred(req, receivedAt)
	return event
}

func fromOccurred(req *waybillv1.IngestEventRequest, receivedAt time.Time) (time.Time, order.Certainty) {
	at := fromTime(req.GetOccurredAt())
	if req.GetOccurredAt() == nil {
		return receivedAt, order.Missing
	}
	if at.After(receivedAt) {
		return receivedAt, order.Future
	}
	if certainty := certainties.from(req.GetOccurredAtCertainty()); certainty != "" {
		return at, certainty
	}
	return at, order.Exact
}

// toReceipt tells the sender what its event is called and where it stands, and nothing that it might not be allowed
// to see.
func toReceipt(receipt store.Receipt, directory directory) *waybillv1.IngestEventResponse {
	event := receipt.Event
	return &waybillv1.IngestEventResponse{
		Event: &waybillv1.Event{
			Id:         event.ID,
			Account:    event.Account,
			Provider:   directory.shown(event.Account, event.Provider),
			EventId:    event.Identity,
			ReceivedAt: toTime(event.ReceivedAt),
			State:      eventStates.to(receipt.State),
			Outcome:    outcomes.to(receipt.Outcome),
		},
		FirstDelivery: receipt.FirstDelivery(),
		Receipt:       receipts.to(receipt.Verdict),
	}
}
