package standardwebhooks_test

import (
	"encoding/base64"
	"strconv"
	"testing"
	"time"

	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/providertest"
	"github.com/waybillhq/waybill/server/provider/standardwebhooks"
)

func TestARefusalSaysWhichHeaderIsWrong(t *testing.T) {
	t.Parallel()
	const (
		malformed = "header Webhook-Signature is malformed: it should read v1,… or v1a,…"
		unproven  = "header Webhook-Signature holds no signature of this id, time and body"
	)
	seconds := providertest.Now().Unix()
	stamp := strconv.FormatInt(seconds, 10)
	good := "v1," + base64.StdEncoding.EncodeToString(provider.MAC("key", []byte("msg_1."+stamp+"."), []byte("{}")))
	opened := open(t, secrets("whsec_"+base64.StdEncoding.EncodeToString([]byte("key"))))
	for _, c := range []struct{ id, stamp, signature, want string }{
		{"msg_1", stamp, good, ""},
		{"msg_1", stamp, "v2,AAAA v1,@@ v1a,AAAA " + good, ""},
		{"msg_1", stamp, "v1,AAAA", unproven},
		{"msg_1", stamp, "v1a,AAAA", unproven},
		{"msg_1", stamp, "v2,AAAA", malformed},
		{"msg_1", stamp, "v1,", malformed},
		{"msg_1", stamp, good[:9] + "\n" + good[9:], malformed},
		{"msg_1", "soon", good, "header Webhook-Timestamp is not a time in seconds since 1970"},
		{"msg_1", "0", good, "header Webhook-Timestamp carries a time more than 300 s from now"},
		{"msg.1", stamp, good, "header Webhook-Id is not an id: it should be plain characters without a point"},
		{"msg_1", "", good, "header Webhook-Timestamp is missing"},
		{"msg_1", stamp, "", "header Webhook-Signature is missing"},
		{"", stamp, good, "header Webhook-Id is missing"},
	} {
		r := &provider.Request{
			Header: headers("Webhook", c.id, 0, c.signature), Body: []byte("{}"), ReceivedAt: time.Unix(seconds, 0),
		}
		r.Header.Set("Webhook-Timestamp", c.stamp)
		if got := text(opened.Verify(r)); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

func TestASecretThatIsNoKeySignsNothing(t *testing.T) {
	t.Parallel()
	r := &provider.Request{Header: headers("Svix", "msg_1", 0, ""), Body: []byte("{}")}
	standardwebhooks.Kind().Sign(r, "whpk_@@", providertest.Now())
	if got := r.Header.Get("Svix-Signature"); got != "v1," {
		t.Errorf("signature %q", got)
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
