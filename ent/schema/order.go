package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// Order is an order as everything recorded about it says.
type Order struct{ ent.Schema }

// Annotations of the table.
func (Order) Annotations() []schema.Annotation { return []schema.Annotation{table("orders")} }

// Fields of the table.
func (Order) Fields() []ent.Field {
	return []ent.Field{
		named(),
		account(),
		// Empty for an order that is only heard of.
		field.String("source"),
		field.String("source_id"),
		field.String("number"),
		// JSON of the nouns: read and written with the order, never searched. Empty: none.
		field.Bytes("placement"),
		field.Bytes("cancellation"),
		field.String("status"),
		perhapsAt("status_at"),
		field.String("payment_status"),
		field.Bytes("facts"),
		perhapsAt("created_at"),
		perhapsAt("updated_at"),
		field.Int64("version"),
	}
}

// Indexes of the table.
func (Order) Indexes() []ent.Index {
	return []ent.Index{
		unique("source", "source_id").Annotations(entsql.IndexWhere("source_id <> ''")),
		// Two shops of an account may own the same number.
		index.Fields("account", "number"),
	}
}

// Shipment is a parcel of an order. One that turns out to be another's alias is merged into it and deleted.
type Shipment struct{ ent.Schema }

// Annotations of the table.
func (Shipment) Annotations() []schema.Annotation { return []schema.Annotation{table("shipments")} }

// Fields of the table.
func (Shipment) Fields() []ent.Field {
	return []ent.Field{
		named(),
		account(),
		field.String("order_id").Immutable(),
		field.Int("position"),
		field.String("consignment_id"),
		field.String("tracking_number"),
		field.String("fulfilment_id"),
		field.Bool("return_parcel"),
		field.Bytes("aliases"),
		field.String("courier"),
		field.Bytes("units"),
		field.String("status"),
		perhapsAt("status_at"),
		field.String("status_certainty"),
		field.Bytes("facts"),
		perhapsAt("created_at"),
	}
}

// Indexes of the table.
func (Shipment) Indexes() []ent.Index {
	return []ent.Index{index.Fields("account", "order_id")}
}
