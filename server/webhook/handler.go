// Package webhook is the HTTP door for raw bytes: POST /webhooks/{account}/{provider}.
//
// It is the only reader of a body. It looks where a request comes from, keeps its sender to the provider's limits, proves
// the bytes, has them translated, and hands each event to the ingest service through the generated client, so that it
// runs in the API's process or apart from it alike. A 2xx leaves only when every event of the body is committed.
//
// What is kept is exactly what was proven. A compressed body is proven uncompressed or, where that fails, as it came;
// what a translator reads is always uncompressed and in UTF-8. What a proof needs to ask at the provider's own side, the
// door asks.
//
// What it does not do: it keeps nothing, decides nothing about orders, and names no provider.
package webhook

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/waybillhq/waybill/gen/go/waybill/v1/waybillv1connect"
	"github.com/waybillhq/waybill/server/provider"
)

// firstSegment is the path under which everything is the door's.
const firstSegment = "webhooks"

// Limits bound what a request may take. The zero value of each means its default.
type Limits struct {
	// Body is the largest body, where neither settings nor kind say otherwise. Default 2 MiB.
	Body int64
	// ReadBody is how long a body may take to arrive. Default 30 s.
	ReadBody time.Duration
	// Answer is how long after the body's last byte the answer leaves at the latest; what isn't committed by then is
	// refused with 503. Default 280 ms, so that the refusal too is out within the promised 300. A proof that asks a
	// provider's own side has the time that its kind gives it before that.
	Answer time.Duration
	// Call is how long a call to the API may go on after its request was refused. Default 10 s.
	Call time.Duration
	// RetryAfter is what a 503 asks for, and a 429 for too many requests at once. Default 2 s.
	RetryAfter time.Duration
}

func (l Limits) withDefaults() Limits {
	set := func(limit *time.Duration, otherwise time.Duration) {
		if *limit == 0 {
			*limit = otherwise
		}
	}
	set(&l.ReadBody, 30*time.Second)
	set(&l.Answer, 280*time.Millisecond)
	set(&l.Call, 10*time.Second)
	set(&l.RetryAfter, 2*time.Second)
	if l.Body == 0 {
		l.Body = 2 << 20
	}
	return l
}

// Options are what a Handler is made of.
type Options struct {
	// Providers are all the configured ones.
	Providers []provider.Opened
	// Client takes the events.
	Client waybillv1connect.IngestServiceClient
	// Fetcher asks a provider's own side what its proofs need. Without one, such proofs fail for want of it.
	Fetcher provider.Fetcher
	// TrustedProxies are the blocks of addresses, or single ones, whose X-Forwarded-For is believed.
	TrustedProxies []string
	// Log gets a line per request. Default: none.
	Log *slog.Logger
	// Metrics is where the counters are registered. Default: nowhere.
	Metrics prometheus.Registerer
	// Now is the clock that signatures are checked by. Default time.Now.
	Now    func() time.Time
	Limits Limits
}

// Handler serves webhooks.
type Handler struct {
	routes  map[address]route
	client  waybillv1connect.IngestServiceClient
	fetcher provider.Fetcher
	proxies blocks
	log     *slog.Logger
	metrics *metrics
	now     func() time.Time
	limits  Limits
	// calls are the calls to the API under way. Some outlive their requests.
	calls sync.WaitGroup
}

// New makes a Handler.
func New(opts Options) *Handler {
	h := &Handler{
		routes:  byAddress(opts.Providers, newRoute),
		client:  opts.Client,
		fetcher: opts.Fetcher,
		proxies: parseBlocks(opts.TrustedProxies),
		log:     opts.Log,
		metrics: newMetrics(opts.Metrics),
		now:     opts.Now,
		limits:  opts.Limits.withDefaults(),
	}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	if h.now == nil {
		h.now = time.Now
	}
	return h
}

// Before serves webhooks and passes every other request on. It must stand before any http.ServeMux: a mux answers a
// path with a double slash with a redirect, which makes a GET without a body of many senders' POST.
func (h *Handler) Before(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if segments := segments(r); len(segments) > 0 && segments[0] == firstSegment {
			h.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Wait returns when no call to the API is under way any more, or when ctx ends. For after the server's shutdown:
// calls of requests that were refused for being late may still commit.
func (h *Handler) Wait(ctx context.Context) error {
	done := make(chan struct{})
	go func() {
		h.calls.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ServeHTTP answers a request. The method comes first, so that a probe of any path learns nothing about who is here.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// Nobody may keep a connection by never ending a body, not even one that nobody reads. A writer that knows no
	// deadlines is one of a test, or of a server that has its own.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(h.limits.ReadBody))
	switch r.Method {
	case http.MethodHead, http.MethodGet, http.MethodOptions:
		w.WriteHeader(http.StatusOK)
		return
	}
	route, known := h.find(r)
	x := &exchange{h: h, ctx: r.Context(), w: w, r: r, route: route, began: time.Now()}
	switch {
	case r.Method != http.MethodPost && known:
		x.end(&ending{verdict: provider.MethodNotAllowed, message: "post webhooks here"})
	case r.Method != http.MethodPost:
		x.unknown(provider.MethodNotAllowed, "post webhooks here")
	case !known:
		x.unknown(provider.Unknown, "there is no such account or provider")
	default:
		x.serve(r.Context())
	}
}
