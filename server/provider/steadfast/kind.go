// Package steadfast reads the webhooks of the courier Steadfast.
package steadfast

import (
	"cmp"
	"embed"
	"slices"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/order"
	"github.com/waybillhq/waybill/server/provider"
)

//go:embed testdata/*.http
var testdata embed.FS

const (
	defaultZone     = "Asia/Dhaka"
	defaultCurrency = "BDT"
)

// proof is the token that the merchant types into the panel: Steadfast signs nothing.
var proof = provider.Proof{Scheme: provider.Bearer}

// Kind describes the folder.
func Kind() provider.Kind {
	return provider.Kind{
		Name:    "steadfast",
		Proof:   proof.Words(),
		Version: "steadfast-1",
		Check:   check,
		New:     open,
		Sign:    func(r *provider.Request, secret string, _ time.Time) { proof.Sign(r, secret) },
		Samples: provider.SamplesIn(testdata),
	}
}

type courier struct {
	keys     provider.Keys
	zone     *time.Location
	currency string
}

func open(cfg *configv1.Provider) (provider.Provider, error) {
	zone, err := provider.Zone(cfg, defaultZone)
	if err != nil {
		return nil, err
	}
	return &courier{
		keys:     provider.NewKeys(cfg),
		zone:     zone,
		currency: cmp.Or(cfg.GetCurrency(), defaultCurrency),
	}, nil
}

func check(cfg *configv1.Provider) []provider.Problem {
	problems := slices.Concat(
		provider.CheckSecrets(cfg), provider.CheckZone(cfg), provider.CheckExpect(cfg), provider.CheckProof(cfg, proof),
	)
	if _, known := order.Exponent(cfg.GetCurrency()); cfg.GetCurrency() != "" && !known {
		problems = append(problems, provider.Problem{Field: "currency", Message: "no such ISO 4217 currency"})
	}
	return problems
}

// Handshake knows no probe.
func (*courier) Handshake(*provider.Request) (provider.Answer, bool) { return provider.Answer{}, false }

// Verify compares the bearer token with the secret. It covers nothing of the body.
func (c *courier) Verify(r *provider.Request) error { return proof.Verify(c.keys, r) }
