package stripe

import "github.com/waybillhq/waybill/server/provider"

// proof allows the 300 s of Stripe's own libraries, on both sides. Stripe's Go library looks at the old side only, and so
// would take a stamp from next year for ever.
var proof = provider.Timestamped{Header: "Stripe-Signature"}

// Verify checks the signature over time and body, and the age of the time. The key is the whole text of the secret,
// whsec_ and all.
func (p *payments) Verify(r *provider.Request) error { return proof.Verify(p.keys, r) }
