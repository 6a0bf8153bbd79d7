package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// Event is the receipt of an event: its first delivery. It is written once and never updated; what became of it stands
// in outcomes, what is unfinished about it in pending items.
type Event struct{ ent.Schema }

// Annotations of the table. The checks make a row that breaks them the sender's fault in every database.
func (Event) Annotations() []schema.Annotation {
	return []schema.Annotation{table("events"), entsql.Checks(map[string]string{
		"events_account":  "length(account) BETWEEN 1 AND 64",
		"events_provider": "length(provider) BETWEEN 1 AND 64",
		"events_identity": "length(identity) BETWEEN 1 AND 512",
	})}
}

// Fields of the table.
func (Event) Fields() []ent.Field {
	return []ent.Field{
		named(),
		account(),
		field.String("provider").Immutable(),
		field.String("identity").Immutable(),
		// True where the adapter made the identity: other words under it are a variant, not a conflict.
		field.Bool("identity_derived").Immutable(),
		field.String("delivery_id").Immutable(),
		field.String("type").Immutable(),
		at("occurred_at"),
		field.String("certainty").Immutable(),
		at("received_at"),
		field.String("content_type").Immutable(),
		// SHA-256. body_digest names the payload; it is null where there were no bytes.
		field.Bytes("body_digest").Immutable().Optional().Nillable(),
		field.Bytes("changes_digest").Immutable(),
		field.Bytes("money_digest").Immutable(),
		field.String("translator_version").Immutable(),
		field.String("parent_id").Immutable().Optional(),
		// JSON of the nouns, see the store's mapping. Large columns stand last: SQLite walks past them otherwise.
		field.Bytes("headers").Immutable(),
		field.Bytes("refs").Immutable(),
		field.Bytes("changes").Immutable(),
	}
}

// Indexes of the table.
func (Event) Indexes() []ent.Index {
	return []ent.Index{
		unique("provider", "identity"),
		index.Fields("account", "received_at", "id"),
		index.Fields("account", "provider", "received_at", "id"),
		index.Fields("account", "parent_id").Annotations(entsql.IndexWhere("parent_id IS NOT NULL")),
	}
}

// Reading is what a newer translator read in the kept bytes of an event whose first reading was parked. The newest
// revision counts; the receipt stays as it was written.
type Reading struct{ ent.Schema }

// Annotations of the table.
func (Reading) Annotations() []schema.Annotation { return []schema.Annotation{table("readings")} }

// Fields of the table.
func (Reading) Fields() []ent.Field {
	return []ent.Field{
		numbered(),
		account(),
		field.String("event_id").Immutable(),
		field.Int("revision").Immutable(),
		field.Bytes("refs").Immutable(),
		field.Bytes("changes").Immutable(),
		field.String("translator_version").Immutable(),
		at("read_at"),
	}
}

// Indexes of the table.
func (Reading) Indexes() []ent.Index {
	return []ent.Index{unique("event_id", "revision")}
}

// Payload is a body, once, however many events and deliveries share it. It has no expiry while one of them is
// unfinished.
type Payload struct{ ent.Schema }

// Annotations of the table.
func (Payload) Annotations() []schema.Annotation { return []schema.Annotation{table("payloads")} }

// Fields of the table.
func (Payload) Fields() []ent.Field {
	return []ent.Field{
		numbered(),
		account(),
		field.Bytes("digest").Immutable(),
		perhapsAt("expires_at"),
		field.Bytes("body").Immutable(),
	}
}

// Indexes of the table.
func (Payload) Indexes() []ent.Index {
	return []ent.Index{
		unique("digest"),
		index.Fields("expires_at").Annotations(entsql.IndexWhere("expires_at IS NOT NULL")),
	}
}
