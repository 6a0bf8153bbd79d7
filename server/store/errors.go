package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
)

// What a caller can tell apart. The database's own errors are translated into these once, at this border; the text
// that goes with them is for operators and logs, never for the public.
var (
	// ErrNotFound: there is no such order, event or item in the account.
	ErrNotFound = errors.New("not found")
	// ErrAmbiguous is an ErrNotFound: the name belongs to several orders.
	ErrAmbiguous = fmt.Errorf("%w: ambiguous", ErrNotFound)
	// ErrInvalid: the record breaks a rule of the schema and never can be stored.
	ErrInvalid = errors.New("invalid")
	// ErrUnavailable: storage can't commit now. Nothing was acknowledged; send it again.
	ErrUnavailable = errors.New("storage unavailable")
	// ErrBusy is an ErrUnavailable: more is waiting to be committed than may wait.
	ErrBusy = fmt.Errorf("%w: too much is waiting", ErrUnavailable)
	// ErrClosed is an ErrUnavailable: the store is closed.
	ErrClosed = fmt.Errorf("%w: closed", ErrUnavailable)
	// ErrLeaseLost: somebody else has claimed or finished the item since.
	ErrLeaseLost = errors.New("lease lost")
	// ErrPrecondition: the item can't take what was asked for.
	ErrPrecondition = errors.New("precondition failed")
	// ErrPayloadGone is an ErrPrecondition: the bytes have expired.
	ErrPayloadGone = fmt.Errorf("%w: the bytes are gone", ErrPrecondition)
	// ErrRequestReused: the request id was used for another request.
	ErrRequestReused = errors.New("request id was used for another request")
)

// translate turns a database's error into one of ours. Errors that are ours already, and those of a context that has
// ended, pass.
func (d dialect) translate(err error) error {
	switch {
	case err == nil, isOurs(err):
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, driver.ErrBadConn), errors.Is(err, sql.ErrConnDone), errors.Is(err, sql.ErrTxDone):
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if kind := d.fault(err); kind != nil {
		return fmt.Errorf("%w: %w", kind, err)
	}
	return err
}

func isOurs(err error) bool {
	for _, ours := range []error{
		ErrNotFound, ErrInvalid, ErrUnavailable, ErrLeaseLost, ErrPrecondition, ErrRequestReused,
	} {
		if errors.Is(err, ours) {
			return true
		}
	}
	return false
}

// hopeless says that trying the same again, alone, can't end better: the store, not the item, is at fault.
func hopeless(err error) bool {
	return errors.Is(err, ErrUnavailable) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
