package fetch_test

import (
	"context"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/waybillhq/waybill/server/fetch"
	"github.com/waybillhq/waybill/server/provider"
)

const secret = "synthetic-secret-in-the-query"

// side is a provider's own side, with a certificate that only its own call trusts.
type side struct {
	*httptest.Server

	asked atomic.Int64
}

func newSide(t *testing.T, answer http.HandlerFunc) *side {
	t.Helper()
	made := &side{}
	made.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		made.asked.Add(1)
		answer(w, r)
	}))
	t.Cleanup(made.Close)
	return made
}

// call asks the side as settings would that name it.
func (s *side) call() provider.Call {
	return provider.Call{
		URL:   s.URL + "/certificate?passwd=" + secret,
		Named: true,
		Roots: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})),
	}
}

func text(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }
}

func mustRefuse(t *testing.T, call provider.Call, why string) {
	t.Helper()
	_, err := fetch.New(fetch.Config{}).Fetch(t.Context(), call)
	if err == nil || !strings.Contains(err.Error(), why) {
		t.Errorf("fetch: %v, want an error that says %q", err, why)
	}
	if err != nil && strings.Contains(err.Error(), secret) {
		t.Errorf("the error tells the secret: %v", err)
	}
}

func TestANamedHostIsAskedAndItsReplyGivenBack(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 1)
	other := newSide(t, func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Method + " " + r.URL.RequestURI()
		w.WriteHeader(http.StatusTeapot)
		_, _ = w.Write([]byte("short and stout"))
	})
	reply, err := fetch.New(fetch.Config{}).Fetch(t.Context(), other.call())
	if err != nil || reply.Status != http.StatusTeapot || string(reply.Body) != "short and stout" {
		t.Fatalf("reply %d %q, %v", reply.Status, reply.Body, err)
	}
	if got := <-asked; got != "GET /certificate?passwd="+secret {
		t.Errorf("asked %s", got)
	}
}

func TestAHostThatTheRequestNamesMustBePublic(t *testing.T) {
	t.Parallel()
	inside := newSide(t, text("the crown jewels"))
	port := inside.URL[strings.LastIndex(inside.URL, ":"):]
	trusted := inside.call().Roots
	for _, test := range []struct{ url, why string }{
		{"https://localhost/", "not a public one"},
		{"https://LOCALHOST:443/", "not a public one"},
		{"https://localhost" + port + "/", "port of its own"},
		{"https://127.0.0.1/", "number and not a name"},
		{"https://[::1]/", "number and not a name"},
		{"https://[::ffff:127.0.0.1]/", "number and not a name"},
		{"https://169.254.169.254/latest/meta-data", "number and not a name"},
		{"http://sender.test/", "not https"},
		{"ftp://sender.test/", "not https"},
		{"file:///etc/passwd", "address is none"},
		{"https://user:pass@sender.test/", "holds a user"},
		{"https:///x", "address is none"},
		{"//sender.test/", "not https"},
		{"https://a b/", "address is none"},
		{"", "address is none"},
	} {
		mustRefuse(t, provider.Call{URL: test.url, Roots: trusted}, test.why)
	}
	if inside.asked.Load() != 0 {
		t.Error("the inside was asked")
	}
}

func TestANamedHostStillNeedsHTTPSAndACertificateThatIsTrusted(t *testing.T) {
	t.Parallel()
	other := newSide(t, text("hello"))
	plain := other.call()
	plain.URL = strings.Replace(plain.URL, "https://", "http://", 1)
	mustRefuse(t, plain, "not https")

	strange := other.call()
	strange.Roots = ""
	mustRefuse(t, strange, "certificate")

	unreadable := other.call()
	unreadable.Roots = "-----BEGIN CERTIFICATE-----\nnone\n-----END CERTIFICATE-----"
	mustRefuse(t, unreadable, "can't be read")
	if other.asked.Load() != 0 {
		t.Error("the side was asked without a proof of who it is")
	}
}

func TestARedirectIsAReplyAndNotFollowed(t *testing.T) {
	t.Parallel()
	other := newSide(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/elsewhere", http.StatusFound)
	})
	reply, err := fetch.New(fetch.Config{}).Fetch(t.Context(), other.call())
	if err != nil || reply.Status != http.StatusFound || other.asked.Load() != 1 {
		t.Errorf("reply %d, %v, asked %d times", reply.Status, err, other.asked.Load())
	}
}

func TestALongReplyIsRefused(t *testing.T) {
	t.Parallel()
	other := newSide(t, text(strings.Repeat("a", 1001)))
	call := other.call()
	call.MaxBytes = 1000
	mustRefuse(t, call, "too long")
	call.MaxBytes = 1001
	if _, err := fetch.New(fetch.Config{}).Fetch(t.Context(), call); err != nil {
		t.Errorf("a reply of the full length: %v", err)
	}

	endless := newSide(t, func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 64<<10)); err != nil {
				return
			}
		}
	})
	mustRefuse(t, endless.call(), "too long")
}

