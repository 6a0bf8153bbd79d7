package config_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/waybillhq/waybill/server/config"
)

func TestLimitsAndSourceAddressesAreRead(t *testing.T) {
	t.Parallel()
	_, problems := parse("trusted_proxies: [10.0.0.0/8, \"::1\"]\n" + provider(
		"secrets: [s]", "limits: {rate_per_minute: 600, concurrent: 32}",
		"source_addresses: [203.0.113.0/24, 198.51.100.7, \"2001:db8::/32\", \"${ADDRESS}\"]",
	))
	if len(problems) != 1 || !strings.Contains(problems[0].String(), "ADDRESS") {
		t.Fatalf("problems %q, want the variable that is not set", lines(problems))
	}

	cfg, problems := parse("trusted_proxies: [10.0.0.0/8, \"::1\"]\n" + provider(
		"secrets: [s]", "limits: {rate_per_minute: 600, concurrent: 32}",
		"source_addresses: [203.0.113.0/24, 198.51.100.7, \"2001:db8::/32\"]",
	))
	if len(problems) != 0 {
		t.Fatalf("problems %q", lines(problems))
	}
	read := config.Provider(config.Account(cfg, "shop"), "p")
	if read.GetLimits().GetRatePerMinute() != 600 || read.GetLimits().GetConcurrent() != 32 ||
		!slices.Equal(read.GetSourceAddresses(), []string{"203.0.113.0/24", "198.51.100.7", "2001:db8::/32"}) ||
		!slices.Equal(cfg.GetTrustedProxies(), []string{"10.0.0.0/8", "::1"}) {
		t.Errorf("read %v, proxies %v", read, cfg.GetTrustedProxies())
	}
}

func TestLimitsAndSourceAddressesThatMeanNothingAreFaults(t *testing.T) {
	t.Parallel()
	for field, rule := range map[string]string{
		"limits: {rate_per_minute: -1}":             "int32.gte_lte",
		"limits: {concurrent: 70000}":               "int32.gte_lte",
		"source_addresses: [courier.example]":       "provider.source_addresses",
		"source_addresses: [203.0.113.0/33]":        "provider.source_addresses",
		"source_addresses: [203.0.113.0-24]":        "provider.source_addresses",
		"source_addresses: [\"fe80::1%eth0\"]":      "provider.source_addresses",
		"source_addresses: [\"203.0.113.1:443\"]":   "provider.source_addresses",
		"source_addresses: [203.0.113.0/24, \"\"]":  "provider.source_addresses",
		"source_addresses: [\" 203.0.113.0/24\"]":   "provider.source_addresses",
		"source_addresses: [\"203.0.113.0/24,::\"]": "provider.source_addresses",
	} {
		_, problems := parse(provider("secrets: [s]", field))
		if len(problems) != 1 || problems[0].Rule != rule || problems[0].Line != 7 {
			t.Errorf("%s: problems %q, want the rule %s on line 7", field, lines(problems), rule)
		}
	}
	_, problems := parse("trusted_proxies: [localhost]\n" + provider("secrets: [s]"))
	if len(problems) != 1 || problems[0].Rule != "config.trusted_proxies" || problems[0].Line != 1 {
		t.Errorf("problems %q, want the rule config.trusted_proxies on line 1", lines(problems))
	}
}
