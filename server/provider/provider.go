// Package provider is the contract between Waybill and those who send it webhooks.
//
// A provider is one folder below this one: its code, its samples and golden files (testdata), and a README table of
// what is known about it. Nothing in a provider does I/O or keeps state: it proves bytes, turns bytes into events and
// words answers. No other package names a provider.
package provider

import (
	"net/http"
	"net/url"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
)

// Provider reads the webhooks of one configured provider. It is safe for concurrent use.
type Provider interface {
	// Handshake answers probes and pings that have a contract of their own and must not become events.
	// It reports false for an ordinary delivery.
	Handshake(r *Request) (Answer, bool)
	// Verify proves the untouched bytes, and fails closed: no secret, no proof. The error says which header or
	// scheme failed, never a secret or a signature.
	Verify(r *Request) error
	// Translate turns proven bytes into at least one event, or returns a *Refusal where the provider's contract
	// makes a refusal harmless. What can't be decoded becomes an event with an Undecoded change (see Undecoded).
	// Account, Provider, Raw and TranslatorVersion are filled in by the caller.
	Translate(r *Request) ([]*waybillv1.IngestEventRequest, error)
	// Answer words a result as the provider wants to read it. Most return DefaultAnswer.
	Answer(res Result) Answer
}

// Request is a webhook as it arrived.
type Request struct {
	// Header holds every header for Verify. For Translate it may hold the kept ones only (see Kind.KeptHeaders).
	Header http.Header
	// Query is the URL's query, for providers that put their token there.
	Query url.Values
	// Body is the untouched body.
	Body []byte
	// ReceivedAt is when the body's last byte came in.
	ReceivedAt time.Time
	// Evidence are the replies to what Inquire asks, for Verify. Empty for a provider that asks nothing.
	Evidence []Reply
}

// Kind describes one kind of provider: all that the rest of Waybill needs to know about a folder.
type Kind struct {
	// Name is the word that config files use, and the folder's name.
	Name string
	// Proof says in a few words what proves the sender.
	Proof string
	// Version of the translator. It moves on whenever Translate reads some bytes another way than before.
	Version string
	// KeptHeaders are the headers that Translate needs, in lower case. They are stored with the event.
	KeptHeaders []string
	// MaxBodyBytes is the largest body taken. 0: 2 MiB.
	MaxBodyBytes int64
	// Check looks for faults in a provider's settings that the schema can't see. It never quotes a secret.
	Check func(cfg *configv1.Provider) []Problem
	// New makes the provider. A provider without a usable secret is made all the same and refuses every body.
	New func(cfg *configv1.Provider) (Provider, error)
	// Sign adds the proof to a request as the provider would; for the sample sender, the demo and tests.
	Sign func(r *Request, secret string, now time.Time)
	// Samples are request templates by name, for the sample sender, the demo and tests.
	Samples []Sample
	// Secret makes an example of a secret in the provider's own shape; the same seed makes the same. Nil: any text has
	// that shape.
	Secret func(seed string) string
	// ProofWithin is how long asking outside may take before a request is answered (see Inquirer). 0: nothing is asked.
	ProofWithin time.Duration
	// Rehearsal plays the outside. Nil: nothing is asked there.
	Rehearsal *Rehearsal
	// Configured says that the settings' custom describes what comes. Such a provider is Described.
	Configured bool
	// Example makes settings, without a name and secrets, that stand for all, for a kind that reads nothing without some.
	// Nil: it needs none.
	Example func() *configv1.Provider
}

// Problem is a fault in a provider's settings.
type Problem struct {
	// Field is the field's path below the provider, for example secrets[0].value.
	Field string
	// Message says what is wrong and what to write instead.
	Message string
}

// Refusal is an error of Translate for a body that is answered 400 before anything is recorded.
type Refusal struct {
	// Message tells the sender what is wrong. It quotes nothing from the body but field names.
	Message string
}

func (r *Refusal) Error() string { return r.Message }
