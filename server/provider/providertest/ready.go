package providertest

import (
	"context"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// ready is the kind as the suite drives it: the suite's secrets become the kind's own shape, and what a proof must ask
// outside is asked of the kind's rehearsal, as the door would ask it.
func ready(kind provider.Kind) provider.Kind {
	made := kind
	made.Sign = func(r *provider.Request, secret string, now time.Time) {
		kind.Sign(r, shaped(kind, secret), now)
	}
	made.Check = func(cfg *configv1.Provider) []provider.Problem {
		return kind.Check(withShapedSecrets(kind, cfg))
	}
	made.New = func(cfg *configv1.Provider) (provider.Provider, error) {
		opened, err := kind.New(withShapedSecrets(kind, cfg))
		if err != nil || kind.Rehearsal == nil {
			return opened, err
		}
		return rehearsed{Provider: opened, outside: kind.Rehearsal}, nil
	}
	return made
}

// shaped is a secret of the suite in the shape that the kind gives its own, with whatever stands around it.
func shaped(kind provider.Kind, secret string) string {
	if kind.Secret == nil {
		return secret
	}
	for _, own := range []string{currentSecret, nextSecret, retiredSecret, strangeSecret} {
		if given := kind.Secret(own); !strings.Contains(secret, given) { // its shape may hold the text, and shaping twice changes nothing
			secret = strings.Replace(secret, own, given, 1)
		}
	}
	return secret
}

func withShapedSecrets(kind provider.Kind, cfg *configv1.Provider) *configv1.Provider {
	made := proto.CloneOf(cfg)
	for _, secret := range made.GetSecrets() {
		secret.Value = shaped(kind, secret.GetValue())
	}
	return made
}

// rehearsed is a provider that verifies with the help of its rehearsal.
type rehearsed struct {
	provider.Provider

	outside *provider.Rehearsal
}

func (p rehearsed) Verify(r *provider.Request) error {
	return provider.Prove(context.Background(), p.Provider, r, p.outside)
}
