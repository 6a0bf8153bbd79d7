// Package schema says how Waybill's records are stored. It is the only place where tables, columns and indexes are
// written by hand: Ent's code and the versioned migrations are made from it.
//
// Rules that hold for every table:
//
//   - Every row belongs to an account, and every unique index begins with it, so that accounts can be spread.
//   - A time is a BIGINT of microseconds since 1970 in UTC, in a column named *_at: exact, comparable in SQL and the
//     same in every database, which neither SQLite's text times nor a driver's reading of zones are.
//   - What a provider said is kept as bytes, never as JSONB or text: JSONB reorders and swells it, and PostgreSQL's
//     text takes no U+0000. Text columns hold only names that were checked before, and our own words.
//   - Bytes that hold JSON are empty, not null, where there is nothing to say.
//   - No foreign keys: receipts would pay for a look-up and a lock on every row, the ledger is never deleted from, and
//     the tables are to be spread by account. The store's suite checks what keys would check.
//   - Lists keep their order in a column position, because ids of two processes don't sort in the order of commits.
package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

func table(name string) schema.Annotation {
	return entsql.Table(name)
}

// named is a table whose rows have ids of ours, which outsiders see: a prefix and a ULID.
func named() ent.Field {
	return field.String("id").Immutable().NotEmpty()
}

// numbered is a table whose rows are identified by their other columns; Ent wants one id column all the same.
func numbered() ent.Field {
	return field.Int64("id").Immutable()
}

func account() ent.Field {
	return field.String("account").Immutable().NotEmpty()
}

// at is a moment in microseconds UTC.
func at(name string) ent.Field {
	return field.Int64(name)
}

// perhapsAt is a moment that may be unknown.
func perhapsAt(name string) ent.Field {
	return field.Int64(name).Optional().Nillable()
}

// fact is the origin of a recorded fact; with the account it identifies the fact.
func fact() []ent.Field {
	return []ent.Field{
		field.String("event_id").Immutable(),
		field.Int("change_index").Immutable(),
		field.String("identity").Immutable(),
		field.String("provider").Immutable(),
	}
}

// unique is a unique index. It begins with the account.
func unique(fields ...string) *index.Builder {
	return index.Fields(append([]string{"account"}, fields...)...).Unique()
}
