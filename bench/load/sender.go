package load

import (
	"fmt"
	"strings"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/catalog"
)

// The names under which a sender is configured.
const (
	Account = "bench"
	name    = "sender"
)

// Variable is the environment variable that carries the sender's secret to every process that checks it.
const Variable = "WAYBILL_BENCH_SECRET"

// Sender is a configured provider, on both sides of the wire.
type Sender struct {
	Opened provider.Opened
	secret string
}

// NewSender configures a provider of a kind.
func NewSender(kind, secret string) (Sender, error) {
	opened, err := provider.Open(&configv1.Config{Accounts: []*configv1.Account{{
		Name:      Account,
		Providers: []*configv1.Provider{{Name: name, Kind: kind, Secrets: []*configv1.Secret{{Value: secret}}}},
	}}}, catalog.Kinds())
	if err != nil {
		return Sender{}, err
	}
	return Sender{Opened: opened[0], secret: secret}, nil
}

// ExampleSecret is a secret in the shape that the kind's secrets have.
func ExampleSecret(kind, seed string) string {
	for _, known := range catalog.Kinds() {
		if known.Name == kind && known.Secret != nil {
			return known.Secret(seed)
		}
	}
	return "secret-of-a-benchmark-" + seed
}

// Path is where the sender posts to.
func (s Sender) Path() string { return "/webhooks/" + Account + "/" + name }

// Config is Waybill's configuration for this sender. An event of an order that nobody has announced creates it: every
// event ends in an outcome, and none waits.
func (s Sender) Config() string {
	return strings.TrimLeft(fmt.Sprintf(`
accounts:
  - name: %s
    orders: {unknown: create}
    providers:
      - {name: %s, kind: %s, secrets: ["${%s}"]}
`, Account, name, s.Opened.Kind.Name, Variable), "\n")
}

func (s Sender) sign(r *provider.Request) { s.Opened.Sign(r, s.secret, time.Now()) }
