package webhook_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/webhook"
)

// asking is a provider that asks outside.
type asking struct {
	scripted

	inquire func() ([]provider.Call, error)
	judge   func(evidence []provider.Reply) error
	confirm func() (provider.Call, bool)
}

func (a asking) Inquire(*provider.Request) ([]provider.Call, error) {
	if a.inquire == nil {
		return []provider.Call{{URL: "https://sender.test/?key=in-the-question"}}, nil
	}
	return a.inquire()
}

func (a asking) Verify(r *provider.Request) error {
	if a.judge == nil {
		return nil
	}
	return a.judge(r.Evidence)
}

func (a asking) Confirm(*provider.Request) (provider.Call, bool) {
	if a.confirm == nil {
		return provider.Call{}, false
	}
	return a.confirm()
}

// outside answers calls as it is told, and counts them.
type outside struct {
	calls  int
	answer func(ctx context.Context) (provider.Reply, error)
}

func (o *outside) Fetch(ctx context.Context, _ provider.Call) (provider.Reply, error) {
	o.calls++
	if o.answer == nil {
		return provider.Reply{Status: 200, Body: []byte("it is mine")}, nil
	}
	return o.answer(ctx)
}

func askingDoor(t *testing.T, a asking, within time.Duration, out provider.Fetcher) *door {
	t.Helper()
	return newDoor(t, func(opts *webhook.Options) {
		opts.Fetcher = out
		opts.Providers = []provider.Opened{{
			Account: "shop", Config: &configv1.Provider{Name: "scripted"}, Provider: a,
			Kind: provider.Kind{Version: "scripted-1", ProofWithin: within},
		}}
	})
}

func mustBeUnavailable(t *testing.T, d *door, w *httptest.ResponseRecorder) {
	t.Helper()
	if w.Code != 503 || w.Header().Get("Retry-After") != "2" || len(d.client.seen()) != 0 {
		t.Errorf("answer %d, Retry-After %q, with %d events; want 503, 2 and none", w.Code, w.Header().Get("Retry-After"), len(d.client.seen()))
	}
	if strings.Contains(w.Body.String()+d.log.String(), "in-the-question") {
		t.Errorf("the question is told: %s %s", w.Body, d.log)
	}
}

func TestAProofThatNeedsAReplyFromOutsideGetsIt(t *testing.T) {
	t.Parallel()
	judge := func(evidence []provider.Reply) error {
		if len(evidence) != 1 || string(evidence[0].Body) != "it is mine" {
			return errors.New("it is not theirs")
		}
		return nil
	}
	out := &outside{}
	d := askingDoor(t, asking{judge: judge}, time.Second, out)
	if w := post(t, d); w.Code != 200 || out.calls != 1 || len(d.client.seen()) != 1 {
		t.Errorf("answer %d after %d calls with %d events", w.Code, out.calls, len(d.client.seen()))
	}

	denied := askingDoor(t, asking{judge: judge}, time.Second, &outside{answer: func(context.Context) (provider.Reply, error) {
		return provider.Reply{Status: 404}, nil
	}})
	if w := post(t, denied); w.Code != 401 || len(denied.client.seen()) != 0 {
		t.Errorf("a reply that disproves it: answer %d with %d events", w.Code, len(denied.client.seen()))
	}
}

func TestAProofThatNobodyCanBeAskedAboutIsPutOff(t *testing.T) {
	t.Parallel()
	untilTheEnd := func(ctx context.Context) (provider.Reply, error) {
		<-ctx.Done()
		return provider.Reply{}, ctx.Err()
	}
	for name, out := range map[string]provider.Fetcher{
		"nobody who asks": nil,
		"a silent side":   &outside{answer: untilTheEnd},
		"a broken side": &outside{answer: func(context.Context) (provider.Reply, error) {
			return provider.Reply{Status: 502}, nil
		}},
		"no way there": &outside{answer: func(context.Context) (provider.Reply, error) {
			return provider.Reply{}, errors.New("fetch from sender.test: no route")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := askingDoor(t, asking{}, 30*time.Millisecond, out)
			mustBeUnavailable(t, d, post(t, d))
		})
	}
	t.Run("a silent side of a kind that names no time", func(t *testing.T) {
		t.Parallel()
		d := newDoor(t, func(opts *webhook.Options) {
			opts.Limits.Answer = 30 * time.Millisecond
			opts.Fetcher = &outside{answer: untilTheEnd}
			opts.Providers = []provider.Opened{{Account: "shop", Config: &configv1.Provider{Name: "scripted"}, Provider: asking{}}}
		})
		mustBeUnavailable(t, d, post(t, d))
	})
}

