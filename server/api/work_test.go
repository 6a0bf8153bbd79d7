package api

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect/v2"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/google/go-cmp/cmp"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/gen/go/waybill/v1/waybillv1connect"
)

// pending asks for unfinished work, page by page.
func (s *shop) pending(t *testing.T, req *waybillv1.ListPendingWorkRequest) ([]*waybillv1.WorkItem, *waybillv1.WorkSummary) {
	t.Helper()
	req.Account = "shop"
	var items []*waybillv1.WorkItem
	for {
		res, err := s.work(t, operatorKey).ListPendingWork(t.Context(), req)
		if err != nil {
			t.Fatalf("%v\n%s", err, s.log)
		}
		lawful(t, res)
		items = append(items, res.GetItems()...)
		if res.GetNextPageToken() == "" {
			return items, res.GetSummary()
		}
		if req.GetPageSize() > 0 && len(res.GetItems()) != int(req.GetPageSize()) {
			t.Fatalf("a page of %d has %d items", req.GetPageSize(), len(res.GetItems()))
		}
		req.PageToken = res.GetNextPageToken()
	}
}

func TestUnfinishedWorkIsShownWithItsReasonAgeAndWhoMustAct(t *testing.T) {
	t.Parallel()
	shop := newShop(t)
	ids := shop.sendAll(t,
		scanEvent("waits", "4711", shipped, start), undecodedEvent("stands parked"), placedEvent("done", "1001"))
	fresh := shop.send(t, ignoredEvent("fresh")).GetEvent().GetId()

	items, summary := shop.pending(t, &waybillv1.ListPendingWorkRequest{})

	for _, item := range items {
		if item.GetReason() == "" && item.GetState() != waybillv1.EventState_EVENT_STATE_RECEIVED {
			t.Errorf("%s has no reason", item.GetWorkId())
		}
		byItself := item.GetState() != waybillv1.EventState_EVENT_STATE_PARKED
		if byItself != (item.GetNextAttemptAt() != nil) {
			t.Errorf("%s, %s: the next attempt is %v", item.GetWorkId(), item.GetState(), item.GetNextAttemptAt())
		}
		item.Reason, item.NextAttemptAt = "", nil
	}
	want := []*waybillv1.WorkItem{
		{
			WorkId: ids[0], State: waybillv1.EventState_EVENT_STATE_WAITING, WhoActs: waybillv1.Actor_ACTOR_PROVIDER,
			EventType: "order.scan", ReceivedAt: timestamppb.New(start.Add(1 * time.Second)),
			References: []*waybillv1.Reference{{Kind: waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_NUMBER, Value: "4711"}},
		},
		{
			WorkId: ids[1], State: waybillv1.EventState_EVENT_STATE_PARKED, WhoActs: waybillv1.Actor_ACTOR_OPERATOR,
			EventType: "undecoded", ReceivedAt: timestamppb.New(start.Add(2 * time.Second)),
		},
		{
			WorkId: fresh, State: waybillv1.EventState_EVENT_STATE_RECEIVED, WhoActs: waybillv1.Actor_ACTOR_WAYBILL,
			EventType: "ping", ReceivedAt: timestamppb.New(start.Add(4 * time.Second)),
		},
	}
	for _, item := range want {
		item.Kind, item.Account, item.Provider = "event", "shop", "pathao"
	}
	if diff := cmp.Diff(want, items, protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
	wantSummary := &waybillv1.WorkSummary{
		Counts: []*waybillv1.WorkCount{
			{Kind: "event", State: waybillv1.EventState_EVENT_STATE_PARKED, Count: 1},
			{Kind: "event", State: waybillv1.EventState_EVENT_STATE_RECEIVED, Count: 1},
			{Kind: "event", State: waybillv1.EventState_EVENT_STATE_WAITING, Count: 1},
		},
		OldestDueAt:     timestamppb.New(start.Add(4 * time.Second)),
		OldestWaitingAt: timestamppb.New(start.Add(1 * time.Second)),
	}
	if diff := cmp.Diff(wantSummary, summary, protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
}

func TestUnfinishedWorkIsFilteredAndPagedAndTheSummaryIsNot(t *testing.T) {
	t.Parallel()
	shop := newShop(t)
	shop.sendAll(t, numbered(7, undecodedEvent)...)
	shop.sendAll(t, scanEvent("waits", "4711", shipped, start))

	for _, size := range []int32{1, 2, 3, 7, 100} {
		items, summary := shop.pending(t, &waybillv1.ListPendingWorkRequest{
			PageSize: size, States: []waybillv1.EventState{waybillv1.EventState_EVENT_STATE_PARKED},
		})
		oldestFirst := slices.IsSortedFunc(items, func(a, b *waybillv1.WorkItem) int {
			return a.GetReceivedAt().AsTime().Compare(b.GetReceivedAt().AsTime())
		})
		if len(items) != 7 || !oldestFirst || len(summary.GetCounts()) != 2 {
			t.Errorf("by %d: %d items, sorted: %v, summary: %v", size, len(items), oldestFirst, summary)
		}
	}
	if items, _ := shop.pending(t, &waybillv1.ListPendingWorkRequest{Kinds: []string{"email"}}); len(items) != 0 {
		t.Errorf("of a kind that there is nothing of: %v", items)
	}
	if items, _ := shop.pending(t, &waybillv1.ListPendingWorkRequest{Kinds: []string{"email", "event"}}); len(items) != 8 {
		t.Errorf("of both kinds: %d", len(items))
	}
}

func TestNothingUnfinishedIsAnEmptySummary(t *testing.T) {
	t.Parallel()
	shop := newShop(t)
	shop.sendAll(t, placedEvent("done", "1001"))

	items, summary := shop.pending(t, &waybillv1.ListPendingWorkRequest{})

	if len(items) != 0 || len(summary.GetCounts()) != 0 || summary.GetOldestDueAt() != nil || summary.GetOldestWaitingAt() != nil {
		t.Fatalf("%v, %v", items, summary)
	}
}

// list asks for events, page by page, and gives their identities at their providers.
func (s *shop) list(t *testing.T, req *waybillv1.ListEventsRequest) []string {
	t.Helper()
	req.Account = "shop"
	var ids []string
	for {
		res, err := s.work(t, operatorKey).ListEvents(t.Context(), req)
		if err != nil {
			t.Fatalf("%v\n%s", err, s.log)
		}
		lawful(t, res)
		for _, event := range res.GetEvents() {
			ids = append(ids, event.GetEventId())
			if len(event.GetChanges())+len(event.GetDeliveries()) != 0 || event.GetRaw() != nil {
				t.Errorf("the list shows too much of %s", event.GetEventId())
			}
		}
		if res.GetNextPageToken() == "" {
			return ids
		}
		req.PageToken = res.GetNextPageToken()
	}
}

func TestEventsAreListedByOutcomeOrderProviderAndTime(t *testing.T) {
	t.Parallel()
	shop := newJourney(t)
	shop.sendAll(t, placedEvent("other order", "1002"), undecodedEvent("undecoded"))
	again := paidEvent("paid", "1001")
	again.GetChanges()[0].GetPaymentReported().GetAmount().MinorUnits = 1
	shop.sendAll(t, again)
	tests := map[string]struct {
		req  *waybillv1.ListEventsRequest
		want []string
	}{
		"all, newest first": {&waybillv1.ListEventsRequest{}, []string{
			"undecoded", "other order", "returned", "delivered", "shipped", "paid", "placed",
		}},
		"two a page": {&waybillv1.ListEventsRequest{PageSize: 2}, []string{
			"undecoded", "other order", "returned", "delivered", "shipped", "paid", "placed",
		}},
		"parked":         {&waybillv1.ListEventsRequest{Outcome: waybillv1.Outcome_OUTCOME_PARKED}, []string{"undecoded"}},
		"illegal":        {&waybillv1.ListEventsRequest{Outcome: waybillv1.Outcome_OUTCOME_ILLEGAL}, []string{"returned"}},
		"conflicting":    {&waybillv1.ListEventsRequest{Outcome: waybillv1.Outcome_OUTCOME_CONFLICTING}, []string{"paid"}},
		"of an order":    {&waybillv1.ListEventsRequest{OrderNumber: "#1002"}, []string{"other order"}},
		"of no order":    {&waybillv1.ListEventsRequest{OrderNumber: "9999"}, nil},
		"of a provider":  {&waybillv1.ListEventsRequest{Provider: "stripe"}, []string{"other order", "paid", "placed"}},
		"of an old name": {&waybillv1.ListEventsRequest{Provider: "old-stripe"}, []string{"other order", "paid", "placed"}},
		"of no provider": {&waybillv1.ListEventsRequest{Provider: "none"}, nil},
		"from a time on": {&waybillv1.ListEventsRequest{ReceivedAfter: timestamppb.New(start.Add(6 * time.Second))}, []string{"undecoded", "other order"}},
		"before a time":  {&waybillv1.ListEventsRequest{ReceivedBefore: timestamppb.New(start.Add(2 * time.Second))}, []string{"placed"}},
		"several at once": {&waybillv1.ListEventsRequest{
			OrderNumber: "1001", Provider: "pathao", Outcome: waybillv1.Outcome_OUTCOME_APPLIED, PageSize: 1,
		}, []string{"delivered", "shipped"}},
	}
	for name, test := range tests {
		if diff := cmp.Diff(test.want, shop.list(t, test.req)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestAPageTokenThatIsNotOneIsTheCallersFault(t *testing.T) {
	t.Parallel()
	shop := newShop(t)
	shop.sendAll(t, numbered(3, undecodedEvent)...)
	client := shop.work(t, operatorKey)
	events, err := client.ListEvents(t.Context(), &waybillv1.ListEventsRequest{Account: "shop", PageSize: 1})
	if err != nil {
		t.Fatal(err)
	}
	good := events.GetNextPageToken()
	encode := base64.RawURLEncoding.EncodeToString
	for name, token := range map[string]string{
		"of another list":   good,
		"cut short":         good[:len(good)-2],
		"no base64":         "a",
		"nothing in it":     encode([]byte("pending ")),
		"no place":          encode([]byte("pending nonsense")),
		"no list":           encode([]byte("abc.evt_1")),
		"a list of its own": encode([]byte("orders abc.evt_1")),
		"NUL":               encode([]byte("pending abc.\x00")),
	} {
		_, err := client.ListPendingWork(t.Context(), &waybillv1.ListPendingWorkRequest{Account: "shop", PageToken: token})
		if connect.CodeOf(err) != connect.CodeInvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
		if name == "of another list" {
			continue
		}
		_, err = client.ListEvents(t.Context(), &waybillv1.ListEventsRequest{Account: "shop", PageToken: token})
		if connect.CodeOf(err) != connect.CodeInvalidArgument {
			t.Errorf("%s, for events: %v", name, err)
		}
	}
}

func TestAPageTokenOpensNoOtherAccount(t *testing.T) {
	t.Parallel()
	shop := newShop(t)
	shop.sendAll(t, numbered(3, undecodedEvent)...)
	res, err := shop.work(t, operatorKey).ListEvents(t.Context(), &waybillv1.ListEventsRequest{Account: "shop", PageSize: 1})
	if err != nil {
		t.Fatal(err)
	}

	stranger, err := shop.work(t, strangerKey).ListEvents(t.Context(), &waybillv1.ListEventsRequest{
		Account: "other", PageToken: res.GetNextPageToken(),
	})

	if err != nil || len(stranger.GetEvents()) != 0 {
		t.Fatalf("%v, %v", stranger, err)
	}
}

func TestAnEventIsShownWithItsDeliveriesDecisionsAndReason(t *testing.T) {
	t.Parallel()
	shop := newShop(t)
	shop.sendAll(t, placedEvent("placed", "1001"))
	scan := scanEvent("scan", "1001", delivered, start)
	id := shop.sendAll(t, scan)[0]
	scan.DeliveryId = "second"
	shop.sendAll(t, scan)
	scan.GetChanges()[0].GetStatusChanged().ProviderStatus = "handed over"
	shop.sendAll(t, scan)

	event := shop.event(t, operatorKey, id)

	if len(event.GetDecisions()) != 1 || len(event.GetDeliveries()) != 3 {
		t.Fatalf("%d decisions, %d deliveries", len(event.GetDecisions()), len(event.GetDeliveries()))
	}
	decision := event.GetDecisions()[0]
	if decision.GetOutcome() != waybillv1.Outcome_OUTCOME_APPLIED || decision.GetToStatus() != "delivered" ||
		len(decision.GetSkipped()) == 0 || decision.GetOrderNumber() != "1001" || decision.GetShipment() == "" ||
		decision.GetRevision() != 1 || decision.GetDecidedAt() == nil || decision.GetReason() == "" {
		t.Errorf("decision: %v", decision)
	}
	verdicts := []waybillv1.Receipt{
		waybillv1.Receipt_RECEIPT_ACCEPTED, waybillv1.Receipt_RECEIPT_DUPLICATE, waybillv1.Receipt_RECEIPT_DUPLICATE,
	}
	for i, delivery := range event.GetDeliveries() {
		if delivery.GetReceipt() != verdicts[i] || len(delivery.GetBodySha256()) != 64 || delivery.GetReceivedAt() == nil {
			t.Errorf("delivery %d: %v", i, delivery)
		}
	}
	if event.GetDeliveries()[1].GetDeliveryId() != "second" || len(event.GetDeliveries()[2].GetChanges()) != 1 {
		t.Errorf("deliveries: %v", event.GetDeliveries())
	}
	if !slices.Equal(event.GetOrderNumbers(), []string{"1001"}) || event.GetTranslatorVersion() != "1" ||
		event.GetState() != waybillv1.EventState_EVENT_STATE_COMPLETED || event.GetOutcome() != decision.GetOutcome() {
		t.Errorf("event: %v", event)
	}
}

func TestAnEventOfAnotherAccountIsNotFound(t *testing.T) {
	t.Parallel()
	shop := newShop(t)
	id := shop.sendAll(t, placedEvent("placed", "1001"))[0]
	for _, asked := range []string{id, "evt_none", strings.Repeat("x", 64)} {
		_, err := shop.work(t, strangerKey).GetEvent(t.Context(), &waybillv1.GetEventRequest{Account: "other", EventId: asked})
		if connect.CodeOf(err) != connect.CodeNotFound {
			t.Errorf("%s: %v", asked, err)
		}
	}
}

func TestTextsAndBytesOfProvidersNeedTheScopePayload(t *testing.T) {
	t.Parallel()
	shop := newShop(t)
	shop.sendAll(t, placedEvent("placed", "1001"))
	scan := scanEvent("scan", "1001", shipped, start)
	id := shop.sendAll(t, scan)[0]
	get := func(key string, raw bool) (*waybillv1.Event, error) {
		res, err := shop.work(t, key).GetEvent(t.Context(), &waybillv1.GetEventRequest{
			Account: "shop", EventId: id, IncludeRaw: raw,
		})
		return res.GetEvent(), err
	}

	if _, err := get(operatorKey, true); connect.CodeOf(err) != connect.CodePermissionDenied {
		t.Errorf("bytes without the scope: %v", err)
	}
	event, err := get(operatorKey, false)
	if err != nil || strings.Contains(event.String(), "SEEDED") || event.GetRaw() != nil {
		t.Errorf("without the scope: %v, %v", event, err)
	}
	if status := event.GetChanges()[0].GetStatusChanged(); status.GetProviderStatus() != "scanned" || status.GetStatus() != shipped {
		t.Errorf("what operators need is gone: %v", status)
	}
	event, err = get(payloadKey, false)
	if err != nil || event.GetChanges()[0].GetStatusChanged().GetReason() != "SEEDED reason" || event.GetRaw() != nil {
		t.Errorf("with the scope: %v, %v", event, err)
	}
	event, err = get(payloadKey, true)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(scan.GetRaw(), event.GetRaw(), protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
}

func TestFreeTextIsTakenOutOfEveryChangeAndNothingElseIs(t *testing.T) {
	t.Parallel()
	free := []string{"reason", "description", "location", "detail"}
	variants := (&waybillv1.Change{}).ProtoReflect().Descriptor().Oneofs().ByName("change").Fields()
	for i := range variants.Len() {
		variant := variants.Get(i)
		change := (&waybillv1.Change{}).ProtoReflect()
		fill := &filler{}
		change.Set(variant, fill.value(variant, change))
		want := change.Get(variant).Message()
		before := proto.Clone(want.Interface()).ProtoReflect()

		withoutFreeText([]*waybillv1.Change{change.Interface().(*waybillv1.Change)})

		fields := want.Descriptor().Fields()
		for j := range fields.Len() {
			field := fields.Get(j)
			// Why something is ignored is our own word.
			gone := slices.Contains(free, string(field.Name())) && variant.Name() != "ignored"
			if gone != !want.Has(field) || (!gone && !before.Get(field).Equal(want.Get(field))) {
				t.Errorf("%s.%s: there was %v, now there is %v", variant.Name(), field.Name(), before.Get(field), want.Get(field))
			}
		}
	}
}

func TestProvidersAreListedWithTheirPathProofAndLastReceipt(t *testing.T) {
	t.Parallel()
	shop := newShop(t)
	shop.sendAll(t, placedEvent("placed", "1001"))
	want := &waybillv1.ListProvidersResponse{Providers: []*waybillv1.Provider{
		{Name: "pathao", Kind: "pathao", Proof: "proof of pathao", WebhookPath: "/webhooks/shop/pathao"},
		{
			Name: "stripe", Kind: "stripe", Proof: "proof of stripe", WebhookPath: "/webhooks/shop/stripe",
			LastReceivedAt: timestamppb.New(start.Add(time.Second)),
		},
	}}
	for _, key := range []string{trackerKey, operatorKey} {
		for door := range doors {
			res, err := waybillv1connect.NewProviderServiceClient(shop.over(door, key)).
				ListProviders(t.Context(), &waybillv1.ListProvidersRequest{Account: "shop"})
			if err != nil {
				t.Fatal(err)
			}
			lawful(t, res)
			if diff := cmp.Diff(want, res, protocmp.Transform()); diff != "" {
				t.Errorf("%s over %s: %s", key, door, diff)
			}
		}
	}
}
