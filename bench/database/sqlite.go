package database

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver
)

// SQLite makes database files in a folder.
type SQLite struct {
	Folder   string
	Migrator Migrator
	made     int
}

// Name implements Server.
func (s *SQLite) Name() string { return "SQLite" }

// About implements Server.
func (s *SQLite) About(ctx context.Context) (string, error) {
	db, err := openSQLite(":memory:")
	if err != nil {
		return "", err
	}
	defer func() { _ = db.Close() }() // nothing was written
	var version string
	if err := db.QueryRowContext(ctx, "SELECT sqlite_version()").Scan(&version); err != nil {
		return "", fmt.Errorf("database: sqlite: %w", err)
	}
	return "SQLite " + version + " (modernc.org/sqlite), WAL, synchronous=FULL", nil
}

// Fresh implements Server.
func (s *SQLite) Fresh(ctx context.Context) (Database, error) {
	s.made++
	folder := filepath.Join(s.Folder, fmt.Sprintf("sqlite-%d", s.made))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return Database{}, fmt.Errorf("database: sqlite: %w", err)
	}
	made := Database{
		URL:  "sqlite:" + filepath.Join(folder, "bench.db"),
		Drop: func(context.Context) error { return os.RemoveAll(folder) },
	}
	return made, s.Migrator.migrate(ctx, made.URL)
}

// Close implements Server.
func (s *SQLite) Close() error { return nil }

// openSQLite opens a file with one connection, as safe as the program under test opens it: what is committed is synced.
func openSQLite(path string) (*sql.DB, error) {
	query := url.Values{
		"_txlock": {"immediate"},
		"_pragma": {"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(FULL)", "cache_size(-32000)"},
	}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Opaque: path, RawQuery: query.Encode()}).String())
	if err != nil {
		return nil, fmt.Errorf("database: sqlite: %w", err)
	}
	db.SetMaxOpenConns(1)
	return db, nil
}
