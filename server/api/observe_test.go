package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connectproto"
	"google.golang.org/genproto/googleapis/rpc/errdetails"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/gen/go/waybill/v1/waybillv1connect"
	"github.com/waybillhq/waybill/server/order"
	"github.com/waybillhq/waybill/server/store"
)

func TestWhatTheStoreSaysBecomesACodeAndAPublicText(t *testing.T) {
	t.Parallel()
	const secret = "SEEDED cause"
	tests := map[string]struct {
		err  error
		want connect.Code
	}{
		"not found":        {store.ErrNotFound, connect.CodeNotFound},
		"ambiguous":        {store.ErrAmbiguous, connect.CodeNotFound},
		"unavailable":      {store.ErrUnavailable, connect.CodeUnavailable},
		"busy":             {store.ErrBusy, connect.CodeUnavailable},
		"invalid":          {store.ErrInvalid, connect.CodeInvalidArgument},
		"reused":           {store.ErrRequestReused, connect.CodeAlreadyExists},
		"precondition":     {store.ErrPrecondition, connect.CodeFailedPrecondition},
		"payload gone":     {store.ErrPayloadGone, connect.CodeFailedPrecondition},
		"given up":         {context.Canceled, connect.CodeCanceled},
		"too late":         {context.DeadlineExceeded, connect.CodeDeadlineExceeded},
		"anything else":    {errors.New("disk"), connect.CodeInternal},
		"another server's": {connect.NewError(connect.CodeNotFound, secret).WithRemote(), connect.CodeInternal},
	}
	for name, test := range tests {
		fake := &fakeStore{accept: func(order.Event) (store.Receipt, error) {
			return store.Receipt{}, fmt.Errorf("event: accept: %w: %s", test.err, secret)
		}}
		house := newHouse(t, fake)
		for door := range doors {
			client := waybillv1connect.NewIngestServiceClient(house.over(door, senderKey))

			_, err := client.IngestEvent(t.Context(), ingest(func(*waybillv1.IngestEventRequest) {}))

			var read *connect.Error
			if !errors.As(err, &read) || read.Code() != test.want {
				t.Errorf("%s over %s: %v, want %s", name, door, err, test.want)
				continue
			}
			if read.Message() == "" || strings.Contains(err.Error(), "SEEDED") {
				t.Errorf("%s over %s: the caller reads %q", name, door, err)
			}
			if (retryDelayOf(t, read) == retryDelay.Seconds()) != (test.want == connect.CodeUnavailable) {
				t.Errorf("%s over %s: retry delay %v", name, door, retryDelayOf(t, read))
			}
		}
	}
}

// panicAt reads an item that isn't there.
func panicAt(index int) { _ = []string{}[index] }

func retryDelayOf(t *testing.T, err *connect.Error) float64 {
	t.Helper()
	for _, detail := range err.Details() {
		message, err := connectproto.UnmarshalErrorDetail(detail)
		if err != nil {
			t.Fatal(err)
		}
		if info, ok := message.(*errdetails.RetryInfo); ok {
			return info.GetRetryDelay().AsDuration().Seconds()
		}
	}
	return 0
}

func TestAPanicIsAnInternalErrorThatTheLogKnows(t *testing.T) {
	t.Parallel()
	thrown := map[string]func(){
		"a text with a payload":    func() { panic("SEEDED body") },
		"an error with a payload":  func() { panic(errors.New("SEEDED body")) },
		"a fault of the programme": func() { panicAt(0) },
	}
	for name, throw := range thrown {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			house := newHouse(t, &fakeStore{accept: func(order.Event) (store.Receipt, error) {
				throw()
				return store.Receipt{}, nil
			}})
			ctx, info := connect.NewClientContext(t.Context())
			client := waybillv1connect.NewIngestServiceClient(house.over("connect", senderKey))

			_, err := client.IngestEvent(ctx, ingest(func(*waybillv1.IngestEventRequest) {}))

			wantCode(t, err, connect.CodeInternal)
			id := info.ResponseHeader().Get(RequestIDHeader)
			log := house.log.String()
			if !strings.HasPrefix(id, "req_") || strings.Count(log, id) != 2 || !strings.Contains(log, "rpc panicked") ||
				!strings.Contains(log, "observe_test.go") {
				t.Errorf("request %s in the log: %s", id, log)
			}
			if strings.Contains(log, "SEEDED") || strings.Contains(err.Error(), "SEEDED") {
				t.Errorf("the payload is out: %v, %s", err, log)
			}
			if body := house.get(t, "/metrics"); !strings.Contains(body,
				`waybill_rpc_calls_total{code="internal",procedure="/waybill.v1.IngestService/IngestEvent"} 1`) {
				t.Errorf("metrics: %s", body)
			}
		})
	}
}

