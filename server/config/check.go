package config

import (
	"fmt"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
)

// check looks for what the schema can't see.
func (l Loader) check(cfg *configv1.Config, layout *layout) []Problem {
	var problems []Problem
	for i, account := range cfg.GetAccounts() {
		for j, provider := range account.GetProviders() {
			path := fmt.Sprintf("accounts[%d].providers[%d]", i, j)
			problems = append(problems, checkZone(provider, path, layout)...)
			problems = append(problems, l.checkSecrets(provider, path, layout)...)
		}
	}
	if l.Check == nil {
		return problems
	}
	for _, fault := range l.Check(cfg) {
		problems = append(problems, layout.at(fault.Field, fault.Message))
	}
	return problems
}

func checkZone(provider *configv1.Provider, path string, layout *layout) []Problem {
	zone := provider.GetTimeZone()
	if _, err := time.LoadLocation(zone); err == nil && zone != "Local" {
		return nil
	}
	return []Problem{layout.at(path+".time_zone", "no such time zone; use an IANA name, for example Asia/Dhaka")}
}

// checkSecrets warns of providers that nobody can prove to be. They are no fault: a shop is connected step by step,
// and a provider without a secret refuses every body.
func (l Loader) checkSecrets(provider *configv1.Provider, path string, layout *layout) []Problem {
	var problems []Problem
	usable := 0
	for i, secret := range provider.GetSecrets() {
		if secret.GetNotAfter() == nil || l.Now().Before(secret.GetNotAfter().AsTime()) {
			usable++
			continue
		}
		problem := layout.at(fmt.Sprintf("%s.secrets[%d].not_after", path, i), "the secret has expired and proves nothing; remove it")
		problem.Warning = true
		problems = append(problems, problem)
	}
	if usable == 0 {
		problem := layout.at(path+".secrets", "there is no usable secret: every body will be refused")
		problem.Warning = true
		problems = append(problems, problem)
	}
	return problems
}
