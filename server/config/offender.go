package config

import (
	"fmt"

	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
)

// offenders are the fields that break a rule over several items: the rule itself only knows the list's owner.
func offenders(violation *validate.Violation, cfg *configv1.Config, path string) []string {
	var found []string
	switch violation.GetRuleId() {
	case "config.accounts_unique":
		found = repeated("accounts[%d].name", cfg.GetAccounts(), (*configv1.Account).GetName)
	case "config.keys_unique":
		found = append(repeated("api_keys[%d].name", cfg.GetApiKeys(), (*configv1.ApiKey).GetName),
			repeated("api_keys[%d].sha256", cfg.GetApiKeys(), (*configv1.ApiKey).GetSha256)...)
	case "config.key_account":
		found = strayAccounts(cfg)
	case "config.key_providers":
		found = strayProviders(cfg)
	case "account.providers_unique":
		found = repeated(path+".providers[%d].name", accountAt(violation, cfg).GetProviders(), (*configv1.Provider).GetName)
	case "account.renamed_from_free":
		found = takenNames(path, accountAt(violation, cfg))
	case "provider.renamed":
		found = []string{path + ".renamed_from"}
	}
	if len(found) == 0 {
		return []string{path}
	}
	return found
}

func accountAt(violation *validate.Violation, cfg *configv1.Config) *configv1.Account {
	elements := violation.GetField().GetElements()
	if len(elements) == 0 || elements[0].GetIndex() >= uint64(len(cfg.GetAccounts())) {
		return nil
	}
	return cfg.GetAccounts()[elements[0].GetIndex()]
}

// repeated are the paths of the items whose name an item before them has. Empty names break a rule of their own.
func repeated[T any](format string, items []T, name func(T) string) []string {
	seen := make(map[string]bool)
	var found []string
	for i, item := range items {
		if key := name(item); key != "" && seen[key] {
			found = append(found, fmt.Sprintf(format, i))
		}
		seen[name(item)] = true
	}
	return found
}

func strayAccounts(cfg *configv1.Config) []string {
	var found []string
	for i, key := range cfg.GetApiKeys() {
		if Account(cfg, key.GetAccount()) == nil {
			found = append(found, fmt.Sprintf("api_keys[%d].account", i))
		}
	}
	return found
}

func strayProviders(cfg *configv1.Config) []string {
	var found []string
	for i, key := range cfg.GetApiKeys() {
		account := Account(cfg, key.GetAccount())
		if account == nil {
			continue
		}
		for j, name := range key.GetProviders() {
			if Provider(account, name) == nil {
				found = append(found, fmt.Sprintf("api_keys[%d].providers[%d]", i, j))
			}
		}
	}
	return found
}

func takenNames(path string, account *configv1.Account) []string {
	taken := make(map[string]bool)
	for _, provider := range account.GetProviders() {
		taken[provider.GetName()] = true
	}
	var found []string
	for i, provider := range account.GetProviders() {
		old := provider.GetRenamedFrom()
		if old == "" || old == provider.GetName() {
			continue
		}
		if taken[old] {
			found = append(found, fmt.Sprintf("%s.providers[%d].renamed_from", path, i))
		}
		taken[old] = true
	}
	return found
}
