package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
)

// The callers of the tests. A key's text is "key of " and its name.
const (
	senderKey   = "sender"   // ingest for shop's pathao
	trackerKey  = "tracker"  // track in shop
	operatorKey = "operator" // track and operate in shop
	payloadKey  = "payload"  // operate and payload in shop
	strangerKey = "stranger" // everything, in the account other
)

func keyText(name string) string { return "key of " + name }

func testConfig() *configv1.Config {
	key := func(name, account string, providers []string, scopes ...Scope) *configv1.ApiKey {
		digest := sha256.Sum256([]byte(keyText(name)))
		entry := &configv1.ApiKey{Name: name, Account: account, Providers: providers, Sha256: hex.EncodeToString(digest[:])}
		for _, scope := range scopes {
			entry.Scopes = append(entry.Scopes, string(scope))
		}
		return entry
	}
	return &configv1.Config{
		Accounts: []*configv1.Account{
			{Name: "shop", Providers: []*configv1.Provider{
				{Name: "stripe", Kind: "stripe", RenamedFrom: "old-stripe"},
				{Name: "pathao", Kind: "pathao"},
			}},
			{Name: "other", Providers: []*configv1.Provider{{Name: "pathao", Kind: "pathao"}}},
		},
		ApiKeys: []*configv1.ApiKey{
			key(senderKey, "shop", []string{"pathao"}, ScopeIngest),
			key(trackerKey, "shop", nil, ScopeTrack),
			key(operatorKey, "shop", nil, ScopeTrack, ScopeOperate),
			key(payloadKey, "shop", nil, ScopeOperate, ScopePayload),
			key(strangerKey, "other", []string{"pathao"}, ScopeIngest, ScopeTrack, ScopeOperate, ScopePayload),
		},
	}
}

// house is a server on all its doors.
type house struct {
	server  *connect.Server
	health  *Health
	metrics *prometheus.Registry
	url     string
	log     *logBook
}

// logBook keeps what was logged.
type logBook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *logBook) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *logBook) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// readyStorage is a storage that is there.
type readyStorage struct{}

func (readyStorage) Ping(context.Context) error        { return nil }
func (readyStorage) CheckSchema(context.Context) error { return nil }

func newHouse(t *testing.T, store Store, edits ...func(*Deps)) *house {
	t.Helper()
	h := &house{metrics: prometheus.NewRegistry(), log: &logBook{}}
	deps := Deps{
		Config:       testConfig(),
		Store:        store,
		Retranslator: noRetranslator{},
		Policy:       noPolicy,
		Proof:        func(kind string) string { return "proof of " + kind },
		Health:       NewHealth(readyStorage{}),
		Logger:       slog.New(slog.NewJSONHandler(h.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Metrics:      h.metrics,
	}
	for _, edit := range edits {
		edit(&deps)
	}
	h.health = deps.Health
	server, err := NewServer(deps)
	if err != nil {
		t.Fatal(err)
	}
	h.server = server

	mux := http.NewServeMux()
	Mount(mux, server, deps.Health, promhttp.HandlerFor(h.metrics, promhttp.HandlerOpts{}))
	listener := httptest.NewUnstartedServer(mux)
	listener.Config.Protocols = Protocols()
	listener.Start()
	t.Cleanup(listener.Close)
	h.url = listener.URL
	return h
}

// doors are the ways to a server over HTTP.
var doors = map[string][]connecthttp.Option{
	"connect":      nil,
	"connect json": {connecthttp.WithProtoJSON()},
	"connect get":  {connecthttp.WithHTTPGet()},
	"grpc":         {connecthttp.WithGRPC()},
	"grpc-web":     {connecthttp.WithGRPCWeb()},
}

// h2c speaks HTTP/2 without TLS.
func h2c() *http.Client {
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	return &http.Client{Transport: &http.Transport{Protocols: &protocols}, Timeout: 20 * time.Second}
}

// over is a client on a door, whose calls carry a key. No key: the header is missing.
func (h *house) over(door, key string) *connect.Client {
	client := h2c()
	return connect.NewClient(connecthttp.NewTransport(client, h.url, doors[door]...), withHeader("Authorization", bearer(key)))
}

func bearer(key string) string {
	if key == "" {
		return ""
	}
	return "Bearer " + keyText(key)
}

func withHeader(name, value string) connect.ClientInterceptor {
	return func(next connect.ClientFunc) connect.ClientFunc {
		return func(ctx context.Context, spec connect.Spec) (connect.ClientStream, error) {
			if info, ok := connect.CallInfoForClientContext(ctx); ok && value != "" {
				info.RequestHeader().Set(name, value)
			}
			return next(ctx, spec)
		}
	}
}

// as is a client inside the process that acts as the owner of a key.
func (h *house) as(t *testing.T, key string) *connect.Client {
	t.Helper()
	ring, err := newKeyring(testConfig().GetApiKeys())
	if err != nil {
		t.Fatal(err)
	}
	principal, ok := ring.find(keyText(key))
	if !ok {
		t.Fatalf("no key %s", key)
	}
	return InProcess(h.server, principal)
}

func wantCode(t *testing.T, err error, want connect.Code) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %s", want)
	}
	if got := connect.CodeOf(err); got != want {
		t.Fatalf("%s, want %s: %v", got, want, err)
	}
}
