// Package ent is the schema below, as Ent writes it: tables, queries and their types. server/store is its only user.
package ent

//go:generate go tool ent generate --feature sql/upsert,sql/lock,sql/execquery,sql/modifier,sql/versioned-migration ./schema
