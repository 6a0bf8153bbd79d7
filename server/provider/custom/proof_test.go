package custom_test

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/custom"
	"github.com/waybillhq/waybill/server/provider/providertest"
)

// provenBy is the example with another proof, and what the suite must know of it.
func provenBy(t *testing.T, preset string, proof *configv1.Proof, change func(*providertest.Options)) (provider.Kind, providertest.Options) {
	t.Helper()
	opts := options()
	opts.Malformed = nil
	opts.Settings.Custom.Preset, opts.Settings.Proof = preset, proof
	change(&opts)
	return described(t, opts.Settings), opts
}

func TestEveryProofKeepsTheContract(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		proof  *configv1.Proof
		header string
		prefix string
		fixed  bool
	}{
		"hex, no prefix":       {&configv1.Proof{Header: "X-Sig"}, "X-Sig", "", false},
		"base64 with a prefix": {&configv1.Proof{Header: "X-Sig", Prefix: "v1=", Encoding: "base64"}, "X-Sig", "v1=", false},
		"bearer":               {&configv1.Proof{Scheme: "bearer"}, "Authorization", "Bearer ", true},
		"static header":        {&configv1.Proof{Scheme: "static_header", Header: "X-Key"}, "X-Key", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kind, opts := provenBy(t, "", c.proof, func(opts *providertest.Options) {
				opts.ProofHeader, opts.ProofPrefix, opts.SignsBody = c.header, c.prefix, !c.fixed
			})
			providertest.Run(t, kind, opts)
		})
	}
}

func TestASignatureWithItsTimeKeepsTheContract(t *testing.T) {
	t.Parallel()
	kind, opts := provenBy(t, "timestamped", &configv1.Proof{Header: "X-Stamped"}, func(opts *providertest.Options) {
		opts.ProofHeader, opts.ProofPrefix = "X-Stamped", ""
		opts.Past, opts.Future = 300*time.Second, 300*time.Second
		stamp := "t=" + strconv.FormatInt(providertest.Now().Unix(), 10)
		opts.Malformed = []string{stamp, "v1=00", stamp + ",v1=zz", stamp + ",v1", "t=x,v1=00", stamp + "," + stamp + ",v1=00"}
	})
	providertest.Run(t, kind, opts)
}

// whsec is a secret in the shape of the specification.
func whsec(seed string) string { return "whsec_" + base64.StdEncoding.EncodeToString([]byte(seed)) }

func standard(t *testing.T) (provider.Kind, providertest.Options) {
	t.Helper()
	kind, opts := provenBy(t, "standard_webhooks", nil, func(opts *providertest.Options) {
		opts.ProofHeader, opts.ProofPrefix = "Webhook-Signature", "v1,"
		opts.Past, opts.Future = 300*time.Second, 300*time.Second
		opts.Malformed = []string{"v2,AAAA", "v1a,AAAA", "v1", "v1,", "v1,@@@@"}
		opts.Vectors = []providertest.Vector{{
			Name: "the specification's own", Secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", Body: `{"test": 2432232314}`,
			Header: http.Header{
				"Webhook-Id": {"msg_p5jXN8AQM9LWM0D4loKWxJek"}, "Webhook-Timestamp": {"1614265330"},
				"Webhook-Signature": {"v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="},
			},
			At: time.Unix(1614265330, 0),
		}}
	})
	kind.Secret = whsec
	return kind, opts
}

func TestTheStandardWebhooksPresetKeepsTheContract(t *testing.T) {
	t.Parallel()
	kind, opts := standard(t)
	providertest.Run(t, kind, opts)
}

func TestTheSignedIDOfTheHeadersMayBeTheEventsOwn(t *testing.T) {
	t.Parallel()
	cfg := &configv1.Provider{
		Secrets: []*configv1.Secret{{Value: whsec("key")}},
		Custom: &configv1.Custom{
			Preset: "standard_webhooks", Id: "webhook_id",
			Changes: []*configv1.CustomChange{{Kind: "fact", Name: "pinged"}},
		},
	}
	if problems := custom.Kind().Check(cfg); len(problems) > 0 {
		t.Fatalf("problems %v", problems)
	}
	kind := described(t, cfg)
	for _, name := range []string{"webhook-id", "svix-id"} {
		r := &provider.Request{Header: http.Header{}, Body: []byte("{}"), ReceivedAt: providertest.Now()}
		r.Header.Set(name, "msg_1")
		kind.Sign(r, whsec("key"), providertest.Now())
		opened := open(t, cfg)
		if err := opened.Verify(r); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		events, err := providertest.Translate(t, opened, r)
		if err != nil || events[0].GetEventId() != "msg_1" || events[0].GetEventIdDerived() {
			t.Errorf("%s: %v, %v", name, events, err)
		}
		if !slices.Contains(kind.KeptHeaders, name) {
			t.Errorf("%s is not kept, so the event could not be read again", name)
		}
		r.Header.Set(name, "msg_2")
		if opened.Verify(r) == nil {
			t.Errorf("%s: another id was taken", name)
		}
	}
}

func TestSettingsOfAProofThatNobodyLooksAtAreFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		proof  *configv1.Proof
		preset string
		secret string
		want   string
	}{
		"a scheme beside a preset":   {&configv1.Proof{Scheme: "bearer", Header: "X-Sig"}, "timestamped", "key", "proof.scheme"},
		"a preset without a header":  {nil, "timestamped", "key", "proof.header"},
		"a header of its own":        {&configv1.Proof{Header: "X-Sig"}, "standard_webhooks", whsec("key"), "proof.header"},
		"a secret of another shape":  {nil, "standard_webhooks", "whsec_@@", "secrets[0].value"},
		"a static header's name":     {&configv1.Proof{Scheme: "static_header"}, "", "key", "proof.header"},
		"nothing is wrong with this": {&configv1.Proof{Header: "X-Sig"}, "timestamped", "key", ""},
	} {
		cfg := custom.Example()
		cfg.Proof, cfg.Custom.Preset, cfg.Secrets = c.proof, c.preset, []*configv1.Secret{{Value: c.secret}}
		problems := custom.Kind().Check(cfg)
		if (len(problems) == 0) != (c.want == "") || len(problems) > 0 && problems[0].Field != c.want {
			t.Errorf("%s: problems %v, want one of %s", name, problems, c.want)
		}
	}
}
