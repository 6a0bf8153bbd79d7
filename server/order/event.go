package order

import "time"

// Certainty says how sure it is when something happened.
type Certainty string

// The certainties.
const (
	Exact       Certainty = "exact"
	ZoneAssumed Certainty = "zone_assumed"
	Missing     Certainty = "missing"
	Future      Certainty = "future"
)

// ReferenceKind is what a reference names.
type ReferenceKind string

// The reference kinds.
const (
	OrderID        ReferenceKind = "order_id"
	OrderNumber    ReferenceKind = "order_number"
	ConsignmentID  ReferenceKind = "consignment_id"
	TrackingNumber ReferenceKind = "tracking_number"
	FulfilmentID   ReferenceKind = "fulfilment_id"
	PaymentID      ReferenceKind = "payment_id"
)

// Reference names something that an event is about, as the provider writes it.
type Reference struct {
	Kind  ReferenceKind
	Value string
}

// Event is something that a provider said, once.
type Event struct {
	// ID is ours. Empty until the event is recorded.
	ID string
	// Account, Provider and Identity are unique together, for ever.
	Account  string
	Provider string
	Identity string
	// IdentityDerived says that the adapter made the identity, because the provider assigns none.
	IdentityDerived bool
	// DeliveryID is the provider's id of the first delivery, where it sends one.
	DeliveryID string
	// Type is the provider's word.
	Type string
	// OccurredAt is when it happened, never later than ReceivedAt.
	OccurredAt time.Time
	Certainty  Certainty
	// ReceivedAt is the first receipt. An event translated later from undecoded bytes keeps the bytes' receipt.
	ReceivedAt        time.Time
	References        []Reference
	Changes           []Change
	Raw               Raw
	TranslatorVersion string
	// ParentID is the undecoded event that this one was translated from.
	ParentID string
}

// Raw is a body as it arrived.
type Raw struct {
	Body        []byte
	ContentType string
	// Headers are those that the translator needs again, by lower-case name.
	Headers map[string]string
}

// EventState is where an event stands between receipt and end.
type EventState string

// The event states.
const (
	StateReceived  EventState = "received"
	StateWaiting   EventState = "waiting"
	StateParked    EventState = "parked"
	StateFailed    EventState = "failed"
	StateCompleted EventState = "completed"
)

// Outcome is what a change did.
type Outcome string

// The outcomes.
const (
	Applied     Outcome = "applied"
	Unchanged   Outcome = "unchanged"
	Stale       Outcome = "stale"
	Illegal     Outcome = "illegal"
	Ignored     Outcome = "ignored"
	Conflicting Outcome = "conflicting"
	Translated  Outcome = "translated"
	Abandoned   Outcome = "abandoned"
	// Parked is the outcome of a change that stands still inside a parked event.
	Parked Outcome = "parked"
)

// Decision is the outcome of one change of one event, with its reason.
type Decision struct {
	EventID     string
	ChangeIndex int
	Outcome     Outcome
	// Reason is a sentence fragment that an operator can use.
	Reason string
	// From and To are what stood and what was asked for. For money they are payment statuses.
	From, To string
	// Skipped are the statuses passed over, in order.
	Skipped []Status
	// Shipment is the parcel's key, where the change is about one.
	Shipment string
}
