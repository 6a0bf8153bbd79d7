package store_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/waybillhq/waybill/server/store"
	"github.com/waybillhq/waybill/server/store/storetest"
)

func TestSQLiteKeepsWhatAStorePromises(t *testing.T) {
	t.Parallel()
	storetest.Run(t, freshSQLite)
}

// freshSQLite makes a migrated database in a file of its own.
func freshSQLite(t *testing.T) storetest.Database {
	t.Helper()
	path := filepath.Join(t.TempDir(), "waybill.db")
	open := func(t *testing.T, options store.Options) *store.Store {
		t.Helper()
		s, err := store.Open(t.Context(), "sqlite:"+path, options)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		if err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		return s
	}
	open(t, store.Options{})
	db := openFile(t, path)
	return storetest.Database{
		Open: open, SQL: db, Tables: tables(t, db),
		Bytes: func(text string) string { return fmt.Sprintf("X'%x'", text) },
	}
}

func openFile(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(path)+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func tables(t *testing.T, db *sql.DB) []string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), `
SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'goose_%' ORDER BY name`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	if err := rows.Err(); err != nil || len(names) == 0 {
		t.Fatalf("tables: %v, %v", names, err)
	}
	return names
}
