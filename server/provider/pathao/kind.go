// Package pathao reads the webhooks of the courier Pathao.
package pathao

import (
	"embed"
	"fmt"
	"net/http"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/order"
	"github.com/waybillhq/waybill/server/provider"
)

//go:embed testdata/*.http
var testdata embed.FS

const (
	defaultZone     = "Asia/Dhaka"
	defaultCurrency = "BDT"
)

// Kind describes the folder.
func Kind() provider.Kind {
	return provider.Kind{
		Name:    "pathao",
		Proof:   "the webhook secret, word for word, in " + proofHeader,
		Version: "pathao-1",
		Check:   check,
		New:     open,
		Sign:    func(r *provider.Request, secret string, _ time.Time) { r.Header.Set(proofHeader, secret) },
		Samples: provider.SamplesIn(testdata),
	}
}

type courier struct {
	keys        provider.Keys
	zone        *time.Location
	currency    string
	storeID     string
	answerToken string
}

func open(cfg *configv1.Provider) (provider.Provider, error) {
	zone, err := provider.Zone(cfg, defaultZone)
	if err != nil {
		return nil, err
	}
	made := &courier{
		keys:        provider.NewKeys(cfg),
		zone:        zone,
		currency:    cfg.GetCurrency(),
		storeID:     cfg.GetExpect().GetStoreId(),
		answerToken: cfg.GetAnswerToken(),
	}
	if made.currency == "" {
		made.currency = defaultCurrency
	}
	if made.answerToken == "" {
		made.answerToken = panelValue
	}
	return made, nil
}

func check(cfg *configv1.Provider) []provider.Problem {
	problems := provider.CheckSecrets(cfg)
	problems = append(problems, provider.CheckZone(cfg)...)
	problems = append(problems, provider.CheckExpect(cfg, "store_id")...)
	for i, secret := range cfg.GetSecrets() {
		if cfg.GetAnswerToken() != "" && cfg.GetAnswerToken() == secret.GetValue() {
			problems = append(problems, provider.Problem{
				Field: "answer_token",
				Message: fmt.Sprintf("it is the same as secrets[%d], and every answer, refusals included, would "+
					"tell it to anyone who asks: take it away", i),
			})
		}
	}
	if _, known := order.Exponent(cfg.GetCurrency()); cfg.GetCurrency() != "" && !known {
		problems = append(problems, provider.Problem{Field: "currency", Message: "no such ISO 4217 currency"})
	}
	return problems
}

// Answer words a result: 202 for what was accepted, and the integration header on everything, because Pathao drops
// endpoints whose answers lack it.
func (c *courier) Answer(res provider.Result) provider.Answer {
	answer := provider.DefaultAnswer(res)
	if res.Verdict == provider.Accepted {
		answer.Status = http.StatusAccepted
	}
	answer.Header.Set(answerHeader, c.answerToken)
	return answer
}
