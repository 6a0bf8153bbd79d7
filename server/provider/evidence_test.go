package provider_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// plain is a provider that needs nothing but the request.
type plain struct{ err error }

func (plain) Handshake(*provider.Request) (provider.Answer, bool) { return provider.Answer{}, false }
func (p plain) Verify(*provider.Request) error                    { return p.err }
func (plain) Answer(provider.Result) provider.Answer              { return provider.Answer{} }
func (plain) Translate(*provider.Request) ([]*waybillv1.IngestEventRequest, error) {
	return nil, nil
}

var errUnproven = errors.New("unproven")

// curious is a provider that believes what it is told outside.
type curious struct {
	plain

	calls   []provider.Call
	err     error
	confirm *provider.Call
}

func (c curious) Inquire(*provider.Request) ([]provider.Call, error) { return c.calls, c.err }

func (c curious) Verify(r *provider.Request) error {
	if len(r.Evidence) != len(c.calls) {
		return errUnproven
	}
	for at, reply := range r.Evidence {
		if string(reply.Body) != c.calls[at].URL {
			return errUnproven
		}
	}
	return nil
}

func (c curious) Confirm(*provider.Request) (provider.Call, bool) {
	if c.confirm == nil {
		return provider.Call{}, false
	}
	return *c.confirm, true
}

// echo answers with the question.
type echo struct {
	asked  []string
	status int
	err    error
}

func (e *echo) Fetch(_ context.Context, call provider.Call) (provider.Reply, error) {
	e.asked = append(e.asked, call.URL)
	return provider.Reply{Status: e.status, Body: []byte(call.URL)}, e.err
}

func TestAProofAsksWhatItNeedsAndThenVerifies(t *testing.T) {
	t.Parallel()
	two := []provider.Call{{URL: "https://a.test/"}, {URL: "https://b.test/"}}
	broken := errors.New("broken")
	for name, test := range map[string]struct {
		opened provider.Provider
		out    *echo
		want   error
		asked  string
	}{
		"nothing to ask":          {plain{}, &echo{}, nil, ""},
		"nothing to ask, no good": {plain{err: errUnproven}, &echo{}, errUnproven, ""},
		"no question":             {curious{}, &echo{}, nil, ""},
		"two questions":           {curious{calls: two}, &echo{status: 200}, nil, "https://a.test/ https://b.test/"},
		"a hopeless request":      {curious{calls: two, err: errUnproven}, &echo{status: 200}, errUnproven, ""},
		"a side that is gone":     {curious{calls: two}, &echo{err: broken}, provider.ErrUnreachable, "https://a.test/"},
		"the cause is told":       {curious{calls: two}, &echo{err: broken}, broken, "https://a.test/"},
		"a side in trouble":       {curious{calls: two}, &echo{status: 502}, provider.ErrUnreachable, "https://a.test/"},
		"a side that has enough":  {curious{calls: two}, &echo{status: 429}, provider.ErrUnreachable, "https://a.test/"},
		"a side that says no":     {curious{calls: two}, &echo{status: 404}, nil, "https://a.test/ https://b.test/"},
	} {
		r := &provider.Request{Body: []byte("x")}
		err := provider.Prove(t.Context(), test.opened, r, test.out)
		if !errors.Is(err, test.want) || (err == nil) != (test.want == nil) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
		if got := strings.Join(test.out.asked, " "); got != test.asked {
			t.Errorf("%s: asked %q, want %q", name, got, test.asked)
		}
		if r.Evidence != nil {
			t.Errorf("%s: the caller's request was changed", name)
		}
	}
	if err := provider.Prove(t.Context(), curious{calls: two}, &provider.Request{}, nil); !errors.Is(err, provider.ErrUnreachable) {
		t.Errorf("without anybody who could ask: %v", err)
	}
	if err := (curious{calls: two}).Verify(&provider.Request{}); err == nil {
		t.Error("a door that asks nothing lets everybody in")
	}
}

func TestASetUpRequestIsConfirmedByACall(t *testing.T) {
	t.Parallel()
	call := &provider.Call{URL: "https://a.test/confirm"}
	for name, test := range map[string]struct {
		opened provider.Provider
		out    *echo
		done   bool
		want   error
	}{
		"a provider without one":   {plain{}, &echo{status: 200}, false, nil},
		"an ordinary delivery":     {curious{}, &echo{status: 200}, false, nil},
		"a set-up request":         {curious{confirm: call}, &echo{status: 204}, true, nil},
		"one that is refused":      {curious{confirm: call}, &echo{status: 403}, true, provider.ErrUnreachable},
		"one that goes elsewhere":  {curious{confirm: call}, &echo{status: 302}, true, provider.ErrUnreachable},
		"one that reaches nowhere": {curious{confirm: call}, &echo{err: errUnproven}, true, provider.ErrUnreachable},
	} {
		done, err := provider.Confirm(t.Context(), test.opened, &provider.Request{}, test.out)
		if done != test.done || !errors.Is(err, test.want) || (err == nil) != (test.want == nil) {
			t.Errorf("%s: %t, %v", name, done, err)
		}
	}
}

