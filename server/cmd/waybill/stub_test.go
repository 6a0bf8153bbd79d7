package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connecthttp"
	"connectrpc.com/validate"
	"google.golang.org/protobuf/types/known/timestamppb"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/gen/go/waybill/v1/waybillv1connect"
)

const (
	operatorKey = "wbk_operator-of-the-test"
	trackKey    = "wbk_tracker-of-the-test"
)

// stub answers with fixed nouns. Account quiet-shop has nothing unfinished, busy-shop 2,500 items.
type stub struct {
	waybillv1connect.UnimplementedTrackingServiceHandler
	waybillv1connect.UnimplementedWorkServiceHandler
	waybillv1connect.UnimplementedProviderServiceHandler
}

func stubHandler() http.Handler {
	server := connect.NewServer(authenticate, validate.NewServerInterceptor())
	waybillv1connect.RegisterTrackingServiceHandler(server, stub{})
	waybillv1connect.RegisterWorkServiceHandler(server, stub{})
	waybillv1connect.RegisterProviderServiceHandler(server, stub{})
	mux := http.NewServeMux()
	connecthttp.Mount(mux, server)
	return mux
}

func authenticate(next connect.ServerFunc) connect.ServerFunc {
	return func(ctx context.Context, spec connect.Spec, stream connect.ServerStream) error {
		info, _ := connect.CallInfoForServerContext(ctx)
		info.ResponseHeader().Set("X-Request-Id", "req_stub")
		switch info.RequestHeader().Get("Authorization") {
		case "Bearer " + operatorKey:
		case "Bearer " + trackKey:
			if strings.Contains(spec.Procedure, "WorkService") {
				return connect.NewError(connect.CodePermissionDenied, "the key may not do this")
			}
		default:
			return connect.NewError(connect.CodeUnauthenticated, "send a valid key")
		}
		return next(ctx, spec, stream)
	}
}

var noon = time.Date(2026, 11, 29, 6, 0, 0, 0, time.UTC)

func stamp(minutes int) *timestamppb.Timestamp {
	return timestamppb.New(noon.Add(time.Duration(minutes) * time.Minute))
}

func (stub) GetOrderStatus(_ context.Context, req *waybillv1.GetOrderStatusRequest) (*waybillv1.GetOrderStatusResponse, error) {
	if req.GetOrderNumber() != "1001" && req.GetConsignmentId() != "DA2911BX7K" {
		return nil, connect.NewError(connect.CodeNotFound, "no such order")
	}
	return &waybillv1.GetOrderStatusResponse{Order: &waybillv1.Order{
		Account:       req.GetAccount(),
		OrderNumber:   "1001",
		Status:        waybillv1.OrderStatus_ORDER_STATUS_OUT_FOR_DELIVERY,
		PaymentStatus: waybillv1.PaymentStatus_PAYMENT_STATUS_PAID,
		Total:         &waybillv1.Money{Currency: "BDT", MinorUnits: 120000},
		Paid:          &waybillv1.Money{Currency: "BDT", MinorUnits: 120000},
		Facts:         map[string]string{"partly_returned": "yes"},
		UpdatedAt:     stamp(32),
		Shipments: []*waybillv1.Shipment{{
			ConsignmentId: "DA2911BX7K", Courier: "Pathao", StatusAt: stamp(32),
			Status:            waybillv1.ShipmentStatus_SHIPMENT_STATUS_OUT_FOR_DELIVERY,
			StatusAtCertainty: waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_ZONE_ASSUMED,
			Facts:             map[string]string{"on_hold": "until noon"},
		}},
		Timeline: []*waybillv1.TimelineEntry{
			{Id: "1", RecordedAt: stamp(0), ToStatus: "pending", Provider: "shop", EventId: "evt_1"},
			{
				Id: "2", OccurredAt: stamp(32), RecordedAt: stamp(33), FromStatus: "processing", ToStatus: "out_for_delivery",
				Skipped: []string{"shipped", "in_transit"}, Shipment: "DA2911BX7K", Provider: "pathao", EventId: "evt_2",
			},
		},
		Attention: []*waybillv1.Attention{{
			Reason: "conflicting", Detail: "stripe says 1,200.00 BDT, first said 1,000.00", Since: stamp(5), EventId: "evt_9K1",
		}},
	}}, nil
}

// hostile is what a sender could write to play with an operator's terminal.
const hostile = "word \x1b[31m\"drone_lost\"\x07 has no\nmeaning\there yet, and this reason goes on and on so that it has to wrap"

