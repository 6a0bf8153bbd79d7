// Package stripe reads the webhooks of the payment provider Stripe.
package stripe

import (
	"embed"
	"strings"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/provider"
)

//go:embed testdata/*.http
var testdata embed.FS

// orderKeys are the metadata keys that are tried for our order's number where order_reference names none.
var orderKeys = []string{"order_number", "order_ref", "order_id"}

// Kind describes the folder.
func Kind() provider.Kind {
	return provider.Kind{
		Name:    "stripe",
		Proof:   "HMAC-SHA256 over time and body, in " + proof.Header,
		Version: "stripe-1",
		Check:   check,
		New:     open,
		Sign:    proof.Sign,
		Samples: provider.SamplesIn(testdata),
	}
}

type payments struct {
	keys      provider.Keys
	account   string
	livemode  bool
	orderKeys []string
}

func open(cfg *configv1.Provider) (provider.Provider, error) {
	made := &payments{
		keys:      provider.NewKeys(cfg),
		account:   cfg.GetExpect().GetAccountId(),
		livemode:  true,
		orderKeys: orderKeys,
	}
	if cfg.GetExpect() != nil && cfg.GetExpect().Livemode != nil {
		made.livemode = cfg.GetExpect().GetLivemode()
	}
	if cfg.GetOrderReference() != "" {
		made.orderKeys = []string{cfg.GetOrderReference()}
	}
	return made, nil
}

func check(cfg *configv1.Provider) []provider.Problem {
	problems := provider.CheckSecrets(cfg)
	problems = append(problems, provider.CheckExpect(cfg, "account_id", "livemode")...)
	if id := cfg.GetExpect().GetAccountId(); id != "" && !strings.HasPrefix(id, "acct_") {
		problems = append(problems, provider.Problem{
			Field:   "expect.account_id",
			Message: "a Stripe account id begins with acct_",
		})
	}
	return problems
}

// Handshake knows no probe.
func (*payments) Handshake(*provider.Request) (provider.Answer, bool) {
	return provider.Answer{}, false
}

// Answer words a result: Stripe reads the status only.
func (*payments) Answer(res provider.Result) provider.Answer { return provider.DefaultAnswer(res) }
