package api

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect/v2"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/google/go-cmp/cmp"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/gen/go/waybill/v1/waybillv1connect"
)

func TestAReceiptSaysWhetherTheEventIsNew(t *testing.T) {
	t.Parallel()
	shop := newShop(t)
	event := placedEvent("evt-1", "1001")

	first := shop.send(t, event)
	if !strings.HasPrefix(first.GetEvent().GetId(), "evt_") {
		t.Fatalf("the event's id is %q", first.GetEvent().GetId())
	}
	want := &waybillv1.IngestEventResponse{
		Event: &waybillv1.Event{
			Id: first.GetEvent().GetId(), Account: "shop", Provider: "stripe", EventId: "evt-1",
			ReceivedAt: timestamppb.New(start.Add(time.Second)),
			State:      waybillv1.EventState_EVENT_STATE_RECEIVED,
		},
		FirstDelivery: true, Receipt: waybillv1.Receipt_RECEIPT_ACCEPTED,
	}
	if diff := cmp.Diff(want, first, protocmp.Transform()); diff != "" {
		t.Error(diff)
	}

	shop.decide(t)
	want.FirstDelivery, want.Receipt = false, waybillv1.Receipt_RECEIPT_DUPLICATE
	want.Event.State, want.Event.Outcome = waybillv1.EventState_EVENT_STATE_COMPLETED, waybillv1.Outcome_OUTCOME_APPLIED
	if diff := cmp.Diff(want, shop.send(t, event), protocmp.Transform()); diff != "" {
		t.Error(diff)
	}

	event.GetChanges()[0].GetOrderPlaced().GetTotal().MinorUnits++
	want.Receipt = waybillv1.Receipt_RECEIPT_CONFLICTING
	if diff := cmp.Diff(want, shop.send(t, event), protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
}

func TestEventsComeInThroughEveryDoor(t *testing.T) {
	t.Parallel()
	shop := newShop(t)
	for door := range doors {
		client := waybillv1connect.NewIngestServiceClient(shop.over(door, senderKey))
		event := scanEvent("scan over "+door, "1001", waybillv1.ShipmentStatus_SHIPMENT_STATUS_SHIPPED, start)

		first, err := client.IngestEvent(t.Context(), event)
		if err != nil || !first.GetFirstDelivery() {
			t.Fatalf("%s: %v, %v", door, first, err)
		}
		again, err := client.IngestEvent(t.Context(), event)
		if err != nil || again.GetFirstDelivery() || again.GetEvent().GetId() != first.GetEvent().GetId() {
			t.Fatalf("%s: %v, %v", door, again, err)
		}
	}
}

func TestFiftyCopiesAtOnceAreOneEvent(t *testing.T) {
	t.Parallel()
	shop := newShop(t)
	client := waybillv1connect.NewIngestServiceClient(shop.over("grpc", senderKey))
	var group sync.WaitGroup
	ids := make(chan string, 50)
	firsts := make(chan bool, 50)
	for range 50 {
		group.Go(func() {
			res, err := client.IngestEvent(t.Context(), ignoredEvent("ping-1"))
			if err != nil {
				t.Error(err)
				return
			}
			ids <- res.GetEvent().GetId()
			if res.GetFirstDelivery() {
				firsts <- true
			}
		})
	}
	group.Wait()
	close(ids)
	distinct := make(map[string]bool)
	for id := range ids {
		distinct[id] = true
	}
	if len(distinct) != 1 || len(firsts) != 1 {
		t.Fatalf("%d events, %d first deliveries", len(distinct), len(firsts))
	}
}

func TestARenamedProviderKeepsItsEvents(t *testing.T) {
	t.Parallel()
	before := newShop(t, func(deps *Deps) {
		deps.Config.Accounts[0].Providers[0].Name, deps.Config.Accounts[0].Providers[0].RenamedFrom = "old-stripe", ""
	})
	old := placedEvent("evt-1", "1001")
	old.Provider = "old-stripe"
	first := before.send(t, old)
	before.decide(t)

	// The same database under the configuration of today.
	after := &shop{house: newHouse(t, before.store), store: before.store, clock: before.clock}
	again := after.send(t, placedEvent("evt-1", "1001"))

	if again.GetFirstDelivery() || again.GetEvent().GetId() != first.GetEvent().GetId() {
		t.Errorf("the event is another one now: %v", again)
	}
	if again.GetEvent().GetProvider() != "stripe" {
		t.Errorf("the provider is called %s", again.GetEvent().GetProvider())
	}
	if step := after.order(t, "1001").GetTimeline()[0]; step.GetProvider() != "stripe" {
		t.Errorf("the timeline calls the provider %s", step.GetProvider())
	}
	if event := after.event(t, operatorKey, first.GetEvent().GetId()); event.GetProvider() != "stripe" {
		t.Errorf("the event calls the provider %s", event.GetProvider())
	}
	res, err := after.work(t, operatorKey).ListEvents(t.Context(), &waybillv1.ListEventsRequest{Account: "shop", Provider: "stripe"})
	if err != nil || len(res.GetEvents()) != 1 || res.GetEvents()[0].GetProvider() != "stripe" {
		t.Errorf("the list of its events: %v, %v", res, err)
	}
}

func TestAnIdentifierThatNoDatabaseTakesIsTheSendersFault(t *testing.T) {
	t.Parallel()
	shop := newShop(t)
	event := ignoredEvent("no UTF-8: \xff")

	_, err := waybillv1connect.NewIngestServiceClient(InProcess(shop.server, Adapter())).IngestEvent(t.Context(), event)

	wantCode(t, err, connect.CodeInvalidArgument)
}

func TestTheLargestBodyComesInAndALargerMessageDoesNot(t *testing.T) {
	t.Parallel()
	shop := newShop(t)
	event := func(bytes int) *waybillv1.IngestEventRequest {
		event := ignoredEvent(fmt.Sprintf("body of %d", bytes))
		event.Raw = &waybillv1.RawMessage{Body: make([]byte, bytes)}
		return event
	}
	sender := func(door string) waybillv1connect.IngestServiceClient {
		return waybillv1connect.NewIngestServiceClient(shop.over(door, senderKey))
	}

	// JSON swells a body most.
	res, err := sender("connect json").IngestEvent(t.Context(), event(16<<20))
	if err != nil || res.GetEvent().GetId() == "" {
		t.Errorf("16 MiB: %v", err)
	}
	_, err = sender("grpc").IngestEvent(t.Context(), event(16<<20+1))
	wantCode(t, err, connect.CodeInvalidArgument)
	_, err = sender("grpc").IngestEvent(t.Context(), event(25<<20))
	wantCode(t, err, connect.CodeResourceExhausted)

	tracker := waybillv1connect.NewTrackingServiceClient(shop.over("connect", trackerKey))
	_, err = tracker.GetOrderStatus(t.Context(), track(func(m *waybillv1.GetOrderStatusRequest) {
		m.Order = &waybillv1.GetOrderStatusRequest_OrderNumber{OrderNumber: strings.Repeat("1", maxMessageBytes)}
	}))
	wantCode(t, err, connect.CodeResourceExhausted)
}
