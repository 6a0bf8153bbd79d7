// Package standardwebhooks reads webhooks that keep to the Standard Webhooks specification, with the header names of
// Svix too. The specification fixes the proof and the envelope; what lies in data is our own vocabulary, so that any
// service can tell Waybill what it knows.
package standardwebhooks

import (
	"embed"
	"slices"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/provider"
)

//go:embed testdata/*.http
var testdata embed.FS

// Kind describes the folder.
func Kind() provider.Kind {
	return provider.Kind{
		Name:        "standard-webhooks",
		Proof:       "HMAC-SHA256 (v1) or Ed25519 (v1a) over id, time and body, in Webhook-Signature or Svix-Signature",
		Version:     "standard-webhooks-1",
		KeptHeaders: []string{"webhook-id", "svix-id"},
		Check:       check,
		New:         open,
		Sign:        sign,
		Samples:     provider.SamplesIn(testdata),
		Secret:      example,
	}
}

type service struct {
	keys       provider.Keys
	currency   string
	minorUnits bool
}

func open(cfg *configv1.Provider) (provider.Provider, error) {
	return &service{
		keys:       provider.NewKeys(cfg).Where(usable),
		currency:   cfg.GetCurrency(),
		minorUnits: cfg.GetMinorUnits(),
	}, nil
}

func check(cfg *configv1.Provider) []provider.Problem {
	return slices.Concat(provider.CheckSecrets(cfg), checkKeys(cfg), provider.CheckExpect(cfg), provider.CheckProof(cfg, fixed))
}

// fixed is the proof as far as settings could change it: they can't.
var fixed = provider.Proof{Scheme: provider.HMACSHA256, Place: provider.StandardFamilies[0].Signature}

// Handshake knows no probe.
func (*service) Handshake(*provider.Request) (provider.Answer, bool) { return provider.Answer{}, false }

// Answer words a result: senders read the status only.
func (*service) Answer(res provider.Result) provider.Answer { return provider.DefaultAnswer(res) }
