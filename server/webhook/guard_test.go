package webhook_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"connectrpc.com/connect/v2"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/webhook"
)

// scripted is a provider whose every step is told what to do.
type scripted struct {
	handshake func() (provider.Answer, bool)
	verify    func() error
	translate func() ([]*waybillv1.IngestEventRequest, error)
	answer    func(provider.Result) provider.Answer
}

func (s scripted) Handshake(*provider.Request) (provider.Answer, bool) {
	if s.handshake == nil {
		return provider.Answer{}, false
	}
	return s.handshake()
}

func (s scripted) Verify(*provider.Request) error {
	if s.verify == nil {
		return nil
	}
	return s.verify()
}

func (s scripted) Translate(*provider.Request) ([]*waybillv1.IngestEventRequest, error) {
	if s.translate == nil {
		return events("e-1"), nil
	}
	return s.translate()
}

func (s scripted) Answer(res provider.Result) provider.Answer {
	if s.answer == nil {
		return provider.DefaultAnswer(res)
	}
	return s.answer(res)
}

func events(ids ...string) []*waybillv1.IngestEventRequest {
	made := make([]*waybillv1.IngestEventRequest, 0, len(ids))
	for _, id := range ids {
		made = append(made, &waybillv1.IngestEventRequest{
			EventId: id, Changes: []*waybillv1.Change{provider.IgnoredChange("it is a test")},
		})
	}
	return made
}

func scriptedDoor(t *testing.T, s scripted) *door {
	t.Helper()
	return newDoor(t, func(opts *webhook.Options) {
		opts.Providers = []provider.Opened{{
			Account: "shop", Config: &configv1.Provider{Name: "scripted"}, Kind: provider.Kind{Version: "scripted-1"}, Provider: s,
		}}
	})
}

const payload = "payload-that-no-log-may-hold"

func post(t *testing.T, d *door) *httptest.ResponseRecorder {
	t.Helper()
	return d.serve(httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/webhooks/shop/scripted?token=query-that-no-log-may-hold", strings.NewReader(payload)))
}

func TestProviderCodeThatPanicsHarmsNobody(t *testing.T) {
	t.Parallel()
	blow := func() { panic("index out of range in " + payload) }
	for name, test := range map[string]struct {
		script   scripted
		status   int
		recorded string
	}{
		"handshake": {scripted{handshake: func() (provider.Answer, bool) { blow(); return provider.Answer{}, true }}, 200, "ignored"},
		"verify":    {scripted{verify: func() error { blow(); return nil }}, 401, ""},
		"translate": {scripted{translate: func() ([]*waybillv1.IngestEventRequest, error) { blow(); return nil, nil }}, 200, "undecoded"},
		"answer":    {scripted{answer: func(provider.Result) provider.Answer { blow(); return provider.Answer{} }}, 200, "ignored"},
	} {
		d := scriptedDoor(t, test.script)
		w := post(t, d)
		got := ""
		if seen := d.client.seen(); len(seen) == 1 {
			got = summary(seen[0])
			if string(seen[0].GetRaw().GetBody()) != payload || seen[0].GetAccount() != "shop" {
				t.Errorf("%s: recorded %v", name, seen[0])
			}
		}
		if w.Code != test.status || got != test.recorded {
			t.Errorf("%s panics: answer %d, recorded %q, want %d, %q", name, w.Code, got, test.status, test.recorded)
		}
		if strings.Contains(d.log.String(), payload) || !strings.Contains(d.log.String(), `"in":"`+name+`"`) {
			t.Errorf("%s panics: log %s", name, d.log)
		}
	}
}

func TestATranslatorThatBreaksItsContractLeavesTheBytesUndecoded(t *testing.T) {
	t.Parallel()
	for name, translate := range map[string]func() ([]*waybillv1.IngestEventRequest, error){
		"no events":     func() ([]*waybillv1.IngestEventRequest, error) { return nil, nil },
		"another error": func() ([]*waybillv1.IngestEventRequest, error) { return events("e"), errors.New(payload) },
	} {
		d := scriptedDoor(t, scripted{translate: translate})
		w := post(t, d)
		if w.Code != 200 || len(d.client.seen()) != 1 || summary(d.client.seen()[0]) != "undecoded" {
			t.Errorf("%s: answer %d, recorded %v", name, w.Code, d.client.seen())
		}
		if strings.Contains(d.log.String(), payload) {
			t.Errorf("%s: the log quotes the error, which may quote the body", name)
		}
	}
}

func TestTheEventsOfABodyGoOutTogether(t *testing.T) {
	t.Parallel()
	d := scriptedDoor(t, scripted{translate: func() ([]*waybillv1.IngestEventRequest, error) { return events("a", "b", "c"), nil }})
	var all sync.WaitGroup
	all.Add(3)
	d.client.answer = func(_ context.Context, event *waybillv1.IngestEventRequest) (*waybillv1.IngestEventResponse, error) {
		all.Done()
		all.Wait() // nobody is answered before all have come
		response := recorded(event, waybillv1.Receipt_RECEIPT_ACCEPTED)
		response.Event.Id = "evt_" + event.GetEventId()
		return response, nil
	}
	w := post(t, d)
	if w.Code != 200 || !strings.Contains(w.Body.String(), `"events":[{"id":"evt_a","state":"received","outcome":"accepted"},{"id":"evt_b"`) {
		t.Errorf("answer %d %s", w.Code, w.Body)
	}
}

func TestOneEventThatIsNotCommittedRefusesTheBody(t *testing.T) {
	t.Parallel()
	d := scriptedDoor(t, scripted{translate: func() ([]*waybillv1.IngestEventRequest, error) { return events("a", "b", "c"), nil }})
	d.client.answer = func(_ context.Context, event *waybillv1.IngestEventRequest) (*waybillv1.IngestEventResponse, error) {
		if event.GetEventId() == "b" {
			return nil, connect.NewError(connect.CodeUnavailable, "no")
		}
		return recorded(event, waybillv1.Receipt_RECEIPT_ACCEPTED), nil
	}
	if w := post(t, d); w.Code != 503 || len(d.client.seen()) != 3 {
		t.Errorf("answer %d with %d events", w.Code, len(d.client.seen()))
	}
}

func TestUndecodedEventsOfOneBodyStayApart(t *testing.T) {
	t.Parallel()
	d := scriptedDoor(t, scripted{translate: func() ([]*waybillv1.IngestEventRequest, error) { return events("a", "b"), nil }})
	d.client.answer = func(_ context.Context, event *waybillv1.IngestEventRequest) (*waybillv1.IngestEventResponse, error) {
		if summary(event) == "ignored" {
			return nil, connect.NewError(connect.CodeInvalidArgument, "no")
		}
		return recorded(event, waybillv1.Receipt_RECEIPT_ACCEPTED), nil
	}
	w := post(t, d)
	ids := map[string]bool{}
	for _, event := range d.client.seen() {
		ids[event.GetEventId()] = true
	}
	if w.Code != 200 || len(ids) != 4 {
		t.Errorf("answer %d, identities %v: two undecoded items became one", w.Code, ids)
	}
}
