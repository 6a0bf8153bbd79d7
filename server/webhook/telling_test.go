package webhook_test

import (
	"net/http"
	"strings"
	"testing"

	"connectrpc.com/connect/v2"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/waybillhq/waybill/server/webhook"
)

func TestLogLinesTellWhatHappenedAndNothingElse(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	good := sample(t, "stripe", "payment_intent.succeeded")
	signature := good.Header.Get("Stripe-Signature")
	good.URL.RawQuery = "token=in-the-query"
	d.serve(good)
	bad := sample(t, "payments", "payment.succeeded")
	bad.Header.Set("Authorization", "Bearer guessed-token")
	d.serve(bad)
	d.serve(withBody(sample(t, "payments", "payment.succeeded"), `{"eventId":"in-the-body","zz":1}`))
	stranger := sample(t, "stripe", "payment_intent.succeeded")
	stranger.URL.Path = "/webhooks/in-the-path/stripe"
	d.serve(stranger)

	log := d.log.String()
	for _, private := range []string{
		secret, signature, strings.Split(signature, "v1=")[1], "in-the-query", "guessed-token", "in-the-body", "in-the-path",
		"SYN-1001", "pi_synth0001",
	} {
		if strings.Contains(log, private) {
			t.Errorf("the log holds %q:\n%s", private, log)
		}
	}
	for _, wanted := range []string{
		`"account":"shop","provider":"stripe","verdict":"accepted","status":200`,
		`"provider":"payments","verdict":"unproven","status":401`,
		`"reason":"header Authorization holds another token"`,
		`"provider":"payments","verdict":"refused","status":400`,
		`"account":"","provider":"","verdict":"unknown","status":404`,
	} {
		if !strings.Contains(log, wanted) {
			t.Errorf("the log lacks %s:\n%s", wanted, log)
		}
	}
}

func TestAnswersAreCountedByConfiguredNamesOnly(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	d.serve(sample(t, "stripe", "payment_intent.succeeded"))
	d.serve(sample(t, "stripe", "charge.refunded"))
	d.client.answer = failing(connect.CodeUnavailable)
	d.serve(sample(t, "stripe", "charge.refunded"))
	for _, path := range []string{"/webhooks/a/b", "/webhooks/c/d"} {
		stranger := sample(t, "stripe", "payment_intent.succeeded")
		stranger.URL.Path = path
		d.serve(stranger)
	}

	want := `
# HELP waybill_webhook_requests_total Webhook requests answered, by account, provider and verdict.
# TYPE waybill_webhook_requests_total counter
waybill_webhook_requests_total{account="",provider="",verdict="unknown"} 2
waybill_webhook_requests_total{account="shop",provider="stripe",verdict="accepted"} 2
waybill_webhook_requests_total{account="shop",provider="stripe",verdict="unavailable"} 1
`
	if err := testutil.GatherAndCompare(d.metrics, strings.NewReader(want), "waybill_webhook_requests_total"); err != nil {
		t.Error(err)
	}
	if got, err := testutil.GatherAndCount(d.metrics, "waybill_webhook_answer_seconds"); err != nil || got != 2 {
		t.Errorf("%d histograms, %v, want one for the provider and one for strangers", got, err)
	}
}

func TestAHandlerNeedsNoLogAndNoMetrics(t *testing.T) {
	t.Parallel()
	d := newDoor(t, func(opts *webhook.Options) { opts.Log, opts.Metrics, opts.Now = nil, nil, nil })
	if w := d.serve(sample(t, "pathao", "order.picked")); w.Code != http.StatusAccepted {
		t.Errorf("answer %d", w.Code)
	}
}
