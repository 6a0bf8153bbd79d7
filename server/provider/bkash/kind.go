// Package bkash reads the payment notifications of the mobile wallet bKash, which come as messages of Amazon's SNS.
package bkash

import (
	"embed"
	"regexp"
	"slices"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/provider"
)

//go:embed testdata/*.http
var testdata embed.FS

const (
	// defaultZone is where bKash is at home. Its times come without a zone.
	defaultZone = "Asia/Dhaka"
	// defaultCurrency is the wallet's only one.
	defaultCurrency = "BDT"
	// within is how long fetching a certificate, or confirming a subscription, may take; keep is how long a certificate
	// serves.
	within = 5 * time.Second
	keep   = 24 * time.Hour
)

// Kind describes the folder.
func Kind() provider.Kind {
	return provider.Kind{
		Name:        "bkash",
		Proof:       "RSA over the message's fields, by a certificate of Amazon SNS, from the topic that the settings name",
		Version:     "bkash-1",
		Check:       check,
		New:         open,
		Sign:        sign,
		Samples:     provider.SamplesIn(testdata),
		Secret:      example,
		ProofWithin: within,
		Rehearsal:   &provider.Rehearsal{Answer: rehearse},
	}
}

type wallet struct {
	// keys are the topics that are bKash's: anybody may have a topic of their own, and Amazon signs for all of them.
	keys      provider.Keys
	orderKeys []string
	currency  string
	zone      *time.Location
	outside   provider.Outside
}

func open(cfg *configv1.Provider) (provider.Provider, error) {
	zone, err := provider.Zone(cfg, defaultZone)
	if err != nil {
		return nil, err
	}
	made := &wallet{
		keys:      provider.NewKeys(cfg).Where(topic.MatchString),
		orderKeys: orderKeys,
		currency:  cfg.GetCurrency(),
		zone:      zone,
		outside:   provider.NewOutside(cfg.GetApiUrl(), cfg.GetApiCa()),
	}
	if made.currency == "" {
		made.currency = defaultCurrency
	}
	if cfg.GetOrderReference() != "" {
		made.orderKeys = []string{cfg.GetOrderReference()}
	}
	return made, nil
}

// topic is the shape of a topic's name.
var topic = regexp.MustCompile(`^arn:aws(-cn|-us-gov)?:sns:[a-z0-9-]{1,32}:[0-9]{12}:[A-Za-z0-9_.-]{1,256}$`)

func check(cfg *configv1.Provider) []provider.Problem {
	return slices.Concat(
		provider.CheckSecrets(cfg), provider.CheckZone(cfg), provider.CheckExpect(cfg), provider.CheckProof(cfg, fixed),
		provider.CheckOutside(cfg),
		provider.CheckSecretShape(cfg, topic.MatchString, "write the topic's ARN that bKash gave you: arn:aws:sns:REGION:ACCOUNT:NAME"),
		provider.CheckOrderReference(cfg, "bKash", orderKeys),
	)
}

// example makes the name of a topic.
func example(seed string) string { return "arn:aws:sns:ap-southeast-1:000000000000:" + seed }

// fixed is the proof as far as settings could change it: they can't.
var fixed = provider.Proof{Scheme: provider.HMACSHA256, Place: "Signature"}

// Handshake knows no probe that is answered unproven: a subscription's confirmation is signed (see Confirm).
func (*wallet) Handshake(*provider.Request) (provider.Answer, bool) { return provider.Answer{}, false }

// Answer words a result: SNS reads the status only.
func (*wallet) Answer(res provider.Result) provider.Answer { return provider.DefaultAnswer(res) }