func TestASlowSideIsLeft(t *testing.T) {
	t.Parallel()
	slow := newSide(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	call := slow.call()
	call.Within = 20 * time.Millisecond
	mustRefuse(t, call, "deadline")

	call.Keep = time.Hour
	call.Within = 10 * time.Second
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := fetch.New(fetch.Config{}).Fetch(ctx, call); !errors.Is(err, context.Canceled) {
		t.Errorf("fetch for somebody who went away: %v", err)
	}
}

func TestErrorsTellTheHostAndNoMore(t *testing.T) {
	t.Parallel()
	gone := newSide(t, text(""))
	call := gone.call()
	gone.Close()
	_, err := fetch.New(fetch.Config{}).Fetch(t.Context(), call)
	address, parseErr := url.Parse(call.URL)
	if err == nil || parseErr != nil || !strings.Contains(err.Error(), address.Host) {
		t.Errorf("error %v, want the host in it", err)
	}
	mustRefuse(t, call, "refused")
}

func TestAReplyThatMayBeKeptIsAskedForOnce(t *testing.T) {
	t.Parallel()
	entered, open := make(chan struct{}), make(chan struct{})
	var once sync.Once
	other := newSide(t, func(w http.ResponseWriter, _ *http.Request) {
		once.Do(func() { close(entered) })
		<-open
		_, _ = w.Write([]byte("certificate"))
	})
	now := time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)
	var clock atomic.Pointer[time.Time]
	clock.Store(&now)
	client := fetch.New(fetch.Config{Now: func() time.Time { return *clock.Load() }})
	call := other.call()
	call.Keep = time.Hour

	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if reply, err := client.Fetch(t.Context(), call); err != nil || string(reply.Body) != "certificate" {
				t.Errorf("reply %q, %v", reply.Body, err)
			}
		})
	}
	<-entered
	close(open)
	all.Wait()
	if asked := other.asked.Load(); asked != 1 {
		t.Errorf("asked %d times, want once", asked)
	}

	mustAsk := func(what string, call provider.Call, want int64) {
		t.Helper()
		if _, err := client.Fetch(t.Context(), call); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if asked := other.asked.Load(); asked != want {
			t.Errorf("%s: asked %d times, want %d", what, asked, want)
		}
	}
	unkept := call
	unkept.Keep = 0
	mustAsk("a reply that may not be kept", unkept, 2)
	later := now.Add(time.Hour)
	clock.Store(&later)
	mustAsk("after its time", call, 3)
	otherwise := call
	otherwise.URL += "&other"
	mustAsk("another question", otherwise, 4)
}

func TestAnErrorIsNotKept(t *testing.T) {
	t.Parallel()
	other := newSide(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) })
	client := fetch.New(fetch.Config{})
	call := other.call()
	call.Keep = time.Hour
	for range 2 {
		if reply, err := client.Fetch(t.Context(), call); err != nil || reply.Status != http.StatusNotFound {
			t.Errorf("reply %d, %v", reply.Status, err)
		}
	}
	if asked := other.asked.Load(); asked != 2 {
		t.Errorf("asked %d times, want twice", asked)
	}
}

func TestStrangersCantMakeItAskWithoutEnd(t *testing.T) {
	t.Parallel()
	other := newSide(t, text("no certificate"))
	now := time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)
	client := fetch.New(fetch.Config{Now: func() time.Time { return now }})
	refused := 0
	for i := range 200 {
		call := other.call()
		call.URL += strings.Repeat("x", i)
		call.Keep = time.Hour
		if _, err := client.Fetch(t.Context(), call); err != nil {
			refused++
		}
	}
	if asked := other.asked.Load(); asked != 20 || refused != 180 {
		t.Errorf("asked %d times and refused %d, want 20 and 180", asked, refused)
	}
}

func TestOnlySoManyCallsAreUnderWay(t *testing.T) {
	t.Parallel()
	entered, open := make(chan struct{}), make(chan struct{})
	var once sync.Once
	other := newSide(t, func(http.ResponseWriter, *http.Request) {
		once.Do(func() { close(entered) })
		<-open
	})
	client := fetch.New(fetch.Config{AtOnce: 1})
	done := make(chan error, 1)
	go func() {
		_, err := client.Fetch(t.Context(), other.call())
		done <- err
	}()
	<-entered
	if _, err := client.Fetch(t.Context(), other.call()); err == nil || !strings.Contains(err.Error(), "under way") {
		t.Errorf("a second call: %v, want it refused", err)
	}
	close(open)
	if err := <-done; err != nil {
		t.Errorf("the first call: %v", err)
	}
	if _, err := client.Fetch(t.Context(), other.call()); err != nil {
		t.Errorf("a call after it: %v", err)
	}
}
