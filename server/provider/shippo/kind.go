// Package shippo reads the tracking webhooks of the shipping platform Shippo.
package shippo

import (
	"embed"
	"net/http"
	"slices"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/provider"
)

//go:embed testdata/*.http
var testdata embed.FS

// Kind describes the folder.
func Kind() provider.Kind {
	return provider.Kind{
		Name:    "shippo",
		Proof:   "HMAC-SHA256 over time and body, in " + proof.Header + "; or " + token.Words(),
		Version: "shippo-1",
		Check:   check,
		New:     open,
		Sign:    proof.Sign,
		Samples: provider.SamplesIn(testdata),
	}
}

type tracker struct {
	keys      provider.Keys
	livemode  bool
	reference string
}

func open(cfg *configv1.Provider) (provider.Provider, error) {
	made := &tracker{keys: provider.NewKeys(cfg), livemode: true, reference: cfg.GetOrderReference()}
	if cfg.GetExpect() != nil && cfg.GetExpect().Livemode != nil {
		made.livemode = cfg.GetExpect().GetLivemode()
	}
	return made, nil
}

func check(cfg *configv1.Provider) []provider.Problem {
	return slices.Concat(
		provider.CheckSecrets(cfg), provider.CheckExpect(cfg, "livemode"), provider.CheckProof(cfg, token),
	)
}

// Handshake knows no probe.
func (*tracker) Handshake(*provider.Request) (provider.Answer, bool) { return provider.Answer{}, false }

// Answer words a result: Shippo reads the status only, and sends again after 5xx alone, so that a limit is one too.
func (*tracker) Answer(res provider.Result) provider.Answer {
	answer := provider.DefaultAnswer(res)
	if res.Verdict == provider.Limited {
		answer.Status = http.StatusServiceUnavailable
	}
	return answer
}
