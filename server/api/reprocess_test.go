package api

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect/v2"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/google/go-cmp/cmp"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
)

// scripted is a translator that reads what the test says, and remembers what it was given.
type scripted struct {
	mu     sync.Mutex
	read   func() ([]*waybillv1.IngestEventRequest, error)
	given  *waybillv1.RawMessage
	whose  string
	at     time.Time
	called int
}

func (s *scripted) Retranslate(
	account, provider string, raw *waybillv1.RawMessage, receivedAt time.Time,
) ([]*waybillv1.IngestEventRequest, string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.called++
	s.given, s.whose, s.at = raw, account+"/"+provider, receivedAt
	events, err := s.read()
	return events, "2", err
}

// newMendedShop is a shop with order 1001, a parked event, and a translator that by now reads it as a scan.
func newMendedShop(t *testing.T) (*shop, *scripted, string) {
	t.Helper()
	translator := &scripted{read: func() ([]*waybillv1.IngestEventRequest, error) {
		scan := scanEvent("the scan itself", "1001", shipped, start.Add(-time.Hour))
		scan.Account, scan.Provider, scan.Raw, scan.TranslatorVersion = "", "", nil, ""
		return []*waybillv1.IngestEventRequest{scan}, nil
	}}
	shop := newShop(t, func(deps *Deps) { deps.Retranslator = translator })
	shop.sendAll(t, placedEvent("placed", "1001"))
	return shop, translator, shop.sendAll(t, undecodedEvent("late"))[0]
}

func (s *shop) reprocess(
	t *testing.T, id string, edit func(*waybillv1.ReprocessRequest),
) (*waybillv1.ReprocessResponse, error) {
	t.Helper()
	req := reprocess(func(m *waybillv1.ReprocessRequest) { m.Target = &waybillv1.ReprocessRequest_EventId{EventId: id} })
	edit(req)
	s.clock.move(time.Second)
	res, err := s.work(t, operatorKey).Reprocess(t.Context(), req)
	if err == nil {
		lawful(t, res)
	}
	return res, err
}

func TestAnUndecodedEventIsTranslatedAgainFromItsBytes(t *testing.T) {
	t.Parallel()
	shop, translator, id := newMendedShop(t)

	res, err := shop.reprocess(t, id, func(*waybillv1.ReprocessRequest) {})
	if err != nil {
		t.Fatalf("%v\n%s", err, shop.log)
	}
	wantRaw := undecodedEvent("late").GetRaw()
	if diff := cmp.Diff(wantRaw, translator.given, protocmp.Transform()); diff != "" {
		t.Errorf("the translator was given other bytes: %s", diff)
	}
	if translator.whose != "shop/pathao" || !translator.at.Equal(start.Add(2*time.Second)) {
		t.Errorf("the translator was told %s, received at %s", translator.whose, translator.at)
	}
	if res.GetBefore().GetState() != waybillv1.EventState_EVENT_STATE_PARKED ||
		res.GetAfter().GetState() != waybillv1.EventState_EVENT_STATE_COMPLETED ||
		res.GetAfter().GetOutcome() != waybillv1.Outcome_OUTCOME_TRANSLATED || len(res.GetAfter().GetChildIds()) != 1 {
		t.Fatalf("before %v, after %v", res.GetBefore(), res.GetAfter())
	}
	audit := res.GetAudit()
	if audit.GetOperator() != operatorKey || audit.GetReason() != "new word" || audit.GetRequestId() != "request-1" ||
		audit.GetAction() != "retry" || audit.GetWorkId() != id || audit.GetAt() == nil ||
		!strings.HasPrefix(audit.GetBefore(), "parked") || !strings.HasPrefix(audit.GetAfter(), "completed") {
		t.Errorf("audit: %v", audit)
	}

	shop.decide(t)
	child := shop.event(t, operatorKey, res.GetAfter().GetChildIds()[0])
	if child.GetParentId() != id || child.GetTranslatorVersion() != "2" || child.GetProvider() != "pathao" ||
		!child.GetReceivedAt().AsTime().Equal(start.Add(2*time.Second)) {
		t.Errorf("child: %v", child)
	}
	if order := shop.order(t, "1001"); order.GetStatus() != waybillv1.OrderStatus_ORDER_STATUS_SHIPPED {
		t.Errorf("the order is %s", order.GetStatus())
	}
}

func TestTheSameRequestGetsTheSameAnswerAndNoSecondEffect(t *testing.T) {
	t.Parallel()
	shop, translator, id := newMendedShop(t)
	first, err := shop.reprocess(t, id, func(*waybillv1.ReprocessRequest) {})
	if err != nil {
		t.Fatal(err)
	}

	again, err := shop.reprocess(t, id, func(*waybillv1.ReprocessRequest) {})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, again, protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
	_, err = shop.reprocess(t, id, func(m *waybillv1.ReprocessRequest) { m.Reason = "another reason" })
	if connect.CodeOf(err) != connect.CodeAlreadyExists {
		t.Errorf("another request under the same id: %v", err)
	}
	finished, err := shop.reprocess(t, id, func(m *waybillv1.ReprocessRequest) { m.RequestId = "request-2" })
	if err != nil || !strings.Contains(finished.GetAudit().GetAfter(), "nothing to do") {
		t.Errorf("a finished event: %v, %v", finished.GetAudit(), err)
	}
	if translator.called != 1 {
		t.Errorf("the bytes were translated %d times", translator.called)
	}
	if events := shop.list(t, &waybillv1.ListEventsRequest{}); len(events) != 3 {
		t.Errorf("events: %q", events)
	}
}

