package standardwebhooks

import (
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"strings"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// What stands before a key says which it is. One without a prefix, or with whsec_, is a symmetric one.
const (
	publicPrefix  = "whpk_"
	privatePrefix = "whsk_"
)

func usable(secret string) bool { return public(secret) != nil || provider.StandardKey(secret) != "" }

// public is a sender's public key. nil: it is none.
func public(secret string) ed25519.PublicKey {
	text, ok := strings.CutPrefix(secret, publicPrefix)
	if !ok {
		return nil
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(raw) != ed25519.PublicKeySize {
		return nil
	}
	return raw
}

// private is a sender's own key: a seed, or a seed and its public half. nil: it is none.
func private(secret string) ed25519.PrivateKey {
	text, ok := strings.CutPrefix(secret, privatePrefix)
	if !ok {
		return nil
	}
	switch raw, err := base64.StdEncoding.DecodeString(text); {
	case err != nil:
		return nil
	case len(raw) == ed25519.SeedSize:
		return ed25519.NewKeyFromSeed(raw)
	case len(raw) == ed25519.PrivateKeySize:
		return raw
	default:
		return nil
	}
}

// checkKeys reports secrets of another shape. CheckSecrets has reported the empty and the padded ones.
func checkKeys(cfg *configv1.Provider) []provider.Problem {
	var problems []provider.Problem
	for i, secret := range cfg.GetSecrets() {
		value := secret.GetValue()
		message := "the secret is neither whsec_ nor whpk_ with base64 after it: copy it whole"
		switch {
		case strings.TrimSpace(value) == "" || strings.TrimSpace(value) != value || usable(value):
			continue
		case strings.HasPrefix(value, privatePrefix):
			message = "this is the sender's own private key: leave it there, and write its public one, whpk_…"
		}
		problems = append(problems, provider.Problem{Field: fmt.Sprintf("secrets[%d].value", i), Message: message})
	}
	return problems
}

// example makes a secret in the shape of the symmetric ones.
func example(seed string) string {
	return provider.StandardSecretPrefix + base64.StdEncoding.EncodeToString([]byte(seed))
}
