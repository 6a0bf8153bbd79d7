package payments

import (
	"errors"
	"strings"
	"time"

	"github.com/waybillhq/waybill/server/provider"
)

const (
	proofHeader = "Authorization"
	prefix      = "Bearer "
)

// Verify compares the bearer token with the secret. It does not cover the body.
func (g *gateway) Verify(r *provider.Request) error {
	token, err := bearer(r)
	if err != nil {
		return g.keys.Prove(r.ReceivedAt, func(string) bool { return false }, err)
	}
	return g.keys.Prove(r.ReceivedAt, func(secret string) bool {
		return provider.SameText(token, secret)
	}, errors.New("header "+proofHeader+" holds another token"))
}

func bearer(r *provider.Request) (string, error) {
	header, err := provider.SoleHeader(r.Header, proofHeader)
	if err != nil {
		return "", err
	}
	if len(header) <= len(prefix) || !strings.EqualFold(header[:len(prefix)], prefix) {
		return "", errors.New("header " + proofHeader + " holds no bearer token")
	}
	return header[len(prefix):], nil
}

func sign(r *provider.Request, secret string, _ time.Time) { r.Header.Set(proofHeader, prefix+secret) }
