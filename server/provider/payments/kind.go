// Package payments reads the plain payment webhook: a bearer token and five members of JSON.
package payments

import (
	"embed"
	"errors"
	"net/http"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/order"
	"github.com/waybillhq/waybill/server/provider"
)

//go:embed testdata/*.http
var testdata embed.FS

// Kind describes the folder.
func Kind() provider.Kind {
	return provider.Kind{
		Name:    "payments",
		Proof:   "a bearer token in " + proofHeader,
		Version: "payments-1",
		Check:   check,
		New:     open,
		Sign:    sign,
		Samples: provider.SamplesIn(testdata),
	}
}

type gateway struct {
	keys       provider.Keys
	currency   string
	minorUnits bool
}

var errCurrency = errors.New("currency is missing or not an ISO 4217 code: the amounts come without one, so name it here")

func open(cfg *configv1.Provider) (provider.Provider, error) {
	if _, known := order.Exponent(cfg.GetCurrency()); !known {
		return nil, errCurrency
	}
	return &gateway{
		keys:       provider.NewKeys(cfg),
		currency:   cfg.GetCurrency(),
		minorUnits: cfg.GetMinorUnits(),
	}, nil
}

func check(cfg *configv1.Provider) []provider.Problem {
	problems := provider.CheckSecrets(cfg)
	problems = append(problems, provider.CheckExpect(cfg)...)
	if _, known := order.Exponent(cfg.GetCurrency()); !known {
		problems = append(problems, provider.Problem{Field: "currency", Message: errCurrency.Error()})
	}
	return problems
}

// Handshake knows no probe.
func (*gateway) Handshake(*provider.Request) (provider.Answer, bool) { return provider.Answer{}, false }

type acceptedBody struct {
	EventID       string `json:"eventId"`
	FirstDelivery bool   `json:"firstDelivery"`
	Outcome       string `json:"outcome"`
}

// Answer words a result in the contract's own members.
func (*gateway) Answer(res provider.Result) provider.Answer {
	if res.Verdict != provider.Accepted || len(res.Responses) != 1 {
		return provider.DefaultAnswer(res)
	}
	response := res.Responses[0]
	return provider.JSON(http.StatusOK, acceptedBody{
		EventID:       response.GetEvent().GetEventId(),
		FirstDelivery: response.GetFirstDelivery(),
		Outcome:       provider.ReceiptWord(response.GetReceipt()),
	})
}
