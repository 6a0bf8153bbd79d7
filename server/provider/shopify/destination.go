package shopify

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strings"

	"github.com/waybillhq/waybill/server/provider"
)

const ownDomain = ".myshopify.com"

// otherShop says which shop the body is for, if it is not the expected one. Empty: it is, or nobody can say.
//
// A signed fact counts first: the address of the order's status page, where it lies on one of Shopify's own domains (a
// shop's own domain can change, so it proves nothing). Without one the header is taken for what it is, an address on
// the envelope: it can only set a copy of a body aside, under an identity of its own (see identity), and so can
// neither move an order nor keep the genuine delivery from being applied.
func (s *shop) otherShop(signed, header string) string {
	if s.domain == "" {
		return ""
	}
	if named := host(signed); strings.HasSuffix(named, ownDomain) && strings.HasSuffix(s.domain, ownDomain) {
		return differs(named, s.domain)
	}
	return differs(host(header), s.domain)
}

func differs(named, expected string) string {
	if named == "" || named == expected {
		return ""
	}
	return named
}

// statusPage is the host of an order's status page.
func statusPage(address provider.Text) string {
	parsed, err := url.Parse(string(address))
	if err != nil {
		return ""
	}
	return parsed.Hostname()
}

func host(domain string) string {
	return strings.ToLower(strings.TrimSuffix(strings.TrimSpace(domain), "."))
}

// escaper keeps the parts of an identity apart.
var escaper = strings.NewReplacer("%", "%25", ":", "%3A", "@", "%40")

// identity is the topic, the id of the webhook, and the digest of the body: orders/paid:ID:SHA-256. By topic and id
// Shopify tells duplicates apart, and a retry repeats the body; but neither is signed, so that whoever knows an id could
// send an older body under it first and leave no place for the genuine one. The digest keeps a place for each. Every
// change must still be harmless when it is repeated: a captured body can come again under any id.
func identity(topic, webhookID, otherShop string, body []byte) string {
	label := escaper.Replace(topic)
	if otherShop != "" {
		label += "@" + escaper.Replace(otherShop)
	}
	digest := sha256.Sum256(body)
	return label + ":" + webhookID + ":" + hex.EncodeToString(digest[:])
}
