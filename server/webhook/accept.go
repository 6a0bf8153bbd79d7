package webhook

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"connectrpc.com/connect/v2"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

var (
	errLate   = errors.New("not recorded in time; send it again")
	errCommit = errors.New("not recorded; send it again")
)

// receipt is the outcome of one event's call.
type receipt struct {
	index    int
	response *waybillv1.IngestEventResponse
	err      error
}

// accept hands every event to the ingest service, all together, and waits until all are committed or time is up. One
// that is not makes the whole body's answer a refusal: the sender's retry finds the rest as duplicates.
func (x *exchange) accept(
	ctx context.Context, events []*waybillv1.IngestEventRequest,
) ([]*waybillv1.IngestEventResponse, error) {
	receipts := make(chan receipt, len(events)) // room for all: a late call must not wait for a reader
	for index, event := range events {
		item := x.text
		if len(events) > 1 { // several undecoded events of one body must not be one
			item = []byte(string(item) + "\x00" + event.GetEventId())
		}
		x.h.calls.Go(func() {
			response, err := x.ingest(ctx, x.addressed(event), item)
			receipts <- receipt{index: index, response: response, err: err}
		})
	}

	late := time.NewTimer(time.Until(x.due))
	defer late.Stop()
	responses := make([]*waybillv1.IngestEventResponse, len(events))
	var failed error
	for range events {
		select {
		case got := <-receipts:
			responses[got.index] = got.response
			failed = errors.Join(failed, got.err)
		case <-late.C:
			return nil, errLate
		}
	}
	if failed != nil {
		return nil, errCommit
	}
	return responses, nil
}

// ingest makes one call. It goes on when the sender hangs up or was refused for being late: an insert that commits
// after all is harmless, an insert cut off half way may be worth a second look.
func (x *exchange) ingest(
	ctx context.Context, event *waybillv1.IngestEventRequest, item []byte,
) (*waybillv1.IngestEventResponse, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), x.h.limits.Call)
	defer cancel()

	response, err := x.h.client.IngestEvent(ctx, event)
	if connect.CodeOf(err) == connect.CodeInvalidArgument {
		// What our own validation refuses is our fault or the sender's, and no retry mends it: the bytes are kept.
		x.complain("our own validation refused an event; its bytes are kept undecoded")
		undecoded := provider.Undecoded(item, "our own validation refused what the translator made of it")
		response, err = x.h.client.IngestEvent(ctx, x.addressed(undecoded))
	}
	if err == nil {
		return response, nil
	}
	x.complain("event not recorded", slog.String("code", connect.CodeOf(err).String()))
	return nil, err
}

// addressed fills in what only the door knows.
func (x *exchange) addressed(event *waybillv1.IngestEventRequest) *waybillv1.IngestEventRequest {
	event.Account = x.route.Account
	event.Provider = x.route.Config.GetName()
	event.TranslatorVersion = x.route.Kind.Version
	event.Raw = x.raw
	return event
}
