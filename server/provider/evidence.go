package provider

import (
	"context"
	"crypto/x509"
	"errors"
	"net/http"
	"net/url"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
)

// Some senders prove themselves by more than a shared secret: by a certificate that lies at their own side, or by an
// answer that only they can give. A provider does no I/O, so it says what must be asked (Inquirer), somebody asks
// (Fetcher), and Verify judges the request together with the replies. Without them it refuses.

// Call is a question to a provider's own side: a GET over https.
type Call struct {
	// URL may hold a secret, so it is shown nowhere but for its host.
	URL string
	// Named says that the settings name the URL's host, so that its address may be a private one. Whatever host a
	// request names must be public, and be one that the provider's kind allows.
	Named bool
	// Roots are certificates in PEM that the other side must be proven by. Empty: those that the system trusts.
	Roots string
	// MaxBytes is the longest reply that is taken.
	MaxBytes int64
	// Within is how long it may take.
	Within time.Duration
	// Keep is how long a reply of 200 serves for the same question again. 0: it is asked anew each time.
	Keep time.Duration
}

// Reply is what the other side answered.
type Reply struct {
	Status int
	Body   []byte
}

// Inquirer is a provider that needs replies from outside to prove a request.
type Inquirer interface {
	// Inquire says what must be asked before Verify can judge the request: Request.Evidence holds the replies, in
	// the order of the calls. It gives an error for a request that no reply could prove, so that a stranger can't
	// make Waybill ask.
	Inquire(r *Request) ([]Call, error)
}

// Confirmer is a provider with a set-up request that is proven like a delivery, is answered by a call, and becomes no
// event.
type Confirmer interface {
	// Confirm gives the call that a proven set-up request asks for. It reports false for an ordinary delivery.
	Confirm(r *Request) (Call, bool)
}

// Fetcher makes calls. It keeps to the call's bounds, follows no redirect, and reaches public addresses only, unless the
// call is Named. Its errors tell no more of a URL than the host.
type Fetcher interface {
	Fetch(ctx context.Context, call Call) (Reply, error)
}

// ErrUnreachable is the error of a proof that could not be finished because nobody could be asked. The request may be
// sound: its sender should send it again.
var ErrUnreachable = errors.New("the provider's own side can't be asked")

// Prove proves a request: it asks what must be asked, and verifies. The door calls it in place of Verify.
func Prove(ctx context.Context, p Provider, r *Request, out Fetcher) error {
	inquirer, ok := p.(Inquirer)
	if !ok {
		return p.Verify(r)
	}
	calls, err := inquirer.Inquire(r)
	if err != nil {
		return err
	}

	asked := *r
	asked.Evidence = make([]Reply, 0, len(calls))
	for _, call := range calls {
		reply, err := ask(ctx, call, out)
		if err != nil {
			return err
		}
		asked.Evidence = append(asked.Evidence, reply)
	}
	return p.Verify(&asked)
}

// Confirm makes the call that a proven set-up request asks for. It reports false for an ordinary delivery. The door
// calls it after Prove and before Translate, and answers a confirmed request as Handshaken.
func Confirm(ctx context.Context, p Provider, r *Request, out Fetcher) (bool, error) {
	confirmer, ok := p.(Confirmer)
	if !ok {
		return false, nil
	}
	call, ok := confirmer.Confirm(r)
	if !ok {
		return false, nil
	}
	reply, err := ask(ctx, call, out)
	if err != nil {
		return true, err
	}
	if reply.Status/100 != 2 {
		return true, ErrUnreachable
	}
	return true, nil
}

// ask makes a call. A side that is in trouble, or has enough of us, is as good as unreachable.
func ask(ctx context.Context, call Call, out Fetcher) (Reply, error) {
	if out == nil {
		return Reply{}, ErrUnreachable
	}
	reply, err := out.Fetch(ctx, call)
	if err != nil {
		return Reply{}, errors.Join(ErrUnreachable, err)
	}
	if reply.Status >= http.StatusInternalServerError || reply.Status == http.StatusTooManyRequests {
		return Reply{}, ErrUnreachable
	}
	return reply, nil
}

// Outside is where the settings say that a provider's own side is reached.
type Outside struct {
	base  *url.URL
	roots string
}

// NewOutside reads api_url and api_ca, which the schema has checked.
func NewOutside(apiURL, roots string) Outside {
	base, err := url.Parse(apiURL)
	if apiURL == "" || err != nil {
		return Outside{roots: roots}
	}
	return Outside{base: base, roots: roots}
}

// At is the address as the settings want it reached: the same path and query, below api_url where that is set.
func (o Outside) At(address *url.URL) Call {
	if o.base == nil {
		return Call{URL: address.String(), Roots: o.roots}
	}
	reached := o.base.JoinPath(address.Path)
	reached.RawQuery = address.RawQuery
	return Call{URL: reached.String(), Named: true, Roots: o.roots}
}

// CheckOutside reports an api_ca that holds no certificate.
func CheckOutside(cfg *configv1.Provider) []Problem {
	if cfg.GetApiCa() == "" || x509.NewCertPool().AppendCertsFromPEM([]byte(cfg.GetApiCa())) {
		return nil
	}
	return []Problem{{Field: "api_ca", Message: "there is no certificate in it: write them in PEM, -----BEGIN CERTIFICATE----- and so on"}}
}

// unasked reports settings about the outside for a kind that asks nothing there.
func unasked(cfg *configv1.Provider, kind Kind) []Problem {
	var problems []Problem
	for _, setting := range []struct{ field, value string }{{"api_url", cfg.GetApiUrl()}, {"api_ca", cfg.GetApiCa()}} {
		if setting.value != "" && kind.ProofWithin == 0 {
			problems = append(problems, Problem{
				Field:   setting.field,
				Message: "proofs of this kind ask nothing outside, so nobody looks at it: take it away",
			})
		}
	}
	return problems
}

// Rehearsal plays the outside of a kind whose proof needs it, for the sample sender, the demo and tests.
type Rehearsal struct {
	// Roots are certificates in PEM that a provider's api_ca must hold to take what Kind.Sign signs. Whoever knows the
	// source knows their keys, so they have no place in the settings of a shop.
	Roots string
	// Answer is what the provider's own side would answer.
	Answer func(address *url.URL) Reply
}

// ServeHTTP serves the answers, so that api_url can point at them.
func (s *Rehearsal) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	reply := s.Answer(r.URL)
	w.WriteHeader(reply.Status)
	_, _ = w.Write(reply.Body)
}

// Fetch gives the answers without a network.
func (s *Rehearsal) Fetch(_ context.Context, call Call) (Reply, error) {
	address, err := url.Parse(call.URL)
	if err != nil {
		return Reply{}, err
	}
	return s.Answer(address), nil
}
