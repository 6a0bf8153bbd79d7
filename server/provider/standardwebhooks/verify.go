package standardwebhooks

import (
	"crypto/ed25519"
	"time"

	"github.com/waybillhq/waybill/server/provider"
)

// asymmetric is the version of the specification's Ed25519 signatures.
const asymmetric = "v1a"

var proof = provider.Standard{
	Versions: []string{provider.StandardSymmetric, asymmetric},
	NoTime:   "is not a time in seconds since 1970",
}

// Verify checks the signatures over id, time and body, and the age of the time.
func (s *service) Verify(r *provider.Request) error { return proof.Verify(s.keys, r, proves) }

// proves says whether a secret proves a signature of its own version: a public key is no symmetric one.
func proves(given provider.StandardProof, secret string) bool {
	key := public(secret)
	if key == nil {
		return given.Symmetric(secret)
	}
	message, proven := given.Message(), false
	for _, signature := range given.Signatures(asymmetric) {
		proven = ed25519.Verify(key, message, signature) || proven
	}
	return proven
}

// sign adds the proof. A whsk_ key signs as v1a, every other as v1. What is no key at all signs nothing.
func sign(r *provider.Request, secret string, now time.Time) {
	provider.SignStandard(r, now, func(message []byte) string {
		if key := private(secret); key != nil {
			return provider.StandardSignature(asymmetric, ed25519.Sign(key, message))
		}
		key := provider.StandardKey(secret)
		if key == "" {
			return provider.StandardSignature(provider.StandardSymmetric, nil)
		}
		return provider.StandardSignature(provider.StandardSymmetric, provider.MAC(key, message))
	})
}
