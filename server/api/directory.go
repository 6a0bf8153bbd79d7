package api

import (
	"cmp"
	"slices"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
)

// directory knows the configured accounts and their providers.
//
// A provider's identity name is the one that its events are recorded under. It is the first name that the provider
// ever had, so a rename changes no identity; callers see the name of today only.
type directory struct {
	accounts map[string]accountEntry
}

type accountEntry struct {
	// providers by name.
	providers []*configv1.Provider
	// identity and shown map a name of today to the identity name, and back.
	identity, shown map[string]string
}

func newDirectory(cfg *configv1.Config) directory {
	d := directory{accounts: make(map[string]accountEntry)}
	for _, account := range cfg.GetAccounts() {
		entry := accountEntry{
			providers: slices.SortedFunc(slices.Values(account.GetProviders()), func(a, b *configv1.Provider) int {
				return cmp.Compare(a.GetName(), b.GetName())
			}),
			identity: make(map[string]string),
			shown:    make(map[string]string),
		}
		for _, provider := range entry.providers {
			first := cmp.Or(provider.GetRenamedFrom(), provider.GetName())
			entry.identity[provider.GetName()] = first
			entry.shown[first] = provider.GetName()
		}
		d.accounts[account.GetName()] = entry
	}
	return d
}

func (d directory) providers(account string) []*configv1.Provider {
	return d.accounts[account].providers
}

// identity is the name that a provider's events are recorded under. False: it is not configured.
func (d directory) identity(account, provider string) (string, bool) {
	name, ok := d.accounts[account].identity[provider]
	return name, ok
}

// shown is the name of today of a provider that events are recorded under. A provider that is no longer configured
// keeps the name it had.
func (d directory) shown(account, recorded string) string {
	if name, ok := d.accounts[account].shown[recorded]; ok {
		return name
	}
	return recorded
}
