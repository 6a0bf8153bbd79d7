package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/gen/go/waybill/v1/waybillv1connect"
	"github.com/waybillhq/waybill/server/api"
	"github.com/waybillhq/waybill/server/config"
	"github.com/waybillhq/waybill/server/fetch"
	"github.com/waybillhq/waybill/server/order"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/catalog"
	"github.com/waybillhq/waybill/server/store"
	"github.com/waybillhq/waybill/server/webhook"
	"github.com/waybillhq/waybill/server/work"
)

const (
	// drainTime is how long requests in flight may take to end when the server stops.
	drainTime = 10 * time.Second
	// sweepEvery is the pause between two looks for payloads whose time is over.
	sweepEvery = time.Minute
	// sweepLimit bounds one removal: receipts never wait long behind it.
	sweepLimit = 200
)

// serveCommand runs everything in one process: the webhook adapter, the API and the worker.
type serveCommand struct {
	WithoutWorker bool   `help:"Receive and answer only; another process on the same database decides."`
	WithParent    bool   `help:"Stop when stdin ends, and so with the process that started this one, however that dies." hidden:""`
	CPUProfile    string `help:"Write a CPU profile of the whole run to a file." hidden:"" name:"cpu-profile" placeholder:"FILE"`
}

// Run serves until ctx ends.
func (c *serveCommand) Run(ctx context.Context, g *globals, out *output) error {
	if c.WithParent {
		ctx = untilEnd(ctx, os.Stdin)
	}
	stopProfile, err := profile(c.CPUProfile)
	if err != nil {
		return err
	}
	defer stopProfile()
	cfg, err := g.serverConfig()
	if err != nil {
		return err
	}
	running, err := newInstance(ctx, cfg, g)
	if err != nil {
		return err
	}
	defer running.close()
	running.idle = c.WithoutWorker

	listener, err := listen(ctx, g.listenAddress(cfg))
	if err != nil {
		return err
	}
	out.line("waybill: listening on http://%s", listener.Addr())
	return running.serve(ctx, listener)
}

// untilEnd gives a context that ends when there is no more to read.
func untilEnd(ctx context.Context, from io.Reader) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		_, _ = io.Copy(io.Discard, from) // however it ends, it has ended
	}()
	return ctx
}

func listen(ctx context.Context, address string) (net.Listener, error) {
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w; another address goes with --listen HOST:PORT", address, err)
	}
	return listener, nil
}

// storage is all that the parts ask of the store.
type storage interface {
	api.Store
	api.Storage
	work.Queue
	work.Payloads
	work.Summaries
	work.OpenSnapshots
	Due() <-chan struct{}
	Close() error
}

// decorate stands between the store and everything that uses it. Whole-process tests put scripted faults there.
var decorate = func(s storage) storage { return s }

// doorLimits bound what a webhook may take. Whole-process tests on a busy machine let the door answer late.
var doorLimits webhook.Limits

// instance is a running Waybill: every part, wired by hand, top to bottom.
type instance struct {
	store   storage
	health  *api.Health
	door    *webhook.Handler
	handler http.Handler
	engine  *work.Engine
	sweeper *work.Sweeper
	// idle says that another process decides and sweeps.
	idle   bool
	logger *slog.Logger
}

func newInstance(ctx context.Context, cfg *configv1.Config, g *globals) (*instance, error) {
	logger := slog.Default()
	opened, err := provider.Open(cfg, catalog.Kinds())
	if err != nil {
		return nil, err
	}
	kept, err := openStore(ctx, cfg, g, logger)
	if err != nil {
		return nil, err
	}
	if err := prepareSchema(ctx, kept); err != nil {
		return nil, errors.Join(err, kept.Close())
	}
	in := &instance{store: decorate(kept), logger: logger}
	if err := in.wire(cfg, opened); err != nil {
		return nil, errors.Join(err, in.store.Close())
	}
	return in, nil
}

// prepareSchema migrates a database that belongs to this process alone. One that others use too is only ever migrated by
// who means to.
func prepareSchema(ctx context.Context, kept *store.Store) error {
	if !kept.Embedded() {
		return kept.CheckSchema(ctx)
	}
	if err := kept.Migrate(ctx); err != nil {
		return fmt.Errorf("database: migrate: %w", err)
	}
	return nil
}

