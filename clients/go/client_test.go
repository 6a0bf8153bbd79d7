package waybill_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect/v2"
	"google.golang.org/protobuf/reflect/protoreflect"

	waybill "github.com/waybillhq/waybill/clients/go"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
)

const testKey = "wbk_a-key-that-nobody-may-see"

func TestNewRefusesABaseURLThatCannotWorkOrHoldsAKey(t *testing.T) {
	t.Parallel()
	for _, baseURL := range []string{"", "waybill.internal", "ftp://host", "http://", "http://host?a=b", "http://host#a", "http://[::1"} {
		if _, err := waybill.New(baseURL); !errors.Is(err, waybill.ErrInvalid) {
			t.Errorf("New(%q): error is %v, want ErrInvalid", baseURL, err)
		}
	}
	_, err := waybill.New("https://operator:" + testKey + "@waybill.internal")
	if !errors.Is(err, waybill.ErrInvalid) {
		t.Fatalf("a URL with a password: error is %v, want ErrInvalid", err)
	}
	if strings.Contains(err.Error(), testKey) {
		t.Fatalf("the error shows the password: %v", err)
	}
}

func TestNewRefusesOptionsThatCannotWork(t *testing.T) {
	t.Parallel()
	options := map[string]waybill.Option{
		"an empty key":             waybill.Key(""),
		"a key with a line break":  waybill.Key(testKey + "\n"),
		"a key with a space":       waybill.Key("a " + testKey),
		"a key file that is not":   waybill.KeyFile(filepath.Join(t.TempDir(), "none")),
		"an empty user agent":      waybill.UserAgent(""),
		"a user agent that breaks": waybill.UserAgent("a\r\nX: y"),
		"no HTTP client":           waybill.HTTPClient(nil),
		"no attempt":               waybill.Attempts(0),
		"no time":                  waybill.Timeout(0),
		"no patience":              waybill.Patience(-1),
	}
	for name, option := range options {
		_, err := waybill.New("http://host", option)
		if !errors.Is(err, waybill.ErrInvalid) {
			t.Errorf("%s: error is %v, want ErrInvalid", name, err)
		}
		if err != nil && strings.Contains(err.Error(), testKey) {
			t.Errorf("%s: the error shows the key: %v", name, err)
		}
	}
}

func TestTheKeyAndTheUserAgentAreSentAndTheKeyIsNeverPrinted(t *testing.T) {
	t.Parallel()
	var authorization, agent string
	url := serve(t, handler(&service{getOrder: func(ctx context.Context, _ *waybillv1.GetOrderStatusRequest) (*waybillv1.Order, error) {
		info, _ := connect.CallInfoForServerContext(ctx)
		authorization = info.RequestHeader().Get("Authorization")
		agent = info.RequestHeader().Get("User-Agent")
		return nil, connect.NewError(connect.CodePermissionDenied, "no")
	}}))
	client := newClient(t, url, waybill.Key(testKey), waybill.UserAgent("stock-service/3"))

	_, err := client.GetOrder(t.Context(), waybill.OrderNumber("dhaka-shop", "1001"))

	if authorization != "Bearer "+testKey {
		t.Errorf("authorization is %q", authorization)
	}
	if agent != "stock-service/3" {
		t.Errorf("user agent is %q", agent)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		for name, value := range map[string]any{"client": client, "client by value": *client, "error": err} {
			if text := fmt.Sprintf(verb, value); strings.Contains(text, testKey) {
				t.Errorf("%s printed with %s shows the key: %s", name, verb, text)
			}
		}
	}
}

func TestAKeyFileIsReadAgainForEveryCall(t *testing.T) {
	t.Parallel()
	var seen []string
	url := serve(t, handler(&service{getOrder: func(ctx context.Context, _ *waybillv1.GetOrderStatusRequest) (*waybillv1.Order, error) {
		info, _ := connect.CallInfoForServerContext(ctx)
		seen = append(seen, info.RequestHeader().Get("Authorization"))
		return &waybillv1.Order{}, nil
	}}))
	file := filepath.Join(t.TempDir(), "key")
	writeFile(t, file, "first\n")
	client := newClient(t, url, waybill.KeyFile(file))

	getOrder(t, client)
	writeFile(t, file, "  second\r\n")
	getOrder(t, client)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	_, err := client.GetOrder(t.Context(), waybill.OrderNumber("dhaka-shop", "1001"))

	if want := []string{"Bearer first", "Bearer second"}; !slices.Equal(seen, want) {
		t.Errorf("keys sent are %q, want %q", seen, want)
	}
	if !errors.Is(err, waybill.ErrInvalid) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without its key file the call fails with %v, want ErrInvalid and os.ErrNotExist", err)
	}
}

