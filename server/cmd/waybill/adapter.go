package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"connectrpc.com/connect/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	waybill "github.com/waybillhq/waybill/clients/go"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/fetch"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/catalog"
	"github.com/waybillhq/waybill/server/webhook"
)

// adapterCommand runs the webhook adapter alone: it proves and reads bodies here, and hands the events to an API
// elsewhere.
type adapterCommand struct {
	API     string `env:"WAYBILL_API" help:"The server that takes the events." name:"api" placeholder:"URL" required:""`
	KeyFile string `env:"WAYBILL_API_KEY_FILE" help:"File with an API key of the scope ingest that names every provider of the configuration file." placeholder:"FILE" required:""`
}

// Run serves webhooks until ctx ends.
func (c *adapterCommand) Run(ctx context.Context, g *globals, out *output) error {
	cfg, err := g.serverConfig()
	if err != nil {
		return err
	}
	opened, err := provider.Open(cfg, catalog.Kinds())
	if err != nil {
		return err
	}
	// The provider tries again by itself, and wants its answer at once: one attempt is enough.
	client, err := waybill.New(c.API,
		waybill.KeyFile(c.KeyFile), waybill.UserAgent("waybill-adapter"), waybill.Attempts(1))
	if err != nil {
		return err
	}
	metrics := prometheus.NewRegistry()
	metrics.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	door := webhook.New(webhook.Options{
		Providers: opened, Client: remoteIngest{client, slog.Default()}, Log: slog.Default(), Metrics: metrics,
		Fetcher: fetch.New(fetch.Config{}), TrustedProxies: cfg.GetTrustedProxies(), Limits: doorLimits,
	})

	listener, err := listen(ctx, g.listenAddress(cfg))
	if err != nil {
		return err
	}
	out.line("waybill: listening on http://%s", listener.Addr())
	err = serveHTTP(ctx, door.Before(adapterProbes(metrics)), listener, func() {})
	return errors.Join(err, waitForCalls(ctx, door))
}

// remoteIngest is the ingest service at the other end of a client. The door tells errors apart by their codes.
type remoteIngest struct {
	client *waybill.Client
	log    *slog.Logger
}

// IngestEvent implements waybillv1connect.IngestServiceClient.
func (r remoteIngest) IngestEvent(
	ctx context.Context, event *waybillv1.IngestEventRequest,
) (*waybillv1.IngestEventResponse, error) {
	response, err := r.client.IngestEvent(ctx, event)
	switch {
	case err == nil:
		return response, nil
	case errors.Is(err, waybill.ErrInvalid):
		return nil, connect.NewError(connect.CodeInvalidArgument, err.Error())
	case errors.Is(err, waybill.ErrUnauthenticated), errors.Is(err, waybill.ErrForbidden), errors.Is(err, waybill.ErrNotFound):
		// The sender is told to come again all the same; who reads the log learns that no waiting will help.
		r.log.Error("the API refuses this adapter's key for the provider; give the key the scope ingest and the provider's name",
			"account", event.GetAccount(), "provider", event.GetProvider(), "answer", err.Error())
	}
	return nil, connect.NewError(connect.CodeUnavailable, err.Error())
}

// adapterProbes answers what a supervisor asks of a process that keeps nothing: it lives, so it is ready.
func adapterProbes(metrics *prometheus.Registry) http.Handler {
	mux := http.NewServeMux()
	alive := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }
	mux.HandleFunc("GET /livez", alive)
	mux.HandleFunc("GET /readyz", alive)
	mux.Handle("GET /metrics", promhttp.HandlerFor(metrics, promhttp.HandlerOpts{}))
	return mux
}
