package paypal

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/waybillhq/waybill/server/provider"
)

// The name of the certificates that sign webhooks: messageverificationcerts, perhaps with more, below PayPal's domain.
const namePrefix = "messageverificationcerts"

// maxChain bounds how many certificates are looked at.
const maxChain = 8

var errCertificate = errors.New("the certificate is not one of PayPal's that signs webhooks and is in force")

// signer is a certificate that is proven to be PayPal's.
type signer struct{ leaf *x509.Certificate }

// trusted are the system's roots and those that the settings name besides. nil: the system's.
func trusted(named string) *x509.CertPool {
	if named == "" {
		return nil
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	roots.AppendCertsFromPEM([]byte(named))
	return roots
}

// signer reads the certificate and proves it: by its chain, its time and its name.
func (p *payments) signer(reply provider.Reply, at time.Time) (signer, error) {
	if reply.Status != http.StatusOK {
		return signer{}, errors.New("the certificate that header " + headerCertificate + " names does not exist")
	}
	chain := certificates(reply.Body)
	if len(chain) == 0 {
		return signer{}, errCertificate
	}
	options := x509.VerifyOptions{
		Roots:         p.roots,
		Intermediates: x509.NewCertPool(),
		CurrentTime:   at,
		KeyUsages:     []x509.ExtKeyUsage{x509.ExtKeyUsageAny},
	}
	for _, between := range chain[1:] {
		options.Intermediates.AddCert(between)
	}
	name := chain[0].Subject.CommonName
	if !strings.HasPrefix(name, namePrefix) || !strings.HasSuffix(name, domain) {
		return signer{}, errCertificate
	}
	if _, err := chain[0].Verify(options); err != nil {
		return signer{}, errCertificate
	}
	return signer{leaf: chain[0]}, nil
}

// certificates are those in a PEM text, the signer's first. nil: there is none, or something else among them.
func certificates(text []byte) []*x509.Certificate {
	var chain []*x509.Certificate
	for len(chain) < maxChain {
		var block *pem.Block
		if block, text = pem.Decode(text); block == nil {
			return chain
		}
		one, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil
		}
		chain = append(chain, one)
	}
	return chain
}

func (s signer) signed(message, signature []byte) bool {
	return s.leaf.CheckSignature(x509.SHA256WithRSA, message, signature) == nil
}
