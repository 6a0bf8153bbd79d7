package webhook_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect/v2"
	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/protobuf/proto"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/catalog"
	"github.com/waybillhq/waybill/server/webhook"
)

const secret = "synthetic-door-secret"

// recorder stands in for the ingest service: it keeps what it is sent and answers as it is told.
type recorder struct {
	mu     sync.Mutex
	events []*waybillv1.IngestEventRequest
	answer func(ctx context.Context, event *waybillv1.IngestEventRequest) (*waybillv1.IngestEventResponse, error)
}

func (r *recorder) IngestEvent(
	ctx context.Context, event *waybillv1.IngestEventRequest,
) (*waybillv1.IngestEventResponse, error) {
	r.mu.Lock()
	r.events = append(r.events, proto.CloneOf(event))
	r.mu.Unlock()
	if r.answer != nil {
		return r.answer(ctx, event)
	}
	return recorded(event, waybillv1.Receipt_RECEIPT_ACCEPTED), nil
}

func (r *recorder) seen() []*waybillv1.IngestEventRequest {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.events)
}

func recorded(event *waybillv1.IngestEventRequest, receipt waybillv1.Receipt) *waybillv1.IngestEventResponse {
	return &waybillv1.IngestEventResponse{
		Event: &waybillv1.Event{
			Id: "evt_1", EventId: event.GetEventId(), State: waybillv1.EventState_EVENT_STATE_RECEIVED,
		},
		FirstDelivery: receipt == waybillv1.Receipt_RECEIPT_ACCEPTED,
		Receipt:       receipt,
	}
}

// door is a handler with five kinds of providers behind it, each under its own name, of the account "shop".
type door struct {
	*webhook.Handler

	client  *recorder
	log     *bytes.Buffer
	metrics *prometheus.Registry
}

func newDoor(t *testing.T, change func(*webhook.Options)) *door {
	t.Helper()
	account := &configv1.Account{Name: "shop"}
	for _, kind := range []string{"pathao", "payments", "shopify", "stripe", "courier"} {
		account.Providers = append(account.Providers, &configv1.Provider{
			Name: kind, Kind: kind, Currency: "BDT", Secrets: []*configv1.Secret{{Value: secret}},
		})
	}
	account.Providers[0].RenamedFrom = "courier-before"
	opened, err := provider.Open(&configv1.Config{Accounts: []*configv1.Account{account}}, catalog.Kinds())
	if err != nil {
		t.Fatal(err)
	}
	made := &door{client: &recorder{}, log: &bytes.Buffer{}, metrics: prometheus.NewRegistry()}
	opts := webhook.Options{
		Providers: opened,
		Client:    made.client,
		Log:       slog.New(slog.NewJSONHandler(&lockedWriter{w: made.log}, nil)),
		Metrics:   made.metrics,
		Now:       func() time.Time { return now },
		Limits:    webhook.Limits{Answer: 5 * time.Second}, // the tests of the real limit set their own
	}
	if change != nil {
		change(&opts)
	}
	made.Handler = webhook.New(opts)
	return made
}

var now = time.Date(2026, 1, 15, 12, 30, 5, 0, time.UTC)

// lockedWriter lets late calls log while a test reads on.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// sample is a signed request of a provider's sample.
func sample(t *testing.T, kind, name string) *http.Request {
	t.Helper()
	for _, k := range catalog.Kinds() {
		for _, s := range k.Samples {
			if k.Name != kind || s.Name != name {
				continue
			}
			made, err := s.Request(provider.SampleValues{
				ID: "synth0001", OrderID: "820982911946154508", OrderNumber: "SYN-1001", Consignment: "DS150126SYNT01",
				PaymentID: "pi_synth0001", Currency: "BDT", MinorUnits: 105000, At: now,
			})
			if err != nil {
				t.Fatal(err)
			}
			k.Sign(made, secret, now)
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/webhooks/shop/"+kind, bytes.NewReader(made.Body))
			r.Header = made.Header
			return r
		}
	}
	t.Fatalf("%s has no sample %s", kind, name)
	return nil
}

func (d *door) serve(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	return w
}

func withBody(r *http.Request, body string) *http.Request {
	r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	return r
}

func summary(event *waybillv1.IngestEventRequest) string {
	return strings.TrimPrefix(string(event.GetChanges()[0].ProtoReflect().WhichOneof(
		event.GetChanges()[0].ProtoReflect().Descriptor().Oneofs().Get(0)).Name()), "")
}

