// Package github reads the webhooks of the code host GitHub. It carries no orders: it stands here as the plainest
// example of a signed body, and so that a shop can point a hook at Waybill and see that signatures work.
package github

import (
	"embed"
	"slices"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/provider"
)

//go:embed testdata/*.http
var testdata embed.FS

var proof = provider.Proof{
	Scheme: provider.HMACSHA256, Place: "X-Hub-Signature-256", Prefix: "sha256=", Encoding: provider.Hex,
}

// Kind describes the folder.
func Kind() provider.Kind {
	return provider.Kind{
		Name:        "github",
		Proof:       proof.Words(),
		Version:     "github-1",
		KeptHeaders: []string{"x-github-event", "x-github-delivery"},
		Check:       check,
		New:         open,
		Sign:        func(r *provider.Request, secret string, _ time.Time) { proof.Sign(r, secret) },
		Samples:     provider.SamplesIn(testdata),
	}
}

type host struct{ keys provider.Keys }

func open(cfg *configv1.Provider) (provider.Provider, error) {
	return &host{keys: provider.NewKeys(cfg)}, nil
}

func check(cfg *configv1.Provider) []provider.Problem {
	return slices.Concat(provider.CheckSecrets(cfg), provider.CheckExpect(cfg), provider.CheckProof(cfg, proof))
}

// Handshake knows no probe: the ping is signed like every delivery, and a hook with a wrong secret should learn so.
func (*host) Handshake(*provider.Request) (provider.Answer, bool) { return provider.Answer{}, false }

// Verify checks the signature over the body. The old SHA-1 header beside it proves nothing.
func (h *host) Verify(r *provider.Request) error { return proof.Verify(h.keys, r) }

// Answer words a result: GitHub reads the status, and shows the rest to people.
func (*host) Answer(res provider.Result) provider.Answer { return provider.DefaultAnswer(res) }
