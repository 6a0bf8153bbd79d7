package store

import (
	"context"
	"database/sql"

	"github.com/pressly/goose/v3"
)

// dialect is what databases do differently. Everything else in this package is the same for all of them.
type dialect struct {
	// name is Ent's name of the database.
	name string
	// migrations is goose's name of it.
	migrations goose.Dialect
	// rowLocks says that rows must be locked one by one. Without, a transaction that writes is alone anyway.
	rowLocks bool
	// clock is an SQL expression: the database's own clock, in microseconds. Leases run on it.
	clock string
	// bind turns the ? of our raw statements into the database's placeholders.
	bind func(query string) string
	// fault is the error of ours that a driver's error stands for. Nil: none.
	fault func(err error) error
	// conflict says of a driver's error that a transaction lost against another one, and may well succeed if it is run
	// again. Nil: that never happens.
	conflict func(err error) bool
	// snapshot is how a read of several statements sees one moment.
	snapshot *sql.TxOptions
	// take leases the due items of accounts, each up to its share.
	take func(ctx context.Context, db execer, d demand) ([]Claim, error)
	// recorder writes new receipts.
	recorder recorder
}

// database is an open database: a pool that may write and one that only reads. They may be the same.
type database struct {
	dialect
	writer, reader *sql.DB
	// url is where a server's database is; it may hold a password. Empty: it is a file.
	url string
	// listen is where other processes are heard, if that is not url.
	listen string
	// lone says that a single transaction can write at a time, so that receipts must be let in before decisions.
	lone bool
	// present says whether what was opened is still what its name names. Nil: a server looks after that.
	present func() error
}

// execer runs statements: a transaction of database/sql, or one of Ent's.
type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// recorder writes new receipts inside a transaction.
type recorder interface {
	// record writes the receipts whose identity nobody used before, with their payloads and pending items, and marks
	// them as first. The batch is sorted by key.
	record(ctx context.Context, tx execer, batch []*entry) error
	// queries are the statements that it runs with every receipt.
	queries() []string
}

// listenURL is where other processes are heard.
func (db *database) listenURL() string {
	if db.listen != "" {
		return db.listen
	}
	return db.url
}

func (db *database) close() error {
	err := db.writer.Close()
	if db.reader == db.writer {
		return err
	}
	if readerErr := db.reader.Close(); err == nil {
		err = readerErr
	}
	return err
}
