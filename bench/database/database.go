// Package database makes the databases that are measured, each fresh and with the tables of the program under test, and
// says what was written into them.
package database

import (
	"context"
	"database/sql"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// Server is a kind of database on this machine.
type Server interface {
	// Name is what people call it.
	Name() string
	// About says what it runs with, for the report.
	About(ctx context.Context) (string, error)
	// Fresh makes an empty database with tables.
	Fresh(ctx context.Context) (Database, error)
	Close() error
}

// Database is one of a server's databases.
type Database struct {
	// URL is as the program under test takes it.
	URL string
	// Drop removes it.
	Drop func(ctx context.Context) error
}

// Meter is what a database server has done so far, for all its databases.
type Meter struct {
	// Log is how many bytes of write-ahead log it has written.
	Log int64
	// CPU is the time that it has used in processes of its own.
	CPU time.Duration
}

// Metered is a Server that counts. One that runs inside the process that uses it does not: its work is that process's.
type Metered interface {
	Meter(ctx context.Context) (Meter, error)
}

// Migrator makes the tables: the program under test does, so that everybody writes into the same ones.
type Migrator struct {
	// Path is the program.
	Path string
}

func (m Migrator) migrate(ctx context.Context, url string) error {
	said, err := exec.CommandContext(ctx, m.Path, "migrate", "--database-url", url).CombinedOutput()
	if err != nil {
		return fmt.Errorf("database: migrate: %w: %s", err, strings.TrimSpace(string(said)))
	}
	return nil
}

// Open opens a database for the benchmark's own statements.
func Open(url string) (*sql.DB, error) {
	if path, embedded := strings.CutPrefix(url, "sqlite:"); embedded {
		return openSQLite(path)
	}
	db, err := sql.Open("postgres", url)
	if err != nil {
		return nil, fmt.Errorf("database: open: %w", err)
	}
	return db, nil
}

// Numbered turns the $1, $2 … of a statement into what the database of a URL calls them.
func Numbered(url, query string) string {
	if strings.HasPrefix(url, "sqlite:") {
		return strings.ReplaceAll(query, "$", "?")
	}
	return query
}
