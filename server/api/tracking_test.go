package api

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect/v2"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/google/go-cmp/cmp"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/gen/go/waybill/v1/waybillv1connect"
)

const (
	shipped   = waybillv1.ShipmentStatus_SHIPMENT_STATUS_SHIPPED
	inTransit = waybillv1.ShipmentStatus_SHIPMENT_STATUS_IN_TRANSIT
	delivered = waybillv1.ShipmentStatus_SHIPMENT_STATUS_DELIVERED
	returned  = waybillv1.ShipmentStatus_SHIPMENT_STATUS_RETURNED
)

// newJourney is a shop in which order 1001 was paid and delivered, and returned by a later word that doesn't count.
func newJourney(t *testing.T) *shop {
	t.Helper()
	shop := newShop(t)
	shop.sendAll(t, placedEvent("placed", "1001"))
	shop.sendAll(t, paidEvent("paid", "1001"))
	shop.sendAll(t, scanEvent("shipped", "1001", shipped, start.Add(-30*time.Minute)))
	shop.sendAll(t, scanEvent("delivered", "1001", delivered, start.Add(-20*time.Minute)))
	shop.sendAll(t, scanEvent("returned", "1001", returned, start.Add(-10*time.Minute)))
	return shop
}

func TestAnOrderIsShownAsItStands(t *testing.T) {
	t.Parallel()
	shop := newJourney(t)

	got := shop.order(t, "1001")

	if len(got.GetTimeline()) < 4 {
		t.Fatalf("the timeline has %d steps", len(got.GetTimeline()))
	}
	for i, step := range got.GetTimeline() {
		if step.GetId() == "" || step.GetEventId() == "" || step.GetProvider() == "" || step.GetRecordedAt() == nil {
			t.Errorf("step %d: %v", i, step)
		}
	}
	if len(got.GetAttention()) != 1 || got.GetAttention()[0].GetEventId() == "" || got.GetAttention()[0].GetSince() == nil {
		t.Errorf("attention: %v", got.GetAttention())
	}
	if got.GetCursor() == "" || got.GetUpdatedAt() == nil {
		t.Errorf("cursor %q, updated at %v", got.GetCursor(), got.GetUpdatedAt())
	}
	got.Timeline, got.Attention, got.Cursor, got.UpdatedAt, got.Facts = nil, nil, "", nil, nil
	want := &waybillv1.Order{
		OrderNumber:   "1001",
		Status:        waybillv1.OrderStatus_ORDER_STATUS_DELIVERED,
		PaymentStatus: waybillv1.PaymentStatus_PAYMENT_STATUS_PAID,
		Shipments: []*waybillv1.Shipment{{
			ConsignmentId: "DA1001", Status: delivered, StatusAt: timestamppb.New(start.Add(-20 * time.Minute)),
			StatusAtCertainty: waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_EXACT,
		}},
		Total: money(120000), Paid: money(120000), Account: "shop",
	}
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
}

func TestAnOrderIsFoundByItsNumberAndItsParcelsThroughEveryDoor(t *testing.T) {
	t.Parallel()
	shop := newJourney(t)
	want := shop.order(t, "1001")
	want.Attention = nil
	for _, step := range want.GetTimeline() {
		step.EventId = ""
	}
	named := map[string]*waybillv1.GetOrderStatusRequest{
		"number":             {Order: &waybillv1.GetOrderStatusRequest_OrderNumber{OrderNumber: "1001"}},
		"number with a #":    {Order: &waybillv1.GetOrderStatusRequest_OrderNumber{OrderNumber: "#1001"}},
		"consignment":        {Order: &waybillv1.GetOrderStatusRequest_ConsignmentId{ConsignmentId: "DA1001"}},
		"consignment, typed": {Order: &waybillv1.GetOrderStatusRequest_ConsignmentId{ConsignmentId: " da1001 "}},
	}
	for name, req := range named {
		req.Account = "shop"
		for door := range doors {
			client := waybillv1connect.NewTrackingServiceClient(shop.over(door, trackerKey))

			res, err := client.GetOrderStatus(t.Context(), req)
			if err != nil {
				t.Errorf("%s over %s: %v", name, door, err)
				continue
			}
			if diff := cmp.Diff(want, res.GetOrder(), protocmp.Transform()); diff != "" {
				t.Errorf("%s over %s: %s", name, door, diff)
			}
		}
	}
}

func TestWhoOnlyTracksSeesNothingThatIsForOperators(t *testing.T) {
	t.Parallel()
	shop := newJourney(t)

	res, err := shop.tracking(t, trackerKey).GetOrderStatus(t.Context(), track(func(*waybillv1.GetOrderStatusRequest) {}))
	if err != nil {
		t.Fatal(err)
	}
	lawful(t, res)
	text, err := protojson.Marshal(res)
	if err != nil {
		t.Fatal(err)
	}
	for _, hidden := range []string{"evt_", "SEEDED", "attention", "scanned"} {
		if strings.Contains(string(text), hidden) {
			t.Errorf("%s is shown: %s", hidden, text)
		}
	}
	if res.GetOrder().GetPaid().GetMinorUnits() != 120000 || res.GetOrder().GetTotal().GetMinorUnits() != 120000 {
		t.Errorf("the money is missing: %v", res.GetOrder())
	}
}

