package load

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/waybillhq/waybill/server/provider"
)

const (
	testKind   = "shopify"
	testSample = "orders-create"
)

// receiver proves every request with the provider's own code and answers what the test says.
type receiver struct {
	t      *testing.T
	sender Sender
	answer func(body []byte) (status int, first bool)

	mu     sync.Mutex
	bodies map[string]int
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		r.t.Errorf("body: %v", err)
	}
	request := &provider.Request{Header: req.Header, Body: body, ReceivedAt: time.Now()}
	if err := r.sender.Opened.Provider.Verify(request); err != nil {
		r.t.Errorf("a delivery is not proven: %v", err)
	}
	r.mu.Lock()
	r.bodies[string(body)]++
	r.mu.Unlock()
	status, first := r.answer(body)
	w.WriteHeader(status)
	if first {
		_, _ = io.WriteString(w, `{"first_delivery":true}`)
		return
	}
	_, _ = io.WriteString(w, `{"first_delivery":false}`)
}

func receive(t *testing.T, answer func([]byte) (int, bool)) (*receiver, Target) {
	t.Helper()
	sender, err := NewSender(testKind, ExampleSecret(testKind, "test"))
	if err != nil {
		t.Fatal(err)
	}
	workload, err := NewWorkload(sender, testSample)
	if err != nil {
		t.Fatal(err)
	}
	r := &receiver{t: t, sender: sender, answer: answer, bodies: make(map[string]int)}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	return r, Target{Address: strings.TrimPrefix(server.URL, "http://"), Workload: workload}
}

func always(status int, first bool) func([]byte) (int, bool) {
	return func([]byte) (int, bool) { return status, first }
}

func TestEveryNumberIsAnotherProvenDelivery(t *testing.T) {
	t.Parallel()
	r, target := receive(t, always(http.StatusOK, true))
	const count = 100

	if err := Deliver(t.Context(), target, 7, count); err != nil {
		t.Fatal(err)
	}

	if len(r.bodies) != count {
		t.Errorf("%d different bodies were received, want %d", len(r.bodies), count)
	}
	events := make(map[string]bool)
	for body := range r.bodies {
		translated, err := r.sender.Opened.Provider.Translate(&provider.Request{
			Header: headerOf(target.Workload), Body: []byte(body), ReceivedAt: time.Now(),
		})
		if err != nil || len(translated) != 1 {
			t.Fatalf("%d events, %v", len(translated), err)
		}
		events[translated[0].GetChanges()[0].GetOrderPlaced().GetOrderId()] = true
	}
	if len(events) != count {
		t.Errorf("they place %d orders, want %d", len(events), count)
	}
}

func headerOf(w *Workload) http.Header { return w.headers }

func TestAnEventThatSomebodyHasSentBeforeIsNoFirstDelivery(t *testing.T) {
	t.Parallel()
	_, target := receive(t, always(http.StatusOK, false))

	if err := Deliver(t.Context(), target, 0, 1); err == nil {
		t.Error("a repeated delivery passed for a first one")
	}
}

func TestARefusedDeliveryIsSentAgain(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	_, target := receive(t, func([]byte) (int, bool) {
		if asked.Add(1) < 3 {
			return http.StatusServiceUnavailable, false
		}
		return http.StatusOK, true
	})

	if err := Deliver(t.Context(), target, 0, 1); err != nil || asked.Load() != 3 {
		t.Errorf("asked %d times, %v", asked.Load(), err)
	}
}

// counter gives numbers that nobody else gets.
func counter() func() int64 {
	var n atomic.Int64
	return func() int64 { return n.Add(1) }
}

func silent() Edges { return Edges{Begin: func() {}, End: func() {}} }

func TestAClosedLoopCountsWhatIsAnsweredByWhatTheAnswerSays(t *testing.T) {
	t.Parallel()
	var n atomic.Int64
	_, target := receive(t, func([]byte) (int, bool) {
		switch n.Add(1) % 3 {
		case 0:
			return http.StatusOK, true
		case 1:
			return http.StatusOK, false
		default:
			return http.StatusServiceUnavailable, false
		}
	})
	loop := Closed{Connections: 4, Next: counter(), Span: Span{Measure: 200 * time.Millisecond}}

	result, err := loop.Run(t.Context(), target, silent())
	if err != nil {
		t.Fatal(err)
	}
	for answer, count := range result.Answers {
		if count == 0 {
			t.Errorf("no answer of kind %d was counted", answer)
		}
	}
	if result.Taken() != result.Answers[First]+result.Answers[Repeated] || result.Latency.TotalCount() != result.Taken()+result.Answers[Refused] {
		t.Errorf("%d taken, %d latencies of %v", result.Taken(), result.Latency.TotalCount(), result.Answers)
	}
}

func TestAnUnexpectedAnswerEndsTheRun(t *testing.T) {
	t.Parallel()
	_, target := receive(t, always(http.StatusUnauthorized, false))
	loop := Closed{Connections: 2, Next: counter(), Span: Span{Measure: time.Minute}}

	if _, err := loop.Run(t.Context(), target, silent()); err == nil || !strings.Contains(err.Error(), "answered 401") {
		t.Errorf("ended with %v", err)
	}
}

// TestAStallIsChargedToEverybodyWhoWaited is what tells an open loop from one that omits whom it did not send: the
// server stops answering for a while, and all that were due meanwhile have waited.
func TestAStallIsChargedToEverybodyWhoWaited(t *testing.T) {
	t.Parallel()
	const stall = 300 * time.Millisecond
	var stalled sync.Once
	_, target := receive(t, func([]byte) (int, bool) {
		stalled.Do(func() { <-time.After(stall) })
		return http.StatusOK, true
	})
	loop := Open{Connections: 1, PerSecond: 1000, Next: counter(), Span: Span{Measure: time.Second}}

	result, err := loop.Run(t.Context(), target, silent())
	if err != nil {
		t.Fatal(err)
	}
	if result.Taken() != 1000 || result.Unanswered != 0 {
		t.Errorf("%d taken, %d unanswered, want 1000 and none", result.Taken(), result.Unanswered)
	}
	// About three hundred were due during the stall; a loop that counts from the sending would have one slow delivery.
	if slow := result.Quantile(90); slow < stall/10 {
		t.Errorf("p90 is %s after a stall of %s: those who waited were not counted", slow, stall)
	}
}

func TestARunEndsWithItsContext(t *testing.T) {
	t.Parallel()
	_, target := receive(t, always(http.StatusOK, true))
	ctx, cancel := context.WithCancel(t.Context())
	loop := Open{Connections: 1, PerSecond: 100, Next: counter(), Span: Span{Measure: time.Hour}}

	began := time.Now()
	_, err := loop.Run(ctx, target, Edges{Begin: cancel, End: func() {}})
	if err == nil || time.Since(began) > time.Minute {
		t.Errorf("ended after %s with %v", time.Since(began), err)
	}
}
