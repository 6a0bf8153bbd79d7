package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// StatusFact is a recorded statement about a shipment's status.
type StatusFact struct{ ent.Schema }

// Annotations of the table.
func (StatusFact) Annotations() []schema.Annotation {
	return []schema.Annotation{table("status_facts")}
}

// Fields of the table.
func (StatusFact) Fields() []ent.Field {
	return append([]ent.Field{
		numbered(),
		account(),
		field.String("order_id").Immutable(),
		field.String("shipment_id").Immutable(),
		field.Int("position"),
		field.String("status"),
		perhapsAt("effective_at"),
		field.String("certainty"),
		field.Bool("parked"),
	}, fact()...)
}

// Indexes of the table.
func (StatusFact) Indexes() []ent.Index {
	return []ent.Index{
		unique("event_id", "change_index", "shipment_id"),
		index.Fields("account", "order_id"),
	}
}

// LedgerEntry is a money fact.
type LedgerEntry struct{ ent.Schema }

// Annotations of the table.
func (LedgerEntry) Annotations() []schema.Annotation {
	return []schema.Annotation{table("ledger_entries")}
}

// Fields of the table.
func (LedgerEntry) Fields() []ent.Field {
	return append([]ent.Field{
		numbered(),
		account(),
		field.String("order_id").Immutable(),
		field.Int("position"),
		field.String("kind").Immutable(),
		field.String("payment_id"),
		// The refund's or dispute's own id.
		field.String("ref"),
		field.String("state"),
		// Minor units; both null where no amount is known.
		field.String("currency").Optional().Nillable(),
		field.Int64("minor_units").Optional().Nillable(),
		field.Bool("running_total"),
		field.Bool("cash_on_delivery"),
		perhapsAt("effective_at"),
	}, fact()...)
}

// Indexes of the table.
func (LedgerEntry) Indexes() []ent.Index {
	return []ent.Index{
		unique("event_id", "change_index", "kind"),
		index.Fields("account", "order_id"),
	}
}

// Step is an entry of an order's history. It is written once.
type Step struct{ ent.Schema }

// Annotations of the table.
func (Step) Annotations() []schema.Annotation { return []schema.Annotation{table("steps")} }

// Fields of the table.
func (Step) Fields() []ent.Field {
	return []ent.Field{
		named(),
		account(),
		field.String("order_id").Immutable(),
		// The order's version that it came with, and its place there.
		field.Int64("version").Immutable(),
		field.Int("position").Immutable(),
		field.String("kind").Immutable(),
		perhapsAt("occurred_at"),
		field.String("certainty").Immutable(),
		perhapsAt("recorded_at"),
		field.String("from_status").Immutable(),
		field.String("to_status").Immutable(),
		field.Bytes("skipped").Immutable(),
		field.String("shipment").Immutable(),
		field.String("provider").Immutable(),
		field.String("event_id").Immutable(),
	}
}

// Indexes of the table.
func (Step) Indexes() []ent.Index {
	return []ent.Index{unique("order_id", "version", "position")}
}

// AttentionMark is something that a person must see.
type AttentionMark struct{ ent.Schema }

// Annotations of the table.
func (AttentionMark) Annotations() []schema.Annotation {
	return []schema.Annotation{table("attention_marks")}
}

// Fields of the table.
func (AttentionMark) Fields() []ent.Field {
	return []ent.Field{
		numbered(),
		account(),
		field.String("order_id").Immutable(),
		field.Int("position"),
		field.String("reason").Immutable(),
		field.String("detail"),
		perhapsAt("since_at"),
		field.String("event_id").Immutable(),
	}
}

// Indexes of the table.
func (AttentionMark) Indexes() []ent.Index {
	return []ent.Index{unique("order_id", "reason", "event_id")}
}

// Note is a recorded statement about an order, or a parcel of it, that moves neither status nor money.
type Note struct{ ent.Schema }

// Annotations of the table.
func (Note) Annotations() []schema.Annotation { return []schema.Annotation{table("notes")} }

// Fields of the table.
func (Note) Fields() []ent.Field {
	return append([]ent.Field{
		numbered(),
		account(),
		field.String("order_id").Immutable(),
		// Empty for a note about the order.
		field.String("shipment_id").Immutable(),
		field.Int("position"),
		field.String("kind").Immutable(),
		perhapsAt("effective_at"),
		field.String("name"),
		field.String("courier"),
		// Minor units; both null where there is no amount.
		field.String("currency").Optional().Nillable(),
		field.Int64("minor_units").Optional().Nillable(),
		field.Bytes("units"),
		// What a provider wrote, in bytes: it may hold anything.
		field.Bytes("text"),
	}, fact()...)
}

// Indexes of the table.
func (Note) Indexes() []ent.Index {
	return []ent.Index{
		unique("event_id", "change_index", "kind", "shipment_id"),
		index.Fields("account", "order_id"),
	}
}
