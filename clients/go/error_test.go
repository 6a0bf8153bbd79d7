package waybill_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"buf.build/go/protovalidate"
	"connectrpc.com/connect/v2"
	"connectrpc.com/validate"

	waybill "github.com/waybillhq/waybill/clients/go"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
)

func TestEveryCodeOfTheServerHasItsKindAndSentinel(t *testing.T) {
	t.Parallel()
	cases := map[connect.Code]struct {
		kind      waybill.Kind
		sentinel  error
		retryable bool
	}{
		connect.CodeCanceled:           {waybill.KindUnavailable, waybill.ErrUnavailable, true},
		connect.CodeUnknown:            {waybill.KindUnavailable, waybill.ErrUnavailable, false},
		connect.CodeInvalidArgument:    {waybill.KindInvalid, waybill.ErrInvalid, false},
		connect.CodeDeadlineExceeded:   {waybill.KindTimeout, waybill.ErrTimeout, true},
		connect.CodeNotFound:           {waybill.KindNotFound, waybill.ErrNotFound, false},
		connect.CodeAlreadyExists:      {waybill.KindConflict, waybill.ErrConflict, false},
		connect.CodePermissionDenied:   {waybill.KindForbidden, waybill.ErrForbidden, false},
		connect.CodeResourceExhausted:  {waybill.KindRateLimited, waybill.ErrRateLimited, true},
		connect.CodeFailedPrecondition: {waybill.KindConflict, waybill.ErrConflict, false},
		connect.CodeAborted:            {waybill.KindConflict, waybill.ErrConflict, true},
		connect.CodeOutOfRange:         {waybill.KindInvalid, waybill.ErrInvalid, false},
		connect.CodeUnimplemented:      {waybill.KindOutdatedClient, waybill.ErrOutdatedClient, false},
		connect.CodeInternal:           {waybill.KindUnavailable, waybill.ErrUnavailable, false},
		connect.CodeUnavailable:        {waybill.KindUnavailable, waybill.ErrUnavailable, true},
		connect.CodeDataLoss:           {waybill.KindUnavailable, waybill.ErrUnavailable, false},
		connect.CodeUnauthenticated:    {waybill.KindUnauthenticated, waybill.ErrUnauthenticated, false},
	}
	for code, want := range cases {
		t.Run(code.String(), func(t *testing.T) {
			t.Parallel()
			url := serve(t, handler(&service{getOrder: func(ctx context.Context, _ *waybillv1.GetOrderStatusRequest) (*waybillv1.Order, error) {
				info, _ := connect.CallInfoForServerContext(ctx)
				info.ResponseHeader().Set("X-Request-Id", "req-77")
				return nil, connect.NewError(code, "the server's words")
			}}))
			_, err := newClient(t, url, waybill.Attempts(1)).GetOrder(t.Context(), waybill.OrderNumber("dhaka-shop", "1"))

			var failure *waybill.Error
			if !errors.As(err, &failure) {
				t.Fatalf("error is a %T, want *waybill.Error", err)
			}
			if failure.Kind != want.kind || failure.Retryable != want.retryable || failure.RequestID != "req-77" {
				t.Errorf("error is %+v, want kind %s, retryable %t", failure, want.kind, want.retryable)
			}
			if !errors.Is(err, want.sentinel) {
				t.Errorf("errors.Is does not find %v in %v", want.sentinel, err)
			}
			if !strings.Contains(err.Error(), "the server's words") || !strings.Contains(err.Error(), "req-77") {
				t.Errorf("text is %q, want the message and the request id in it", err)
			}
		})
	}
}

