package custom_test

import (
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strconv"
	"testing"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/providertest"
)

func TestARefusalSaysWhatIsWrongWithASignatureAndItsTime(t *testing.T) {
	t.Parallel()
	const (
		malformed = "header X-Stamped is malformed: it should read t=…,v1=…"
		timeless  = "header X-Stamped carries no time in seconds since 1970"
	)
	stamp := "t=" + strconv.FormatInt(providertest.Now().Unix(), 10)
	good := "v1=" + hex.EncodeToString(provider.MAC("key", []byte(stamp[2:]+"."), []byte("{}")))
	opened := open(t, &configv1.Provider{
		Secrets: []*configv1.Secret{{Value: "key"}},
		Proof:   &configv1.Proof{Header: "X-Stamped"},
		Custom:  &configv1.Custom{Preset: "timestamped", Id: "body.id", Changes: []*configv1.CustomChange{{Kind: "fact", Name: "pinged"}}},
	})
	for header, want := range map[string]string{
		stamp + "," + good:                        "",
		stamp + ",v1=zz," + good + ",v0=00,v1=00": "",
		"t=," + stamp + "," + good:                "",
		stamp + ",v1=zz":                          malformed,
		stamp + "," + good + ",v0":                malformed,
		stamp + "," + good + ",v0=a=b":            malformed,
		stamp + "," + stamp + "," + good:          malformed,
		"t=x," + stamp + "," + good:               malformed,
		"t=," + good:                              malformed,
		"t=x":                                     malformed,
		"t=x," + good:                             timeless,
		"t=1099511627776," + good:                 timeless,
		"t=0," + good:                             "header X-Stamped carries a time more than 300 s from now",
		stamp + ",v1=00":                          "header X-Stamped holds no signature of this body",
		"":                                        "header X-Stamped is missing",
	} {
		r := &provider.Request{
			Header: http.Header{"X-Stamped": {header}}, Body: []byte("{}"), ReceivedAt: providertest.Now(),
		}
		if got := text(opened.Verify(r)); got != want {
			t.Errorf("%q: %q, want %q", header, got, want)
		}
	}
}

func TestARefusalOfTheStandardWebhooksPresetSaysWhichHeaderIsWrong(t *testing.T) {
	t.Parallel()
	const (
		malformed = "header Svix-Signature is malformed: it should read v1,…"
		unproven  = "header Svix-Signature holds no signature of this id, time and body"
	)
	stamp := strconv.FormatInt(providertest.Now().Unix(), 10)
	good := "v1," + base64.StdEncoding.EncodeToString(provider.MAC("key", []byte("msg_1."+stamp+"."), []byte("{}")))
	opened := open(t, standardSettings(whsec("key")))
	for _, c := range []struct{ id, stamp, signature, want string }{
		{"msg_1", stamp, "v1a,AAAA v1,@@ " + good, ""},
		{"msg_1", stamp, "v1,AAAA", unproven},
		{"msg_1", stamp, "v1a,AAAA", malformed},
		{"msg_1", stamp, "v1,", malformed},
		{"msg_1", "soon", good, "header Svix-Timestamp carries no time in seconds since 1970"},
		{"msg_1", "0", good, "header Svix-Timestamp carries a time more than 300 s from now"},
		{"msg.1", stamp, good, "header Svix-Id is not an id: it should be plain characters without a point"},
		{"msg_1", "", good, "header Svix-Timestamp is missing"},
	} {
		r := &provider.Request{Header: http.Header{
			"Svix-Id": {c.id}, "Svix-Timestamp": {c.stamp}, "Svix-Signature": {c.signature},
		}, Body: []byte("{}"), ReceivedAt: providertest.Now()}
		if got := text(opened.Verify(r)); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// Anybody can sign with the empty key, which is what is left of a secret of another shape.
func TestASecretOfAnotherShapeProvesNothing(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{"whsec_@@", "whsec_", "whpk_AAAA"} {
		settings := standardSettings(secret)
		r := &provider.Request{Header: http.Header{}, Body: []byte("{}"), ReceivedAt: providertest.Now()}
		described(t, settings).Sign(r, secret, time.Unix(providertest.Now().Unix(), 0))
		if got := text(open(t, settings).Verify(r)); got != provider.ErrNoSecret.Error() {
			t.Errorf("%s: %q", secret, got)
		}
		settings.Secrets = append(settings.Secrets, &configv1.Secret{Value: whsec("key")})
		if got := text(open(t, settings).Verify(r)); got != "header Webhook-Signature holds no signature of this id, time and body" {
			t.Errorf("%s beside a sound one: %q", secret, got)
		}
	}
}

func standardSettings(secret string) *configv1.Provider {
	return &configv1.Provider{
		Secrets: []*configv1.Secret{{Value: secret}},
		Custom: &configv1.Custom{
			Preset: "standard_webhooks", Id: "webhook_id", Changes: []*configv1.CustomChange{{Kind: "fact", Name: "pinged"}},
		},
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
