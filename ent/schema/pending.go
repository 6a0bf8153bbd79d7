package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// PendingItem is something unfinished. It is deleted when it is done, so that counting and claiming never scan history.
type PendingItem struct{ ent.Schema }

// Annotations of the table.
func (PendingItem) Annotations() []schema.Annotation {
	return []schema.Annotation{table("pending_items")}
}

// Fields of the table.
func (PendingItem) Fields() []ent.Field {
	return []ent.Field{
		// Of an event: the event's id.
		named(),
		account(),
		field.String("kind").Immutable(),
		// received, waiting, parked or failed.
		field.String("state"),
		field.String("reason"),
		field.String("provider").Immutable(),
		field.String("type").Immutable(),
		// The first receipt; a retry never resets it.
		at("received_at"),
		at("due_at"),
		// By the database's clock. Null: nobody has it.
		perhapsAt("leased_until"),
		// Moves on with every claim; who writes with an older one has lost the item.
		field.Int64("fence"),
		// Claims since it last had an answer.
		field.Int("attempts"),
		// The payload that must be kept. Null: none.
		field.Bytes("body_digest").Immutable().Optional().Nillable(),
	}
}

// Indexes of the table.
func (PendingItem) Indexes() []ent.Index {
	return []ent.Index{
		// What can be claimed, account by account, so that none starves another. Parked and failed items are out of it,
		// however many stand there.
		index.Fields("account", "due_at", "id").Annotations(entsql.IndexWhere("state = 'received' OR state = 'waiting'")),
		index.Fields("account", "received_at", "id"),
		index.Fields("account", "body_digest"),
	}
}

// Outcome is what became of a change of an event. It is written once; a decision that is taken anew adds a revision,
// and the highest counts. The change -1 is the event as a whole: it is conflicting where a later delivery is.
type Outcome struct{ ent.Schema }

// Annotations of the table.
func (Outcome) Annotations() []schema.Annotation { return []schema.Annotation{table("outcomes")} }

// Fields of the table.
func (Outcome) Fields() []ent.Field {
	return []ent.Field{
		numbered(),
		account(),
		field.String("event_id").Immutable(),
		field.Int("change_index").Immutable(),
		field.Int("revision").Immutable(),
		field.String("outcome").Immutable(),
		field.String("reason").Immutable(),
		field.String("from_status").Immutable(),
		field.String("to_status").Immutable(),
		field.Bytes("skipped").Immutable(),
		// Empty where the change found no order.
		field.String("order_id").Immutable(),
		field.String("shipment").Immutable(),
		// The event's receipt, so that lists by outcome and by order page without touching the ledger.
		at("received_at"),
		at("decided_at"),
	}
}

// Indexes of the table.
func (Outcome) Indexes() []ent.Index {
	return []ent.Index{
		unique("event_id", "change_index", "revision"),
		index.Fields("account", "outcome", "received_at", "event_id"),
		index.Fields("account", "order_id", "received_at", "event_id"),
	}
}

// AuditEntry is what an operator did.
type AuditEntry struct{ ent.Schema }

// Annotations of the table.
func (AuditEntry) Annotations() []schema.Annotation {
	return []schema.Annotation{table("audit_entries")}
}

// Fields of the table.
func (AuditEntry) Fields() []ent.Field {
	return []ent.Field{
		named(),
		account(),
		field.String("request_id").Immutable(),
		// SHA-256 of what was asked for, to tell a repeat from another request under the same id.
		field.Bytes("request_digest").Immutable(),
		field.String("operator").Immutable(),
		field.String("action").Immutable(),
		field.String("reason").Immutable(),
		field.String("work_id").Immutable(),
		field.String("before").Immutable(),
		field.String("after").Immutable(),
		// The whole answer, for the same answer to the same request.
		field.Bytes("answer").Immutable(),
		at("acted_at"),
	}
}

// Indexes of the table.
func (AuditEntry) Indexes() []ent.Index {
	return []ent.Index{
		unique("request_id"),
		index.Fields("account", "work_id"),
	}
}
