package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	entdialect "entgo.io/ent/dialect"
	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// readers is how many reads SQLite serves at a time; they neither wait for the writer nor keep it waiting.
const readers = 8

// sqliteClock is SQLite's own clock in microseconds; it ticks in milliseconds.
const sqliteClock = "CAST(unixepoch('subsec') * 1000000 AS INTEGER)"

func sqliteDialect() dialect {
	return dialect{
		name:       entdialect.SQLite,
		migrations: goose.DialectSQLite3,
		clock:      sqliteClock,
		take:       takeSQLite,
		bind:       func(query string) string { return query },
		fault:      sqliteFault,
		snapshot:   &sql.TxOptions{ReadOnly: true},
		recorder:   sqliteRecorder{},
	}
}

// openSQLite opens the file, and makes it, readable by its owner only, where there is none: payloads hold personal data.
func openSQLite(path string) (*database, error) {
	if path == "" {
		return nil, errors.New("database: sqlite: needs a path, as in sqlite:waybill.db")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("database: sqlite: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("database: sqlite: %w", err)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("database: sqlite: %w", err)
	}
	made, err := file.Stat()
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, fmt.Errorf("database: sqlite: %w", err)
	}

	writer, err := sql.Open("sqlite", sqliteDSN(path, false))
	if err != nil {
		return nil, fmt.Errorf("database: sqlite: %w", err)
	}
	writer.SetMaxOpenConns(1)
	writer.SetMaxIdleConns(1)
	reader, err := sql.Open("sqlite", sqliteDSN(path, true))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("database: sqlite: %w", err), writer.Close())
	}
	reader.SetMaxOpenConns(readers)
	reader.SetMaxIdleConns(readers)
	return &database{
		dialect: sqliteDialect(), writer: writer, reader: reader, lone: true,
		present: func() error { return stillThere(path, made) },
	}, nil
}

// stillThere says whether the path still names the file that was opened. SQLite writes on into a file that was removed
// or replaced, and whatever it commits there is gone with the process.
func stillThere(path string, opened os.FileInfo) error {
	now, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("%w: its file is gone: %w", ErrUnavailable, err)
	}
	if !os.SameFile(opened, now) {
		return fmt.Errorf("%w: its file was replaced by another", ErrUnavailable)
	}
	return nil
}

// sqliteDSN names the file and how every connection to it behaves.
//
//   - A transaction takes the write lock when it begins: one that reads first and writes later fails at once when
//     another has written meanwhile, however long the busy timeout is.
//   - WAL, so that reads and the one writer don't wait for each other; every commit is synced before it is answered.
//   - fullfsync makes that sync reach the disk on macOS too; elsewhere it means nothing.
func sqliteDSN(path string, readOnly bool) string {
	query := url.Values{"_txlock": {"immediate"}}
	for _, pragma := range []string{
		"busy_timeout(5000)",
		"journal_mode(WAL)",
		"synchronous(FULL)",
		"fullfsync(1)",
		"temp_store(MEMORY)",
		"cache_size(-32000)",
	} {
		query.Add("_pragma", pragma)
	}
	if readOnly {
		query.Add("_pragma", "query_only(1)")
	}
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: query.Encode()}).String()
}

// sqliteFault sorts SQLite's result codes: a broken constraint is the row's fault, all else the database's.
func sqliteFault(err error) error {
	var fault *sqlite.Error
	if !errors.As(err, &fault) {
		return nil
	}
	switch fault.Code() & 0xff {
	case sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_MISMATCH:
		return ErrInvalid
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR,
		sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB,
		sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH:
		return ErrUnavailable
	case sqlite3.SQLITE_INTERRUPT:
		return context.Canceled
	}
	return nil
}
