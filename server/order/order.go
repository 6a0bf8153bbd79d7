package order

import "time"

// Order is everything recorded about an order. Rule is the only one to change it; the store loads it before and saves
// it after.
type Order struct {
	// ID is ours. Empty until the order is saved.
	ID      string
	Account string
	// Source is the provider that owns the order and SourceID its identity there. Both are empty for an order that
	// is only heard of by its number.
	Source   string
	SourceID string
	// Number is what people call it, without a leading #.
	Number string
	// Placement is the newest statement of the order's platform. Nil while the order is only heard of.
	Placement *Placement
	// Cancellation is the platform's earliest word that the order is cancelled. Nil: it said nothing of the kind.
	// Status tells whether the order is cancelled: a word against movement is kept here and moves nothing.
	Cancellation *CancellationFact
	Status       Status
	// StatusAt is when it came to stand there.
	StatusAt  time.Time
	Payment   PaymentStatus
	Shipments []*Shipment
	// Ledger are the money facts, in the order of their recording.
	Ledger []Entry
	// Notes are what was said about the order that is neither status nor money, in the order of their recording.
	Notes []Note
	// Facts are shown beside the order, by name. A provider's fact has its time (RFC 3339) as its value, so that
	// nothing a provider wrote can get out this way.
	Facts     map[string]string
	Attention []Attention
	CreatedAt time.Time
	UpdatedAt time.Time
	// Version moves on by one with every saved change.
	Version int64
}

// FactID tells where a fact comes from; it identifies the fact.
type FactID struct {
	EventID     string
	ChangeIndex int
	// Identity is the event's identity at its provider; it breaks ties between facts of the same time.
	Identity string
	Provider string
}

// Placement is a platform's statement of an order.
type Placement struct {
	FactID
	At    time.Time
	Total *Money
	Lines []Line
}

// CancellationFact is a platform's word that the order is cancelled.
type CancellationFact struct {
	FactID
	At     time.Time
	Reason string
}

// Shipment is a parcel of an order.
type Shipment struct {
	// ID is ours. Empty until the shipment is saved.
	ID string
	// Key holds its first names. Aliases are further names learnt for it, and its fulfilment ids with their provider
	// before them: shop/123.
	Key     ShipmentKey
	Aliases []Reference
	Courier string
	Units   []Units
	Status  Status
	// StatusAt is when it came to stand there, StatusCertainty how sure that is.
	StatusAt        time.Time
	StatusCertainty Certainty
	// Set is every status fact recorded about it, counted or parked.
	Set []StatusFact
	// Notes are what was said about it that is no status, in the order of their recording.
	Notes []Note
	// Facts are shown beside it, by name; see Order.
	Facts     map[string]string
	CreatedAt time.Time
}

// NoteKind is what a note records.
type NoteKind string

// The note kinds.
const (
	NotePlacement    NoteKind = "placement"
	NoteAnnouncement NoteKind = "announcement"
	NoteCheckpoint   NoteKind = "checkpoint"
	NoteFact         NoteKind = "fact"
)

// Note is a recorded statement that moves neither status nor money by itself. With the notes, what is shown beside an
// order depends on what was said, and not on what came in last.
type Note struct {
	FactID
	Kind NoteKind
	At   time.Time
	// Name is a fact's name.
	Name string
	// Text is what was said, for operators only.
	Text string
	// Amount is the money in it: a placement's total, a fact's amount.
	Amount *Money
	// Courier and Units are an announcement's.
	Courier string
	Units   []Units
}

// StatusFact is a recorded statement about a shipment's status.
type StatusFact struct {
	FactID
	Status    Status
	At        time.Time
	Certainty Certainty
	// Parked facts don't count (yet): see Derive.
	Parked bool
}

// EntryKind is what a ledger entry records.
type EntryKind string

// The entry kinds.
const (
	EntryMovement  EntryKind = "movement"
	EntryAssertion EntryKind = "assertion"
	EntryRefund    EntryKind = "refund"
	EntryDispute   EntryKind = "dispute"
)

// Entry is a money fact.
type Entry struct {
	FactID
	Kind      EntryKind
	PaymentID string
	// Ref is the refund's or dispute's own id.
	Ref string
	// State is a PaymentState for movements and assertions, a DisputeState for disputes.
	State          string
	Amount         *Money
	RunningTotal   bool
	CashOnDelivery bool
	At             time.Time
}

// Attention is something that a person must see. Reason and event identify it.
type Attention struct {
	// Reason is a fixed word.
	Reason  string
	Detail  string
	Since   time.Time
	EventID string
}

// StepKind is what kind of step a history entry is.
type StepKind string

// The step kinds.
const (
	StepOrderStatus    StepKind = "order_status"
	StepShipmentStatus StepKind = "shipment_status"
	StepPaymentStatus  StepKind = "payment_status"
	StepCheckpoint     StepKind = "checkpoint"
	StepFact           StepKind = "fact"
	StepLate           StepKind = "late"
)

// Step is an entry of an order's history.
type Step struct {
	// ID is ours. Empty until it is saved.
	ID   string
	Kind StepKind
	At   time.Time
	// Certainty is how sure At is.
	Certainty  Certainty
	RecordedAt time.Time
	From, To   string
	Skipped    []Status
	// Shipment is the parcel's name as people know it.
	Shipment string
	Provider string
	EventID  string
}
