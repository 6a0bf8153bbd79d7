package paypal

import (
	"encoding/base64"
	"errors"
	"hash/crc32"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/waybillhq/waybill/server/provider"
)

const (
	headerID          = "Paypal-Transmission-Id"
	headerTime        = "Paypal-Transmission-Time"
	headerSignature   = "Paypal-Transmission-Sig"
	headerCertificate = "Paypal-Cert-Url"
	headerAlgorithm   = "Paypal-Auth-Algo"

	algorithm = "SHA256withRSA"
	// domain is where certificates lie; sandbox is the part of it that signs play money.
	domain          = ".paypal.com"
	sandbox         = ".sandbox.paypal.com"
	certificatePath = "/v1/notifications/certs/"
)

// proof is the headers, taken apart.
type proof struct {
	id, time    string
	signature   []byte
	certificate *url.URL
}

// Inquire asks for the certificate that the request names, if it is one of PayPal's.
func (p *payments) Inquire(r *provider.Request) ([]provider.Call, error) {
	if _, err := p.keys.InForce(r); err != nil {
		return nil, err
	}
	given, err := p.readProof(r)
	if err != nil {
		return nil, err
	}
	call := p.outside.At(given.certificate)
	call.MaxBytes = 64 << 10
	call.Within = within
	call.Keep = keep
	return []provider.Call{call}, nil
}

// Verify checks the certificate and its signature. Nothing in it says how old a request may be: PayPal sends again for
// three days, and an event's signed id makes a repeat harmless.
func (p *payments) Verify(r *provider.Request) error {
	given, err := p.readProof(r)
	if err != nil {
		return p.keys.Prove(r.ReceivedAt, func(string) bool { return false }, err)
	}
	if _, err := p.keys.InForce(r); err != nil {
		return err
	}
	if len(r.Evidence) != 1 {
		return errors.New("the certificate that header " + headerCertificate + " names has not been fetched")
	}
	signer, err := p.signer(r.Evidence[0], r.ReceivedAt)
	if err != nil {
		return err
	}
	return p.keys.Prove(r.ReceivedAt, func(secret string) bool {
		return signer.signed(given.message(secret, r.Body), given.signature)
	}, errors.New("header "+headerSignature+" is not a signature for this webhook and this body"))
}

// message is what PayPal signs. The body is in it by its CRC-32 alone.
func (p proof) message(webhook string, body []byte) []byte {
	sum := strconv.FormatUint(uint64(crc32.ChecksumIEEE(body)), 10)
	return []byte(strings.Join([]string{p.id, p.time, webhook, sum}, "|"))
}

func (p *payments) readProof(r *provider.Request) (proof, error) {
	values := make(map[string]string)
	for _, name := range []string{headerID, headerTime, headerSignature, headerCertificate, headerAlgorithm} {
		value, err := provider.SoleHeader(r.Header, name)
		if err != nil {
			return proof{}, err
		}
		values[name] = value
	}
	switch {
	case strings.Contains(values[headerID]+values[headerTime], "|"):
		return proof{}, errors.New("header " + headerID + " or " + headerTime + " holds |, so that nobody can say what was signed")
	case values[headerAlgorithm] != algorithm:
		return proof{}, errors.New("header " + headerAlgorithm + " is not " + algorithm)
	}
	if _, err := time.Parse(time.RFC3339, values[headerTime]); err != nil {
		return proof{}, errors.New("header " + headerTime + " is not a time")
	}
	signature, err := base64.StdEncoding.Strict().DecodeString(values[headerSignature])
	if err != nil || strings.ContainsAny(values[headerSignature], "\r\n") {
		return proof{}, errors.New("header " + headerSignature + " is not base64")
	}
	certificate, err := p.certificate(values[headerCertificate])
	if err != nil {
		return proof{}, err
	}
	return proof{id: values[headerID], time: values[headerTime], signature: signature, certificate: certificate}, nil
}

// certificate is the address of a certificate of PayPal's, of the side that the settings expect.
func (p *payments) certificate(text string) (*url.URL, error) {
	address, err := url.Parse(text)
	switch {
	case err != nil, address.Scheme != "https", address.User != nil, address.Port() != "", address.RawQuery != "",
		address.Fragment != "", address.RawPath != "", !strings.HasSuffix(address.Hostname(), domain),
		!strings.HasPrefix(address.Path, certificatePath), strings.Contains(address.Path, ".."):
		return nil, errors.New("header " + headerCertificate + " names no certificate of PayPal's")
	case strings.HasSuffix(address.Hostname(), sandbox) == p.livemode:
		return nil, errors.New("header " + headerCertificate + " is not of the side that expect.livemode says")
	}
	return address, nil
}
