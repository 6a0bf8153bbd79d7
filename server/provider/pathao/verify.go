package pathao

import (
	"bytes"
	"errors"
	"net/http"

	"github.com/waybillhq/waybill/server/provider"
)

const (
	proofHeader  = "X-Pathao-Signature"
	answerHeader = "X-Pathao-Merchant-Webhook-Integration-Secret"
	// panelValue is the value that the merchant panel shows to everybody. It is no secret.
	panelValue = "f3992ecc-59da-4cbe-a049-a13da2018d51"
	probeEvent = "webhook_integration"
)

// Handshake answers the probe that the merchant panel sends when an endpoint is saved or tested. It needs no proof: it
// names no parcel, writes nothing and is answered with what everybody knows.
func (c *courier) Handshake(r *provider.Request) (provider.Answer, bool) {
	if !bytes.Contains(r.Body, []byte(probeEvent)) {
		return provider.Answer{}, false
	}
	var probe struct {
		Event provider.Word `json:"event"`
	}
	if err := provider.Decode(r.Body, &probe); err != nil || probe.Event.Fold() != probeEvent {
		return provider.Answer{}, false
	}
	return provider.Answer{
		Status: http.StatusAccepted,
		Header: http.Header{answerHeader: {c.answerToken}},
	}, true
}

// Verify compares the header with the secret. The header is the secret itself and does not cover the body.
func (c *courier) Verify(r *provider.Request) error {
	proof, err := provider.SoleHeader(r.Header, proofHeader)
	if err != nil {
		return c.keys.Prove(r.ReceivedAt, func(string) bool { return false }, err)
	}
	return c.keys.Prove(r.ReceivedAt, func(secret string) bool {
		return provider.SameText(proof, secret)
	}, errors.New("header "+proofHeader+" is not the secret"))
}
