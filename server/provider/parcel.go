package provider

import (
	"strings"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
)

// Meaning is what one of a courier's words says about a parcel: a row of a mapping table.
type Meaning struct {
	// Status the parcel has. Unspecified: the word moves no parcel.
	Status waybillv1.ShipmentStatus
	// Announced: the parcel exists, and that is all.
	Announced bool
	// Fact to show beside the order, and whether a person should look.
	Fact      string
	Attention bool
	// Ignored says why nobody needs the word.
	Ignored string
}

// GoingBack is what the word says about a parcel that travels to the seller: handed over there it is returned, and every
// step before is part of the way back.
func (m Meaning) GoingBack() Meaning {
	switch m.Status {
	case waybillv1.ShipmentStatus_SHIPMENT_STATUS_DELIVERED:
		m.Status = waybillv1.ShipmentStatus_SHIPMENT_STATUS_RETURNED
	case waybillv1.ShipmentStatus_SHIPMENT_STATUS_SHIPPED,
		waybillv1.ShipmentStatus_SHIPMENT_STATUS_IN_TRANSIT,
		waybillv1.ShipmentStatus_SHIPMENT_STATUS_OUT_FOR_DELIVERY,
		waybillv1.ShipmentStatus_SHIPMENT_STATUS_FAILED_DELIVERY:
		m.Status = waybillv1.ShipmentStatus_SHIPMENT_STATUS_RETURNING
	default: // what is announced, cancelled, returning or back says the same on any way
	}
	return m
}

// Parcel is what a courier said a word about, and what came with it.
type Parcel struct {
	Shipment *waybillv1.ShipmentReference
	// Courier is the courier's name.
	Courier Text
	// Word is the courier's own, for operators.
	Word Word
	// Reason is more about it, for operators.
	Reason Text
}

// Says are the changes that a word with this meaning makes.
func (p Parcel) Says(m Meaning) []*waybillv1.Change {
	if m.Ignored != "" {
		return []*waybillv1.Change{IgnoredChange(m.Ignored)}
	}
	var changes []*waybillv1.Change
	if m.Announced {
		changes = append(changes, &waybillv1.Change{Change: &waybillv1.Change_ShipmentAnnounced{
			ShipmentAnnounced: &waybillv1.ShipmentAnnounced{Shipment: p.Shipment, Courier: Short(string(p.Courier), 255)},
		}})
	}
	if m.Status != waybillv1.ShipmentStatus_SHIPMENT_STATUS_UNSPECIFIED {
		changes = append(changes, &waybillv1.Change{Change: &waybillv1.Change_StatusChanged{
			StatusChanged: &waybillv1.StatusChanged{
				Shipment:       p.Shipment,
				Status:         m.Status,
				ProviderStatus: Short(string(p.Word), 255),
				Reason:         Short(string(p.Reason), 2000),
			},
		}})
	}
	if m.Fact != "" {
		changes = append(changes, FactChange(&waybillv1.Fact{
			Name:           m.Fact,
			Shipment:       p.Shipment,
			Detail:         Short(string(p.Reason), 2000),
			NeedsAttention: m.Attention,
		}))
	}
	return changes
}

// Seen is the change of a parcel that was seen somewhere. Nil where the courier says neither what nor where. The moment
// counts where it is exact; otherwise the event's own does.
func (p Parcel) Seen(description, location Text, at Moment) []*waybillv1.Change {
	if strings.TrimSpace(string(description)+string(location)) == "" {
		return nil
	}
	change := &waybillv1.Change{Change: &waybillv1.Change_Checkpoint{Checkpoint: &waybillv1.Checkpoint{
		Shipment:    p.Shipment,
		Description: Short(string(description), 2000),
		Location:    Short(string(location), 255),
	}}}
	if at.Certainty == waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_EXACT {
		change.OccurredAt = at.Timestamp()
	}
	return []*waybillv1.Change{change}
}

// ReturnOf names the parcel that takes the goods of another one back, where the courier names none.
func ReturnOf(parcel ID) *waybillv1.ShipmentReference {
	return &waybillv1.ShipmentReference{ConsignmentId: string(parcel) + "#return", ReturnParcel: true}
}

// FactChange makes the change of a fact.
func FactChange(fact *waybillv1.Fact) *waybillv1.Change {
	return &waybillv1.Change{Change: &waybillv1.Change_Fact{Fact: fact}}
}

// CashOnDelivery makes the change of cash that a courier collected: one movement per consignment, whichever words
// report it.
func CashOnDelivery(consignment ID, amount *waybillv1.Money) *waybillv1.Change {
	return &waybillv1.Change{Change: &waybillv1.Change_PaymentReported{PaymentReported: &waybillv1.PaymentReported{
		PaymentId:      "cod:" + string(consignment),
		Evidence:       waybillv1.PaymentEvidence_PAYMENT_EVIDENCE_MOVEMENT,
		State:          waybillv1.PaymentState_PAYMENT_STATE_PAID,
		Amount:         amount,
		CashOnDelivery: true,
	}}}
}
