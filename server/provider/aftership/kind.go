// Package aftership reads the tracking webhooks of AfterShip.
package aftership

import (
	"embed"
	"slices"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/provider"
)

//go:embed testdata/*.http
var testdata embed.FS

// proof is the signature of AfterShip's tracking product. Its shipping and returns products sign in other headers.
var proof = provider.Proof{Scheme: provider.HMACSHA256, Place: "Aftership-Hmac-Sha256", Encoding: provider.Base64}

// Kind describes the folder.
func Kind() provider.Kind {
	return provider.Kind{
		Name:    "aftership",
		Proof:   proof.Words(),
		Version: "aftership-1",
		Check:   check,
		New:     open,
		Sign:    func(r *provider.Request, secret string, _ time.Time) { proof.Sign(r, secret) },
		Samples: provider.SamplesIn(testdata),
	}
}

type trackings struct {
	keys provider.Keys
	// zone of scans that come without one. Nil: nobody knows.
	zone *time.Location
}

func open(cfg *configv1.Provider) (provider.Provider, error) {
	zone, err := provider.Zone(cfg, "")
	if err != nil {
		return nil, err
	}
	return &trackings{keys: provider.NewKeys(cfg), zone: zone}, nil
}

func check(cfg *configv1.Provider) []provider.Problem {
	return slices.Concat(
		provider.CheckSecrets(cfg), provider.CheckZone(cfg), provider.CheckExpect(cfg), provider.CheckProof(cfg, proof),
	)
}

// Handshake knows no probe: what the panel sends as a test is an ordinary delivery.
func (*trackings) Handshake(*provider.Request) (provider.Answer, bool) {
	return provider.Answer{}, false
}

// Verify checks the signature, which covers the body and no time.
func (t *trackings) Verify(r *provider.Request) error { return proof.Verify(t.keys, r) }

// Answer words a result: AfterShip reads the status only.
func (*trackings) Answer(res provider.Result) provider.Answer { return provider.DefaultAnswer(res) }
