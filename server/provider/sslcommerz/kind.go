// Package sslcommerz reads the instant payment notifications (IPN) of the payment gateway SSLCOMMERZ.
package sslcommerz

import (
	"cmp"
	"embed"
	"net/url"
	"slices"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/provider"
)

//go:embed testdata/*.http
var testdata embed.FS

const (
	// defaultZone is where the gateway is at home. Its times come without a zone.
	defaultZone = "Asia/Dhaka"
	live        = "securepay.sslcommerz.com"
	sandbox     = "sandbox.sslcommerz.com"
	// within is how long a validation may take.
	within = 8 * time.Second
)

// Kind describes the folder.
func Kind() provider.Kind {
	return provider.Kind{
		Name:        "sslcommerz",
		Proof:       "MD5 over the listed fields and the store's password, in verify_sign; payments are validated at SSLCOMMERZ too",
		Version:     "sslcommerz-1",
		Check:       check,
		New:         open,
		Sign:        sign,
		Samples:     provider.SamplesIn(testdata),
		ProofWithin: within,
		Rehearsal:   &provider.Rehearsal{Answer: rehearse},
	}
}

type gateway struct {
	keys     provider.Keys
	store    string
	orderKey string
	zone     *time.Location
	host     string
	outside  provider.Outside
}

func open(cfg *configv1.Provider) (provider.Provider, error) {
	zone, err := provider.Zone(cfg, defaultZone)
	if err != nil {
		return nil, err
	}
	made := &gateway{
		keys:     provider.NewKeys(cfg),
		store:    cfg.GetExpect().GetStoreId(),
		orderKey: cmp.Or(cfg.GetOrderReference(), fieldTransaction),
		zone:     zone,
		host:     live,
		outside:  provider.NewOutside(cfg.GetApiUrl(), cfg.GetApiCa()),
	}
	if expect := cfg.GetExpect(); expect != nil && expect.Livemode != nil && !expect.GetLivemode() {
		made.host = sandbox
	}
	return made, nil
}

func check(cfg *configv1.Provider) []provider.Problem {
	return slices.Concat(
		provider.CheckSecrets(cfg), provider.CheckZone(cfg), provider.CheckExpect(cfg, "store_id", "livemode"),
		provider.CheckProof(cfg, fixed), provider.CheckOutside(cfg),
	)
}

// fixed is the proof as far as settings could change it: they can't.
var fixed = provider.Proof{Scheme: provider.HMACSHA256, Place: fieldProof}

// Handshake knows no probe.
func (*gateway) Handshake(*provider.Request) (provider.Answer, bool) { return provider.Answer{}, false }

// Answer words a result: SSLCOMMERZ publishes nothing about answers.
func (*gateway) Answer(res provider.Result) provider.Answer { return provider.DefaultAnswer(res) }

// validation is where a payment is validated.
func (g *gateway) validation(store, password, payment string) provider.Call {
	query := url.Values{
		"val_id": {payment}, "store_id": {store}, "store_passwd": {password}, "v": {"1"}, "format": {"json"},
	}
	call := g.outside.At(&url.URL{
		Scheme: "https", Host: g.host, Path: "/validator/api/validationserverAPI.php", RawQuery: query.Encode(),
	})
	call.MaxBytes = 64 << 10
	call.Within = within
	return call
}
