package provider

import (
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
)

// ErrNoSecret is the error of Verify where no secret is configured, or none is in force any more.
var ErrNoSecret = errors.New("no usable secret is configured for this provider")

// Keys are a provider's secrets, with the time until which each proves something.
type Keys struct{ secrets []*configv1.Secret }

// NewKeys takes the usable secrets of the settings. One with white space around it was pasted badly and would refuse
// everything without a hint: CheckSecrets reports it, and here it is left out, so that Verify says ErrNoSecret.
func NewKeys(cfg *configv1.Provider) Keys {
	var keys Keys
	for _, secret := range cfg.GetSecrets() {
		if secret.GetValue() != "" && strings.TrimSpace(secret.GetValue()) == secret.GetValue() {
			keys.secrets = append(keys.secrets, secret)
		}
	}
	return keys
}

// Prove asks for each secret in force whether it proves the request, and fails closed. The error of a request that
// none proves is the given one.
func (k Keys) Prove(at time.Time, proves func(secret string) bool, otherwise error) error {
	inForce, proven := 0, false
	for _, secret := range k.secrets {
		if secret.GetNotAfter() != nil && !at.Before(secret.GetNotAfter().AsTime()) {
			continue
		}
		inForce++
		if proves(secret.GetValue()) { // no early end: how long it takes must not say which secret it was
			proven = true
		}
	}
	if inForce == 0 {
		return ErrNoSecret
	}
	if !proven {
		return otherwise
	}
	return nil
}

// CheckSecrets reports what is wrong with a provider's secrets, without quoting them.
func CheckSecrets(cfg *configv1.Provider) []Problem {
	if len(cfg.GetSecrets()) == 0 {
		return []Problem{{
			Field:   "secrets",
			Message: "no secret: every webhook would be refused; write the one that the provider shows",
		}}
	}
	var problems []Problem
	for i, secret := range cfg.GetSecrets() {
		field := fmt.Sprintf("secrets[%d].value", i)
		switch value := secret.GetValue(); {
		case strings.TrimSpace(value) == "":
			problems = append(problems, Problem{Field: field, Message: "the secret is empty"})
		case strings.TrimSpace(value) != value:
			problems = append(problems, Problem{
				Field:   field,
				Message: "the secret has white space around it, perhaps a line break from pasting: take it away",
			})
		}
	}
	return problems
}

// CheckSecretShape reports secrets that a kind can't use, with a message that says how they look. CheckSecrets reports the
// empty and the padded ones, and one fault of a secret is enough.
func CheckSecretShape(cfg *configv1.Provider, usable func(secret string) bool, message string) []Problem {
	var problems []Problem
	for i, secret := range cfg.GetSecrets() {
		value := secret.GetValue()
		if strings.TrimSpace(value) != "" && strings.TrimSpace(value) == value && !usable(value) {
			problems = append(problems, Problem{Field: fmt.Sprintf("secrets[%d].value", i), Message: message})
		}
	}
	return problems
}

// SoleHeader is the value of a header that must stand in the request exactly once.
func SoleHeader(header http.Header, name string) (string, error) {
	switch values := header.Values(name); {
	case len(values) == 0 || values[0] == "":
		return "", fmt.Errorf("header %s is missing", name)
	case len(values) > 1:
		return "", fmt.Errorf("header %s comes %d times", name, len(values))
	default:
		return values[0], nil
	}
}

// SameText compares in a time that tells neither the texts nor their lengths.
func SameText(a, b string) bool {
	left, right := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return hmac.Equal(left[:], right[:])
}