func pendingItems(account string) []*waybillv1.WorkItem {
	switch account {
	case "quiet-shop":
		return nil
	case "busy-shop":
		items := make([]*waybillv1.WorkItem, 2500)
		for i := range items {
			items[i] = &waybillv1.WorkItem{WorkId: "evt_" + strconv.Itoa(i), Kind: "event"}
		}
		return items
	}
	return []*waybillv1.WorkItem{
		{
			WorkId: "evt_7Q3", Kind: "event", Provider: "pathao", State: waybillv1.EventState_EVENT_STATE_PARKED,
			EventType: "order.drone-lost", Reason: hostile, WhoActs: waybillv1.Actor_ACTOR_OPERATOR, ReceivedAt: stamp(-60), Attempts: 1,
		},
		{
			WorkId: "evt_5W1", Kind: "event", Provider: "pathao", State: waybillv1.EventState_EVENT_STATE_WAITING,
			EventType: "order.picked", Reason: "order 1002 unknown", WhoActs: waybillv1.Actor_ACTOR_PROVIDER, ReceivedAt: stamp(0),
			NextAttemptAt: stamp(60 * 48),
		},
	}
}

func (stub) ListPendingWork(_ context.Context, req *waybillv1.ListPendingWorkRequest) (*waybillv1.ListPendingWorkResponse, error) {
	all := pendingItems(req.GetAccount())
	response := &waybillv1.ListPendingWorkResponse{Summary: &waybillv1.WorkSummary{}}
	counts := map[waybillv1.EventState]int64{}
	for _, item := range all {
		counts[item.GetState()]++
	}
	for state, count := range counts {
		response.Summary.Counts = append(response.Summary.Counts, &waybillv1.WorkCount{Kind: "event", State: state, Count: count})
	}
	slices.SortFunc(response.GetSummary().GetCounts(), func(a, b *waybillv1.WorkCount) int { return int(b.GetState() - a.GetState()) })
	if len(all) > 0 {
		response.Summary.OldestDueAt, response.Summary.OldestWaitingAt = stamp(-30), stamp(-60)
	}
	for _, item := range all {
		if len(req.GetStates()) == 0 || slices.Contains(req.GetStates(), item.GetState()) {
			response.Items = append(response.Items, item)
		}
	}
	response.Items, response.NextPageToken = page(response.GetItems(), int(req.GetPageSize()), req.GetPageToken())
	return response, nil
}

// page cuts a page out of a list; a token is how many came before.
func page[Item any](items []Item, size int, token string) ([]Item, string) {
	from, _ := strconv.Atoi(token)
	to := min(from+size, len(items))
	if to == len(items) {
		return items[from:], ""
	}
	return items[from:to], strconv.Itoa(to)
}

// rawBody is nothing that a terminal or a text tool would leave alone.
const rawBody = "{\"raw\":\"\x00\xff\"}"

func events() []*waybillv1.Event {
	return []*waybillv1.Event{
		{
			Id: "evt_7Q3", Account: "dhaka-shop", Provider: "pathao", EventId: "20261129T060000Z-ab", EventType: "order.drone-lost",
			ReceivedAt: stamp(1), OccurredAt: stamp(0), State: waybillv1.EventState_EVENT_STATE_PARKED, Reason: hostile,
			OrderNumbers: []string{"1001"},
		},
		{
			Id: "evt_2", Account: "dhaka-shop", Provider: "pathao", EventId: "20261129T063200Z-cd", EventType: "order.assigned-for-delivery",
			ReceivedAt: stamp(33), OccurredAt: stamp(32), State: waybillv1.EventState_EVENT_STATE_COMPLETED,
			Outcome: waybillv1.Outcome_OUTCOME_APPLIED, Reason: "now out_for_delivery", OrderNumbers: []string{"1001"},
		},
	}
}

func (stub) ListEvents(_ context.Context, req *waybillv1.ListEventsRequest) (*waybillv1.ListEventsResponse, error) {
	response := &waybillv1.ListEventsResponse{}
	for _, event := range events() {
		wanted := (req.GetOutcome() == 0 || req.GetOutcome() == event.GetOutcome()) &&
			(req.GetProvider() == "" || req.GetProvider() == event.GetProvider()) &&
			(req.GetOrderNumber() == "" || slices.Contains(event.GetOrderNumbers(), req.GetOrderNumber())) &&
			(req.GetReceivedAfter() == nil || !event.GetReceivedAt().AsTime().Before(req.GetReceivedAfter().AsTime())) &&
			(req.GetReceivedBefore() == nil || event.GetReceivedAt().AsTime().Before(req.GetReceivedBefore().AsTime()))
		if wanted {
			response.Events = append(response.Events, event)
		}
	}
	response.Events, response.NextPageToken = page(response.GetEvents(), int(req.GetPageSize()), req.GetPageToken())
	return response, nil
}

