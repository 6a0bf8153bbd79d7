// Package redx reads the webhooks of the courier RedX.
package redx

import (
	"embed"
	"slices"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/provider"
)

//go:embed testdata/*.http
var testdata embed.FS

// defaultZone is where RedX is at home. Its times are said to come with a zone.
const defaultZone = "Asia/Dhaka"

// proof is a token of the merchant's own choice in the callback's address: RedX signs nothing.
var proof = provider.Proof{Scheme: provider.QueryToken, Place: "token"}

// Kind describes the folder.
func Kind() provider.Kind {
	return provider.Kind{
		Name:    "redx",
		Proof:   proof.Words(),
		Version: "redx-1",
		Check:   check,
		New:     open,
		Sign:    func(r *provider.Request, secret string, _ time.Time) { proof.Sign(r, secret) },
		Samples: provider.SamplesIn(testdata),
	}
}

type courier struct {
	keys provider.Keys
	zone *time.Location
}

func open(cfg *configv1.Provider) (provider.Provider, error) {
	zone, err := provider.Zone(cfg, defaultZone)
	if err != nil {
		return nil, err
	}
	return &courier{keys: provider.NewKeys(cfg), zone: zone}, nil
}

func check(cfg *configv1.Provider) []provider.Problem {
	return slices.Concat(
		provider.CheckSecrets(cfg), provider.CheckZone(cfg), provider.CheckExpect(cfg), provider.CheckProof(cfg, proof),
	)
}

// Handshake knows no probe.
func (*courier) Handshake(*provider.Request) (provider.Answer, bool) { return provider.Answer{}, false }

// Verify compares the token with the secret. It covers nothing of the body.
func (c *courier) Verify(r *provider.Request) error { return proof.Verify(c.keys, r) }

// Answer words a result: RedX publishes nothing about answers.
func (*courier) Answer(res provider.Result) provider.Answer { return provider.DefaultAnswer(res) }
