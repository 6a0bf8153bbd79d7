package stripe_test

import (
	"encoding/hex"
	"net/http"
	"strconv"
	"testing"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/providertest"
	"github.com/waybillhq/waybill/server/provider/stripe"
)

func TestARefusalSaysWhatIsWrongWithTheHeader(t *testing.T) {
	t.Parallel()
	const (
		malformed = "header Stripe-Signature is malformed: it should read t=…,v1=…"
		unproven  = "header Stripe-Signature holds no signature of this body"
		untimely  = "header Stripe-Signature carries a time more than 300 s from now"
	)
	seconds := providertest.Now().Unix()
	stamp := "t=" + strconv.FormatInt(seconds, 10)
	good := "v1=" + hex.EncodeToString(provider.MAC("whsec_key", []byte(stamp[2:]+"."), []byte("{}")))
	opened, err := stripe.Kind().New(&configv1.Provider{Secrets: []*configv1.Secret{{Value: "whsec_key"}}})
	if err != nil {
		t.Fatal(err)
	}
	for header, want := range map[string]string{
		stamp + "," + good:                                   "",
		" " + good + " , " + stamp:                           "",
		stamp + ",v1=zz," + good + ",v0=00,v1=00":            "",
		stamp + ",v1=zz":                                     malformed,
		stamp + ",v1=00":                                     unproven,
		stamp + ",v1=":                                       unproven,
		stamp + "," + good + ",v0":                           malformed,
		stamp + "," + good + ",v0=a=b":                       malformed,
		stamp + "," + good + ",":                             malformed,
		stamp + "," + stamp + "," + good:                     malformed,
		"t=," + stamp + "," + good:                           malformed,
		"t=x," + good:                                        malformed,
		"t=-1," + good:                                       malformed,
		"t=1099511627776," + good:                            malformed,
		"t=0," + good:                                        untimely,
		"t=" + strconv.FormatInt(seconds+301, 10) + ",v1=00": untimely,
		"t=" + strconv.FormatInt(seconds+300, 10) + ",v1=00": unproven,
		"": "header Stripe-Signature is missing",
	} {
		r := &provider.Request{
			Header: http.Header{"Stripe-Signature": {header}}, Body: []byte("{}"), ReceivedAt: time.Unix(seconds, 0),
		}
		if got := text(opened.Verify(r)); got != want {
			t.Errorf("%q: %q, want %q", header, got, want)
		}
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
