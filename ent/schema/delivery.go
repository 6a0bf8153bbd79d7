package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// Delivery is a later delivery of an event; the first stands in events. Each reading of the event that differs from
// the first is kept; of equal ones the first ten, the rest are counted.
type Delivery struct{ ent.Schema }

// Annotations of the table.
func (Delivery) Annotations() []schema.Annotation { return []schema.Annotation{table("deliveries")} }

// Fields of the table.
func (Delivery) Fields() []ent.Field {
	return []ent.Field{
		numbered(),
		account(),
		field.String("event_id").Immutable(),
		at("received_at"),
		field.String("delivery_id").Immutable(),
		// duplicate or conflicting.
		field.String("verdict").Immutable(),
		field.Bytes("body_digest").Immutable().Optional().Nillable(),
		field.Bytes("changes_digest").Immutable(),
		field.Bytes("money_digest").Immutable(),
		field.String("translator_version").Immutable(),
		// Null where the delivery says what was said before. Only a delivery with changes keeps its bytes.
		field.Bytes("changes").Immutable().Optional().Nillable(),
	}
}

// Indexes of the table.
func (Delivery) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("account", "event_id", "changes_digest"),
		// Finds whose payload a variant's bytes are.
		index.Fields("account", "body_digest").Annotations(entsql.IndexWhere("changes IS NOT NULL")),
	}
}

// DeliveryCount counts equal deliveries beyond those that are kept.
type DeliveryCount struct{ ent.Schema }

// Annotations of the table.
func (DeliveryCount) Annotations() []schema.Annotation {
	return []schema.Annotation{table("delivery_counts")}
}

// Fields of the table.
func (DeliveryCount) Fields() []ent.Field {
	return []ent.Field{
		numbered(),
		account(),
		field.String("event_id").Immutable(),
		field.Bytes("changes_digest").Immutable(),
		field.Int64("further"),
		at("last_received_at"),
	}
}

// Indexes of the table.
func (DeliveryCount) Indexes() []ent.Index {
	return []ent.Index{unique("event_id", "changes_digest")}
}