func TestGetOrderNamesItsOrder(t *testing.T) {
	t.Parallel()
	url := serve(t, handler(&service{getOrder: func(_ context.Context, req *waybillv1.GetOrderStatusRequest) (*waybillv1.Order, error) {
		return &waybillv1.Order{
			Account:     req.GetAccount(),
			OrderNumber: req.GetOrderNumber() + req.GetConsignmentId(),
			Status:      waybillv1.OrderStatus_ORDER_STATUS_IN_TRANSIT,
		}, nil
	}}))
	client := newClient(t, url)
	refs := map[string]waybill.OrderRef{
		"1001":       waybill.OrderNumber("dhaka-shop", "1001"),
		"DA2911BX7K": waybill.Consignment("dhaka-shop", "DA2911BX7K"),
	}

	for want, ref := range refs {
		order, err := client.GetOrder(t.Context(), ref)
		if err != nil {
			t.Fatal(err)
		}
		if order.GetOrderNumber() != want || order.GetAccount() != "dhaka-shop" {
			t.Errorf("order is %v, want %s of dhaka-shop", order, want)
		}
	}
	if _, err := client.GetOrder(t.Context(), waybill.OrderRef{}); !errors.Is(err, waybill.ErrInvalid) {
		t.Errorf("an order without a name: error is %v, want ErrInvalid", err)
	}
}

func TestEventsWalksOverAllPagesOnceAndLeavesTheRequestAlone(t *testing.T) {
	t.Parallel()
	next := map[string]string{"start": "b", "b": "c", "c": ""}
	url := serve(t, handler(&service{listEvents: func(req *waybillv1.ListEventsRequest) (*waybillv1.ListEventsResponse, error) {
		token := req.GetPageToken()
		return &waybillv1.ListEventsResponse{
			Events:        []*waybillv1.Event{{Id: token + "1"}, {Id: token + "2"}},
			NextPageToken: next[token],
		}, nil
	}}))
	client := newClient(t, url)
	request := &waybill.ListEventsRequest{Account: "dhaka-shop", PageToken: "start"}
	events := client.Events(t.Context(), request)

	for range 2 { // an iterator may be used again
		var ids []string
		for event, err := range events {
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, event.GetId())
		}
		if want := []string{"start1", "start2", "b1", "b2", "c1", "c2"}; !slices.Equal(ids, want) {
			t.Errorf("events are %q, want %q", ids, want)
		}
	}
	if request.GetPageToken() != "start" {
		t.Errorf("the caller's request now asks for page %q", request.GetPageToken())
	}
}

func TestPendingWorkStopsWhenTheCallerDoesAndAfterAnError(t *testing.T) {
	t.Parallel()
	calls := 0
	url := serve(t, handler(&service{listPending: func(req *waybillv1.ListPendingWorkRequest) (*waybillv1.ListPendingWorkResponse, error) {
		calls++
		if req.GetPageToken() == "b" {
			return nil, connect.NewError(connect.CodeInvalidArgument, "page token is not ours")
		}
		return &waybillv1.ListPendingWorkResponse{
			Items:         []*waybillv1.WorkItem{{WorkId: "evt_1"}, {WorkId: "evt_2"}},
			NextPageToken: "b",
		}, nil
	}}))
	client := newClient(t, url)
	work := client.PendingWork(t.Context(), &waybill.ListPendingWorkRequest{Account: "dhaka-shop"})

	for range work {
		break
	}
	if calls != 1 {
		t.Errorf("after a break %d pages were asked for, want 1", calls)
	}

	var items int
	var failures []error
	for _, err := range work {
		if err != nil {
			failures = append(failures, err)
			continue
		}
		items++
	}
	if items != 2 || len(failures) != 1 || !errors.Is(failures[0], waybill.ErrInvalid) {
		t.Errorf("%d items and errors %v, want 2 and one ErrInvalid", items, failures)
	}
}

func TestAServerThatRepeatsAPageDoesNotHoldTheCallerForEver(t *testing.T) {
	t.Parallel()
	url := serve(t, handler(&service{listEvents: func(*waybillv1.ListEventsRequest) (*waybillv1.ListEventsResponse, error) {
		return &waybillv1.ListEventsResponse{NextPageToken: "again"}, nil
	}}))
	var last error
	for _, err := range newClient(t, url).Events(t.Context(), &waybill.ListEventsRequest{Account: "dhaka-shop"}) {
		last = err
	}
	if !errors.Is(last, waybill.ErrUnavailable) {
		t.Errorf("error is %v, want ErrUnavailable", last)
	}
}

