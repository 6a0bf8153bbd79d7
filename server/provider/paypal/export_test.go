package paypal

import (
	"net/url"
	"testing"
)

// Message is what PayPal signs.
func Message(id, at, webhook string, body []byte) string {
	return string(proof{id: id, time: at}.message(webhook, body))
}

// FuzzCertificates reads what comes from outside in place of a certificate.
func FuzzCertificates(f *testing.F) {
	f.Add(rehearse(&url.URL{Path: certificatePath}).Body)
	f.Add([]byte(rehearsalRoot + rehearsalRoot))
	f.Fuzz(func(t *testing.T, text []byte) {
		if chain := certificates(text); len(chain) > maxChain {
			t.Fatalf("%d certificates, want at most %d", len(chain), maxChain)
		}
	})
}
