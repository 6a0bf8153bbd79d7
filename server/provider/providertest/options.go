// Package providertest is the suite that every provider must pass: it is the contract, written as tests.
package providertest

import (
	"net/http"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// Options tell the suite what it can't read from a Kind.
type Options struct {
	// Sample is the name of the sample that stands for all where one is enough: an event that somebody needs.
	Sample string
	// Settings are sound settings without secrets; the suite adds its own.
	Settings *configv1.Provider
	// ProofHeader is the header that carries the proof.
	ProofHeader string
	// ProofQuery is the query parameter that carries the proof, for those that carry it there instead.
	ProofQuery string
	// Place says where in the body the proof stands, for those that carry it there instead.
	Place *Place
	// ProofPrefix is what stands before the proof in its header. Empty: nothing does.
	ProofPrefix string
	// SignsBody is false where the proof is a fixed text, so that a change of the body can't be seen.
	SignsBody bool
	// Past and Future are how old, and how far ahead, a signature may be. 0: the scheme checks no clock on that side.
	Past, Future time.Duration
	// Malformed are values of the proof header that must be refused, besides those that the suite makes.
	Malformed []string
	// Vectors are signatures that the provider, or its own library, has published.
	Vectors []Vector
	// Words are the provider's documented words, all of them, and what each must become.
	Words []Word
	// UnknownWord is a body with a word that nobody has heard of.
	UnknownWord Word
	// KnownByBytes is true where a body's bytes are part of its identity, for want of anything better: another byte makes
	// another event, which must say the same.
	KnownByBytes bool
	// Form is true where bodies are forms and not JSON.
	Form bool
	// Refuses is true where the contract lets a bad body be refused before anything is recorded.
	Refuses bool
}

// Place is where a body carries its proof.
type Place struct {
	Get func(r *provider.Request) string
	// Set puts exactly these proofs into the body, and none where there are none.
	Set func(r *provider.Request, proofs ...string)
}

// Vector is a published signature.
type Vector struct {
	Name   string
	Secret string
	Header http.Header
	Body   string
	At     time.Time
	// Refused is true for one that must not be taken.
	Refused bool
}

// Word is a body and what it says.
type Word struct {
	Name   string
	Header http.Header
	Body   string
	// Says is the event's changes as Summary writes them.
	Says []string
}

// secrets that the suite configures. Both are in force; the retired one is not any more.
const (
	currentSecret = "current-synthetic-secret-4f1d"
	nextSecret    = "next-synthetic-secret-9a2c"
	retiredSecret = "retired-synthetic-secret-77e0"
	strangeSecret = "somebody-elses-secret-31bb"
)

// Now is the time of the suite.
func Now() time.Time { return time.Date(2026, 1, 15, 12, 30, 5, 0, time.UTC) }

// Values fill the samples of the suite.
func Values() provider.SampleValues {
	return provider.SampleValues{
		ID:          "synth0001",
		OrderID:     "8209829119461545",
		OrderNumber: "SYN-1001",
		Consignment: "DS150126SYNT01",
		PaymentID:   "pay_synth0001",
		Currency:    "BDT",
		MinorUnits:  105000,
		At:          Now(),
	}
}

// Open makes the provider with sound settings: a current secret, the next one, and one that is retired.
func Open(tb testing.TB, kind provider.Kind, opts Options) provider.Provider {
	tb.Helper()
	return openWith(tb, kind, opts,
		&configv1.Secret{Value: currentSecret},
		&configv1.Secret{Value: nextSecret},
		&configv1.Secret{Value: retiredSecret, NotAfter: timestamppb.New(Now())},
	)
}

func openWith(tb testing.TB, kind provider.Kind, opts Options, secrets ...*configv1.Secret) provider.Provider {
	tb.Helper()
	opened, err := ready(kind).New(settingsWith(opts, secrets...))
	if err != nil {
		tb.Fatalf("open %s: %v", kind.Name, err)
	}
	return opened
}

func settingsWith(opts Options, secrets ...*configv1.Secret) *configv1.Provider {
	settings := &configv1.Provider{}
	if opts.Settings != nil {
		settings = proto.CloneOf(opts.Settings)
	}
	settings.Secrets = secrets
	return settings
}

// request makes a request of a word's body.
func (w Word) request() *provider.Request {
	header := http.Header{}
	for name, values := range w.Header {
		header[http.CanonicalHeaderKey(name)] = values
	}
	return &provider.Request{Header: header, Body: []byte(w.Body), ReceivedAt: Now()}
}

// signed is a copy of a request with the proof that the given secret makes.
func signed(kind provider.Kind, r *provider.Request, secret string, at time.Time) *provider.Request {
	made := &provider.Request{Header: r.Header.Clone(), Query: r.Query, Body: r.Body, ReceivedAt: r.ReceivedAt}
	kind.Sign(made, secret, at)
	return made
}

// sample is the request of the sample that stands for all.
func sample(tb testing.TB, kind provider.Kind, opts Options) *provider.Request {
	tb.Helper()
	for _, s := range kind.Samples {
		if s.Name == opts.Sample {
			return sampleRequest(tb, s)
		}
	}
	tb.Fatalf("the kind has no sample %q", opts.Sample)
	return nil
}

func sampleRequest(tb testing.TB, s provider.Sample) *provider.Request {
	tb.Helper()
	made, err := s.Request(Values())
	if err != nil {
		tb.Fatalf("sample %s: %v", s.Name, err)
	}
	return made
}
