package store

import (
	"bytes"
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	entsql "entgo.io/ent/dialect/sql"
	"entgo.io/ent/dialect/sql/schema"

	"github.com/waybillhq/waybill/ent/migrate"
)

func quiet() Options { return Options{Logger: slog.New(slog.DiscardHandler)} }

// openTest opens a store on a new file.
func openTest(t *testing.T, options Options) *Store {
	t.Helper()
	s := openUnmigrated(t, filepath.Join(t.TempDir(), "waybill.db"), options)
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

func openUnmigrated(t *testing.T, path string, options Options) *Store {
	t.Helper()
	if options.Logger == nil {
		options.Logger = quiet().Logger
	}
	s, err := Open(t.Context(), "sqlite:"+path, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestTheMigrationsMakeExactlyEntsSchema(t *testing.T) {
	t.Parallel()
	s := openUnmigrated(t, filepath.Join(t.TempDir(), "waybill.db"), Options{})
	if missing := lackOf(t, s); !strings.Contains(missing, "CREATE TABLE") {
		t.Fatalf("an empty database is said to lack nothing: %q", missing)
	}
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}

	missing := lackOf(t, s)

	if strings.TrimSpace(strings.NewReplacer("BEGIN;", "", "COMMIT;", "").Replace(missing)) != "" {
		t.Errorf("the migrated schema is not Ent's; run go run ./ent/migrations/diff NAME. It lacks:\n%s", missing)
	}
}

// lackOf is the SQL that would bring a database to Ent's schema.
func lackOf(t *testing.T, s *Store) string {
	t.Helper()
	// Ent wants them for its own migration; ours has none.
	if _, err := s.db.writer.ExecContext(t.Context(), "PRAGMA foreign_keys = ON"); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	driver := &schema.WriteDriver{Driver: entsql.OpenDB(s.db.name, s.db.writer), Writer: &text}
	migration, err := schema.NewMigrate(driver, schema.WithForeignKeys(false), schema.WithDropColumn(true), schema.WithDropIndex(true))
	if err != nil {
		t.Fatal(err)
	}
	if err := migration.Create(context.Background(), migrate.Tables...); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func TestEveryUniqueIndexBeginsWithTheAccount(t *testing.T) {
	t.Parallel()
	unique := 0
	for _, table := range migrate.Tables {
		for _, index := range table.Indexes {
			if !index.Unique {
				continue
			}
			unique++
			if index.Columns[0].Name != "account" {
				t.Errorf("%s: %s begins with %s", table.Name, index.Name, index.Columns[0].Name)
			}
		}
		for _, column := range table.Columns {
			if column.Unique {
				t.Errorf("%s: column %s is unique by itself", table.Name, column.Name)
			}
		}
	}
	if unique == 0 {
		t.Error("no unique index was seen")
	}
}

func TestTimesAreMicrosecondsAndBytesAreNeverText(t *testing.T) {
	t.Parallel()
	said := []string{"refs", "changes", "headers", "body", "placement", "cancellation", "facts", "aliases", "units", "skipped", "text"}
	for _, table := range migrate.Tables {
		for _, column := range table.Columns {
			if strings.HasSuffix(column.Name, "_at") && column.Type.String() != "int64" {
				t.Errorf("%s.%s is %s", table.Name, column.Name, column.Type)
			}
			if slices.Contains(said, column.Name) && column.Type.String() != "[]byte" {
				t.Errorf("%s.%s is %s", table.Name, column.Name, column.Type)
			}
		}
	}
}

func TestASchemaThatIsNotTheProgramsIsTold(t *testing.T) {
	t.Parallel()
	s := openUnmigrated(t, filepath.Join(t.TempDir(), "waybill.db"), Options{})
	if err := s.CheckSchema(t.Context()); err == nil || !strings.Contains(err.Error(), "waybill migrate") {
		t.Errorf("before the migration: %v", err)
	}
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.CheckSchema(t.Context()); err != nil {
		t.Errorf("after it: %v", err)
	}
	_, err := s.db.writer.ExecContext(t.Context(),
		"INSERT INTO goose_db_version (version_id, is_applied) VALUES (99991231235959, 1)")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.CheckSchema(t.Context()); err == nil || !strings.Contains(err.Error(), "knows none after") {
		t.Errorf("of a newer program: %v", err)
	}
}

func TestProcessesThatStartTogetherMayAllMigrate(t *testing.T) {
	t.Parallel()
	for range 2 {
		path := filepath.Join(t.TempDir(), "waybill.db")
		stores := make([]*Store, 4)
		for i := range stores {
			stores[i] = openUnmigrated(t, path, Options{})
		}
		errs := make(chan error, len(stores))
		for _, s := range stores {
			go func() { errs <- s.Migrate(context.Background()) }()
		}
		for range stores {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
		if err := stores[0].CheckSchema(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
