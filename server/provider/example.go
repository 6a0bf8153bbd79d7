package provider

import configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"

// exampleCurrency is the currency of amounts that come without one, in example settings.
const exampleCurrency = "BDT"

// ExampleSettings are sound settings of a provider of the kind, which read its samples. The secret is made from a text:
// the same text makes the same.
func (k Kind) ExampleSettings(name, seed string) *configv1.Provider {
	settings := &configv1.Provider{Currency: exampleCurrency}
	if k.Example != nil {
		settings = k.Example()
	}
	if k.Secret != nil {
		seed = k.Secret(seed)
	}
	settings.Name, settings.Kind, settings.Secrets = name, k.Name, []*configv1.Secret{{Value: seed}}
	return settings
}