func TestTheTimeOfAProofIsNotTheTimeOfTheCommit(t *testing.T) {
	t.Parallel()
	d := newDoor(t, func(opts *webhook.Options) {
		const answer = 100 * time.Millisecond
		opts.Limits.Answer = answer
		opts.Fetcher = &outside{answer: func(ctx context.Context) (provider.Reply, error) {
			select { // the other side takes longer than an answer of ours may
			case <-time.After(2 * answer):
				return provider.Reply{Status: 200}, nil
			case <-ctx.Done():
				return provider.Reply{}, ctx.Err()
			}
		}}
		opts.Providers = []provider.Opened{{
			Account: "shop", Config: &configv1.Provider{Name: "scripted"}, Provider: asking{}, Kind: provider.Kind{ProofWithin: time.Minute},
		}}
	})
	if w := post(t, d); w.Code != 200 || len(d.client.seen()) != 1 {
		t.Errorf("answer %d with %d events", w.Code, len(d.client.seen()))
	}
}

func TestARequestThatNoReplyCouldProveMakesNobodyAsk(t *testing.T) {
	t.Parallel()
	out := &outside{}
	d := askingDoor(t, asking{inquire: func() ([]provider.Call, error) { return nil, errors.New("header X is missing") }}, time.Second, out)
	if w := post(t, d); w.Code != 401 || out.calls != 0 || !strings.Contains(w.Body.String(), "header X is missing") {
		t.Errorf("answer %d after %d calls", w.Code, out.calls)
	}
}

func TestAProvenSetUpRequestIsConfirmedAndBecomesNoEvent(t *testing.T) {
	t.Parallel()
	setUp := asking{
		inquire: func() ([]provider.Call, error) { return nil, nil },
		confirm: func() (provider.Call, bool) {
			return provider.Call{URL: "https://sender.test/?token=in-the-question"}, true
		},
	}
	out := &outside{}
	d := askingDoor(t, setUp, time.Second, out)
	w := post(t, d)
	if w.Code != 200 || out.calls != 1 || len(d.client.seen()) != 0 || strings.Contains(w.Body.String(), "error") {
		t.Errorf("answer %d %s after %d calls with %d events", w.Code, w.Body, out.calls, len(d.client.seen()))
	}
	if !strings.Contains(d.log.String(), `"verdict":"handshake"`) {
		t.Errorf("log %s", d.log)
	}

	refused := askingDoor(t, setUp, time.Second, &outside{answer: func(context.Context) (provider.Reply, error) {
		return provider.Reply{Status: 403}, nil
	}})
	mustBeUnavailable(t, refused, post(t, refused))

	unproven := setUp
	unproven.judge = func([]provider.Reply) error { return errors.New("it is a stranger's") }
	nobody := &outside{}
	stranger := askingDoor(t, unproven, time.Second, nobody)
	if w := post(t, stranger); w.Code != 401 || nobody.calls != 0 {
		t.Errorf("a stranger's set-up request: answer %d after %d calls", w.Code, nobody.calls)
	}
}

func TestProviderCodeThatPanicsWhileItAsksHarmsNobody(t *testing.T) {
	t.Parallel()
	inquiring := askingDoor(t, asking{inquire: func() ([]provider.Call, error) { panic(payload) }}, time.Second, &outside{})
	if w := post(t, inquiring); w.Code != 401 || len(inquiring.client.seen()) != 0 {
		t.Errorf("inquire panics: answer %d with %d events", w.Code, len(inquiring.client.seen()))
	}
	confirming := askingDoor(t, asking{confirm: func() (provider.Call, bool) { panic(payload) }}, time.Second, &outside{})
	mustBeUnavailable(t, confirming, post(t, confirming))
	if strings.Contains(inquiring.log.String()+confirming.log.String(), payload) {
		t.Error("the log quotes the panic, which may quote the body")
	}
}
