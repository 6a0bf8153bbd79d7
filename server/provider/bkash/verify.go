package bkash

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/waybillhq/waybill/server/provider"
)

var (
	errTopic       = errors.New("TopicArn is not one of the topics that the settings name")
	errCertificate = errors.New("SigningCertURL names no certificate of Amazon SNS that is in force")
	errSignature   = errors.New("signature is not one of this message")
)

// Inquire asks for the certificate that the message names, if it comes from a topic of ours and the address is one of
// Amazon's.
func (w *wallet) Inquire(r *provider.Request) ([]provider.Call, error) {
	e, err := w.expected(r)
	if err != nil {
		return nil, err
	}
	address := amazons(e.SigningCertURL)
	if address == nil || address.RawQuery != "" || !certificatePath.MatchString(address.Path) {
		return nil, errCertificate
	}
	call := w.outside.At(address)
	call.MaxBytes = 64 << 10
	call.Within = within
	call.Keep = keep
	return []provider.Call{call}, nil
}

// Verify checks the topic, the certificate and its signature.
func (w *wallet) Verify(r *provider.Request) error {
	e, err := w.expected(r)
	if err != nil {
		return err
	}
	if len(r.Evidence) != 1 {
		return errors.New("the certificate that SigningCertURL names has not been fetched")
	}
	key, err := signer(r.Evidence[0], r.ReceivedAt)
	if err != nil {
		return err
	}
	return e.provedBy(key)
}

// expected is the message, if it comes from a topic that the settings name.
func (w *wallet) expected(r *provider.Request) (envelope, error) {
	e, err := parse(r.Body)
	if err != nil {
		return envelope{}, w.keys.Prove(r.ReceivedAt, func(string) bool { return false }, err)
	}
	return e, w.keys.Prove(r.ReceivedAt, func(secret string) bool {
		return provider.SameText(secret, string(e.TopicARN))
	}, errTopic)
}

// signer is the key of a certificate. That it is Amazon's is proven by where it was fetched from, over https: Amazon
// publishes it without the chain that would prove more. It must be in force and in SNS's own name.
func signer(reply provider.Reply, at time.Time) (*rsa.PublicKey, error) {
	block, _ := pem.Decode(reply.Body)
	if reply.Status != http.StatusOK || block == nil {
		return nil, errCertificate
	}
	one, err := x509.ParseCertificate(block.Bytes)
	if err != nil || at.Before(one.NotBefore) || at.After(one.NotAfter) {
		return nil, errCertificate
	}
	key, ok := one.PublicKey.(*rsa.PublicKey)
	if !ok || !inSNSName(one) {
		return nil, errCertificate
	}
	return key, nil
}

func inSNSName(one *x509.Certificate) bool {
	for _, name := range append([]string{one.Subject.CommonName}, one.DNSNames...) {
		if name == "sns.amazonaws.com" || host.MatchString(name) {
			return true
		}
	}
	return false
}

func (e envelope) provedBy(key *rsa.PublicKey) error {
	text, err := e.signed()
	if err != nil {
		return err
	}
	signature, err := base64.StdEncoding.Strict().DecodeString(string(e.Signature))
	if err != nil || strings.ContainsAny(string(e.Signature), "\r\n") {
		return errSignature
	}
	algorithm, digest, err := e.digest(text)
	if err != nil {
		return err
	}
	if rsa.VerifyPKCS1v15(key, algorithm, digest, signature) != nil {
		return errSignature
	}
	return nil
}

// digest is what the signature is made over. Version 1 uses SHA-1, which is what topics do unless their owner says
// otherwise; a collision would need somebody who can choose what the topic's owner signs.
func (e envelope) digest(text string) (crypto.Hash, []byte, error) {
	switch e.SignatureVersion {
	case "1":
		sum := sha1.Sum([]byte(text))
		return crypto.SHA1, sum[:], nil
	case "2":
		sum := sha256.Sum256([]byte(text))
		return crypto.SHA256, sum[:], nil
	default:
		return 0, nil, errors.New("SignatureVersion is neither 1 nor 2")
	}
}

// Confirm gives the call that confirms a subscription, where the address is one of Amazon's.
func (w *wallet) Confirm(r *provider.Request) (provider.Call, bool) {
	e, err := parse(r.Body)
	if err != nil || e.Type != subscription {
		return provider.Call{}, false
	}
	address := amazons(e.SubscribeURL)
	if address == nil || address.Query().Get("Action") != "ConfirmSubscription" {
		return provider.Call{}, false
	}
	call := w.outside.At(address)
	call.MaxBytes = 64 << 10
	call.Within = within
	return call, true
}
