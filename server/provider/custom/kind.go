// Package custom reads the webhooks of a provider that nobody has written code for. Expressions in the settings (CEL) say
// what stands where in a body and what it means, and are compiled and checked when the configuration is read.
package custom

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"

	"buf.build/go/protoyaml"
	"google.golang.org/protobuf/proto"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/provider"
)

//go:embed testdata/example.yaml
var example []byte

//go:embed testdata/*.http
var testdata embed.FS

// version of the translator itself. Settings make one of their own of it.
const version = "custom-1"

// Kind describes the folder.
func Kind() provider.Kind {
	return provider.Kind{
		Name:       "custom",
		Proof:      "what the settings say: an HMAC-SHA256 over the body, over time and body, or as Standard Webhooks has it, a bearer token, or a static header",
		Version:    version,
		Check:      check,
		New:        open,
		Sign:       func(r *provider.Request, secret string, now time.Time) { schemeOf(Example()).sign(r, secret, now) },
		Configured: true,
		Example:    Example,
	}
}

// Example makes settings that show what can be set, with the fixtures of this folder. It panics on a fault in the
// embedded files: they are part of the code.
func Example() *configv1.Provider {
	made := &configv1.Provider{}
	if err := protoyaml.Unmarshal(example, made); err != nil {
		panic(err)
	}
	for _, sample := range provider.SamplesIn(testdata) {
		if !strings.HasPrefix(sample.Name, "form-") {
			made.Custom.Fixtures = append(made.Custom.Fixtures, &configv1.Fixture{Name: sample.Name, Text: sample.Text})
		}
	}
	return made
}

type custom struct {
	keys    provider.Keys
	scheme  scheme
	plan    *plan
	version string
	samples []provider.Sample
}

// open makes the provider. One without a description is made all the same, and keeps every body undecoded.
func open(cfg *configv1.Provider) (provider.Provider, error) {
	c := &compiler{}
	made := newPlan(c, cfg)
	if cfg.GetCustom() != nil && len(c.problems) > 0 {
		return nil, errors.New(c.problems[0].Field + ": " + c.problems[0].Message)
	}
	if _, err := provider.Zone(cfg, ""); err != nil {
		return nil, err
	}
	return &custom{
		keys:    provider.NewKeys(cfg),
		scheme:  schemeOf(cfg),
		plan:    made,
		version: versionOf(cfg),
		samples: samplesOf(cfg.GetCustom()),
	}, nil
}

// Describe gives the kind as these settings make it.
func (c *custom) Describe(kind provider.Kind) provider.Kind {
	kind.Version = c.version
	kind.KeptHeaders = c.plan.headers
	kind.Samples = c.samples
	kind.Sign = c.scheme.sign
	return kind
}

// versionOf moves on with every setting that bears on what a body says.
func versionOf(cfg *configv1.Provider) string {
	set := proto.CloneOf(cfg.GetCustom())
	if set != nil {
		set.Fixtures, set.Answer, set.Handshake = nil, nil, nil
	}
	text, err := proto.MarshalOptions{Deterministic: true}.Marshal(&configv1.Provider{
		Custom: set, Expect: cfg.GetExpect(), TimeZone: cfg.GetTimeZone(), Currency: cfg.GetCurrency(), MinorUnits: cfg.GetMinorUnits(),
	})
	if err != nil {
		return version
	}
	digest := sha256.Sum256(text)
	return version + "-" + hex.EncodeToString(digest[:8])
}

// keptHeaders are the headers that expressions look at.
func keptHeaders(set *configv1.Custom) []string {
	kept := slices.Clone(set.GetHeaders())
	if set.GetPreset() != standardWebhooks {
		return kept
	}
	for _, one := range provider.StandardFamilies {
		if name := strings.ToLower(one.ID); !slices.Contains(kept, name) {
			kept = append(kept, name)
		}
	}
	return kept
}

// Handshake answers the probe that the settings describe.
func (c *custom) Handshake(r *provider.Request) (provider.Answer, bool) {
	answer, probe := c.plan.handshake.answerTo(c.plan, r)
	if !probe || (!c.plan.handshake.unproven && c.Verify(r) != nil) {
		return provider.Answer{}, false
	}
	return answer, true
}

// Verify checks the proof that the settings describe.
func (c *custom) Verify(r *provider.Request) error { return c.scheme.verify(c.keys, r) }

// Sign adds the proof that the settings describe.
func (c *custom) Sign(r *provider.Request, secret string, now time.Time) {
	c.scheme.sign(r, secret, now)
}

// Answer words a result as the settings say.
func (c *custom) Answer(res provider.Result) provider.Answer { return c.plan.answer.word(res) }
