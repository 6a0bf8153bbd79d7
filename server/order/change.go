package order

import "time"

// Change is one thing that an event says.
type Change struct {
	// At is when it happened, never later than the event's receipt. Zero: when the event happened.
	At time.Time
	// Exactly one of these is set.
	Placed        *Placed
	Status        *StatusChange
	Announced     *Announced
	Payment       *Payment
	Refund        *Refund
	Dispute       *Dispute
	Cancelled     *Cancellation
	Checkpoint    *Checkpoint
	Fact          *Fact
	Unrecognised  *Unrecognised
	Undecoded     *Undecoded
	IgnoredReason string
}

// Placed says that an order was placed or edited.
type Placed struct {
	OrderID string
	Number  string
	// Total is nil while nobody knows it.
	Total *Money
	Lines []Line
}

// Line is a line of an order.
type Line struct {
	ID       string
	SKU      string
	Quantity int64
}

// ShipmentKey names a parcel. Consignment or tracking number is its identity; the rest are aliases of the same parcel.
type ShipmentKey struct {
	ConsignmentID  string
	TrackingNumber string
	FulfilmentID   string
	// Return marks a parcel of its own on its way back.
	Return bool
}

// StatusChange says that a parcel has a status.
type StatusChange struct {
	Shipment ShipmentKey
	Status   Status
	// ProviderStatus and Reason are the provider's own words, for operators.
	ProviderStatus string
	Reason         string
}

// Announced says that a parcel exists.
type Announced struct {
	Shipment ShipmentKey
	Courier  string
	// Units are what is inside. Empty: every unit that no other parcel names.
	Units []Units
}

// Units are units of one order line.
type Units struct {
	LineID   string
	Quantity int64
}

// PaymentState is what became of one payment.
type PaymentState string

// The payment states.
const (
	StatePaymentPending    PaymentState = "pending"
	StatePaymentAuthorized PaymentState = "authorized"
	StatePaymentPaid       PaymentState = "paid"
	StatePaymentFailed     PaymentState = "failed"
	StatePaymentVoided     PaymentState = "voided"
)

// Payment reports a payment: a movement of its provider, or an assertion of a platform.
type Payment struct {
	PaymentID string
	// Assertion is true for a platform's word, false for a payment provider's movement. The two are never added.
	Assertion bool
	State     PaymentState
	// Amount is the whole payment so far.
	Amount         *Money
	CashOnDelivery bool
}

// Refund reports money that went back.
type Refund struct {
	PaymentID string
	RefundID  string
	Amount    Money
	// RunningTotal: the amount is all that was ever refunded of the payment; otherwise it is one step.
	RunningTotal bool
}

// DisputeState is how a dispute stands.
type DisputeState string

// The dispute states.
const (
	DisputeOpen DisputeState = "open"
	DisputeWon  DisputeState = "won"
	DisputeLost DisputeState = "lost"
)

// Dispute reports a dispute.
type Dispute struct {
	DisputeID string
	PaymentID string
	State     DisputeState
	Amount    *Money
}

// Cancellation says that the order's platform cancelled it.
type Cancellation struct {
	Reason string
}

// Checkpoint says that a parcel was seen.
type Checkpoint struct {
	Shipment    ShipmentKey
	Description string
	Location    string
}

// Fact is shown beside the order and moves nothing.
type Fact struct {
	Name           string
	Shipment       *ShipmentKey
	Detail         string
	Amount         *Money
	NeedsAttention bool
}

// Unrecognised is a word outside the translator's table.
type Unrecognised struct {
	Field string
	Word  string
}

// Undecoded is a proven body that could not be decoded.
type Undecoded struct {
	Problem string
}