func TestADryRunSaysWhatWouldHappenAndDoesNothing(t *testing.T) {
	t.Parallel()
	shop, _, id := newMendedShop(t)
	before := shop.event(t, operatorKey, id)

	res, err := shop.reprocess(t, id, func(m *waybillv1.ReprocessRequest) { m.DryRun = true })
	if err != nil {
		t.Fatal(err)
	}
	if res.GetAudit() != nil || res.GetAfter().GetOutcome() != waybillv1.Outcome_OUTCOME_TRANSLATED {
		t.Errorf("audit %v, after %v", res.GetAudit(), res.GetAfter())
	}
	if diff := cmp.Diff(before, shop.event(t, operatorKey, id), protocmp.Transform()); diff != "" {
		t.Errorf("the event has changed: %s", diff)
	}
	if events := shop.list(t, &waybillv1.ListEventsRequest{}); len(events) != 2 {
		t.Errorf("events: %q", events)
	}
	// The id is still free for the request itself.
	if _, err := shop.reprocess(t, id, func(*waybillv1.ReprocessRequest) {}); err != nil {
		t.Error(err)
	}
}

func TestAnEventIsGivenUpForGood(t *testing.T) {
	t.Parallel()
	shop, translator, id := newMendedShop(t)

	res, err := shop.reprocess(t, id, func(m *waybillv1.ReprocessRequest) {
		m.Target = &waybillv1.ReprocessRequest_WorkId{WorkId: id} // an event's item has the event's id
		m.Resolution = waybillv1.Resolution_RESOLUTION_ABANDON
	})
	if err != nil {
		t.Fatal(err)
	}
	if res.GetAfter().GetOutcome() != waybillv1.Outcome_OUTCOME_ABANDONED || res.GetAudit().GetAction() != "abandon" ||
		translator.called != 0 {
		t.Errorf("after %v, audit %v, %d translations", res.GetAfter(), res.GetAudit(), translator.called)
	}
	if items, _ := shop.pending(t, &waybillv1.ListPendingWorkRequest{}); len(items) != 0 {
		t.Errorf("still unfinished: %v", items)
	}
}

func TestWhatCanNotBeReprocessedSaysWhy(t *testing.T) {
	t.Parallel()
	shop, translator, id := newMendedShop(t)
	done := func(m *waybillv1.ReprocessRequest) {
		m.Target = &waybillv1.ReprocessRequest_WorkId{WorkId: m.GetEventId()}
		m.Resolution, m.ProviderReference = waybillv1.Resolution_RESOLUTION_CONFIRM_DONE, "order 7"
	}
	reads := func(events []*waybillv1.IngestEventRequest, err error) {
		translator.read = func() ([]*waybillv1.IngestEventRequest, error) { return events, err }
	}
	tests := []struct {
		name string
		id   string
		edit func(*waybillv1.ReprocessRequest)
		want connect.Code
		text string
	}{
		{"no such event", "evt_none", func(*waybillv1.ReprocessRequest) {}, connect.CodeNotFound, "not found"},
		{"no such item", "evt_none", done, connect.CodeNotFound, "not found"},
		{"done by hand", id, done, connect.CodeFailedPrecondition, "can't take this resolution"},
		{"the translator gives up", id, func(*waybillv1.ReprocessRequest) {
			reads(nil, errors.New("the provider is not configured any more"))
		}, connect.CodeFailedPrecondition, "the provider is not configured any more"},
		{"the translator breaks a rule", id, func(*waybillv1.ReprocessRequest) {
			reads([]*waybillv1.IngestEventRequest{{EventId: "x"}}, nil)
		}, connect.CodeFailedPrecondition, "breaks a rule"},
		{
			"the translator reads nothing", id, func(*waybillv1.ReprocessRequest) { reads(nil, nil) },
			connect.CodeFailedPrecondition, "can't take this resolution",
		},
	}
	for _, test := range tests {
		_, err := shop.reprocess(t, test.id, test.edit)

		var read *connect.Error
		if !errors.As(err, &read) || read.Code() != test.want || !strings.Contains(read.Message(), test.text) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	if event := shop.event(t, operatorKey, id); event.GetState() != waybillv1.EventState_EVENT_STATE_PARKED {
		t.Errorf("the event is %s now", event.GetState())
	}
}

func TestAReprocessShowsNoFreeTextWithoutTheScope(t *testing.T) {
	t.Parallel()
	shop := newShop(t)
	id := shop.sendAll(t, scanEvent("waits", "4711", shipped, start))[0]

	res, err := shop.reprocess(t, id, func(m *waybillv1.ReprocessRequest) { m.DryRun = true })

	if err != nil || strings.Contains(res.String(), "SEEDED") {
		t.Fatalf("%v, %v", res, err)
	}
}
