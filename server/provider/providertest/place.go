package providertest

import (
	"net/http"
	"net/url"

	"github.com/waybillhq/waybill/server/provider"
)

// proofOf is the proof in a request, wherever the provider carries it.
func proofOf(r *provider.Request, opts Options) string {
	if opts.Place != nil {
		return opts.Place.Get(r)
	}
	if opts.ProofQuery != "" {
		return r.Query.Get(opts.ProofQuery)
	}
	return r.Header.Get(opts.ProofHeader)
}

// setProof puts exactly these proofs into a request, and none where there are none.
func setProof(r *provider.Request, opts Options, proofs ...string) {
	if opts.Place != nil {
		opts.Place.Set(r, proofs...)
		return
	}
	if opts.ProofQuery != "" {
		r.Query = url.Values{opts.ProofQuery: proofs}
		return
	}
	r.Header[http.CanonicalHeaderKey(opts.ProofHeader)] = proofs
}
