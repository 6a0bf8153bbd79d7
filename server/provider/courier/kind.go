// Package courier reads the plain courier webhook: four members of JSON, and a proof that the settings describe.
package courier

import (
	"embed"
	"slices"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/provider"
)

//go:embed testdata/*.http
var testdata embed.FS

// proof is how a courier proves itself whose settings say nothing else.
var proof = provider.Proof{Scheme: provider.HMACSHA256, Place: "X-Courier-Signature", Prefix: "sha256="}

// Kind describes the folder.
func Kind() provider.Kind {
	return provider.Kind{
		Name:    "courier",
		Proof:   proof.Words() + ", or what the settings say",
		Version: "courier-1",
		Check:   check,
		New:     open,
		Sign:    func(r *provider.Request, secret string, _ time.Time) { proof.Sign(r, secret) },
		Samples: provider.SamplesIn(testdata),
	}
}

type courier struct {
	keys  provider.Keys
	proof provider.Proof
	// zone of times that come without one. Nil: nobody knows.
	zone *time.Location
}

func open(cfg *configv1.Provider) (provider.Provider, error) {
	zone, err := provider.Zone(cfg, "")
	if err != nil {
		return nil, err
	}
	return &courier{keys: provider.NewKeys(cfg), proof: provider.ConfiguredProof(cfg, proof), zone: zone}, nil
}

func check(cfg *configv1.Provider) []provider.Problem {
	return slices.Concat(
		provider.CheckSecrets(cfg), provider.CheckZone(cfg), provider.CheckExpect(cfg),
		provider.CheckProof(cfg, proof, "scheme", "header", "prefix", "encoding"),
	)
}

// Handshake knows no probe.
func (*courier) Handshake(*provider.Request) (provider.Answer, bool) { return provider.Answer{}, false }

// Verify checks the configured proof.
func (c *courier) Verify(r *provider.Request) error { return c.proof.Verify(c.keys, r) }

// Sign adds the configured proof.
func (c *courier) Sign(r *provider.Request, secret string, _ time.Time) { c.proof.Sign(r, secret) }

// Answer words a result in the usual body, which lists every event of a batch.
func (*courier) Answer(res provider.Result) provider.Answer { return provider.DefaultAnswer(res) }
