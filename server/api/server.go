// Package api serves Waybill's contract, proto/waybill/v1, over gRPC, gRPC-Web and Connect and inside the process.
//
// # The way of a call
//
// observe names the call, times, counts and logs it, turns a panic into an error and every error into what its caller
// may read. authenticate refuses who may not call the procedure, before the message is decoded, and holds the message
// to the caller's account and providers as soon as it is. The rules of the schema come next. A handler then turns the
// message into nouns, makes one call, and turns what it gets back into the wire.
//
// Nothing of a message is ever logged, and no text of the database reaches a caller.
package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"connectrpc.com/connect/v2/connectinprocess"
	"connectrpc.com/grpcreflect/v2"
	"connectrpc.com/validate"
	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/waybillhq/waybill/gen/go/grpc/health/v1/healthv1connect"
	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/gen/go/waybill/v1/waybillv1connect"
	"github.com/waybillhq/waybill/server/store"
)

// Deps are what the server is made of.
type Deps struct {
	// Config names the accounts, their providers and the keys. It has been checked.
	Config *configv1.Config
	Store  Store
	// Retranslator reads kept bytes again.
	Retranslator Retranslator
	// Policy is what each account has configured; a reprocess decides by it.
	Policy store.PolicyFunc
	// Proof says in a few words what proves a provider of a kind.
	Proof func(kind string) string
	// Health is what health checks ask.
	Health *Health
	// Logger gets a line for every call. Nil: slog's default.
	Logger *slog.Logger
	// Metrics takes the counters. Nil: nobody reads them.
	Metrics prometheus.Registerer
	// Now is the clock. Nil: the system's.
	Now func() time.Time
}

func (d Deps) withDefaults() Deps {
	if d.Logger == nil {
		d.Logger = slog.Default()
	}
	if d.Metrics == nil {
		d.Metrics = prometheus.NewRegistry()
	}
	if d.Now == nil {
		d.Now = time.Now
	}
	if d.Proof == nil {
		d.Proof = func(string) string { return "" }
	}
	return d
}

// Store is all that the services ask of the store. Each of them asks for its own part.
type Store interface {
	Receipts
	Orders
	Work
	Reprocessor
	LastReceipts
}

// NewServer makes the server with every service on it.
func NewServer(deps Deps) (*connect.Server, error) {
	deps = deps.withDefaults()
	if deps.Config == nil || deps.Store == nil || deps.Retranslator == nil || deps.Policy == nil ||
		deps.Health == nil {
		return nil, errors.New("api: config, store, retranslator, policy and health are needed")
	}
	keys, err := newKeyring(deps.Config.GetApiKeys())
	if err != nil {
		return nil, err
	}
	observer, err := newObserver(deps)
	if err != nil {
		return nil, err
	}
	validator, err := newValidator()
	if err != nil {
		return nil, err
	}

	server := connect.NewServer(observer.observe, keys.authenticate,
		validate.NewServerInterceptor(validate.WithValidator(validator)))
	directory := newDirectory(deps.Config)
	waybillv1connect.RegisterIngestServiceHandler(server, &ingestService{
		receipts: deps.Store, directory: directory, now: deps.Now,
	})
	waybillv1connect.RegisterTrackingServiceHandler(server, &trackingService{orders: deps.Store, directory: directory})
	waybillv1connect.RegisterWorkServiceHandler(server, &workService{
		work: deps.Store, reprocessor: deps.Store, directory: directory,
		retranslator: deps.Retranslator, validator: validator, policy: deps.Policy,
	})
	waybillv1connect.RegisterProviderServiceHandler(server, &providerService{
		receipts: deps.Store, directory: directory, proof: deps.Proof,
	})
	health := &healthService{health: deps.Health}
	healthv1connect.RegisterHealthHandler(server, health)
	grpcreflect.Register(server)
	health.services = servicesOf(server)
	return server, nil
}

const (
	// maxEventBytes takes in an event with the largest raw body, which JSON swells by a third.
	maxEventBytes = 24 << 20
	// maxMessageBytes is for everything else: no other message carries bytes.
	maxMessageBytes = 256 << 10
)

// Mount puts the server, the probes /livez and /readyz, and /metrics on a mux.
func Mount(mux *http.ServeMux, server *connect.Server, health *Health, metrics http.Handler) {
	connecthttp.Mount(mux, server, connecthttp.WithConditionalOptions(limits))
	mux.HandleFunc("GET /livez", health.Live)
	mux.HandleFunc("GET /readyz", health.Ready)
	mux.Handle("GET /metrics", metrics)
}

func limits(spec connect.Spec) []connecthttp.Option {
	if spec.Procedure == waybillv1connect.IngestServiceIngestEventProcedure {
		return []connecthttp.Option{connecthttp.WithReadMaxBytes(maxEventBytes)}
	}
	return []connecthttp.Option{connecthttp.WithReadMaxBytes(maxMessageBytes)}
}

// Protocols are what the port speaks: HTTP/1.1 and HTTP/2 without TLS, which gRPC needs.
func Protocols() *http.Protocols {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	return &protocols
}

// handOver gives a message's contents to the other side instead of copying them: a webhook's events all carry the one
// body that they came from, and neither side touches a message after it was sent.
func handOver(dst, src any) error {
	to, ok := dst.(proto.Message)
	from, also := src.(proto.Message)
	if !ok || !also {
		return fmt.Errorf("api: %T can't be handed over as %T", src, dst)
	}
	target := to.ProtoReflect()
	from.ProtoReflect().Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		target.Set(field, value)
		return true
	})
	return nil
}

// InProcess is a client whose calls reach the server without a network and act as the principal. It is the only door
// on which a caller needs no key.
func InProcess(server *connect.Server, principal Principal) *connect.Client {
	transport := connectinprocess.New(server, connectinprocess.WithCopyFunc(handOver))
	return connect.NewClient(transport, func(next connect.ClientFunc) connect.ClientFunc {
		return func(ctx context.Context, spec connect.Spec) (connect.ClientStream, error) {
			return next(WithPrincipal(ctx, principal), spec)
		}
	})
}
