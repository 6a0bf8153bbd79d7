// Package pgtest gives tests PostgreSQL databases, and whole servers where a test stops and restarts one.
package pgtest

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/lib/pq" // the driver under its own name
)

// Variable names the server that the tests use.
const Variable = "WAYBILL_TEST_DATABASE_URL"

// names of databases begin so, and go on with when they were made and by which process.
const prefix = "waybill_test_"

// keptFor is how long a database may be left over from a run that was killed.
const keptFor = time.Hour

var counter atomic.Int64

// Migrate brings the database at a URL to the newest schema. The package doesn't know how itself, so that the store's
// own tests can use it.
type Migrate func(ctx context.Context, url string) error

// server is the tests' server, and the template on it, which is made once a process.
type server struct {
	url *url.URL
	db  *sql.DB

	mu       sync.Mutex
	template string
}

var shared = sync.OnceValues(openServer)

func openServer() (*server, error) {
	given := os.Getenv(Variable)
	if given == "" {
		return nil, fmt.Errorf("%s names no PostgreSQL server: run the tests with make test, or with .ci/with-servers go test …", Variable)
	}
	where, err := url.Parse(given)
	if err != nil {
		return nil, fmt.Errorf("%s is not a URL", Variable)
	}
	db, err := sql.Open("postgres", given)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", Variable, err)
	}
	s := &server{url: where, db: db}
	s.sweep()
	return s, nil
}

func newName() string {
	return fmt.Sprintf("%s%d_%d_%d", prefix, time.Now().Unix(), os.Getpid(), counter.Add(1))
}

// sweep removes what killed runs have left. What can't be removed is somebody else's turn.
func (s *server) sweep() {
	rows, err := s.db.QueryContext(context.Background(),
		"SELECT datname FROM pg_database WHERE datname LIKE $1", strings.ReplaceAll(prefix, "_", `\_`)+"%")
	if err != nil {
		return
	}
	defer rows.Close()
	var old []string
	for rows.Next() {
		var name string
		if rows.Scan(&name) != nil {
			return
		}
		made, _, _ := strings.Cut(strings.TrimPrefix(name, prefix), "_")
		at, err := strconv.ParseInt(made, 10, 64)
		if err == nil && time.Since(time.Unix(at, 0)) > keptFor {
			old = append(old, name)
		}
	}
	if rows.Err() != nil {
		return
	}
	for _, name := range old {
		_, _ = s.db.ExecContext(context.Background(), "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
	}
}

// migrated is the migrated database of which every test gets a copy.
func (s *server) migrated(ctx context.Context, migrate Migrate) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.template != "" {
		return s.template, nil
	}
	name := newName()
	if _, err := s.db.ExecContext(ctx, "CREATE DATABASE "+name); err != nil {
		return "", fmt.Errorf("template: create: %w", err)
	}
	if err := migrate(ctx, s.of(name)); err != nil {
		return "", fmt.Errorf("template: %w", err)
	}
	s.template = name
	return name, nil
}

// of is the URL of a database on the server.
func (s *server) of(name string) string {
	where := *s.url
	where.Path = "/" + name
	return where.String()
}

// Fresh makes a migrated database for one test, and gives its URL.
func Fresh(t testing.TB, migrate Migrate) string {
	t.Helper()
	s := running(t)
	template, err := s.migrated(t.Context(), migrate)
	if err != nil {
		t.Fatal(err)
	}
	return s.create(t, " TEMPLATE "+template)
}

// Empty makes a database without tables for one test, and gives its URL.
func Empty(t testing.TB) string {
	t.Helper()
	return running(t).create(t, "")
}

func running(t testing.TB) *server {
	t.Helper()
	s, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *server) create(t testing.TB, how string) string {
	t.Helper()
	name := newName()
	if _, err := s.db.ExecContext(t.Context(), "CREATE DATABASE "+name+how); err != nil {
		t.Fatalf("database: create: %v", err)
	}
	t.Cleanup(func() {
		if _, err := s.db.ExecContext(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Errorf("database: drop: %v", err)
		}
	})
	return s.of(name)
}

// Connect opens a plain connection pool on a database, closed with the test.
func Connect(t testing.TB, where string) *sql.DB {
	t.Helper()
	db, err := sql.Open("postgres", where)
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
