package api

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"time"

	"connectrpc.com/connect/v2"
	"github.com/prometheus/client_golang/prometheus"
)

// RequestIDHeader is the response header that names a call, in errors too. The log knows the call by it.
const RequestIDHeader = "X-Request-ID"

// call is what is written down about a call. Nothing of its messages ever is.
type call struct {
	requestID string
	// principal is the caller's name. Empty: nobody proved to be one, or nobody had to.
	principal string
}

type callKey struct{}

func recordCaller(ctx context.Context, name string) {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		c.principal = name
	}
}

// observer names, times, counts and logs every call, and turns every failure into what its caller may read.
type observer struct {
	logger   *slog.Logger
	now      func() time.Time
	calls    *prometheus.CounterVec
	duration *prometheus.HistogramVec
}

func newObserver(deps Deps) (*observer, error) {
	o := &observer{
		logger: deps.Logger,
		now:    deps.Now,
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "waybill_rpc_calls_total",
			Help: "RPC calls by procedure and the code they ended with.",
		}, []string{"procedure", "code"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "waybill_rpc_duration_seconds",
			Help:    "How long RPC calls took, by procedure.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 14),
		}, []string{"procedure"}),
	}
	if err := errors.Join(deps.Metrics.Register(o.calls), deps.Metrics.Register(o.duration)); err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	return o, nil
}

func (o *observer) observe(next connect.ServerFunc) connect.ServerFunc {
	return func(ctx context.Context, spec connect.Spec, stream connect.ServerStream) error {
		c := &call{requestID: "req_" + rand.Text()}
		info, ok := connect.CallInfoForServerContext(ctx)
		if ok {
			info.ResponseHeader().Set(RequestIDHeader, c.requestID)
		}
		began := o.now()

		err := translate(o.recovering(context.WithValue(ctx, callKey{}, c), c, func(ctx context.Context) error {
			return next(ctx, spec, stream)
		}))

		took := o.now().Sub(began)
		o.calls.WithLabelValues(spec.Procedure, codeName(err)).Inc()
		o.duration.WithLabelValues(spec.Procedure).Observe(took.Seconds())
		o.log(ctx, c, entry{procedure: spec.Procedure, info: info, took: took, err: err})
		return err
	}
}

// recovering turns a panic into an error. What was thrown may hold a payload, so only its type and where it happened
// are written down.
func (o *observer) recovering(ctx context.Context, c *call, serve func(context.Context) error) (err error) {
	defer func() {
		thrown := recover()
		if thrown == nil {
			return
		}
		reason := fmt.Sprintf("%T", thrown)
		if fault, ok := thrown.(runtime.Error); ok {
			reason = fault.Error()
		}
		o.logger.ErrorContext(ctx, "rpc panicked",
			slog.String("request_id", c.requestID), slog.String("panic", reason), slog.String("stack", string(debug.Stack())))
		err = errInternal
	}()
	return serve(ctx)
}

type entry struct {
	procedure string
	info      *connect.CallInfo
	took      time.Duration
	err       error
}

func (o *observer) log(ctx context.Context, c *call, e entry) {
	level := levelOf(e.err)
	overHTTP := e.info != nil && e.info.Protocol != ""
	if e.err == nil && (!overHTTP || access[e.procedure].public) {
		// The webhook door has its own line for every request, and health is asked every few seconds.
		level = slog.LevelDebug
	}
	attrs := []slog.Attr{
		slog.String("request_id", c.requestID),
		slog.String("procedure", e.procedure),
		slog.String("code", codeName(e.err)),
		slog.Duration("duration", e.took),
		slog.String("principal", c.principal),
	}
	if overHTTP {
		attrs = append(attrs, slog.String("protocol", e.info.Protocol))
	}
	// Causes are worded by us and the database and hold no payload. What is wrong with a message may quote it.
	if cause := errors.Unwrap(e.err); cause != nil && level >= slog.LevelWarn {
		attrs = append(attrs, slog.String("cause", cause.Error()))
	}
	o.logger.LogAttrs(ctx, level, "rpc", attrs...)
}

func codeName(err error) string {
	if err == nil {
		return "ok"
	}
	return connect.CodeOf(err).String()
}

func levelOf(err error) slog.Level {
	if err == nil {
		return slog.LevelInfo
	}
	switch connect.CodeOf(err) {
	case connect.CodeInternal, connect.CodeUnknown, connect.CodeDataLoss:
		return slog.LevelError
	case connect.CodeUnavailable, connect.CodeDeadlineExceeded, connect.CodeResourceExhausted:
		return slog.LevelWarn
	default:
		return slog.LevelInfo
	}
}