func openStore(ctx context.Context, cfg *configv1.Config, g *globals, logger *slog.Logger) (*store.Store, error) {
	url := g.databaseURL(cfg)
	if path, embedded := strings.CutPrefix(url, "sqlite:"); embedded {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, fmt.Errorf("data directory: %w", err)
		}
	}
	opened, err := store.Open(ctx, url, store.Options{
		Logger:           logger,
		PayloadRetention: config.PayloadRetention(cfg),
	})
	if err != nil {
		return nil, err
	}
	return opened, nil
}

func (in *instance) wire(cfg *configv1.Config, opened []provider.Opened) error {
	metrics := prometheus.NewRegistry()
	metrics.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		work.NewCollector(in.store, accountList(cfg), in.logger),
		work.NewSnapshots(in.store, in.logger),
	)
	in.health = api.NewHealth(in.store)

	server, err := api.NewServer(api.Deps{
		Config:       cfg,
		Store:        in.store,
		Retranslator: webhook.NewRetranslator(opened),
		Policy:       policies(cfg),
		Proof:        proofOf,
		Health:       in.health,
		Logger:       in.logger,
		Metrics:      metrics,
	})
	if err != nil {
		return err
	}
	in.door = webhook.New(webhook.Options{
		Providers:      opened,
		Client:         waybillv1connect.NewIngestServiceClient(api.InProcess(server, api.Adapter())),
		Fetcher:        fetch.New(fetch.Config{}),
		TrustedProxies: cfg.GetTrustedProxies(),
		Log:            in.logger,
		Metrics:        metrics,
		Limits:         doorLimits,
	})

	mux := http.NewServeMux()
	api.Mount(mux, server, in.health, promhttp.HandlerFor(metrics, promhttp.HandlerOpts{}))
	in.handler = in.door.Before(mux)
	in.engine = work.New(in.store, work.Options{Policy: policies(cfg), Logger: in.logger})
	in.sweeper = &work.Sweeper{
		Payloads: in.store, Logger: in.logger, Now: time.Now, Every: sweepEvery, Limit: sweepLimit,
	}
	return nil
}

// serve runs until ctx ends, then stops in the order in which work flows: no new requests, then no new claims.
func (in *instance) serve(ctx context.Context, listener net.Listener) error {
	working, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	var loops sync.WaitGroup
	if !in.idle {
		loops.Go(func() { in.engine.Run(working) })
		loops.Go(func() { in.sweeper.Run(working) })
		loops.Go(func() { in.relayHints(working) })
	}

	err := serveHTTP(ctx, in.handler, listener, in.health.ShutDown)
	err = errors.Join(err, waitForCalls(ctx, in.door))
	stopWork()
	loops.Wait()
	return err
}

// relayHints wakes the engine when a commit, of this process or another one, has made something due.
func (in *instance) relayHints(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-in.store.Due():
			in.engine.Wake()
		}
	}
}

// serveHTTP serves until ctx ends, then lets the requests in flight end.
func serveHTTP(ctx context.Context, handler http.Handler, listener net.Listener, onStop func()) error {
	server := &http.Server{
		Handler:           handler,
		Protocols:         api.Protocols(),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}

	onStop()
	draining, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
	defer cancel()
	if err := server.Shutdown(draining); err != nil {
		// A sender that never ends its body must not keep us: nothing of it is recorded, and it will come again.
		slog.Warn("stop: requests that were still open are cut", "after", drainTime)
		return server.Close()
	}
	return nil
}

// waitForCalls lets the calls end whose requests were refused for being late: they may still commit.
func waitForCalls(ctx context.Context, door *webhook.Handler) error {
	draining, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
	defer cancel()
	return door.Wait(draining)
}

func (in *instance) close() {
	if err := in.store.Close(); err != nil {
		in.logger.Error("database: close", "error", err)
	}
}

// proofOf says in a few words what proves a provider of a kind.
func proofOf(kind string) string {
	for _, known := range catalog.Kinds() {
		if known.Name == kind {
			return known.Proof
		}
	}
	return ""
}

// policies looks up what each account has configured.
func policies(cfg *configv1.Config) func(account string) order.Policy {
	byName := make(map[string]order.Policy)
	for _, account := range cfg.GetAccounts() {
		byName[account.GetName()] = order.Policy{
			CreateUnknown: config.CreatesUnknown(account),
			WaitLimit:     config.WaitLimit(account),
			Strict:        account.GetStrict(),
		}
	}
	return func(account string) order.Policy { return byName[account] }
}

func accountList(cfg *configv1.Config) []string {
	var names []string
	for _, account := range cfg.GetAccounts() {
		names = append(names, account.GetName())
	}
	return names
}