func TestTheOutsideIsReachedWhereTheSettingsSay(t *testing.T) {
	t.Parallel()
	address, err := url.Parse("https://api.sender.test/v1/certs/CERT-1?a=b%26c")
	if err != nil {
		t.Fatal(err)
	}
	for base, want := range map[string]provider.Call{
		"":                        {URL: "https://api.sender.test/v1/certs/CERT-1?a=b%26c", Roots: "roots"},
		"https://127.0.0.1:9443":  {URL: "https://127.0.0.1:9443/v1/certs/CERT-1?a=b%26c", Roots: "roots", Named: true},
		"https://proxy.test/out/": {URL: "https://proxy.test/out/v1/certs/CERT-1?a=b%26c", Roots: "roots", Named: true},
	} {
		if got := provider.NewOutside(base, "roots").At(address); got != want {
			t.Errorf("%q: %+v, want %+v", base, got, want)
		}
	}
}

func TestSettingsAboutTheOutsideAreAFaultWhereNobodyAsksThere(t *testing.T) {
	t.Parallel()
	sound := func(*configv1.Provider) []provider.Problem { return nil }
	cfg := &configv1.Config{Accounts: []*configv1.Account{{Name: "a", Providers: []*configv1.Provider{
		{Name: "one", Kind: "shy", ApiUrl: "https://x.test", ApiCa: "x"},
		{Name: "two", Kind: "curious", ApiUrl: "https://x.test"},
	}}}}
	kinds := []provider.Kind{{Name: "shy", Check: sound}, {Name: "curious", Check: sound, ProofWithin: 1}}
	var fields []string
	for _, problem := range provider.Check(cfg, kinds) {
		fields = append(fields, problem.Field)
	}
	if got := strings.Join(fields, " "); got != "accounts[0].providers[0].api_url accounts[0].providers[0].api_ca" {
		t.Errorf("problems of %s", got)
	}
	if problems := provider.CheckOutside(&configv1.Provider{ApiCa: "-----BEGIN CERTIFICATE-----"}); len(problems) != 1 {
		t.Errorf("problems %v, want one", problems)
	}
	if problems := provider.CheckOutside(&configv1.Provider{}); len(problems) != 0 {
		t.Errorf("problems %v, want none", problems)
	}
}

func TestARehearsalAnswersWithAndWithoutANetwork(t *testing.T) {
	t.Parallel()
	rehearsal := &provider.Rehearsal{Answer: func(address *url.URL) provider.Reply {
		return provider.Reply{Status: http.StatusTeapot, Body: []byte(address.RequestURI())}
	}}
	reply, err := rehearsal.Fetch(t.Context(), provider.Call{URL: "https://a.test/x?y=z"})
	if err != nil || reply.Status != http.StatusTeapot || string(reply.Body) != "/x?y=z" {
		t.Errorf("reply %d %q, %v", reply.Status, reply.Body, err)
	}
	if _, err := rehearsal.Fetch(t.Context(), provider.Call{URL: "%"}); err == nil {
		t.Error("an address that is none was answered")
	}
	recorder := httptest.NewRecorder()
	rehearsal.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/x?y=z", nil))
	if recorder.Code != http.StatusTeapot || recorder.Body.String() != "/x?y=z" {
		t.Errorf("served %d %q", recorder.Code, recorder.Body)
	}
}

func TestOnlyUsableKeysCount(t *testing.T) {
	t.Parallel()
	keys := provider.NewKeys(&configv1.Provider{Secrets: []*configv1.Secret{{Value: "good-1"}, {Value: "bad"}, {Value: "good-2"}}})
	r := &provider.Request{}
	good := keys.Where(func(secret string) bool { return strings.HasPrefix(secret, "good") })
	if values, err := good.InForce(r); err != nil || strings.Join(values, " ") != "good-1 good-2" {
		t.Errorf("in force %q, %v", values, err)
	}
	none := keys.Where(func(string) bool { return false })
	if values, err := none.InForce(r); !errors.Is(err, provider.ErrNoSecret) || len(values) != 0 {
		t.Errorf("in force %q, %v", values, err)
	}
}

func TestMinorUnitsAreWholeAndNotNegative(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		amount   provider.Number
		currency string
		want     int64
		refused  bool
	}{
		{"1050", "eur", 1050, false},
		{"0", "JPY", 0, false},
		{"9223372036854775807", "EUR", 9223372036854775807, false},
		{"9223372036854775808", "EUR", 0, true},
		{"10.5", "EUR", 0, true},
		{"-1", "EUR", 0, true},
		{"", "EUR", 0, true},
		{"1", "XYZ", 0, true},
		{"1", "", 0, true},
	} {
		got, err := provider.Minor("total", test.amount, test.currency)
		if (err != nil) != test.refused || got.GetMinorUnits() != test.want {
			t.Errorf("%s %s: %v, %v", test.amount, test.currency, got, err)
		}
		if err != nil && (!strings.HasPrefix(err.Error(), "total: ") || test.amount == "10.5" && strings.Contains(err.Error(), "10.5")) {
			t.Errorf("%s %s: the error reads %q", test.amount, test.currency, err)
		}
	}
}
