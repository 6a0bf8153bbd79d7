// Package paypal reads the webhooks of the payment provider PayPal.
package paypal

import (
	"crypto/sha256"
	"crypto/x509"
	"embed"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/provider"
)

//go:embed testdata/*.http
var testdata embed.FS

const (
	// within is how long fetching a certificate may take, keep how long one serves.
	within = 5 * time.Second
	keep   = 24 * time.Hour
)

// Kind describes the folder.
func Kind() provider.Kind {
	return provider.Kind{
		Name:        "paypal",
		Proof:       "RSA-SHA256 over transmission, time, webhook id and the body's CRC-32, by a certificate of PayPal's",
		Version:     "paypal-1",
		KeptHeaders: []string{"paypal-transmission-id"},
		Check:       check,
		New:         open,
		Sign:        sign,
		Samples:     provider.SamplesIn(testdata),
		Secret:      example,
		ProofWithin: within,
		Rehearsal:   &provider.Rehearsal{Roots: rehearsalRoot, Answer: rehearse},
	}
}

type payments struct {
	// keys are webhook ids: what ties PayPal's signature to this webhook and to no other.
	keys      provider.Keys
	livemode  bool
	orderKeys []string
	outside   provider.Outside
	roots     *x509.CertPool
}

// orderKeys are the fields that are tried for our order's number where order_reference names none.
var orderKeys = []string{"invoice_id", "custom_id", "invoice_number", "custom"}

func open(cfg *configv1.Provider) (provider.Provider, error) {
	made := &payments{
		keys:      provider.NewKeys(cfg).Where(webhookID.MatchString),
		livemode:  true,
		orderKeys: orderKeys,
		outside:   provider.NewOutside(cfg.GetApiUrl(), cfg.GetApiCa()),
		roots:     trusted(cfg.GetApiCa()),
	}
	if cfg.GetExpect() != nil && cfg.GetExpect().Livemode != nil {
		made.livemode = cfg.GetExpect().GetLivemode()
	}
	if cfg.GetOrderReference() != "" {
		made.orderKeys = []string{cfg.GetOrderReference()}
	}
	return made, nil
}

// webhookID is the shape of a webhook's id. The simulator's WEBHOOK_ID has another, and anybody can sign with it.
var webhookID = regexp.MustCompile(`^[A-Za-z0-9]{1,50}$`)

func check(cfg *configv1.Provider) []provider.Problem {
	return slices.Concat(
		provider.CheckSecrets(cfg), provider.CheckExpect(cfg, "livemode"), provider.CheckProof(cfg, fixed),
		provider.CheckOutside(cfg),
		provider.CheckSecretShape(cfg, webhookID.MatchString, "write the webhook's id as PayPal shows it: letters and digits"),
		provider.CheckOrderReference(cfg, "PayPal", orderKeys),
	)
}

// example makes a webhook's id.
func example(seed string) string {
	sum := sha256.Sum256([]byte(seed))
	return strings.ToUpper(hex.EncodeToString(sum[:9]))
}

// fixed is the proof as far as settings could change it: they can't.
var fixed = provider.Proof{Scheme: provider.HMACSHA256, Place: headerSignature}

// Handshake knows no probe.
func (*payments) Handshake(*provider.Request) (provider.Answer, bool) {
	return provider.Answer{}, false
}

// Answer words a result: PayPal reads the status only.
func (*payments) Answer(res provider.Result) provider.Answer { return provider.DefaultAnswer(res) }
