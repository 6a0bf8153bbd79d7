package shopify

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"time"

	"github.com/waybillhq/waybill/server/provider"
)

const proofHeader = "X-Shopify-Hmac-Sha256"

// Verify checks the signature, which covers the body and no header. After a rotation Shopify goes on signing with the
// oldest secret that is not revoked, up to an hour long, so every secret is tried.
func (s *shop) Verify(r *provider.Request) error {
	proof, err := provider.SoleHeader(r.Header, proofHeader)
	if err != nil {
		return s.keys.Prove(r.ReceivedAt, func(string) bool { return false }, err)
	}
	return s.keys.Prove(r.ReceivedAt, func(secret string) bool {
		return hmac.Equal([]byte(proof), []byte(signature(secret, r.Body)))
	}, errors.New("header "+proofHeader+" is not the base64 signature of this body"))
}

func signature(secret string, body []byte) string {
	digest := hmac.New(sha256.New, []byte(secret))
	digest.Write(body)
	return base64.StdEncoding.EncodeToString(digest.Sum(nil))
}

func sign(r *provider.Request, secret string, _ time.Time) {
	r.Header.Set(proofHeader, signature(secret, r.Body))
}
