package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// Subject is something that events name: an order, a number, a parcel, a payment. Whoever names it first makes the row;
// it is what is locked, found by and waited for.
type Subject struct{ ent.Schema }

// Annotations of the table.
func (Subject) Annotations() []schema.Annotation { return []schema.Annotation{table("subjects")} }

// Fields of the table.
func (Subject) Fields() []ent.Field {
	return []ent.Field{
		numbered(),
		account(),
		field.String("kind").Immutable(),
		field.String("key").Immutable(),
		// The order it belongs to. Null while nobody knows.
		field.String("order_id").Optional().Nillable(),
		// True where a second order claimed it: it names no single one.
		field.Bool("shared"),
	}
}

// Indexes of the table.
func (Subject) Indexes() []ent.Index {
	return []ent.Index{unique("kind", "key")}
}

// Wait is a pending item hanging on a subject that belongs to no order yet.
type Wait struct{ ent.Schema }

// Annotations of the table.
func (Wait) Annotations() []schema.Annotation { return []schema.Annotation{table("waits")} }

// Fields of the table.
func (Wait) Fields() []ent.Field {
	return []ent.Field{
		numbered(),
		account(),
		field.Int64("subject_id").Immutable(),
		field.String("pending_id").Immutable(),
	}
}

// Indexes of the table.
func (Wait) Indexes() []ent.Index {
	return []ent.Index{
		unique("subject_id", "pending_id"),
		index.Fields("account", "pending_id"),
	}
}
