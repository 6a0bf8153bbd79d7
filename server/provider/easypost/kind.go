// Package easypost reads the webhooks of the shipping platform EasyPost.
package easypost

import (
	"embed"
	"slices"
	"time"

	"golang.org/x/text/unicode/norm"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/provider"
)

//go:embed testdata/*.http
var testdata embed.FS

// proof is the first of EasyPost's two signatures. The second, X-Hmac-Signature-V2, is left alone: sources disagree about
// what it signs, and no vector is published.
var proof = provider.Proof{
	Scheme: provider.HMACSHA256,
	Place:  "X-Hmac-Signature",
	Prefix: "hmac-sha256-hex=",
	Normal: norm.NFKD.String, // an é may be one character or two: EasyPost takes it apart
}

// Kind describes the folder.
func Kind() provider.Kind {
	return provider.Kind{
		Name:    "easypost",
		Proof:   proof.Words(),
		Version: "easypost-1",
		Check:   check,
		New:     open,
		Sign:    func(r *provider.Request, secret string, _ time.Time) { proof.Sign(r, secret) },
		Samples: provider.SamplesIn(testdata),
	}
}

type trackers struct {
	keys     provider.Keys
	livemode bool
}

func open(cfg *configv1.Provider) (provider.Provider, error) {
	made := &trackers{keys: provider.NewKeys(cfg), livemode: true}
	if cfg.GetExpect() != nil && cfg.GetExpect().Livemode != nil {
		made.livemode = cfg.GetExpect().GetLivemode()
	}
	return made, nil
}

func check(cfg *configv1.Provider) []provider.Problem {
	return slices.Concat(
		provider.CheckSecrets(cfg), provider.CheckExpect(cfg, "livemode"), provider.CheckProof(cfg, proof),
	)
}

// Handshake knows no probe.
func (*trackers) Handshake(*provider.Request) (provider.Answer, bool) {
	return provider.Answer{}, false
}

// Verify checks the signature, which covers the body and no time.
func (t *trackers) Verify(r *provider.Request) error { return proof.Verify(t.keys, r) }

// Answer words a result: EasyPost reads the status only.
func (*trackers) Answer(res provider.Result) provider.Answer { return provider.DefaultAnswer(res) }
