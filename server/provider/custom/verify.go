package custom

import (
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// The presets, by the words that config files use.
const (
	timestamped      = "timestamped"
	standardWebhooks = "standard_webhooks"
)

// scheme proves requests and signs them as the sender would.
type scheme interface {
	verify(keys provider.Keys, r *provider.Request) error
	sign(r *provider.Request, secret string, now time.Time)
}

// plain is a proof that the settings' field proof describes.
type plain struct{ provider.Proof }

func (p plain) verify(keys provider.Keys, r *provider.Request) error { return p.Verify(keys, r) }

func (p plain) sign(r *provider.Request, secret string, _ time.Time) { p.Sign(r, secret) }

// unset is the proof where the settings describe none. It proves nothing: CheckProof asks for the header.
var unset = provider.Proof{Scheme: provider.HMACSHA256}

func schemeOf(cfg *configv1.Provider) scheme {
	switch cfg.GetCustom().GetPreset() {
	case timestamped:
		return stamped{provider.Timestamped{Header: cfg.GetProof().GetHeader(), NoTime: noTime}}
	case standardWebhooks:
		return specified{}
	default:
		return plain{provider.ConfiguredProof(cfg, unset)}
	}
}

// checkProof reports what is wrong with the description of the proof.
func checkProof(cfg *configv1.Provider) []provider.Problem {
	switch cfg.GetCustom().GetPreset() {
	case timestamped:
		named := provider.Proof{Scheme: provider.HMACSHA256}
		return provider.CheckProof(cfg, named, "header")
	case standardWebhooks:
		named := provider.Proof{Scheme: provider.HMACSHA256, Place: provider.StandardFamilies[0].Signature}
		return append(provider.CheckProof(cfg, named), checkKeys(cfg)...)
	default:
		return provider.CheckProof(cfg, unset, "scheme", "header", "prefix", "encoding")
	}
}

// noTime is what a signed time that is none is refused with.
const noTime = "carries no time in seconds since 1970"

// stamped is the preset timestamped.
type stamped struct{ provider.Timestamped }

func (s stamped) verify(keys provider.Keys, r *provider.Request) error { return s.Verify(keys, r) }

func (s stamped) sign(r *provider.Request, secret string, now time.Time) { s.Sign(r, secret, now) }

// specified is the Standard Webhooks specification, its symmetric scheme.
type specified struct{}

var symmetric = provider.Standard{Versions: []string{provider.StandardSymmetric}, NoTime: noTime}

func (specified) verify(keys provider.Keys, r *provider.Request) error {
	return symmetric.Verify(keys.Where(usable), r, provider.StandardProof.Symmetric)
}

func (specified) sign(r *provider.Request, secret string, now time.Time) {
	provider.SignStandard(r, now, func(message []byte) string {
		return provider.StandardSignature(provider.StandardSymmetric, provider.MAC(provider.StandardKey(secret), message))
	})
}

func usable(secret string) bool { return provider.StandardKey(secret) != "" }

// checkKeys reports secrets of another shape.
func checkKeys(cfg *configv1.Provider) []provider.Problem {
	return provider.CheckSecretShape(cfg, usable, "the secret is not whsec_ with base64 after it: copy it whole")
}
