package webhook_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect/v2"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/webhook"
)

func TestWhatIsNotProvenIsRefusedAndLeavesNothing(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*http.Request){
		"no proof":       func(r *http.Request) { r.Header.Del("Stripe-Signature") },
		"another proof":  func(r *http.Request) { r.Header.Set("Stripe-Signature", "t=1768480205,v1="+strings.Repeat("0", 64)) },
		"a changed body": func(r *http.Request) { withBody(r, `{"id":"evt_1"}`) },
		"an empty body":  func(r *http.Request) { withBody(r, "") },
		"two proofs":     func(r *http.Request) { r.Header.Add("Stripe-Signature", "t=1") },
	} {
		d := newDoor(t, nil)
		r := sample(t, "stripe", "payment_intent.succeeded")
		change(r)
		if w := d.serve(r); w.Code != 401 || len(d.client.seen()) != 0 {
			t.Errorf("%s: %d with %d events, want 401 and none", name, w.Code, len(d.client.seen()))
		}
	}
	replayed := newDoor(t, func(opts *webhook.Options) { opts.Now = func() time.Time { return now.Add(301 * time.Second) } })
	if w := replayed.serve(sample(t, "stripe", "payment_intent.succeeded")); w.Code != 401 {
		t.Errorf("a request replayed after 301 s is answered %d", w.Code)
	}
}

func TestProvenBytesThatCannotBeReadAreKept(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "{", "\xff\xfe", `{"event":"order.picked","event":"order.picked"}`, strings.Repeat("[", 100_000)} {
		d := newDoor(t, nil)
		w := d.serve(withBody(sample(t, "pathao", "order.picked"), body))
		if w.Code != 202 || len(d.client.seen()) != 1 {
			t.Fatalf("answer %d with %d events", w.Code, len(d.client.seen()))
		}
		event := d.client.seen()[0]
		if summary(event) != "undecoded" || string(event.GetRaw().GetBody()) != body {
			t.Errorf("recorded %v", event.GetChanges())
		}
	}
}

func TestASchemaFaultIsRefusedBeforeAnyRecordWhereTheContractSaysSo(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	w := d.serve(withBody(sample(t, "payments", "payment.succeeded"), `{"eventId":"e","type":"t","paymentId":"p","orderId":"o","amount":-1}`))
	if w.Code != 400 || !strings.Contains(w.Body.String(), "amount is negative") || len(d.client.seen()) != 0 {
		t.Errorf("answer %d %s with %d events", w.Code, w.Body, len(d.client.seen()))
	}
}

func failing(code connect.Code) func(context.Context, *waybillv1.IngestEventRequest) (*waybillv1.IngestEventResponse, error) {
	return func(context.Context, *waybillv1.IngestEventRequest) (*waybillv1.IngestEventResponse, error) {
		return nil, connect.NewError(code, "storage: disk is full at sector 7")
	}
}

func TestWithoutACommitThereIsNo2xx(t *testing.T) {
	t.Parallel()
	for _, code := range []connect.Code{
		connect.CodeUnavailable, connect.CodeResourceExhausted, connect.CodeDeadlineExceeded, connect.CodeInternal,
		connect.CodePermissionDenied, connect.CodeNotFound, connect.CodeUnauthenticated, connect.CodeInvalidArgument,
	} {
		d := newDoor(t, nil)
		d.client.answer = failing(code)
		w := d.serve(sample(t, "stripe", "payment_intent.succeeded"))
		if w.Code != 503 || w.Header().Get("Retry-After") != "2" || strings.Contains(w.Body.String(), "sector") {
			t.Errorf("%s: answer %d, Retry-After %q, %s", code, w.Code, w.Header().Get("Retry-After"), w.Body)
		}
	}
}

func TestWhatOurOwnValidationRefusesIsKeptUndecoded(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	d.client.answer = func(_ context.Context, event *waybillv1.IngestEventRequest) (*waybillv1.IngestEventResponse, error) {
		if summary(event) != "undecoded" {
			return nil, connect.NewError(connect.CodeInvalidArgument, "references: too many")
		}
		return recorded(event, waybillv1.Receipt_RECEIPT_ACCEPTED), nil
	}
	w := d.serve(sample(t, "shopify", "orders-paid"))
	seen := d.client.seen()
	if w.Code != 200 || len(seen) != 2 || summary(seen[1]) != "undecoded" {
		t.Fatalf("answer %d with %d events", w.Code, len(seen))
	}
	if seen[1].GetAccount() != "shop" || len(seen[1].GetRaw().GetHeaders()) != 3 ||
		!strings.HasPrefix(seen[1].GetEventId(), "undecoded-") {
		t.Errorf("recorded %v", seen[1])
	}
}

func TestHeadersThatCannotBeStoredAreLeftOut(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	r := sample(t, "shopify", "orders-paid")
	r.Header.Set("Content-Type", strings.Repeat("é", 400))
	r.Header.Set("X-Shopify-Topic", strings.Repeat("t", 2000))
	r.Header.Set("X-Shopify-Webhook-Id", "caf\xe9")
	if w := d.serve(r); w.Code != 200 {
		t.Errorf("answer %d", w.Code)
	}
	event := d.client.seen()[0]
	if _, stored := event.GetRaw().GetHeaders()["x-shopify-topic"]; stored || summary(event) != "undecoded" {
		t.Errorf("recorded %v: what can't be stored must not be read either", event)
	}
	if got := event.GetRaw().GetHeaders()["x-shopify-webhook-id"]; got != "caf\uFFFD" {
		t.Errorf("stored header %q", got)
	}
	if len([]rune(event.GetRaw().GetContentType())) != 255 {
		t.Errorf("content type of %d characters", len([]rune(event.GetRaw().GetContentType())))
	}
}
