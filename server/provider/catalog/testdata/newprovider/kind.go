// Package newprovider reads the webhooks of a courier that nobody but a test has heard of. It is all that a new provider
// needs: this folder beside the others, and its line in the catalogue.
package newprovider

import (
	"embed"
	"slices"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/provider"
)

//go:embed testdata/*.http
var testdata embed.FS

var proof = provider.Proof{Scheme: provider.HMACSHA256, Place: "X-Pigeon-Seal"}

// Kind describes the folder.
func Kind() provider.Kind {
	return provider.Kind{
		Name:    "newprovider",
		Proof:   proof.Words(),
		Version: "newprovider-1",
		Check:   check,
		New:     open,
		Sign:    func(r *provider.Request, secret string, _ time.Time) { proof.Sign(r, secret) },
		Samples: provider.SamplesIn(testdata),
	}
}

type loft struct{ keys provider.Keys }

func open(cfg *configv1.Provider) (provider.Provider, error) {
	return &loft{keys: provider.NewKeys(cfg)}, nil
}

func check(cfg *configv1.Provider) []provider.Problem {
	return slices.Concat(provider.CheckSecrets(cfg), provider.CheckExpect(cfg), provider.CheckProof(cfg, proof))
}

// Handshake knows no probe.
func (*loft) Handshake(*provider.Request) (provider.Answer, bool) { return provider.Answer{}, false }

// Verify checks the signature over the body.
func (l *loft) Verify(r *provider.Request) error { return proof.Verify(l.keys, r) }

// Answer words a result.
func (*loft) Answer(res provider.Result) provider.Answer { return provider.DefaultAnswer(res) }
