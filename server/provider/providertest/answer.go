package providertest

import (
	"net/http"
	"testing"
	"time"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// verdictsAreAnswered wants the status that each verdict stands for, and never a redirect. 2xx is for what is
// committed.
func verdictsAreAnswered(t *testing.T, kind provider.Kind, opts Options) {
	t.Helper()
	opened := Open(t, kind, opts)
	for verdict, status := range map[provider.Verdict]int{
		provider.Unproven:         http.StatusUnauthorized,
		provider.Refused:          http.StatusBadRequest,
		provider.TooLarge:         http.StatusRequestEntityTooLarge,
		provider.Unavailable:      http.StatusServiceUnavailable,
		provider.MethodNotAllowed: http.StatusMethodNotAllowed,
		provider.Incomplete:       http.StatusRequestTimeout,
		provider.Unsupported:      http.StatusUnsupportedMediaType,
	} {
		answer := opened.Answer(provider.Result{Verdict: verdict, Message: "why", RetryAfter: 2 * time.Second})
		if answer.Status != status {
			t.Errorf("%s is answered %d, want %d", verdict, answer.Status, status)
		}
		if verdict == provider.Unavailable && answer.Header.Get("Retry-After") != "2" {
			t.Errorf("%s is answered without Retry-After", verdict)
		}
	}

	limited := opened.Answer(provider.Result{Verdict: provider.Limited, Message: "why", RetryAfter: 1500 * time.Millisecond})
	if limited.Status != http.StatusTooManyRequests && limited.Status != http.StatusServiceUnavailable {
		t.Errorf("limited is answered %d, want 429, or 503 for a sender that tries again after nothing else", limited.Status)
	}
	if got := limited.Header.Get("Retry-After"); got != "2" {
		t.Errorf("limited is answered with Retry-After %q, want 2: the next whole second", got)
	}

	for _, receipt := range []waybillv1.Receipt{
		waybillv1.Receipt_RECEIPT_ACCEPTED, waybillv1.Receipt_RECEIPT_DUPLICATE, waybillv1.Receipt_RECEIPT_CONFLICTING,
	} {
		answer := opened.Answer(provider.Result{Verdict: provider.Accepted, Responses: []*waybillv1.IngestEventResponse{{
			Event:         &waybillv1.Event{Id: "evt_1", EventId: "e-1", State: waybillv1.EventState_EVENT_STATE_RECEIVED},
			FirstDelivery: receipt == waybillv1.Receipt_RECEIPT_ACCEPTED,
			Receipt:       receipt,
		}}})
		if answer.Status/100 != 2 {
			t.Errorf("%s is answered %d, want 2xx", receipt, answer.Status)
		}
	}
}