func TestAProvenBodyIsRecordedWithAllThatTheDoorKnows(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	r := sample(t, "shopify", "orders-paid")
	body, _ := io.ReadAll(r.Body)
	w := d.serve(withBody(r, string(body)))

	if want := `{"event":{"id":"evt_1","state":"received","outcome":"accepted"},"first_delivery":true}` + "\n"; w.Code != 200 || w.Body.String() != want {
		t.Errorf("answer %d %s, want 200 %s", w.Code, w.Body, want)
	}
	if len(d.client.seen()) != 1 {
		t.Fatalf("%d events, want one", len(d.client.seen()))
	}
	event := d.client.seen()[0]
	if event.GetAccount() != "shop" || event.GetProvider() != "shopify" || event.GetTranslatorVersion() != "shopify-1" {
		t.Errorf("event of %s/%s, read by %s", event.GetAccount(), event.GetProvider(), event.GetTranslatorVersion())
	}
	if event.GetDeliveryId() != "wh-synth0001" || !strings.HasPrefix(event.GetEventId(), "orders/paid:wh-synth0001:") {
		t.Errorf("identity %s, delivery %s", event.GetEventId(), event.GetDeliveryId())
	}
	if !bytes.Equal(event.GetRaw().GetBody(), body) || event.GetRaw().GetContentType() != "application/json" {
		t.Error("the bytes were not kept as they came")
	}
	kept := event.GetRaw().GetHeaders()
	if len(kept) != 3 || kept["x-shopify-topic"] != "orders/paid" {
		t.Errorf("kept headers %v, want the three that the translator needs", kept)
	}
}

func TestADuplicateAndAConflictAreSuccessesThatSaySo(t *testing.T) {
	t.Parallel()
	for receipt, word := range map[waybillv1.Receipt]string{
		waybillv1.Receipt_RECEIPT_DUPLICATE: "duplicate", waybillv1.Receipt_RECEIPT_CONFLICTING: "conflicting",
	} {
		d := newDoor(t, nil)
		d.client.answer = func(_ context.Context, event *waybillv1.IngestEventRequest) (*waybillv1.IngestEventResponse, error) {
			return recorded(event, receipt), nil
		}
		w := d.serve(sample(t, "stripe", "payment_intent.succeeded"))
		if w.Code != 200 || !strings.Contains(w.Body.String(), `"outcome":"`+word+`"},"first_delivery":false`) {
			t.Errorf("answer %d %s", w.Code, w.Body)
		}
	}
}

func TestEachProviderIsAnsweredInItsOwnDialect(t *testing.T) {
	t.Parallel()
	const token = "X-Pathao-Merchant-Webhook-Integration-Secret"
	d := newDoor(t, nil)

	if w := d.serve(sample(t, "payments", "payment.succeeded")); w.Code != 200 ||
		w.Body.String() != `{"eventId":"synth0001","firstDelivery":true,"outcome":"accepted"}`+"\n" {
		t.Errorf("payments is answered %d %s", w.Code, w.Body)
	}
	if w := d.serve(sample(t, "pathao", "order.delivered")); w.Code != 202 || w.Header().Get(token) == "" {
		t.Errorf("pathao is answered %d, header %q", w.Code, w.Header().Get(token))
	}

	unsigned := sample(t, "pathao", "order.delivered")
	unsigned.Header.Del("X-Pathao-Signature")
	large := sample(t, "pathao", "order.delivered")
	large.ContentLength = 3 << 20
	zipped := sample(t, "pathao", "order.delivered")
	zipped.Header.Set("Content-Encoding", "br")
	deleted := sample(t, "pathao", "order.delivered")
	deleted.Method = http.MethodDelete
	for status, r := range map[int]*http.Request{401: unsigned, 413: large, 415: zipped, 405: deleted} {
		if w := d.serve(r); w.Code != status || w.Header().Get(token) == "" {
			t.Errorf("answer %d with header %q, want %d and the header", w.Code, w.Header().Get(token), status)
		}
	}
	d.client.answer = failing(connect.CodeUnavailable)
	if w := d.serve(sample(t, "pathao", "order.delivered")); w.Code != 503 || w.Header().Get(token) == "" {
		t.Errorf("answer %d with header %q, want 503 and the header", w.Code, w.Header().Get(token))
	}
}

func TestAProbeWritesNothing(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	r := sample(t, "pathao", "webhook_integration")
	r.Header.Del("X-Pathao-Signature")
	w := d.serve(r)
	if w.Code != 202 || w.Header().Get("X-Pathao-Merchant-Webhook-Integration-Secret") == "" || w.Body.Len() != 0 {
		t.Errorf("answer %d %v %s", w.Code, w.Header(), w.Body)
	}
	if len(d.client.seen()) != 0 {
		t.Error("the probe was recorded")
	}
}