func TestReprocessMakesItsRequestIDAndAPreviewNeverUsesTheCallers(t *testing.T) {
	t.Parallel()
	var requests []*waybillv1.ReprocessRequest
	url := serve(t, handler(&service{reprocess: func(req *waybillv1.ReprocessRequest) (*waybillv1.ReprocessResponse, error) {
		requests = append(requests, req)
		return &waybillv1.ReprocessResponse{}, nil
	}}))
	client := newClient(t, url)
	own := &waybill.ReprocessRequest{Account: "dhaka-shop", Reason: "new word", RequestId: "mine-0001"}
	bare := &waybill.ReprocessRequest{Account: "dhaka-shop", Reason: "new word"}

	for _, step := range []func(context.Context, *waybill.ReprocessRequest) (*waybill.ReprocessResponse, error){
		client.PreviewReprocess, client.Reprocess,
	} {
		for _, request := range []*waybill.ReprocessRequest{own, bare} {
			if _, err := step(t.Context(), request); err != nil {
				t.Fatal(err)
			}
		}
	}

	for i, want := range []struct{ dry, own bool }{{true, false}, {true, false}, {false, true}, {false, false}} {
		got := requests[i]
		if got.GetDryRun() != want.dry || (got.GetRequestId() == "mine-0001") != want.own || len(got.GetRequestId()) < 8 {
			t.Errorf("request %d is %v, want dry run %t, the caller's id %t", i, got, want.dry, want.own)
		}
	}
	if requests[1].GetRequestId() == requests[3].GetRequestId() {
		t.Error("two requests share a made id")
	}
	if bare.GetRequestId() != "" || bare.GetDryRun() {
		t.Errorf("the caller's request was changed: %v", bare)
	}
}

func TestIngestGetEventAndListProvidersPassRequestAndAnswerOn(t *testing.T) {
	t.Parallel()
	url := serve(t, handler(&service{
		ingest: func(_ context.Context, req *waybillv1.IngestEventRequest) (*waybillv1.IngestEventResponse, error) {
			return &waybillv1.IngestEventResponse{FirstDelivery: true, Event: &waybillv1.Event{EventId: req.GetEventId()}}, nil
		},
		getEvent: func(req *waybillv1.GetEventRequest) (*waybillv1.Event, error) {
			return &waybillv1.Event{Id: req.GetEventId()}, nil
		},
		providers: func(account string) []*waybillv1.Provider { return []*waybillv1.Provider{{Name: account}} },
	}))
	client := newClient(t, url)

	receipt, err := client.IngestEvent(t.Context(), &waybill.IngestEventRequest{EventId: "stock-77"})
	if err != nil || !receipt.GetFirstDelivery() || receipt.GetEvent().GetEventId() != "stock-77" {
		t.Errorf("receipt is %v, %v", receipt, err)
	}
	event, err := client.GetEvent(t.Context(), &waybill.GetEventRequest{EventId: "evt_1"})
	if err != nil || event.GetId() != "evt_1" {
		t.Errorf("event is %v, %v", event, err)
	}
	providers, err := client.ListProviders(t.Context(), "dhaka-shop")
	if err != nil || len(providers) != 1 || providers[0].GetName() != "dhaka-shop" {
		t.Errorf("providers are %v, %v", providers, err)
	}
}

func TestAnEventWithItsBytesFitsThroughTheClient(t *testing.T) {
	t.Parallel()
	const largest = 16 << 20
	url := serve(t, handler(&service{getEvent: func(*waybillv1.GetEventRequest) (*waybillv1.Event, error) {
		return &waybillv1.Event{Raw: &waybillv1.RawMessage{Body: make([]byte, largest)}}, nil
	}}))
	event, err := newClient(t, url).GetEvent(t.Context(), &waybill.GetEventRequest{IncludeRaw: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := len(event.GetRaw().GetBody()); got != largest {
		t.Errorf("%d bytes came through, want %d", got, largest)
	}
}

func TestWordIsThePlainWordOfEveryEnum(t *testing.T) {
	t.Parallel()
	words := map[string]protoreflect.Enum{
		"in_transit":     waybillv1.OrderStatus_ORDER_STATUS_IN_TRANSIT,
		"delivered":      waybillv1.ShipmentStatus_SHIPMENT_STATUS_DELIVERED,
		"partially_paid": waybillv1.PaymentStatus_PAYMENT_STATUS_PARTIALLY_PAID,
		"parked":         waybillv1.EventState_EVENT_STATE_PARKED,
		"zone_assumed":   waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_ZONE_ASSUMED,
		"operator":       waybillv1.Actor_ACTOR_OPERATOR,
	}
	for want, value := range words {
		if got := waybill.Word(value); got != want {
			t.Errorf("the word of %v is %q, want %q", value, got, want)
		}
	}
	for _, value := range []protoreflect.Enum{waybillv1.Outcome_OUTCOME_UNSPECIFIED, waybillv1.Outcome(99)} {
		if got := waybill.Word(value); got != "" {
			t.Errorf("the word of %v is %q, want none", value, got)
		}
	}
}

func getOrder(t *testing.T, client *waybill.Client) {
	t.Helper()
	if _, err := client.GetOrder(t.Context(), waybill.OrderNumber("dhaka-shop", "1001")); err != nil {
		t.Fatal(err)
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
