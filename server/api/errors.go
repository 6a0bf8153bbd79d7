package api

import (
	"context"
	"errors"
	"time"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connectproto"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/waybillhq/waybill/server/store"
)

// What callers read. The texts say nothing about the data; the cause of a failure stands in the log only.
var (
	errUnauthenticated = connect.NewError(connect.CodeUnauthenticated,
		"send a valid key: Authorization: Bearer KEY")
	errForbidden = connect.NewError(connect.CodePermissionDenied,
		"the key may not do this")
	// errNoOrder is the one answer for orders that don't exist and for those that are not the caller's to see.
	errNoOrder = connect.NewError(connect.CodeNotFound,
		"no such order")
	// errSharedNumber is for operators only: to everybody else such an order doesn't exist.
	errSharedNumber = connect.NewError(connect.CodeNotFound,
		"several orders have this number; ask by a consignment id, or list the events of the number")
	errNoProvider = connect.NewError(connect.CodeNotFound,
		"the account has no such provider")
	errNotFound = connect.NewError(connect.CodeNotFound,
		"not found")
	errPageToken = connect.NewError(connect.CodeInvalidArgument,
		"page_token: this is not a next_page_token of the same list")
	errNoWatch = connect.NewError(connect.CodeUnimplemented,
		"watching an order is not served yet; ask GetOrderStatus again instead")
	errInvalid = connect.NewError(connect.CodeInvalidArgument,
		"the record breaks a rule and can't be stored")
	errPrecondition = connect.NewError(connect.CodeFailedPrecondition,
		"the item can't take this resolution as it stands")
	errPayloadGone = connect.NewError(connect.CodeFailedPrecondition,
		"the bytes have expired and can't be translated again")
	errRequestReused = connect.NewError(connect.CodeAlreadyExists,
		"request_id was used for another request; make a new one")
	errUnavailable = retryLater(connect.NewError(connect.CodeUnavailable,
		"storage can't commit now; send it again"))
	errCanceled = connect.NewError(connect.CodeCanceled,
		"the caller gave up")
	errDeadline = connect.NewError(connect.CodeDeadlineExceeded,
		"the deadline has passed")
	errInternal = connect.NewError(connect.CodeInternal,
		"something failed inside; the log knows it by the request id")
)

// retryDelay is how long a caller should wait before it sends again what storage couldn't commit.
const retryDelay = time.Second

func retryLater(err *connect.Error) *connect.Error {
	detail, detailErr := connectproto.NewErrorDetail(&errdetails.RetryInfo{RetryDelay: durationpb.New(retryDelay)})
	if detailErr != nil {
		return err
	}
	return err.WithDetail(detail)
}

// public pairs what the store says with what callers read. The first match counts: some errors are kinds of others.
var public = []struct {
	cause error
	err   *connect.Error
}{
	{store.ErrNotFound, errNotFound},
	{store.ErrRequestReused, errRequestReused},
	{store.ErrPayloadGone, errPayloadGone},
	{store.ErrPrecondition, errPrecondition},
	{store.ErrInvalid, errInvalid},
	{store.ErrUnavailable, errUnavailable},
	{context.Canceled, errCanceled},
	{context.DeadlineExceeded, errDeadline},
}

// translate turns whatever a handler returns into what its caller reads. The original stays attached as the cause,
// which never leaves the process.
func translate(err error) error {
	if err == nil {
		return nil
	}
	var ours *connect.Error
	if errors.As(err, &ours) && !ours.IsRemote() {
		return ours
	}
	for _, pair := range public {
		if errors.Is(err, pair.cause) {
			return pair.err.WithCause(err)
		}
	}
	return errInternal.WithCause(err)
}
