package provider

import "time"

// Signer is a provider whose settings say how its sender signs. The others sign as their kind does.
type Signer interface {
	// Sign adds the proof to a request as the sender would.
	Sign(r *Request, secret string, now time.Time)
}

// Sign adds the proof to a request as the configured sender would. The proof may stand in a header or in the query.
func (o Opened) Sign(r *Request, secret string, now time.Time) {
	if signer, ok := o.Provider.(Signer); ok {
		signer.Sign(r, secret, now)
		return
	}
	o.Kind.Sign(r, secret, now)
}
