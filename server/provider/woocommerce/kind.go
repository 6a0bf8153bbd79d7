// Package woocommerce reads the webhooks of the shop platform WooCommerce.
package woocommerce

import (
	"embed"
	"net/http"
	"regexp"
	"slices"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/provider"
)

//go:embed testdata/*.http
var testdata embed.FS

// proof covers the body and no header.
var proof = provider.Proof{
	Scheme: provider.HMACSHA256, Place: "X-WC-Webhook-Signature", Encoding: provider.Base64, Normal: unescaped,
}

// Kind describes the folder.
func Kind() provider.Kind {
	return provider.Kind{
		Name:        "woocommerce",
		Proof:       proof.Words(),
		Version:     "woocommerce-1",
		KeptHeaders: []string{"x-wc-webhook-topic", "x-wc-webhook-delivery-id", "x-wc-webhook-source"},
		Check:       check,
		New:         open,
		Sign:        sign,
		Samples:     provider.SamplesIn(testdata),
	}
}

type shop struct {
	keys     provider.Keys
	domain   string
	currency string
	zone     *time.Location
}

func open(cfg *configv1.Provider) (provider.Provider, error) {
	zone, err := provider.Zone(cfg, "")
	if err != nil {
		return nil, err
	}
	return &shop{
		keys:     provider.NewKeys(cfg),
		domain:   bare(cfg.GetExpect().GetShopDomain()),
		currency: cfg.GetCurrency(),
		zone:     zone,
	}, nil
}

func check(cfg *configv1.Provider) []provider.Problem {
	problems := slices.Concat(
		provider.CheckSecrets(cfg), provider.CheckZone(cfg), provider.CheckExpect(cfg, "shop_domain"),
		provider.CheckProof(cfg, proof),
	)
	if domain := cfg.GetExpect().GetShopDomain(); domain != "" && (bare(domain) != domain || host("https://"+domain) != domain) {
		problems = append(problems, provider.Problem{
			Field:   "expect.shop_domain",
			Message: "write the bare domain in lower case, like shop.example.com",
		})
	}
	return problems
}

// ping is what a shop posts when a webhook is made: a form, unsigned, with nothing else in it.
var ping = regexp.MustCompile(`^webhook_id=[0-9]{1,20}$`)

func isPing(r *provider.Request) bool {
	return len(r.Header.Values(proof.Place)) == 0 && ping.Match(r.Body)
}

// Handshake answers the ping. The shop wants exactly 200, and goes on without its webhook otherwise.
func (*shop) Handshake(r *provider.Request) (provider.Answer, bool) {
	if !isPing(r) {
		return provider.Answer{}, false
	}
	return provider.Answer{Status: http.StatusOK}, true
}

// Verify checks the signature over the body.
func (s *shop) Verify(r *provider.Request) error { return proof.Verify(s.keys, r) }

// sign signs everything but the ping, which no shop signs.
func sign(r *provider.Request, secret string, _ time.Time) {
	if !isPing(r) {
		proof.Sign(r, secret)
	}
}

// Answer words a result: WooCommerce reads the status only. After more than five refusals in a row it switches its
// webhook off.
func (*shop) Answer(res provider.Result) provider.Answer { return provider.DefaultAnswer(res) }
