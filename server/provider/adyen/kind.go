// Package adyen reads the standard payment webhooks of the payment provider Adyen.
package adyen

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/provider"
)

//go:embed testdata/*.http
var testdata embed.FS

// Kind describes the folder.
func Kind() provider.Kind {
	return provider.Kind{
		Name:    "adyen",
		Proof:   "HMAC-SHA256 over eight fields of each item, in its additionalData.hmacSignature",
		Version: "adyen-1",
		Check:   check,
		New:     open,
		Sign:    sign,
		Samples: provider.SamplesIn(testdata),
		Secret:  example,
	}
}

type payments struct {
	keys     provider.Keys
	account  string
	livemode bool
	// captured says that an authorised payment is taken with the authorisation.
	captured bool
}

func open(cfg *configv1.Provider) (provider.Provider, error) {
	made := &payments{
		keys:     provider.NewKeys(cfg).Where(usable),
		account:  cfg.GetExpect().GetAccountId(),
		livemode: true,
		captured: cfg.GetCapture() == "automatic",
	}
	if cfg.GetExpect() != nil && cfg.GetExpect().Livemode != nil {
		made.livemode = cfg.GetExpect().GetLivemode()
	}
	return made, nil
}

func check(cfg *configv1.Provider) []provider.Problem {
	return slices.Concat(
		provider.CheckSecrets(cfg), provider.CheckExpect(cfg, "account_id", "livemode"), provider.CheckProof(cfg, fixed),
		provider.CheckSecretShape(cfg, usable, "an HMAC key of Adyen is 64 hexadecimal digits: copy it whole"),
	)
}

// fixed is the proof as far as settings could change it: they can't.
var fixed = provider.Proof{Scheme: provider.HMACSHA256, Place: "hmacSignature"}

// usable says whether a secret is a key.
func usable(secret string) bool {
	key, err := hex.DecodeString(secret)
	return err == nil && len(key) == sha256.Size
}

// example makes a key.
func example(seed string) string {
	key := sha256.Sum256([]byte(seed))
	return strings.ToUpper(hex.EncodeToString(key[:]))
}

// Handshake knows no probe: the test in the Customer Area sends signed notifications.
func (*payments) Handshake(*provider.Request) (provider.Answer, bool) {
	return provider.Answer{}, false
}

// Answer words a result: Adyen waits for this body, and sends again until it gets it.
func (*payments) Answer(res provider.Result) provider.Answer {
	if res.Verdict != provider.Accepted {
		return provider.DefaultAnswer(res)
	}
	return provider.Answer{
		Status: http.StatusOK,
		Header: http.Header{"Content-Type": {"text/plain; charset=utf-8"}},
		Body:   []byte("[accepted]"),
	}
}
