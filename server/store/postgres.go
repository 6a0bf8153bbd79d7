package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	entdialect "entgo.io/ent/dialect"
	"github.com/lib/pq"
	"github.com/pressly/goose/v3"
)

// The pools of a process. Receipts need one connection, or several while further commits are in flight, and a decision
// one; the rest is for whoever reprocesses. Reads have connections of their own, so that no list keeps a receipt waiting.
const (
	postgresWriters = 14
	postgresReaders = 8
)

// How long a session may do what. All that writes stays below the worker's lease of five seconds: a process that was
// stopped, or whose network is gone, has lost its locks before its claims are anybody else's.
const (
	writeStatement = 4 * time.Second
	lockWait       = 2 * time.Second
	idleInside     = 3 * time.Second
	readStatement  = 15 * time.Second
	// clientCheck is how often the server looks whether a running statement's client is still there: without, the
	// statement of a killed client runs on.
	clientCheck = time.Second
	// silence is how much longer than its statement may run a connection may say nothing before it is given up. The
	// server would have answered; what answers nothing is a black hole.
	silence        = 2 * time.Second
	connectTimeout = 5 * time.Second
)

// postgresClock is the server's clock in microseconds, when the statement began.
const postgresClock = "(extract(epoch FROM statement_timestamp()) * 1000000)::bigint"

func postgresDialect() dialect {
	return dialect{
		name:       entdialect.Postgres,
		migrations: goose.DialectPostgres,
		rowLocks:   true,
		clock:      postgresClock,
		take:       takePostgres,
		bind:       numbered,
		fault:      postgresFault,
		conflict:   postgresConflict,
		snapshot:   &sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead},
		recorder:   postgresRecorder{},
	}
}

// openPostgres opens a server's database. Nothing is connected before it is needed.
func openPostgres(raw string) (*database, error) {
	db := &database{dialect: postgresDialect()}
	var err error
	if db.writer, err = openPool(raw, writeSession(), postgresWriters); err != nil {
		return nil, err
	}
	if db.reader, err = openPool(raw, readSession(), postgresReaders); err != nil {
		return nil, errors.Join(err, db.writer.Close())
	}
	db.url = raw
	return db, nil
}

// session is how the connections of a pool behave. What the URL says about it wins.
type session struct {
	settings map[string]string
	// patience is how long an answer may take. Zero: for ever.
	patience time.Duration
}

func writeSession() session {
	return session{map[string]string{
		"application_name":                    "waybill",
		"statement_timeout":                   milliseconds(writeStatement),
		"lock_timeout":                        milliseconds(lockWait),
		"idle_in_transaction_session_timeout": milliseconds(idleInside),
		"client_connection_check_interval":    milliseconds(clientCheck),
	}, writeStatement + silence}
}

func readSession() session {
	s := writeSession()
	s.settings["application_name"] = "waybill reads"
	s.settings["statement_timeout"] = milliseconds(readStatement)
	s.settings["default_transaction_read_only"] = "on"
	s.patience = readStatement + silence
	return s
}

