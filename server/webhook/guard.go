package webhook

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// Provider code reads what strangers send. These guards keep a fault in it from becoming more than it is: a proof that
// panics proves nothing, a translation that panics leaves the bytes undecoded, and neither is a 500 that makes the
// sender try again for days.

func (x *exchange) handshake(r *provider.Request) (answer provider.Answer, ok bool) {
	defer x.caught("handshake", func() { answer, ok = provider.Answer{}, false })
	return x.route.Provider.Handshake(r)
}

func (x *exchange) verify(ctx context.Context, r *provider.Request) (err error) {
	defer x.caught("verify", func() { err = errors.New("the proof can't be checked") })
	return provider.Prove(ctx, x.route.Provider, r, x.h.fetcher)
}

// confirm reports a confirmation that failed in provider code as one that could not be made: nothing was recorded, so
// the sender may well try again.
func (x *exchange) confirm(ctx context.Context, r *provider.Request) (confirmed bool, err error) {
	defer x.caught("confirm", func() { confirmed, err = true, provider.ErrUnreachable })
	return provider.Confirm(ctx, x.route.Provider, r, x.h.fetcher)
}

// translate has the body translated from what will be stored of the request, so that it can be translated again.
func (x *exchange) translate() (events []*waybillv1.IngestEventRequest, refusal *provider.Refusal) {
	undecoded := []*waybillv1.IngestEventRequest{provider.Undecoded(x.text, "the translator failed on this body")}
	defer x.caught("translate", func() { events, refusal = undecoded, nil })

	stored := &provider.Request{Header: storedHeader(x.raw), Body: x.text, ReceivedAt: x.receivedAt}
	events, err := x.route.Provider.Translate(stored)
	if refusal, refused := errors.AsType[*provider.Refusal](err); refused {
		return nil, refusal
	}
	if err != nil || len(events) == 0 {
		x.complain("translate gave neither events nor a refusal", slog.String("error_type", fmt.Sprintf("%T", err)))
		return undecoded, nil
	}
	return events, nil
}

// word has the result worded. What is committed stays a 2xx whatever happens to its wording.
func (x *exchange) word(result provider.Result) (answer provider.Answer) {
	defer x.caught("answer", func() { answer = provider.DefaultAnswer(result) })
	return x.route.Provider.Answer(result)
}

// caught recovers from a panic in provider code. The panic's text may hold a piece of the body, so only its type and
// the stack are logged.
func (x *exchange) caught(where string, instead func()) {
	cause := recover()
	if cause == nil {
		return
	}
	x.complain("provider code panicked",
		slog.String("in", where),
		slog.String("panic_type", fmt.Sprintf("%T", cause)),
		slog.String("stack", string(debug.Stack())),
	)
	instead()
}

func (x *exchange) complain(message string, attributes ...slog.Attr) {
	attributes = append([]slog.Attr{
		slog.String("account", x.route.Account),
		slog.String("provider", x.route.Config.GetName()),
	}, attributes...)
	x.h.log.LogAttrs(x.ctx, slog.LevelError, message, attributes...)
}
