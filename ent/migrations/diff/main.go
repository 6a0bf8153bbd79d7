// Command diff writes the migrations that lead from the last ones to Ent's schema, for each database: it replays a
// folder's migrations on an empty database, compares, and writes what is missing. Without a difference it writes
// nothing. PostgreSQL's empty database is made on the server that the tests use.
//
//	go generate ./ent && .ci/with-servers go run ./ent/migrations/diff NAME
//
// What a person has changed in a migration that is not released yet is signed by running it with the name "hash".
package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"

	atlas "ariga.io/atlas/sql/migrate"
	"ariga.io/atlas/sql/sqltool"
	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"entgo.io/ent/dialect/sql/schema"
	_ "github.com/lib/pq"
	_ "modernc.org/sqlite"

	"github.com/waybillhq/waybill/ent/migrate"
)

const (
	sqliteFolder   = "ent/migrations/sqlite"
	postgresFolder = "ent/migrations/postgres"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "diff:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return errors.New("usage: diff NAME")
	}
	if args[0] == "hash" {
		return errors.Join(hash(sqliteFolder), hash(postgresFolder))
	}
	return errors.Join(diffSQLite(ctx, args[0]), diffPostgres(ctx, args[0]))
}

func hash(folder string) error {
	dir, err := sqltool.NewGooseDir(folder)
	if err != nil {
		return err
	}
	sum, err := dir.Checksum()
	if err != nil {
		return err
	}
	return atlas.WriteSumFile(dir, sum)
}

func diffSQLite(ctx context.Context, name string) error {
	db, err := sql.Open("sqlite", "file::memory:?_pragma=foreign_keys(1)")
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1)
	return diff(ctx, name, sqliteFolder, entsql.OpenDB(dialect.SQLite, db))
}

// diffPostgres makes an empty database for the comparison and removes it afterwards.
func diffPostgres(ctx context.Context, name string) error {
	given := os.Getenv("WAYBILL_TEST_DATABASE_URL")
	if given == "" {
		return errors.New("WAYBILL_TEST_DATABASE_URL names no server: run it with .ci/with-servers")
	}
	where, err := url.Parse(given)
	if err != nil {
		return errors.New("WAYBILL_TEST_DATABASE_URL is not a URL")
	}
	server, err := sql.Open("postgres", given)
	if err != nil {
		return err
	}
	defer func() { _ = server.Close() }()
	empty := fmt.Sprintf("waybill_diff_%d", os.Getpid())
	if _, err := server.ExecContext(ctx, "CREATE DATABASE "+empty); err != nil {
		return err
	}
	defer func() { _, _ = server.ExecContext(ctx, "DROP DATABASE "+empty+" WITH (FORCE)") }()

	where.Path = "/" + empty
	db, err := sql.Open("postgres", where.String())
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	return diff(ctx, name, postgresFolder, entsql.OpenDB(dialect.Postgres, db))
}

func diff(ctx context.Context, name, folder string, driver dialect.Driver) error {
	dir, err := sqltool.NewGooseDir(folder)
	if err != nil {
		return err
	}
	migration, err := schema.NewMigrate(driver,
		schema.WithDir(dir),
		schema.WithFormatter(sqltool.GooseFormatter),
		schema.WithMigrationMode(schema.ModeReplay),
		schema.WithForeignKeys(false),
		schema.WithDropColumn(true),
		schema.WithDropIndex(true),
	)
	if err != nil {
		return err
	}
	return migration.NamedDiff(ctx, name, migrate.Tables...)
}
