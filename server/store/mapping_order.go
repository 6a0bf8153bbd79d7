package store

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/waybillhq/waybill/ent"
	"github.com/waybillhq/waybill/server/order"
)

// toOrder is the order's own row; its parcels and facts are added by whoever loads them.
func toOrder(row *ent.Order) (*order.Order, error) {
	o := &order.Order{
		ID: row.ID, Account: row.Account, Source: row.Source, SourceID: row.SourceID, Number: row.Number,
		Status: order.Status(row.Status), StatusAt: perhapsMoment(row.StatusAt),
		Payment: order.PaymentStatus(row.PaymentStatus), CreatedAt: perhapsMoment(row.CreatedAt),
		UpdatedAt: perhapsMoment(row.UpdatedAt), Version: row.Version,
	}
	var err error
	if o.Placement, err = toPlacement(row.Placement); err != nil {
		return nil, fmt.Errorf("order %s: %w", row.ID, err)
	}
	if o.Cancellation, err = toCancellation(row.Cancellation); err != nil {
		return nil, fmt.Errorf("order %s: %w", row.ID, err)
	}
	if err := fill(row.Facts, &o.Facts); err != nil {
		return nil, fmt.Errorf("order %s: facts: %w", row.ID, err)
	}
	return o, nil
}

func toShipment(row *ent.Shipment) (*order.Shipment, error) {
	s := &order.Shipment{
		ID: row.ID,
		Key: order.ShipmentKey{
			ConsignmentID: row.ConsignmentID, TrackingNumber: row.TrackingNumber, FulfilmentID: row.FulfilmentID,
			Return: row.ReturnParcel,
		},
		Courier: row.Courier, Status: order.Status(row.Status), StatusAt: perhapsMoment(row.StatusAt),
		StatusCertainty: order.Certainty(row.StatusCertainty), CreatedAt: perhapsMoment(row.CreatedAt),
	}
	var aliases []referenceJSON
	var units []unitsJSON
	err := errors.Join(fill(row.Aliases, &aliases), fill(row.Units, &units), fill(row.Facts, &s.Facts))
	if err != nil {
		return nil, fmt.Errorf("shipment %s: %w", row.ID, err)
	}
	for _, alias := range aliases {
		s.Aliases = append(s.Aliases, order.Reference(alias))
	}
	s.Units = toUnits(units)
	return s, nil
}

func toStatusFact(row *ent.StatusFact) order.StatusFact {
	return order.StatusFact{
		FactID: order.FactID{
			EventID: row.EventID, ChangeIndex: row.ChangeIndex, Identity: row.Identity, Provider: row.Provider,
		},
		Status: order.Status(row.Status), At: perhapsMoment(row.EffectiveAt),
		Certainty: order.Certainty(row.Certainty), Parked: row.Parked,
	}
}

func toEntry(row *ent.LedgerEntry) order.Entry {
	return order.Entry{
		FactID: order.FactID{
			EventID: row.EventID, ChangeIndex: row.ChangeIndex, Identity: row.Identity, Provider: row.Provider,
		},
		Kind: order.EntryKind(row.Kind), PaymentID: row.PaymentID, Ref: row.Ref, State: row.State,
		Amount: toMoney(row.Currency, row.MinorUnits), RunningTotal: row.RunningTotal,
		CashOnDelivery: row.CashOnDelivery, At: perhapsMoment(row.EffectiveAt),
	}
}

func toNote(row *ent.Note) (order.Note, error) {
	note := order.Note{
		FactID: order.FactID{
			EventID: row.EventID, ChangeIndex: row.ChangeIndex, Identity: row.Identity, Provider: row.Provider,
		},
		Kind: order.NoteKind(row.Kind), At: perhapsMoment(row.EffectiveAt), Name: row.Name, Courier: row.Courier,
		Text: string(row.Text), Amount: toMoney(row.Currency, row.MinorUnits),
	}
	var units []unitsJSON
	if err := fill(row.Units, &units); err != nil {
		return note, fmt.Errorf("note of event %s: %w", row.EventID, err)
	}
	note.Units = toUnits(units)
	return note, nil
}

func toMark(row *ent.AttentionMark) order.Attention {
	return order.Attention{
		Reason: row.Reason, Detail: row.Detail, Since: perhapsMoment(row.SinceAt), EventID: row.EventID,
	}
}

func toStep(row *ent.Step) (order.Step, error) {
	step := order.Step{
		ID: row.ID, Kind: order.StepKind(row.Kind), At: perhapsMoment(row.OccurredAt),
		Certainty: order.Certainty(row.Certainty), RecordedAt: perhapsMoment(row.RecordedAt), From: row.FromStatus,
		To: row.ToStatus, Shipment: row.Shipment, Provider: row.Provider, EventID: row.EventID,
	}
	if err := fill(row.Skipped, &step.Skipped); err != nil {
		return step, fmt.Errorf("step %s: %w", row.ID, err)
	}
	return step, nil
}

func toMoney(currency *string, minorUnits *int64) *order.Money {
	if currency == nil || minorUnits == nil {
		return nil
	}
	return &order.Money{Currency: *currency, MinorUnits: *minorUnits}
}

func toPlacement(text []byte) (*order.Placement, error) {
	if len(text) == 0 {
		return nil, nil
	}
	var row placementJSON
	if err := json.Unmarshal(text, &row); err != nil {
		return nil, fmt.Errorf("placement: %w", err)
	}
	return &order.Placement{
		FactID: order.FactID(row.factIDJSON), At: moment(row.At), Total: (*order.Money)(row.Total), Lines: toLines(row.Lines),
	}, nil
}

func toCancellation(text []byte) (*order.CancellationFact, error) {
	if len(text) == 0 {
		return nil, nil
	}
	var row cancellationJSON
	if err := json.Unmarshal(text, &row); err != nil {
		return nil, fmt.Errorf("cancellation: %w", err)
	}
	return &order.CancellationFact{FactID: order.FactID(row.factIDJSON), At: moment(row.At), Reason: row.Reason}, nil
}

// fill reads a JSON column. An empty one leaves the value as it is.
func fill(column []byte, into any) error {
	if len(column) == 0 {
		return nil
	}
	return json.Unmarshal(column, into)
}
