// Package delhivery reads the scan pushes of the courier Delhivery.
package delhivery

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

// proof is a header that the merchant nominates, name and value, in Delhivery's Webhook Requirement Document. This is the
// name that we nominate; proof.header in the settings is for merchants who have nominated another.
var proof = provider.Proof{Scheme: provider.StaticHeader, Place: "X-Waybill-Token"}

// Kind describes the folder.
func Kind() provider.Kind {
	return provider.Kind{
		Name:    "delhivery",
		Proof:   proof.Words() + ", or the header that you nominated",
		Version: "delhivery-1",
		Check:   check,
		New:     open,
		Sign:    func(r *provider.Request, secret string, _ time.Time) { proof.Sign(r, secret) },
		Samples: provider.SamplesIn(testdata),
	}
}

type courier struct {
	keys  provider.Keys
	proof provider.Proof
	zone  *time.Location
}

func open(cfg *configv1.Provider) (provider.Provider, error) {
	zone, err := provider.Zone(cfg, defaultZone)
	if err != nil {
		return nil, err
	}
	return &courier{keys: provider.NewKeys(cfg), proof: provider.ConfiguredProof(cfg, proof), zone: zone}, nil
}

func check(cfg *configv1.Provider) []provider.Problem {
	return slices.Concat(
		provider.CheckSecrets(cfg), provider.CheckZone(cfg), provider.CheckExpect(cfg),
		provider.CheckProof(cfg, proof, "header", "prefix"),
	)
}

// Handshake knows no probe.
func (*courier) Handshake(*provider.Request) (provider.Answer, bool) { return provider.Answer{}, false }

// Verify compares the nominated header with the secret. It covers nothing of the body.
func (c *courier) Verify(r *provider.Request) error { return c.proof.Verify(c.keys, r) }

// Sign adds the nominated header.
func (c *courier) Sign(r *provider.Request, secret string, _ time.Time) { c.proof.Sign(r, secret) }

// Answer words a result: Delhivery wants 200 and reads no more.
func (*courier) Answer(res provider.Result) provider.Answer { return provider.DefaultAnswer(res) }
