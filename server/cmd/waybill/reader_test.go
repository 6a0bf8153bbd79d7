package main

import (
	"database/sql"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver under its own name
)

// readForLong opens a read of the server's database from another process's side and holds it until the end.
func (s *shop) readForLong() (end func()) {
	s.t.Helper()
	driver, source := "sqlite", filepath.Join(s.dir, "waybill.db")
	if s.database != "" {
		driver, source = "postgres", string(s.database)
	}
	db, err := sql.Open(driver, source)
	if err != nil {
		s.t.Fatal(err)
	}
	tx, err := db.BeginTx(s.t.Context(), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	var count int
	if err := tx.QueryRowContext(s.t.Context(), "SELECT count(*) FROM events").Scan(&count); err != nil {
		s.t.Fatal(err)
	}
	return func() {
		if err := tx.Rollback(); err != nil {
			s.t.Error(err)
		}
		if err := db.Close(); err != nil {
			s.t.Error(err)
		}
	}
}
