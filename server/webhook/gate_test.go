package webhook_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/webhook"
)

// limitedDoor gives one of the door's providers limits.
func limitedDoor(t *testing.T, name string, limits *configv1.Limits, change ...func(*webhook.Options)) *door {
	t.Helper()
	return newDoor(t, func(opts *webhook.Options) {
		for _, opened := range opts.Providers {
			if opened.Config.GetName() == name {
				opened.Config.Limits = limits
			}
		}
		for _, apply := range change {
			apply(opts)
		}
	})
}

func TestASenderOverItsRateIsToldWhenToComeAgain(t *testing.T) {
	t.Parallel()
	at := now
	d := limitedDoor(t, "pathao", &configv1.Limits{RatePerMinute: 3}, func(opts *webhook.Options) {
		opts.Now = func() time.Time { return at }
	})
	send := func() *httptest.ResponseRecorder { return d.serve(sample(t, "pathao", "order.picked")) }

	for range 3 { // a minute's worth at once
		if w := send(); w.Code != 202 {
			t.Fatalf("within the rate: answer %d %s", w.Code, w.Body)
		}
	}
	over := send()
	if over.Code != 429 || over.Header().Get("Retry-After") != "20" || !strings.Contains(over.Body.String(), "rate_per_minute") {
		t.Errorf("answer %d, Retry-After %q, %s", over.Code, over.Header().Get("Retry-After"), over.Body)
	}
	if over.Header().Get("X-Pathao-Merchant-Webhook-Integration-Secret") == "" {
		t.Error("the answer is not in the provider's own dialect")
	}
	at = at.Add(19 * time.Second)
	if w := send(); w.Code != 429 || w.Header().Get("Retry-After") != "1" {
		t.Errorf("too early: answer %d, Retry-After %q: a refusal must not push the next turn away", w.Code, w.Header().Get("Retry-After"))
	}
	at = at.Add(time.Second)
	if first, second := send().Code, send().Code; first != 202 || second != 429 {
		t.Errorf("when told: answers %d and %d, want one more", first, second)
	}
	if got := len(d.client.seen()); got != 4 {
		t.Errorf("%d events, want 4: what is over the limit leaves nothing", got)
	}
}

func TestOnlyProvenRequestsCountAgainstARate(t *testing.T) {
	t.Parallel()
	d := limitedDoor(t, "pathao", &configv1.Limits{RatePerMinute: 1})
	for range 5 {
		stranger := sample(t, "pathao", "order.picked")
		stranger.Header.Set("X-Pathao-Signature", "guessed")
		if w := d.serve(stranger); w.Code != 401 {
			t.Errorf("a stranger is answered %d", w.Code)
		}
		if w := d.serve(sample(t, "pathao", "webhook_integration")); w.Code != 202 {
			t.Errorf("a probe is answered %d", w.Code)
		}
		if w := d.serve(sample(t, "stripe", "payment_intent.succeeded")); w.Code != 200 {
			t.Errorf("another provider is answered %d", w.Code)
		}
	}
	if w := d.serve(sample(t, "pathao", "order.picked")); w.Code != 202 {
		t.Errorf("strangers, probes and others have used up the rate: answer %d", w.Code)
	}
	former := sample(t, "pathao", "order.picked")
	former.URL.Path = "/webhooks/shop/courier-before"
	if w := d.serve(former); w.Code != 429 {
		t.Errorf("under its former name the sender is answered %d: it has a rate of its own there", w.Code)
	}
}

// busy is a door whose ingest service answers nobody before it is released.
func busy(d *door) (entered chan struct{}, release func()) {
	entered, held := make(chan struct{}, 4096), make(chan struct{})
	d.client.answer = func(_ context.Context, event *waybillv1.IngestEventRequest) (*waybillv1.IngestEventResponse, error) {
		entered <- struct{}{}
		<-held
		return recorded(event, waybillv1.Receipt_RECEIPT_ACCEPTED), nil
	}
	return entered, sync.OnceFunc(func() { close(held) })
}

func TestOnlySoManyRequestsAreAnsweredAtOnce(t *testing.T) {
	t.Parallel()
	d := limitedDoor(t, "stripe", &configv1.Limits{Concurrent: 2})
	entered, release := busy(d)
	defer release()
	answers := make(chan int, 2)
	for range 2 {
		r := sample(t, "stripe", "payment_intent.succeeded")
		go func() { answers <- d.serve(r).Code }()
	}
	within(t, entered)
	within(t, entered)

	w := d.serve(sample(t, "stripe", "payment_intent.succeeded"))
	if w.Code != 429 || w.Header().Get("Retry-After") != "2" || !strings.Contains(w.Body.String(), "concurrent") {
		t.Errorf("a third is answered %d, Retry-After %q, %s", w.Code, w.Header().Get("Retry-After"), w.Body)
	}
	release()
	if first, second := within(t, answers), within(t, answers); first != 200 || second != 200 {
		t.Errorf("the two are answered %d and %d", first, second)
	}
	if w := d.serve(sample(t, "stripe", "payment_intent.succeeded")); w.Code != 200 {
		t.Errorf("one after them is answered %d: the places were not given back", w.Code)
	}

	want := `
# HELP waybill_webhook_limited_total Webhook requests over a limit, by account, provider and limit.
# TYPE waybill_webhook_limited_total counter
waybill_webhook_limited_total{account="shop",limit="concurrent",provider="stripe"} 1
`
	if err := testutil.GatherAndCompare(d.metrics, strings.NewReader(want), "waybill_webhook_limited_total"); err != nil {
		t.Error(err)
	}
	if !strings.Contains(d.log.String(), `"provider":"stripe","verdict":"limited","status":429`) {
		t.Errorf("the log says nothing of it: %s", d.log)
	}
}

func TestABodyThatIsStillComingTakesNoPlace(t *testing.T) {
	t.Parallel()
	d := limitedDoor(t, "courier", &configv1.Limits{Concurrent: 1})
	server := httptest.NewServer(d)
	t.Cleanup(server.Close)
	for range 5 {
		slow := dialServer(t, server)
		fmt.Fprint(slow, raw(t, scan, "Expect: 100-continue\r\nContent-Length: 1000\r\n\r\n"))
		var told [len("HTTP/1.1 100 ")]byte
		if _, err := slow.Read(told[:]); err != nil { // the door waits for the body now
			t.Fatal(err)
		}
	}
	if w := d.serve(delivery(t, []byte(scan), []byte(scan))); w.Code != 200 {
		t.Errorf("answer %d: slow bodies hold the only place", w.Code)
	}
}

func TestWithoutLimitsHundredsAreAnsweredAtOnce(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	entered, release := busy(d)
	defer release()
	const many = 500
	answers := make(chan int, many)
	for range many {
		r := sample(t, "stripe", "payment_intent.succeeded")
		go func() { answers <- d.serve(r).Code }()
	}
	for range many {
		within(t, entered)
	}
	release()
	for range many {
		if got := within(t, answers); got != http.StatusOK {
			t.Fatalf("answer %d", got)
		}
	}
}
