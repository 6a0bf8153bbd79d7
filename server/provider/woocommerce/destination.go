package woocommerce

import (
	"net/url"
	"strings"
)

// otherShop says which shop the body is for, if it is not the expected one. Empty: it is, or nobody can say.
//
// A signed fact counts first: the order's own address at the shop's API. Without one the header is taken for what it is,
// an address on the envelope: it can only set a copy of a body aside, under an identity of its own, and so can neither
// move an order nor keep the genuine delivery from being applied.
func (s *shop) otherShop(signed, header string) string {
	if s.domain == "" {
		return ""
	}
	for _, address := range []string{signed, header} {
		if named := host(address); named != "" {
			if named == s.domain {
				return ""
			}
			return named
		}
	}
	return ""
}

// host is the host of an address.
func host(address string) string {
	parsed, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return ""
	}
	return bare(parsed.Hostname())
}

func bare(domain string) string {
	return strings.ToLower(strings.TrimSuffix(strings.TrimSpace(domain), "."))
}
