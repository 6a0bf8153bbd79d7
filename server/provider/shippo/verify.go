package shippo

import "github.com/waybillhq/waybill/server/provider"

// proof allows 300 s on both sides. Shippo states no tolerance; this is what integrators use. The header's shape could
// carry several signatures while a secret is changed, so several are read.
var proof = provider.Timestamped{Header: "Shippo-Auth-Signature"}

// token is the other proof, for accounts whose signatures Shippo's support has not switched on.
var token = provider.Proof{Scheme: provider.QueryToken, Place: "token"}

// Verify checks the signature over time and body, and the age of the time. A request without a signature may show the
// secret in its address instead; one whose signature is wrong may not.
func (t *tracker) Verify(r *provider.Request) error {
	if len(r.Header.Values(proof.Header)) == 0 && r.Query.Has(token.Place) {
		return token.Verify(t.keys, r)
	}
	return proof.Verify(t.keys, r)
}