// answer is what an HTTP caller gets, but for what differs from call to call.
type answer struct {
	status  int
	header  string
	body    string
	trailer string
}

func (s *shop) raw(t *testing.T, contentType, key string, message proto.Message) answer {
	t.Helper()
	body, err := protojson.Marshal(message)
	if contentType != "application/json" {
		body, err = proto.Marshal(message)
	}
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(contentType, "application/grpc") {
		body = append([]byte{0, 0, 0, 0, byte(len(body))}, body...)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
		s.url+waybillv1connect.TrackingServiceGetOrderStatusProcedure, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("Authorization", bearer(key))
	res, err := h2c().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if res.Header.Get(RequestIDHeader)+res.Trailer.Get(RequestIDHeader) == "" {
		t.Error("the answer has no request id")
	}
	flat := func(header http.Header) string {
		header.Del("Date")
		header.Del(RequestIDHeader)
		var text bytes.Buffer
		if err := header.Write(&text); err != nil {
			t.Fatal(err)
		}
		return text.String()
	}
	return answer{res.StatusCode, flat(res.Header), stripID(string(text)), flat(res.Trailer)}
}

// stripID takes the request id out of trailers that gRPC-Web puts into the body.
func stripID(body string) string {
	var kept []string
	for line := range strings.Lines(body) {
		if !strings.Contains(strings.ToLower(line), strings.ToLower(RequestIDHeader)) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

func TestNobodyLearnsWhetherAnOrderExistsThatIsNotTheirs(t *testing.T) {
	t.Parallel()
	shop := newJourney(t)
	number := func(account, number string) *waybillv1.GetOrderStatusRequest {
		return &waybillv1.GetOrderStatusRequest{
			Account: account, Order: &waybillv1.GetOrderStatusRequest_OrderNumber{OrderNumber: number},
		}
	}
	asked := map[string]struct {
		key string
		req *waybillv1.GetOrderStatusRequest
	}{
		"an order of another account":    {strangerKey, number("shop", "1001")},
		"no order of another account":    {strangerKey, number("shop", "9999")},
		"no order of one's own account":  {trackerKey, number("shop", "9999")},
		"an account that does not exist": {trackerKey, number("none", "1001")},
		"another's number in one's own":  {strangerKey, number("other", "1001")},
		"a parcel of another account": {strangerKey, &waybillv1.GetOrderStatusRequest{
			Account: "shop", Order: &waybillv1.GetOrderStatusRequest_ConsignmentId{ConsignmentId: "DA1001"},
		}},
		"no parcel": {trackerKey, &waybillv1.GetOrderStatusRequest{
			Account: "shop", Order: &waybillv1.GetOrderStatusRequest_ConsignmentId{ConsignmentId: "DA9999"},
		}},
		"a tracking token": {trackerKey, &waybillv1.GetOrderStatusRequest{
			Account: "shop", Order: &waybillv1.GetOrderStatusRequest_TrackingToken{TrackingToken: "valid-token-with-last-letter"},
		}},
	}
	for _, contentType := range []string{
		"application/json", "application/proto", "application/grpc+proto", "application/grpc-web+proto",
	} {
		want := shop.raw(t, contentType, trackerKey, number("shop", "8888"))
		for name, ask := range asked {
			if diff := cmp.Diff(want, shop.raw(t, contentType, ask.key, ask.req), cmp.AllowUnexported(answer{})); diff != "" {
				t.Errorf("%s, %s: %s", name, contentType, diff)
			}
		}
		if found := shop.raw(t, contentType, trackerKey, number("shop", "1001")); found.body == want.body {
			t.Errorf("%s: the order itself is not found either: %+v", contentType, found)
		}
	}
}

func TestWatchingIsNotServedYetAndSaysSo(t *testing.T) {
	t.Parallel()
	shop := newShop(t)
	for _, door := range []string{"connect", "grpc", "grpc-web"} {
		stream, err := waybillv1connect.NewTrackingServiceClient(shop.over(door, trackerKey)).WatchOrderStatus(t.Context(),
			&waybillv1.WatchOrderStatusRequest{
				Account: "shop", Order: &waybillv1.WatchOrderStatusRequest_OrderNumber{OrderNumber: "1001"},
			})
		if err != nil {
			t.Fatal(err)
		}

		_, err = stream.Receive()

		var read *connect.Error
		if !errors.As(err, &read) || read.Code() != connect.CodeUnimplemented || !strings.Contains(read.Message(), "GetOrderStatus") {
			t.Errorf("%s: %v", door, err)
		}
	}
}
