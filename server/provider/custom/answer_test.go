package custom_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/custom"
	"github.com/waybillhq/waybill/server/provider/providertest"
)

// accepted is the result of a body with two events, one of them known before.
func accepted() provider.Result {
	return provider.Result{Verdict: provider.Accepted, Responses: []*waybillv1.IngestEventResponse{
		{
			Event:         &waybillv1.Event{Id: "evt_1", EventId: "e-1", State: waybillv1.EventState_EVENT_STATE_RECEIVED},
			FirstDelivery: true, Receipt: waybillv1.Receipt_RECEIPT_ACCEPTED,
		},
		{
			Event:   &waybillv1.Event{Id: "evt_2", EventId: "e-2", State: waybillv1.EventState_EVENT_STATE_COMPLETED},
			Receipt: waybillv1.Receipt_RECEIPT_DUPLICATE,
		},
	}}
}

func TestWhatIsRecordedIsAnsweredInTheProvidersWords(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer string
		status int
		body   string
		kind   string
	}{
		"a status":                 {"{status: 202}", 202, `{"event":{"id":"evt_1","state":"received","outcome":"accepted"}`, "application/json"},
		"a text":                   {"{body: '[accepted]'}", 200, "[accepted]", "text/plain; charset=utf-8"},
		"a text of its own kind":   {"{body: '<ok/>', content_type: application/xml}", 200, "<ok/>", "application/xml"},
		"nothing":                  {"{status: 204}", 204, "", ""},
		"whether it was the first": {"{expression: \"first_delivery ? 'new' : 'seen'\"}", 200, "seen", "text/plain; charset=utf-8"},
		"each event": {
			"{content_type: application/json, expression: \"to_json(events.map(e, {'id': e.event_id, 'as': e.receipt, 'new': e.first_delivery}))\"}",
			200, `[{"as":"accepted","id":"e-1","new":true},{"as":"duplicate","id":"e-2","new":false}]`, "application/json",
		},
		"an expression that fails": {"{status: 201, expression: \"events[5].id\"}", 201, `{"event":{"id":"evt_1"`, "application/json"},
	} {
		opened := made(t, proven+plainBody+"  answer: "+c.answer+"\n")
		answer := opened.Answer(accepted())
		if answer.Status != c.status || !strings.HasPrefix(string(answer.Body), c.body) || c.body == "" && len(answer.Body) > 0 ||
			answer.Header.Get("Content-Type") != c.kind {
			t.Errorf("%s: answer %d %s %q", name, answer.Status, answer.Header.Get("Content-Type"), answer.Body)
		}
		for verdict, status := range map[provider.Verdict]int{provider.Unproven: 401, provider.Unavailable: 503, provider.TooLarge: 413} {
			if refused := opened.Answer(provider.Result{Verdict: verdict}); refused.Status != status {
				t.Errorf("%s: %s is answered %d, want %d", name, verdict, refused.Status, status)
			}
		}
	}
}

func TestATokenStandsInEveryAnswer(t *testing.T) {
	t.Parallel()
	opened := made(t, proven+"answer_token: token-1\n"+plainBody+"  answer: {token_header: X-Integration, status: 204}\n")
	for _, res := range []provider.Result{accepted(), {Verdict: provider.Unproven}, {Verdict: provider.Unavailable}} {
		if got := opened.Answer(res).Header.Get("X-Integration"); got != "token-1" {
			t.Errorf("%s is answered with %q", res.Verdict, got)
		}
	}
}

func TestAProbeIsAnsweredAndBecomesNoEvent(t *testing.T) {
	t.Parallel()
	const described = plainBody + "  headers: [x-probe]\n  handshake:\n    when: has(body.challenge)\n    echo: body.challenge\n"
	opened := made(t, proven+described)
	kind := provider.DescribedKind(custom.Kind(), opened)
	ask := func(p provider.Provider, body string, sign bool) (provider.Answer, bool) {
		r := &provider.Request{Header: http.Header{}, Body: []byte(body), ReceivedAt: providertest.Now()}
		if sign {
			kind.Sign(r, "key", providertest.Now())
		}
		return p.Handshake(r)
	}

	answer, probe := ask(opened, `{"challenge":"c-1"}`, true)
	if !probe || answer.Status != 200 || string(answer.Body) != "c-1" || answer.Header.Get("Content-Type") != "text/plain; charset=utf-8" ||
		answer.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("probe %t: %d %v %q", probe, answer.Status, answer.Header, answer.Body)
	}
	if _, probe := ask(opened, `{"challenge":"c-1"}`, false); probe {
		t.Error("an unproven probe was answered")
	}
	unproven := made(t, proven+described+"    unproven: true\n    status: 202\n")
	if answer, probe := ask(unproven, `{"challenge":"c-1"}`, false); !probe || answer.Status != 202 {
		t.Errorf("an unproven probe that is expected: %t, %d", probe, answer.Status)
	}

	for name, body := range map[string]string{
		"a delivery":           `{"id":"1","parcel":"P","status":"delivered"}`,
		"no JSON":              `{"challenge":`,
		"an object":            `{"challenge":{"a":1}}`,
		"a challenge twice":    `{"challenge":"a","challenge":"b"}`,
		"a long challenge":     `{"challenge":"` + strings.Repeat("a", 1025) + `"}`,
		"a long body":          `{"challenge":"a","x":"` + strings.Repeat("a", 16<<10) + `"}`,
		"a challenge of null":  `{"challenge":null}`,
		"a list":               `[]`,
		"nothing":              ``,
		"a name of other case": `{"Challenge":"a"}`,
	} {
		if _, probe := ask(unproven, body, true); probe {
			t.Errorf("%s was taken for a probe", name)
		}
	}
}

func TestAProbeMayBeKnownByItsHeader(t *testing.T) {
	t.Parallel()
	opened := made(t, proven+plainBody+"  headers: [x-probe]\n  handshake: {when: \"header['x-probe'] == 'yes'\", unproven: true, body: pong}\n")
	r := &provider.Request{Header: http.Header{"X-Probe": {"yes"}}, Body: []byte(`{}`), ReceivedAt: providertest.Now()}
	if answer, probe := opened.Handshake(r); !probe || string(answer.Body) != "pong" {
		t.Errorf("probe %t, %q", probe, answer.Body)
	}
	r.Header = http.Header{}
	if _, probe := opened.Handshake(r); probe {
		t.Error("without the header it is a probe all the same")
	}
}

func TestABodyForAnotherDestinationIsKeptAndIgnored(t *testing.T) {
	t.Parallel()
	opened := made(t, proven+"expect: {store_id: s1, livemode: true}\n"+
		plainBody+"  destination:\n    store_id: item.?store\n    livemode: item.?live\n")
	for name, c := range map[string]struct{ members, want string }{
		"ours":                {`"store":"s1","live":true`, "status_changed delivered"},
		"it doesn't say":      {`"x":1`, "status_changed delivered"},
		"another store":       {`"store":"s2","live":true`, "ignored"},
		"a rehearsal":         {`"store":"s1","live":false`, "ignored"},
		"a store of no shape": {`"store":{}`, "undecoded"},
		"a mode of no shape":  {`"live":"yes"`, "undecoded"},
	} {
		events := translateAll(t, opened, `{"id":"1","parcel":"P","status":"delivered",`+c.members+`}`)
		if got := says(events); !slices.Equal(got, []string{c.want}) {
			t.Errorf("%s says %q, want %s", name, got, c.want)
		}
	}
}
