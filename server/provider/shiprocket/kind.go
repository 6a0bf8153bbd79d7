// Package shiprocket reads the tracking webhooks of the courier aggregator Shiprocket.
package shiprocket

import (
	"embed"
	"slices"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/provider"
)

//go:embed testdata/*.http
var testdata embed.FS

const defaultZone = "Asia/Kolkata"

// proof is the token that the merchant types into the panel: Shiprocket signs nothing.
var proof = provider.Proof{Scheme: provider.StaticHeader, Place: "X-Api-Key"}

// Kind describes the folder.
func Kind() provider.Kind {
	return provider.Kind{
		Name:    "shiprocket",
		Proof:   proof.Words(),
		Version: "shiprocket-1",
		Check:   check,
		New:     open,
		Sign:    func(r *provider.Request, secret string, _ time.Time) { proof.Sign(r, secret) },
		Samples: provider.SamplesIn(testdata),
	}
}

type aggregator struct {
	keys provider.Keys
	zone *time.Location
}

func open(cfg *configv1.Provider) (provider.Provider, error) {
	zone, err := provider.Zone(cfg, defaultZone)
	if err != nil {
		return nil, err
	}
	return &aggregator{keys: provider.NewKeys(cfg), zone: zone}, nil
}

func check(cfg *configv1.Provider) []provider.Problem {
	return slices.Concat(
		provider.CheckSecrets(cfg), provider.CheckZone(cfg), provider.CheckExpect(cfg), provider.CheckProof(cfg, proof),
	)
}

// Handshake knows no probe.
func (*aggregator) Handshake(*provider.Request) (provider.Answer, bool) {
	return provider.Answer{}, false
}

// Verify compares the header with the secret. It covers nothing of the body.
func (a *aggregator) Verify(r *provider.Request) error { return proof.Verify(a.keys, r) }

// Answer words a result: Shiprocket wants exactly 200 and reads no more.
func (*aggregator) Answer(res provider.Result) provider.Answer { return provider.DefaultAnswer(res) }
