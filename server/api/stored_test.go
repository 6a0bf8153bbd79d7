package api

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"buf.build/go/protovalidate"
	"google.golang.org/protobuf/proto"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/gen/go/waybill/v1/waybillv1connect"
	"github.com/waybillhq/waybill/server/order"
	"github.com/waybillhq/waybill/server/store"
)

// start is when the tests' clock begins.
var start = time.Date(2026, 1, 15, 10, 0, 0, 0, time.UTC)

// clock is a time that the tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) move(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(by)
}

// shop is a house over a real store.
type shop struct {
	*house

	store *store.Store
	clock *clock
}

func newShop(t *testing.T, edits ...func(*Deps)) *shop {
	t.Helper()
	s := &shop{clock: &clock{now: start}}
	var err error
	s.store, err = store.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "waybill.db"), store.Options{
		Clock: s.clock.Now, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.store.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := s.store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	edits = append(edits, func(deps *Deps) {
		deps.Now = s.clock.Now
		deps.Health = NewHealth(s.store)
	})
	s.house = newHouse(t, s.store, edits...)
	return s
}

// send ingests an event as the adapter does, and checks the answer against the schema's rules.
func (s *shop) send(t *testing.T, req *waybillv1.IngestEventRequest) *waybillv1.IngestEventResponse {
	t.Helper()
	s.clock.move(time.Second)
	res, err := waybillv1connect.NewIngestServiceClient(InProcess(s.server, Adapter())).IngestEvent(t.Context(), req)
	if err != nil {
		t.Fatalf("event %s: %v", req.GetEventId(), err)
	}
	lawful(t, res)
	return res
}

