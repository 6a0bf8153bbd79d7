package webhook

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"time"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// exchange is one request and its answer.
type exchange struct {
	h     *Handler
	ctx   context.Context
	w     http.ResponseWriter
	r     *http.Request
	route route
	// began is when the body's last byte came in; before that, when the request did.
	began time.Time
	// receivedAt is when the body's last byte came in, by the clock that signatures are checked by.
	receivedAt time.Time
	// due is when the answer leaves at the latest.
	due time.Time
	// raw is what is stored of the request, and text what a translator reads of it.
	raw  *waybillv1.RawMessage
	text []byte
	// bytes, events and source are for the log. The source is valid only where it was the reason for a refusal.
	bytes  int
	events int
	source netip.Addr
}

// serve takes a POST to a known address: it comes from where it should, arrives whole, and finds a place.
func (x *exchange) serve(ctx context.Context) {
	if end := x.checkSource(); end != nil {
		x.end(end)
		return
	}
	sent, end := x.receive()
	if end != nil {
		x.end(end)
		return
	}
	x.began, x.receivedAt, x.bytes = time.Now(), x.h.now(), len(sent)
	x.due = x.began.Add(x.h.limits.Answer)

	if !x.route.gate.enter() {
		x.end(x.limited(limitConcurrent, 0))
		return
	}
	defer x.route.gate.leave()
	x.judge(ctx, sent)
}

// judge takes a body through proof, translation and receipt.
func (x *exchange) judge(ctx context.Context, sent []byte) {
	renderings, end := x.renderings(sent)
	if end != nil {
		x.end(end)
		return
	}
	if answer, ok := x.handshake(x.request(renderings[0])); ok {
		x.send(provider.Handshaken, answer, "")
		return
	}
	if end := x.prove(ctx, renderings); end != nil {
		x.end(end)
		return
	}
	if wait := x.route.gate.admit(x.receivedAt); wait > 0 {
		x.end(x.limited(limitRate, wait))
		return
	}
	events, refusal := x.translate()
	if refusal != nil {
		x.end(&ending{verdict: provider.Refused, message: refusal.Message})
		return
	}
	x.record(ctx, events)
}

func (x *exchange) record(ctx context.Context, events []*waybillv1.IngestEventRequest) {
	x.events = len(events)
	responses, err := x.accept(ctx, events)
	if err != nil {
		x.end(&ending{verdict: provider.Unavailable, message: err.Error()})
		return
	}
	result := provider.Result{Verdict: provider.Accepted, Responses: responses}
	x.send(provider.Accepted, x.word(result), "")
}

// request is what the provider sees of a rendering.
func (x *exchange) request(body rendering) *provider.Request {
	return &provider.Request{
		Header: x.r.Header, Query: x.r.URL.Query(), Body: body.bytes, ReceivedAt: x.receivedAt,
	}
}

// checkSource refuses a request from an address that the provider does not send from, before its body is read.
func (x *exchange) checkSource() *ending {
	if x.route.sources == nil {
		return nil
	}
	x.source = sender(x.r, x.h.proxies)
	if x.route.sources.hold(x.source) {
		x.source = netip.Addr{}
		return nil
	}
	x.w.Header().Set("Connection", "close") // nobody will read the body
	return &ending{verdict: provider.Unproven, message: "the request comes from an address that source_addresses does not list"}
}

// limited is the end of a request over a limit. wait is when the sender may try again, where that is known.
func (x *exchange) limited(limit string, wait time.Duration) *ending {
	x.h.metrics.limited.WithLabelValues(x.route.Account, x.route.Config.GetName(), limit).Inc()
	return &ending{verdict: provider.Limited, message: "over limits." + limit + "; send it again later", retryAfter: wait}
}

// end answers in the provider's own dialect.
func (x *exchange) end(end *ending) {
	result := provider.Result{
		Verdict: end.verdict, Message: end.message, RetryAfter: cmp.Or(end.retryAfter, x.h.limits.RetryAfter),
	}
	x.send(end.verdict, x.word(result), end.message)
}

// unknown answers where there is no provider that could word it.
func (x *exchange) unknown(verdict provider.Verdict, message string) {
	x.send(verdict, provider.DefaultAnswer(provider.Result{Verdict: verdict, Message: message}), message)
}

// send writes the answer, counts it and logs it. Messages come from our own code and quote neither body, header nor
// query; the address is logged by its configured names only.
func (x *exchange) send(verdict provider.Verdict, answer provider.Answer, message string) {
	maps.Copy(x.w.Header(), answer.Header)
	x.w.WriteHeader(answer.Status)
	_, writeErr := x.w.Write(answer.Body)

	took := time.Since(x.began)
	account, name := x.route.Account, x.route.Config.GetName()
	x.h.metrics.observe(account, name, verdict, took)
	attributes := []slog.Attr{
		slog.String("account", account),
		slog.String("provider", name),
		slog.String("verdict", verdict.String()),
		slog.Int("status", answer.Status),
		slog.Int("bytes", x.bytes),
		slog.Int("events", x.events),
		slog.Duration("took", took),
	}
	if message != "" {
		attributes = append(attributes, slog.String("reason", message))
	}
	if x.source.IsValid() {
		attributes = append(attributes, slog.String("source", x.source.String()))
	}
	if writeErr != nil {
		attributes = append(attributes, slog.Bool("hung_up", true))
	}
	x.h.log.LogAttrs(x.ctx, level(verdict), "webhook answered", attributes...)
}

func level(verdict provider.Verdict) slog.Level {
	switch verdict {
	case provider.Accepted, provider.Handshaken, provider.Unknown, provider.MethodNotAllowed:
		return slog.LevelInfo // the last two are passers-by
	default:
		return slog.LevelWarn
	}
}
