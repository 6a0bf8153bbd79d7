package store

import (
	"fmt"

	"github.com/waybillhq/waybill/ent"
	"github.com/waybillhq/waybill/server/order"
)

// toEvent is an event as its first delivery recorded it, without its body.
func toEvent(row *ent.Event) (order.Event, error) {
	e := order.Event{
		ID: row.ID, Account: row.Account, Provider: row.Provider, Identity: row.Identity,
		IdentityDerived: row.IdentityDerived, DeliveryID: row.DeliveryID, Type: row.Type,
		OccurredAt: moment(row.OccurredAt), Certainty: order.Certainty(row.Certainty),
		ReceivedAt: moment(row.ReceivedAt), TranslatorVersion: row.TranslatorVersion, ParentID: row.ParentID,
	}
	e.Raw.ContentType = row.ContentType
	var err error
	if e.Raw.Headers, err = toHeaders(row.Headers); err != nil {
		return e, fmt.Errorf("event %s: %w", row.ID, err)
	}
	return e, says(&e, row.Refs, row.Changes)
}

// applyReading replaces what an event says by a newer reading of it.
func applyReading(e *order.Event, row *ent.Reading) error {
	e.TranslatorVersion = row.TranslatorVersion
	return says(e, row.Refs, row.Changes)
}

// says fills in what an event says. No change of it happened after its receipt.
func says(e *order.Event, refs, changes []byte) error {
	var err error
	if e.References, err = toReferences(refs); err != nil {
		return fmt.Errorf("event %s: %w", e.ID, err)
	}
	if e.Changes, err = toChanges(changes); err != nil {
		return fmt.Errorf("event %s: %w", e.ID, err)
	}
	for i := range e.Changes {
		if e.Changes[i].At.After(e.ReceivedAt) {
			e.Changes[i].At = e.ReceivedAt
		}
	}
	return nil
}

func toRuledChange(row *ent.Outcome) (ruledChange, error) {
	ruled := ruledChange{
		Decision: order.Decision{
			EventID: row.EventID, ChangeIndex: row.ChangeIndex, Outcome: order.Outcome(row.Outcome), Reason: row.Reason,
			From: row.FromStatus, To: row.ToStatus, Shipment: row.Shipment,
		},
		orderID:  row.OrderID,
		revision: row.Revision,
	}
	if err := fill(row.Skipped, &ruled.Skipped); err != nil {
		return ruled, fmt.Errorf("outcome of event %s: skipped: %w", row.EventID, err)
	}
	return ruled, nil
}