// decide lets all that is due be decided, as the worker does.
func (s *shop) decide(t *testing.T) {
	t.Helper()
	for {
		claims, err := s.store.Claim(t.Context(), 100, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if len(claims) == 0 {
			return
		}
		decided, err := s.store.Decide(t.Context(), claims, func(string) order.Policy { return order.Policy{} })
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range decided {
			if one.Err != nil {
				t.Fatal(one.Err)
			}
		}
	}
}

// lawful checks a response against the schema's rules.
func lawful(t *testing.T, message proto.Message) {
	t.Helper()
	if err := protovalidate.Validate(message); err != nil {
		t.Errorf("%s: %v", message.ProtoReflect().Descriptor().Name(), err)
	}
}

func (s *shop) tracking(t *testing.T, key string) waybillv1connect.TrackingServiceClient {
	t.Helper()
	return waybillv1connect.NewTrackingServiceClient(s.as(t, key))
}

func (s *shop) work(t *testing.T, key string) waybillv1connect.WorkServiceClient {
	t.Helper()
	return waybillv1connect.NewWorkServiceClient(s.as(t, key))
}

func (s *shop) order(t *testing.T, number string) *waybillv1.Order {
	t.Helper()
	res, err := s.tracking(t, operatorKey).GetOrderStatus(t.Context(), track(func(m *waybillv1.GetOrderStatusRequest) {
		m.Order = &waybillv1.GetOrderStatusRequest_OrderNumber{OrderNumber: number}
	}))
	if err != nil {
		t.Fatalf("%v\n%s", err, s.log)
	}
	lawful(t, res)
	return res.GetOrder()
}

func (s *shop) event(t *testing.T, key, id string) *waybillv1.Event {
	t.Helper()
	res, err := s.work(t, key).GetEvent(t.Context(), &waybillv1.GetEventRequest{Account: "shop", EventId: id})
	if err != nil {
		t.Fatalf("%v\n%s", err, s.log)
	}
	lawful(t, res)
	return res.GetEvent()
}

// The events of the tests. Each is about order 1001 unless its name says otherwise.

func placedEvent(id, number string) *waybillv1.IngestEventRequest {
	return &waybillv1.IngestEventRequest{
		Account: "shop", Provider: "stripe", EventId: id, EventType: "orders/create",
		OccurredAt: timestamppb.New(start.Add(-time.Hour)),
		References: []*waybillv1.Reference{{Kind: waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_ID, Value: "id-" + number}},
		Changes: []*waybillv1.Change{{Change: &waybillv1.Change_OrderPlaced{OrderPlaced: &waybillv1.OrderPlaced{
			OrderId: "id-" + number, OrderNumber: "#" + number, Total: money(120000),
			Lines: []*waybillv1.OrderLine{{LineId: "l1", Sku: "lamp", Quantity: 1}},
		}}}},
	}
}

func paidEvent(id, number string) *waybillv1.IngestEventRequest {
	return &waybillv1.IngestEventRequest{
		Account: "shop", Provider: "stripe", EventId: id, EventType: "payment_intent.succeeded",
		OccurredAt: timestamppb.New(start.Add(-50 * time.Minute)),
		References: []*waybillv1.Reference{{Kind: waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_NUMBER, Value: number}},
		Changes: []*waybillv1.Change{{Change: &waybillv1.Change_PaymentReported{PaymentReported: &waybillv1.PaymentReported{
			PaymentId: "pi_" + number,
			Evidence:  waybillv1.PaymentEvidence_PAYMENT_EVIDENCE_MOVEMENT,
			State:     waybillv1.PaymentState_PAYMENT_STATE_PAID,
			Amount:    money(120000),
		}}}},
	}
}

func scanEvent(id, number string, status waybillv1.ShipmentStatus, at time.Time) *waybillv1.IngestEventRequest {
	return &waybillv1.IngestEventRequest{
		Account: "shop", Provider: "pathao", EventId: id, EventIdDerived: true, EventType: "order.scan",
		OccurredAt: timestamppb.New(at),
		References: []*waybillv1.Reference{{Kind: waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_NUMBER, Value: number}},
		Raw: &waybillv1.RawMessage{
			Body: []byte(`{"event":"` + id + `","note":"SEEDED payload"}`), ContentType: "application/json",
			Headers: map[string]string{"x-topic": "scan"},
		},
		Changes: []*waybillv1.Change{{Change: &waybillv1.Change_StatusChanged{StatusChanged: &waybillv1.StatusChanged{
			Shipment: &waybillv1.ShipmentReference{ConsignmentId: "DA" + number}, Status: status,
			ProviderStatus: "scanned", Reason: "SEEDED reason",
		}}}},
		TranslatorVersion: "1",
	}
}

func ignoredEvent(id string) *waybillv1.IngestEventRequest {
	return &waybillv1.IngestEventRequest{
		Account: "shop", Provider: "pathao", EventId: id, EventType: "ping",
		Changes: []*waybillv1.Change{{Change: &waybillv1.Change_Ignored{Ignored: &waybillv1.Ignored{Reason: "nobody needs pings"}}}},
	}
}

func undecodedEvent(id string) *waybillv1.IngestEventRequest {
	return &waybillv1.IngestEventRequest{
		Account: "shop", Provider: "pathao", EventId: id, EventIdDerived: true, EventType: "undecoded",
		Raw: &waybillv1.RawMessage{
			Body: []byte("SEEDED payload of " + id), ContentType: "text/plain", Headers: map[string]string{"x-topic": "late"},
		},
		Changes:           []*waybillv1.Change{{Change: &waybillv1.Change_Undecoded{Undecoded: &waybillv1.Undecoded{Problem: "it is no JSON"}}}},
		TranslatorVersion: "1",
	}
}

// sendAll ingests events and lets them be decided.
func (s *shop) sendAll(t *testing.T, events ...*waybillv1.IngestEventRequest) []string {
	t.Helper()
	ids := make([]string, 0, len(events))
	for _, event := range events {
		ids = append(ids, s.send(t, event).GetEvent().GetId())
	}
	s.decide(t)
	return ids
}

// numbered makes n events.
func numbered(n int, event func(id string) *waybillv1.IngestEventRequest) []*waybillv1.IngestEventRequest {
	events := make([]*waybillv1.IngestEventRequest, n)
	for i := range events {
		events[i] = event(fmt.Sprintf("event-%03d", i))
	}
	return events
}