func (h *house) get(t *testing.T, path string) string {
	t.Helper()
	_, body := h.probe(t, path)
	return body
}

// lineOf is what the log says about a request.
func (h *house) lineOf(t *testing.T, requestID string) map[string]any {
	t.Helper()
	for text := range strings.Lines(h.log.String()) {
		var line map[string]any
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatal(err)
		}
		if line["request_id"] == requestID {
			return line
		}
	}
	t.Fatalf("the log doesn't know %q", requestID)
	return nil
}

func TestEveryCallHasANameALineAndACount(t *testing.T) {
	t.Parallel()
	house := newHouse(t, &fakeStore{})
	tests := map[string]struct {
		key, door, code, principal, level string
	}{
		"a good call":         {senderKey, "connect", "ok", senderKey, "INFO"},
		"over grpc":           {senderKey, "grpc", "ok", senderKey, "INFO"},
		"over grpc-web":       {senderKey, "grpc-web", "ok", senderKey, "INFO"},
		"without a key":       {"", "connect", "unauthenticated", "", "INFO"},
		"without the scope":   {trackerKey, "grpc", "permission_denied", trackerKey, "INFO"},
		"for another account": {strangerKey, "connect json", "permission_denied", strangerKey, "INFO"},
	}
	seen := make(map[string]bool)
	for name, test := range tests {
		ctx, info := connect.NewClientContext(t.Context())
		client := waybillv1connect.NewIngestServiceClient(house.over(test.door, test.key))

		_, err := client.IngestEvent(ctx, ingest(func(*waybillv1.IngestEventRequest) {}))

		id := info.ResponseHeader().Get(RequestIDHeader)
		if id == "" {
			id = info.ResponseTrailer().Get(RequestIDHeader)
		}
		if seen[id] {
			t.Errorf("%s: the request id %q was used before", name, id)
		}
		seen[id] = true
		line := house.lineOf(t, id)
		if line["code"] != test.code || line["principal"] != test.principal || line["level"] != test.level ||
			line["procedure"] != "/waybill.v1.IngestService/IngestEvent" || line["duration"] == nil || line["protocol"] == "" {
			t.Errorf("%s (%v): %v", name, err, line)
		}
	}
	metrics := house.get(t, "/metrics")
	for _, want := range []string{
		`waybill_rpc_calls_total{code="ok",procedure="/waybill.v1.IngestService/IngestEvent"} 3`,
		`waybill_rpc_calls_total{code="unauthenticated",procedure="/waybill.v1.IngestService/IngestEvent"} 1`,
		`waybill_rpc_calls_total{code="permission_denied",procedure="/waybill.v1.IngestService/IngestEvent"} 2`,
		`waybill_rpc_duration_seconds_count{procedure="/waybill.v1.IngestService/IngestEvent"} 6`,
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("%s is missing in %s", want, metrics)
		}
	}
}

func TestTheCauseOfAFailureIsLoggedAndAFaultOfTheCallerIsNot(t *testing.T) {
	t.Parallel()
	fake := &fakeStore{accept: func(e order.Event) (store.Receipt, error) {
		if e.Identity == "busy" {
			return store.Receipt{}, fmt.Errorf("event: accept: %w", store.ErrBusy)
		}
		return store.Receipt{}, errors.New("event: accept: disk image is malformed")
	}}
	house := newHouse(t, fake)
	client := waybillv1connect.NewIngestServiceClient(house.over("connect json", senderKey))
	for id, want := range map[string]struct{ level, cause string }{
		"broken": {"ERROR", "disk image is malformed"},
		"busy":   {"WARN", "too much is waiting"},
		"":       {"INFO", ""},
	} {
		ctx, info := connect.NewClientContext(t.Context())

		_, _ = client.IngestEvent(ctx, ingest(func(m *waybillv1.IngestEventRequest) { m.EventId = id }))

		line := house.lineOf(t, info.ResponseHeader().Get(RequestIDHeader))
		cause, _ := line["cause"].(string)
		if line["level"] != want.level || !strings.Contains(cause, want.cause) || (want.cause == "") != (cause == "") {
			t.Errorf("event %q: %v", id, line)
		}
	}
}