// migrating has all the time it needs: building an index may take hours. It waits for locks no longer than anybody,
// for whoever comes after it waits too.
func migrateSession() session {
	return session{map[string]string{
		"application_name":                 "waybill migrate",
		"lock_timeout":                     milliseconds(lockWait),
		"client_connection_check_interval": milliseconds(clientCheck),
	}, 0}
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// openPool opens a pool of connections. Its errors never quote the URL, which may hold a password.
func openPool(raw string, s session, size int) (*sql.DB, error) {
	dsn, err := s.dsn(raw)
	if err != nil {
		return nil, err
	}
	connector, err := pq.NewConnector(dsn)
	if err != nil {
		return nil, errors.New("database: postgres: its URL can't be read; use postgres://USER:PASSWORD@HOST:PORT/NAME")
	}
	connector.Dialer(dialer{s.patience})
	pool := sql.OpenDB(connector)
	pool.SetMaxOpenConns(size)
	pool.SetMaxIdleConns(size)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	return pool, nil
}

// dsn adds the settings to a URL. Only its query is read here: what stands before it may name several hosts, which
// no URL parser but the driver's takes.
func (s session) dsn(raw string) (string, error) {
	before, given, _ := strings.Cut(raw, "?")
	query, err := url.ParseQuery(given)
	if err != nil {
		return "", errors.New("database: postgres: its URL can't be read; use postgres://USER:PASSWORD@HOST:PORT/NAME")
	}
	for name, value := range s.settings {
		if !query.Has(name) {
			query.Set(name, value)
		}
	}
	if !query.Has("connect_timeout") {
		query.Set("connect_timeout", strconv.Itoa(int(connectTimeout.Seconds())))
	}
	return before + "?" + query.Encode(), nil
}

// dialer makes connections on which nobody waits for ever: a network that swallows everything never says so, and the
// driver itself waits for an answer without end.
type dialer struct{ patience time.Duration }

func (d dialer) Dial(network, address string) (net.Conn, error) {
	return d.DialContext(context.Background(), network, address)
}

func (d dialer) DialTimeout(network, address string, timeout time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return d.DialContext(ctx, network, address)
}

func (d dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{KeepAlive: 15 * time.Second}).DialContext(ctx, network, address)
	if err != nil || d.patience == 0 {
		return conn, err
	}
	return patientConn{conn, d.patience}, nil
}

// patientConn gives up when what it waits for takes too long.
type patientConn struct {
	net.Conn
	patience time.Duration
}

func (c patientConn) Read(b []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(c.patience)); err != nil {
		return 0, err
	}
	return c.Conn.Read(b)
}

func (c patientConn) Write(b []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(c.patience)); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}

// numbered turns each ? into $1, $2 and so on. Our statements hold no ? that means anything else.
func numbered(query string) string {
	var text strings.Builder
	n := 0
	for _, r := range query {
		if r != '?' {
			text.WriteRune(r)
			continue
		}
		n++
		text.WriteString("$" + strconv.Itoa(n))
	}
	return text.String()
}

// Conflicts of transactions that are nobody's fault: the same again, later, may well succeed.
var postgresConflicts = []string{
	"40001", // serialization_failure
	"40P01", // deadlock_detected
	"55P03", // lock_not_available: the lock timeout
}

// postgresConflict says that a transaction was given up for another's sake.
func postgresConflict(err error) bool {
	fault, ok := errors.AsType[*pq.Error](err)
	return ok && slices.Contains(postgresConflicts, string(fault.Code))
}

// postgresFault sorts PostgreSQL's error classes: bad data, a broken constraint and a value beyond a limit are the
// row's fault; all else is the server's, or that of its settings and schema.
func postgresFault(err error) error {
	if fault, ok := errors.AsType[*pq.Error](err); ok {
		switch string(fault.Code)[:2] {
		case "22", "23", "54":
			return ErrInvalid
		}
		return ErrUnavailable
	}
	var broken net.Error
	if errors.As(err, &broken) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) {
		return ErrUnavailable
	}
	return nil
}

// schemaVersion is the version of the newest migration that the database has. It makes nothing: who serves may have no
// right to.
func (db *database) schemaVersion(ctx context.Context) (int64, error) {
	var there bool
	err := db.reader.QueryRowContext(ctx, "SELECT to_regclass('"+goose.DefaultTablename+"') IS NOT NULL").Scan(&there)
	if err != nil || !there {
		return 0, err
	}
	var version int64
	err = db.reader.QueryRowContext(ctx,
		"SELECT coalesce(max(version_id), 0) FROM "+goose.DefaultTablename+" WHERE is_applied").Scan(&version)
	if err != nil {
		return 0, fmt.Errorf("database: schema version: %w", err)
	}
	return version, nil
}
