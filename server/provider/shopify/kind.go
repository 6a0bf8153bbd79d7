// Package shopify reads the webhooks of the shop platform Shopify.
package shopify

import (
	"embed"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/provider"
)

//go:embed testdata/*.http
var testdata embed.FS

// Kind describes the folder.
func Kind() provider.Kind {
	return provider.Kind{
		Name:        "shopify",
		Proof:       "HMAC-SHA256 over the body, in " + proofHeader,
		Version:     "shopify-1",
		KeptHeaders: []string{"x-shopify-topic", "x-shopify-webhook-id", "x-shopify-shop-domain"},
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
}

func open(cfg *configv1.Provider) (provider.Provider, error) {
	return &shop{
		keys:     provider.NewKeys(cfg),
		domain:   host(cfg.GetExpect().GetShopDomain()),
		currency: cfg.GetCurrency(),
	}, nil
}

func check(cfg *configv1.Provider) []provider.Problem {
	problems := provider.CheckSecrets(cfg)
	problems = append(problems, provider.CheckExpect(cfg, "shop_domain")...)
	if domain := cfg.GetExpect().GetShopDomain(); domain != "" && host(domain) != domain {
		problems = append(problems, provider.Problem{
			Field:   "expect.shop_domain",
			Message: "write the bare domain in lower case, like x.myshopify.com",
		})
	}
	return problems
}

// Handshake knows no probe.
func (*shop) Handshake(*provider.Request) (provider.Answer, bool) { return provider.Answer{}, false }

// Answer words a result: Shopify reads the status only.
func (*shop) Answer(res provider.Result) provider.Answer { return provider.DefaultAnswer(res) }
