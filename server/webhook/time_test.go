package webhook_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/webhook"
)

// within waits for a fact that must come.
func within[T any](t *testing.T, facts <-chan T) T {
	t.Helper()
	select {
	case fact := <-facts:
		return fact
	case <-time.After(10 * time.Second):
		t.Fatal("waited 10 s in vain")
		panic("unreachable")
	}
}

func TestALateCommitIsRefusedInTimeAndGoesOn(t *testing.T) {
	t.Parallel()
	d := newDoor(t, func(opts *webhook.Options) { opts.Limits = webhook.Limits{} })
	release, ended := make(chan struct{}), make(chan error, 1)
	d.client.answer = func(ctx context.Context, event *waybillv1.IngestEventRequest) (*waybillv1.IngestEventResponse, error) {
		<-release
		ended <- ctx.Err()
		return recorded(event, waybillv1.Receipt_RECEIPT_ACCEPTED), nil
	}

	ctx, hangUp := context.WithCancel(t.Context())
	began := time.Now()
	w := d.serve(sample(t, "stripe", "payment_intent.succeeded").WithContext(ctx))
	took := time.Since(began)
	hangUp()

	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("answer %d, Retry-After %q", w.Code, w.Header().Get("Retry-After"))
	}
	if took < 250*time.Millisecond || took > 2*time.Second {
		t.Errorf("the refusal left after %s", took)
	}
	short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := d.Wait(short); err == nil {
		t.Error("wait returned while a call was under way")
	}
	close(release)
	if err := within(t, ended); err != nil {
		t.Errorf("the call was cut off with its request: %v", err)
	}
	if err := d.Wait(t.Context()); err != nil {
		t.Errorf("wait: %v", err)
	}
}

func TestACallThatNeverEndsIsEnded(t *testing.T) {
	t.Parallel()
	d := newDoor(t, func(opts *webhook.Options) {
		opts.Limits = webhook.Limits{Answer: time.Millisecond, Call: 20 * time.Millisecond}
	})
	d.client.answer = func(ctx context.Context, _ *waybillv1.IngestEventRequest) (*waybillv1.IngestEventResponse, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if w := d.serve(sample(t, "stripe", "payment_intent.succeeded")); w.Code != http.StatusServiceUnavailable {
		t.Errorf("answer %d", w.Code)
	}
	if err := d.Wait(t.Context()); err != nil {
		t.Errorf("wait: %v", err)
	}
}

func TestASenderThatHangsUpCutsNothingOff(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	arrived, hungUp, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	d.client.answer = func(ctx context.Context, event *waybillv1.IngestEventRequest) (*waybillv1.IngestEventResponse, error) {
		close(arrived)
		<-hungUp
		ended <- ctx.Err()
		return recorded(event, waybillv1.Receipt_RECEIPT_ACCEPTED), nil
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		go func() {
			<-r.Context().Done() // the server has noticed
			close(hungUp)
		}()
		d.ServeHTTP(w, r)
	}))
	defer server.Close()

	ctx, hangUp := context.WithTimeout(t.Context(), 10*time.Second)
	go func() {
		<-arrived
		hangUp()
	}()
	signed := sample(t, "stripe", "payment_intent.succeeded")
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+"/webhooks/shop/stripe", signed.Body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = signed.Header
	if response, err := server.Client().Do(r); err == nil {
		response.Body.Close()
		t.Errorf("answer %d to a sender that hung up", response.StatusCode)
	}
	if err := within(t, ended); err != nil {
		t.Errorf("the call was cut off with its sender: %v", err)
	}
}
