package provider_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/provider"
)

func keys(secret string) provider.Keys {
	return provider.NewKeys(&configv1.Provider{Secrets: []*configv1.Secret{{Value: secret}}})
}

func request(body string) *provider.Request {
	return &provider.Request{Header: http.Header{}, Body: []byte(body), ReceivedAt: time.Unix(1768480205, 0)}
}

func TestEverySchemeTakesWhatItSigned(t *testing.T) {
	t.Parallel()
	for name, proof := range map[string]provider.Proof{
		"hex":          {Scheme: provider.HMACSHA256, Place: "X-Sig"},
		"hex, prefix":  {Scheme: provider.HMACSHA256, Place: "X-Sig", Prefix: "v1="},
		"base64":       {Scheme: provider.HMACSHA256, Place: "X-Sig", Encoding: provider.Base64},
		"bearer":       {Scheme: provider.Bearer},
		"bearer apart": {Scheme: provider.Bearer, Place: "X-Auth"},
		"static":       {Scheme: provider.StaticHeader, Place: "X-Key"},
		"query":        {Scheme: provider.QueryToken, Place: "token"},
	} {
		r := request("{}")
		proof.Sign(r, "key")
		if err := proof.Verify(keys("key"), r); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if proof.Verify(keys("other"), r) == nil {
			t.Errorf("%s: taken with another secret", name)
		}
		if err := proof.Verify(provider.Keys{}, r); err == nil || err.Error() != provider.ErrNoSecret.Error() {
			t.Errorf("%s without a secret: %v", name, err)
		}
		if proof.Verify(keys("key"), request("{}")) == nil {
			t.Errorf("%s: taken without a proof", name)
		}
		if proof.Words() == "" {
			t.Errorf("%s has no words", name)
		}
	}
}

func TestSigningLeavesTheCallersQueryAlone(t *testing.T) {
	t.Parallel()
	shared := url.Values{"x": {"y"}}
	r := request("{}")
	r.Query = shared
	provider.Proof{Scheme: provider.QueryToken, Place: "token"}.Sign(r, "key")
	if shared.Has("token") || r.Query.Get("token") != "key" || r.Query.Get("x") != "y" {
		t.Errorf("shared %v, signed %v", shared, r.Query)
	}
}

func TestAHexSignatureMayComeInCapitals(t *testing.T) {
	t.Parallel()
	proof := provider.Proof{Scheme: provider.HMACSHA256, Place: "X-Sig", Prefix: "v1="}
	r := request("{}")
	proof.Sign(r, "key")
	bare := strings.TrimPrefix(r.Header.Get("X-Sig"), "v1=")

	r.Header.Set("X-Sig", "v1="+strings.ToUpper(bare))
	if err := proof.Verify(keys("key"), r); err != nil {
		t.Errorf("in capitals: %v", err)
	}
	r.Header.Set("X-Sig", "V1="+bare)
	if proof.Verify(keys("key"), r) == nil {
		t.Error("a prefix in capitals was taken")
	}
}

func TestTheWordBearerMayComeInAnyCase(t *testing.T) {
	t.Parallel()
	proof := provider.Proof{Scheme: provider.Bearer}
	for shown, want := range map[string]bool{
		"Bearer key": true, "bearer key": true, "BEARER key": true, "Bearer KEY": false, "Bearer  key": false, "Basic key": false, "key": false,
	} {
		r := request("{}")
		r.Header.Set("Authorization", shown)
		if err := proof.Verify(keys("key"), r); (err == nil) != want {
			t.Errorf("%q: %v, want taken %t", shown, err, want)
		}
	}
}

func TestTheSettingsReplaceWhatTheyName(t *testing.T) {
	t.Parallel()
	own := provider.Proof{Scheme: provider.HMACSHA256, Place: "X-Own", Prefix: "sha256="}
	for name, c := range map[string]struct {
		set  *configv1.Proof
		want provider.Proof
	}{
		"nothing":        {nil, own},
		"a header":       {&configv1.Proof{Header: "X-Set"}, provider.Proof{Scheme: provider.HMACSHA256, Place: "X-Set"}},
		"an encoding":    {&configv1.Proof{Encoding: "base64"}, provider.Proof{Scheme: provider.HMACSHA256, Place: "X-Own", Encoding: provider.Base64}},
		"another scheme": {&configv1.Proof{Scheme: "bearer"}, provider.Proof{Scheme: provider.Bearer}},
	} {
		got := provider.ConfiguredProof(&configv1.Provider{Proof: c.set}, own)
		if got.Scheme != c.want.Scheme || got.Place != c.want.Place || got.Prefix != c.want.Prefix || got.Encoding != c.want.Encoding {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestPartsOfAProofThatAKindDoesNotReadAreReported(t *testing.T) {
	t.Parallel()
	own := provider.Proof{Scheme: provider.StaticHeader, Place: "X-Own"}
	problems := provider.CheckProof(&configv1.Provider{
		Proof: &configv1.Proof{Scheme: "bearer", Header: "X-Set", Prefix: "p", Encoding: "hex"},
	}, own, "header")
	fields := make([]string, 0, len(problems))
	for _, problem := range problems {
		fields = append(fields, problem.Field)
	}
	if want := []string{"proof.scheme", "proof.prefix", "proof.encoding"}; !slices.Equal(fields, want) {
		t.Errorf("problems of %q, want %q", fields, want)
	}
	if problems := provider.CheckProof(&configv1.Provider{}, own); len(problems) > 0 {
		t.Errorf("no settings, and problems %v", problems)
	}
}

type settingsSigner struct{ provider.Provider }

func (settingsSigner) Sign(r *provider.Request, secret string, _ time.Time) {
	r.Header.Set("X-Set", secret)
}

func TestAConfiguredSenderSignsAsItsSettingsSay(t *testing.T) {
	t.Parallel()
	kind := provider.Kind{Sign: func(r *provider.Request, secret string, _ time.Time) { r.Header.Set("X-Own", secret) }}
	own, set := request("{}"), request("{}")
	provider.Opened{Kind: kind}.Sign(own, "key", time.Time{})
	provider.Opened{Kind: kind, Provider: settingsSigner{}}.Sign(set, "key", time.Time{})
	if own.Header.Get("X-Own") != "key" || set.Header.Get("X-Set") != "key" || set.Header.Get("X-Own") != "" {
		t.Errorf("own %v, set %v", own.Header, set.Header)
	}
}
