package store

import (
	"time"

	"github.com/waybillhq/waybill/server/order"
)

// OrderView is an order with its history.
type OrderView struct {
	// Order's Version is the cursor of whoever watches it.
	Order *order.Order
	// Steps are its history, in the order of its recording.
	Steps []order.Step
}

// EventView is an event and what became of it.
type EventView struct {
	// Event is what was recorded; what it says is as its newest reading has it. Its body is there only where it was
	// asked for and is still kept.
	Event order.Event
	State order.EventState
	// Outcome is the one that matters most among its changes. Empty: nothing is decided yet.
	Outcome order.Outcome
	// Reason is why it stands where it stands.
	Reason string
	// Decisions are the newest of each change, by change.
	Decisions []Decision
	// OrderNumbers are those of the orders that it touched.
	OrderNumbers []string
	// Deliveries are all arrivals, the first one first. Lists leave them out.
	Deliveries []Delivery
	// ChildIDs are the events that this undecoded one became. Lists leave them out.
	ChildIDs []string
}

// Decision is a decision with what is recorded about it.
type Decision struct {
	order.Decision
	// OrderID and OrderNumber are those of the order that the change found. Empty: it found none.
	OrderID     string
	OrderNumber string
	DecidedAt   time.Time
	// Revision is 1 for the first decision about the change. The highest counts.
	Revision int
}

// Delivery is an arrival of an event.
type Delivery struct {
	ReceivedAt time.Time
	DeliveryID string
	Verdict    Verdict
	// BodyDigest is the SHA-256 of the body. Nil: there was none.
	BodyDigest        []byte
	TranslatorVersion string
	// Changes are what it said, where that differs from what was said first.
	Changes []order.Change
	// Further counts equal deliveries after the last that was kept.
	Further int64
}

// PendingItem is something unfinished.
type PendingItem struct {
	// ID is the event's, for an event.
	ID       string
	Kind     string
	Account  string
	Provider string
	// Type is the provider's word.
	Type   string
	State  order.EventState
	Reason string
	// ReceivedAt is the first receipt. A retry never resets it.
	ReceivedAt time.Time
	// DueAt is the next attempt. Zero: nothing happens by itself.
	DueAt    time.Time
	Attempts int
	// References are what the event names.
	References []order.Reference
}

// PendingFilter chooses unfinished items. Empty fields choose all.
type PendingFilter struct {
	Account string
	States  []order.EventState
	Kinds   []string
	// Limit is the size of a page. 0: 100.
	Limit int
	// After is where the page begins.
	After Cursor
}

// PendingPage is a page of unfinished items, longest unfinished first.
type PendingPage struct {
	Items []PendingItem
	// Next is where the next page begins. Zero: there is none.
	Next Cursor
}

// PendingCount is a number of unfinished items.
type PendingCount struct {
	Kind  string
	State order.EventState
	Count int64
}

// Summary is all that is unfinished, in numbers.
type Summary struct {
	// Counts are by kind and state, sorted by them.
	Counts []PendingCount
	// OldestDueAt is the earliest moment at which an item was due and still is. Zero: nothing is due.
	OldestDueAt time.Time
	// OldestWaitingAt is the first receipt of the item that has been unfinished longest. Zero: nothing is unfinished.
	OldestWaitingAt time.Time
}

// EventFilter chooses events of an account. Empty fields choose all.
type EventFilter struct {
	Account string
	// Outcome chooses events with a change whose newest decision is this; conflicting also those with a conflicting
	// delivery.
	Outcome order.Outcome
	// OrderNumber chooses events that touched the order, or one of the orders, of this number.
	OrderNumber string
	Provider    string
	// ReceivedFrom and ReceivedBefore choose a range of first receipts.
	ReceivedFrom   time.Time
	ReceivedBefore time.Time
	// Limit is the size of a page. 0: 100.
	Limit int
	// After is where the page begins.
	After Cursor
}

// EventPage is a page of events, newest first, without their deliveries and bytes.
type EventPage struct {
	Events []EventView
	// Next is where the next page begins. Zero: there is none.
	Next Cursor
}

// AuditEntry is what an operator did.
type AuditEntry struct {
	ID        string
	Account   string
	RequestID string
	Operator  string
	// Action is retry or abandon.
	Action string
	Reason string
	// WorkID is the event or item it was done to; Before and After are where that stood.
	WorkID string
	Before string
	After  string
	At     time.Time
}

const defaultPage = 100

func pageSize(limit int) int {
	if limit <= 0 {
		return defaultPage
	}
	return limit
}