func (stub) GetEvent(_ context.Context, req *waybillv1.GetEventRequest) (*waybillv1.GetEventResponse, error) {
	at := slices.IndexFunc(events(), func(event *waybillv1.Event) bool { return event.GetId() == req.GetEventId() })
	if at < 0 {
		return nil, connect.NewError(connect.CodeNotFound, "not found")
	}
	event := events()[at]
	event.OccurredAtCertainty = waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_ZONE_ASSUMED
	event.References = []*waybillv1.Reference{{Kind: waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_NUMBER, Value: "1001"}}
	event.Changes = []*waybillv1.Change{{Change: &waybillv1.Change_Unrecognised{
		Unrecognised: &waybillv1.Unrecognised{Field: "event", Word: "order.drone-lost"},
	}}}
	event.Decisions = []*waybillv1.Decision{{
		Outcome: waybillv1.Outcome_OUTCOME_PARKED, Reason: "unknown word", DecidedAt: stamp(2), Revision: 1, OrderNumber: "1001",
	}}
	event.Deliveries = []*waybillv1.Delivery{
		{ReceivedAt: stamp(1), Receipt: waybillv1.Receipt_RECEIPT_ACCEPTED, BodySha256: "aa11", DeliveryId: "dlv-1"},
		{ReceivedAt: stamp(3), Receipt: waybillv1.Receipt_RECEIPT_CONFLICTING, BodySha256: "bb22", Further: 4, Changes: event.GetChanges()},
	}
	if req.GetIncludeRaw() && event.GetId() == "evt_7Q3" {
		event.Raw = &waybillv1.RawMessage{Body: []byte(rawBody)}
	}
	return &waybillv1.GetEventResponse{Event: event}, nil
}

func (stub) Reprocess(_ context.Context, req *waybillv1.ReprocessRequest) (*waybillv1.ReprocessResponse, error) {
	if req.GetEventId() == "evt_finished" {
		done := &waybillv1.Event{State: waybillv1.EventState_EVENT_STATE_COMPLETED, Outcome: waybillv1.Outcome_OUTCOME_APPLIED}
		return &waybillv1.ReprocessResponse{Before: done, After: done}, nil
	}
	if req.GetEventId() != "evt_7Q3" {
		return nil, connect.NewError(connect.CodeNotFound, "not found")
	}
	if req.GetRequestId() == "used-before" {
		return nil, connect.NewError(connect.CodeAlreadyExists, "request_id was used for another request; make a new one")
	}
	before := events()[0]
	after := &waybillv1.Event{Id: before.GetId(), State: waybillv1.EventState_EVENT_STATE_COMPLETED, Outcome: waybillv1.Outcome_OUTCOME_APPLIED, Reason: "now shipped"}
	if req.GetResolution() == waybillv1.Resolution_RESOLUTION_ABANDON {
		after.Outcome, after.Reason = waybillv1.Outcome_OUTCOME_ABANDONED, req.GetReason()
	}
	response := &waybillv1.ReprocessResponse{Before: before, After: after}
	if !req.GetDryRun() {
		response.Audit = &waybillv1.AuditEntry{Id: "aud_1", Operator: "rahim", RequestId: req.GetRequestId()}
	}
	return response, nil
}

func (stub) ListProviders(_ context.Context, _ *waybillv1.ListProvidersRequest) (*waybillv1.ListProvidersResponse, error) {
	return &waybillv1.ListProvidersResponse{Providers: []*waybillv1.Provider{
		{Name: "pathao", LastReceivedAt: stamp(0)}, {Name: "shop", LastReceivedAt: stamp(10)}, {Name: "stripe"},
	}}, nil
}

// hookHandler tells what it was sent, so that a script can look at it: its answer holds the request. What is posted for
// account closed-shop is refused, and other-shop sends callers elsewhere.
func hookHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/webhooks/closed-shop/"):
			w.WriteHeader(http.StatusUnauthorized)
			return
		case strings.HasPrefix(r.URL.Path, "/webhooks/other-shop/"):
			w.Header().Set("Location", "/webhooks/dhaka-shop/desk")
			w.WriteHeader(http.StatusTemporaryRedirect)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"path": r.URL.Path, "authorization": r.Header.Get("Authorization"), "body": json.RawMessage(body),
		})
	})
}
