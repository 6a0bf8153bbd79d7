package bkash

import (
	"crypto/rsa"
	"crypto/x509"
	_ "embed" // the rehearsal's certificate
	"encoding/base64"
	"encoding/pem"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/waybillhq/waybill/server/provider"
)

// The rehearsal's own certificate and key. The key is no secret: only an api_url that points at a rehearsal takes it.
var (
	//go:embed rehearsal/signer.pem
	rehearsalSigner []byte
	//go:embed rehearsal/signer.key.pem
	rehearsalKeyText []byte
)

// rehearse gives the rehearsal's certificate, and confirms subscriptions.
func rehearse(address *url.URL) provider.Reply {
	switch {
	case strings.HasSuffix(address.Path, ".pem"):
		return provider.Reply{Status: http.StatusOK, Body: rehearsalSigner}
	case address.Query().Get("Action") == "ConfirmSubscription":
		return provider.Reply{Status: http.StatusOK, Body: []byte("<ConfirmSubscriptionResponse/>")}
	default:
		return provider.Reply{Status: http.StatusNotFound}
	}
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

// sign signs as SNS would for a topic, with the rehearsal's key. A body that is no message stays as it is.
func sign(r *provider.Request, secret string, _ time.Time) {
	var body map[string]jsontext.Value
	if json.Unmarshal(r.Body, &body) != nil {
		return
	}
	given := map[string]string{
		"TopicArn":       secret,
		"SigningCertURL": "https://sns.ap-southeast-1.amazonaws.com/SimpleNotificationService-rehearsal.pem",
	}
	if _, ok := body["SignatureVersion"]; !ok {
		given["SignatureVersion"] = "1"
	}
	set(body, given)
	e, err := parse(encoded(body))
	if err != nil {
		return
	}
	text, err := e.signed()
	if err != nil {
		return
	}
	algorithm, digest, err := e.digest(text)
	if err != nil {
		return
	}
	signature, err := rsa.SignPKCS1v15(nil, rehearsalKey(), algorithm, digest)
	if err != nil {
		return
	}
	set(body, map[string]string{"Signature": base64.StdEncoding.EncodeToString(signature)})
	r.Body = encoded(body)
}

func set(body map[string]jsontext.Value, members map[string]string) {
	for name, value := range members {
		body[name] = encoded(value)
	}
}

// encoded is a value as JSON. What was decoded from JSON can be written as JSON.
func encoded(value any) jsontext.Value {
	text, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		return jsontext.Value("null")
	}
	return text
}
