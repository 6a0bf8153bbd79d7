package paypal

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	_ "embed" // the rehearsal's certificates
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/waybillhq/waybill/server/provider"
)

// The rehearsal's own certificate and key. The key is no secret, so the root must never be trusted by a shop.
var (
	//go:embed rehearsal/root.pem
	rehearsalRoot string
	//go:embed rehearsal/signer.pem
	rehearsalSigner []byte
	//go:embed rehearsal/signer.key.pem
	rehearsalKeyText []byte
)

// rehearse gives the rehearsal's certificate, whatever PayPal would call it.
func rehearse(address *url.URL) provider.Reply {
	if !strings.Contains(address.Path, certificatePath) {
		return provider.Reply{Status: http.StatusNotFound}
	}
	return provider.Reply{Status: http.StatusOK, Body: rehearsalSigner}
}

// rehearsalKey is the key. It panics on a fault in the embedded file, which is part of the code.
var rehearsalKey = sync.OnceValue(func() *rsa.PrivateKey {
	block, _ := pem.Decode(rehearsalKeyText)
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		panic(err)
	}
	return key.(*rsa.PrivateKey) //nolint:forcetypeassert // see above
})

// sign signs as PayPal would for the given webhook, with the rehearsal's key.
func sign(r *provider.Request, secret string, now time.Time) {
	if r.Header.Get(headerID) == "" {
		sum := sha256.Sum256(r.Body)
		r.Header.Set(headerID, hex.EncodeToString(sum[:16]))
	}
	given := proof{id: r.Header.Get(headerID), time: now.UTC().Format(time.RFC3339)}
	sum := sha256.Sum256(given.message(secret, r.Body))
	signature, err := rsa.SignPKCS1v15(nil, rehearsalKey(), crypto.SHA256, sum[:])
	if err != nil {
		return
	}
	r.Header.Set(headerTime, given.time)
	r.Header.Set(headerAlgorithm, algorithm)
	r.Header.Set(headerCertificate, "https://api.paypal.com"+certificatePath+"CERT-rehearsal")
	r.Header.Set(headerSignature, base64.StdEncoding.EncodeToString(signature))
}