func TestAnInvalidRequestNamesItsFields(t *testing.T) {
	t.Parallel()
	url := serve(t, handler(&service{}, validate.NewServerInterceptor()))
	_, err := newClient(t, url).IngestEvent(t.Context(), &waybill.IngestEventRequest{
		Account: "dhaka-shop", Provider: "stock", EventId: "1",
		Changes: []*waybillv1.Change{{Change: &waybillv1.Change_OrderPlaced{OrderPlaced: &waybillv1.OrderPlaced{
			OrderId: "1", OrderNumber: "1", Total: &waybillv1.Money{Currency: "taka"},
		}}}},
		Raw: &waybillv1.RawMessage{Headers: map[string]string{"Not Lower": "x"}},
	})

	var failure *waybill.Error
	if !errors.As(err, &failure) || failure.Kind != waybill.KindInvalid {
		t.Fatalf("error is %v, want kind invalid", err)
	}
	want := map[string]string{
		"changes[0].order_placed.total.currency": "string.pattern",
		`raw.headers["Not Lower"]`:               "string.pattern",
	}
	got := map[string]string{}
	for _, field := range failure.Fields {
		got[field.Path] = field.Rule
		if field.Message == "" {
			t.Errorf("field %s has no message", field.Path)
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("fields are %v, want %v", got, want)
	}
}

func TestFieldPathsReadAsProtovalidateWritesThem(t *testing.T) {
	t.Parallel()
	request := &waybillv1.IngestEventRequest{Changes: []*waybillv1.Change{{}, {}}, Raw: &waybillv1.RawMessage{
		Headers: map[string]string{"A": "b", "ok": strings.Repeat("x", 2000)},
	}}
	var broken *protovalidate.ValidationError
	if !errors.As(protovalidate.Validate(request), &broken) {
		t.Fatal("the request is valid")
	}
	url := serve(t, handler(&service{}, validate.NewServerInterceptor()))
	_, err := newClient(t, url).IngestEvent(t.Context(), request)

	var failure *waybill.Error
	if !errors.As(err, &failure) {
		t.Fatalf("error is %v", err)
	}
	paths := map[string]bool{}
	for _, field := range failure.Fields {
		paths[field.Path] = true
	}
	for _, violation := range broken.Violations {
		if want := protovalidate.FieldPathString(violation.Proto.GetField()); !paths[want] {
			t.Errorf("path %s is missing in %v", want, paths)
		}
	}
}

func TestAServerThatIsNotThereIsUnavailableAndTheTextSaysWhere(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}

	_, err = newClient(t, "http://"+address, waybill.Attempts(1)).ListProviders(t.Context(), "dhaka-shop")

	var failure *waybill.Error
	if !errors.As(err, &failure) || failure.Kind != waybill.KindUnavailable || !failure.Retryable {
		t.Fatalf("error is %+v, want unavailable and retryable", err)
	}
	if !strings.Contains(err.Error(), address) {
		t.Errorf("text %q does not name %s", err, address)
	}
}

func TestAnswersThatAreNotWaybillsSayWhatToCheck(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		status    int
		kind      waybill.Kind
		retryable bool
		text      string
	}{
		"a web site":          {http.StatusNotFound, waybill.KindOutdatedClient, false, "check the base URL"},
		"a redirect":          {http.StatusPermanentRedirect, waybill.KindInvalid, false, "the server redirects"},
		"a proxy's limit":     {http.StatusTooManyRequests, waybill.KindUnavailable, true, "429"},
		"a proxy's lost host": {http.StatusBadGateway, waybill.KindUnavailable, true, "502"},
		"a proxy's refusal":   {http.StatusForbidden, waybill.KindForbidden, false, "403"},
		"a proxy's crash":     {http.StatusInternalServerError, waybill.KindUnavailable, true, "500"},
	}
	for name, want := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			header := http.Header{"Content-Type": {"text/html"}, "Location": {"https://elsewhere.example/"}}
			url := serve(t, rawStatus(want.status, header))
			_, err := newClient(t, url, waybill.Attempts(1)).ListProviders(t.Context(), "dhaka-shop")

			var failure *waybill.Error
			if !errors.As(err, &failure) || failure.Kind != want.kind || failure.Retryable != want.retryable {
				t.Fatalf("error is %+v, want %s, retryable %t", err, want.kind, want.retryable)
			}
			if !strings.Contains(err.Error(), want.text) {
				t.Errorf("text is %q, want %q in it", err, want.text)
			}
		})
	}
}

func TestARedirectNeverCarriesTheKeyElsewhere(t *testing.T) {
	t.Parallel()
	var stolen []string
	thief := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		stolen = append(stolen, r.Header.Get("Authorization"))
	}))
	url := serve(t, rawStatus(http.StatusTemporaryRedirect, http.Header{"Location": {thief}}))

	_, err := newClient(t, url, waybill.Key(testKey)).ListProviders(t.Context(), "dhaka-shop")

	if !errors.Is(err, waybill.ErrInvalid) || len(stolen) != 0 {
		t.Errorf("error is %v and the other server saw %d requests, want ErrInvalid and none", err, len(stolen))
	}
}
