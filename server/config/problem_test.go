package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/waybillhq/waybill/server/config"
)

func TestAProblemNamesFileLineColumnFieldAndRule(t *testing.T) {
	t.Parallel()
	const name = "use 1 to 64 lower-case letters, digits and dashes, and begin with a letter or digit"
	const at = "accounts[0].providers[0]"

	tests := map[string]struct {
		text string
		want []string
	}{
		"empty file":         {"", []string{"w.yaml:1:1: the file is empty; it needs at least one account"}},
		"comments only":      {"# nothing\n\n", []string{"w.yaml:1:1: the file is empty; it needs at least one account"}},
		"null document":      {"---\n", []string{"w.yaml:2:1: write fields, one a line: name: value"}},
		"a list":             {"- a\n", []string{"w.yaml:1:1: write fields, one a line: name: value"}},
		"no account":         {"listen: :1\n", []string{"w.yaml:1:1: accounts: must contain at least 1 item(s) (repeated.min_items)"}},
		"accounts left open": {"accounts:\n", []string{"w.yaml:1:10: accounts: must contain at least 1 item(s) (repeated.min_items)"}},
		"second document": {provider("secrets: [s]") + "---\nlisten: :1\n", []string{
			"w.yaml:7:1: a second document begins here; the configuration is one document, take the --- away",
		}},
		"repeated field": {provider("secrets: [s]", "kind: a"), []string{
			"w.yaml:7:9: " + at + ".kind: the field is written twice",
		}},
		"unknown field": {"accounts:\n  - name: a\n    orders: {wait_limt: 1h}\n", []string{
			"w.yaml:3:14: accounts[0].orders: unknown field wait_limt; known here: unknown, wait_limit",
		}},
		"a field by its number": {"listen: :1\n3: []\n", []string{
			"w.yaml:2:1: unknown field; known here: listen, database_url, accounts, api_keys, payload_retention, trusted_proxies",
		}},
		"merge key": {"<<: {listen: x}\n", []string{"w.yaml:1:1: merge keys (<<) are not supported"}},
		"list instead of a value": {provider("secrets: [s]", "currency: [BDT]"), []string{
			"w.yaml:7:19: " + at + ".currency: write one value, not a list or fields",
		}},
		"value instead of a list":   {"accounts: shop\n", []string{"w.yaml:1:11: accounts: write a list, one item a line, each after a dash"}},
		"value instead of fields":   {"accounts: [shop]\n", []string{"w.yaml:1:12: accounts[0]: write fields, one a line: name: value"}},
		"an empty item":             {"accounts:\n  -\n", []string{"w.yaml:2:4: accounts[0]: the item is empty"}},
		"an empty secret":           {provider("secrets: [~]"), []string{"w.yaml:6:19: " + at + ".secrets[0]: the item is empty"}},
		"the word null":             {provider("secrets: [s]", "renamed_from: null"), []string{"w.yaml:7:23: " + at + ".renamed_from: this is YAML's word for nothing; put it in quotes if the word itself is meant"}},
		"a duration without unit":   {"payload_retention: 48\n", []string{"w.yaml:1:20: payload_retention: write a duration, for example 48h or 30m"}},
		"a word for a truth value":  {"accounts: [{name: a, strict: 'on'}]\n", []string{"w.yaml:1:30: accounts[0].strict: write true or false"}},
		"a word for a number":       {provider("secrets: [s]", "max_body_bytes: big"), []string{"w.yaml:7:25: " + at + ".max_body_bytes: write a whole number"}},
		"a date for a time":         {provider("secrets: [{value: s, not_after: 2027-01-31}]"), []string{"w.yaml:6:41: " + at + ".secrets[0].not_after: write a time with its zone, for example 2026-01-31T00:00:00Z"}},
		"a retention below an hour": {"payload_retention: 59m\naccounts: [{name: a}]\n", []string{"w.yaml:1:20: payload_retention: must be greater than or equal to 3600s (duration.gte)"}},
		"a bad name":                {"accounts:\n  - name: Dhaka Shop\n", []string{"w.yaml:2:11: accounts[0].name: " + name + " (account.name)"}},
		"no name":                   {"accounts:\n  - strict: true\n", []string{"w.yaml:2:5: accounts[0].name: " + name + " (account.name)"}},
		"a bad listen address": {"listen: 8080\naccounts: [{name: a}]\n", []string{
			"w.yaml:1:9: listen: write HOST:PORT, for example 127.0.0.1:8080, or :8080 for every address (config.listen)",
		}},
		"two accounts of one name": {"accounts: [{name: a}, {name: b}, {name: a}]\n", []string{
			"w.yaml:1:41: accounts[2].name: two accounts have the same name (config.accounts_unique)",
		}},
		"two providers of one name": {provider("secrets: [s]") + "      - {name: p, kind: a, secrets: [s]}\n", []string{
			"w.yaml:7:16: accounts[0].providers[1].name: two providers of the account have the same name (account.providers_unique)",
		}},
		"renamed from a living name": {provider("secrets: [s]", "renamed_from: q") + "      - {name: q, kind: a, secrets: [s]}\n", []string{
			"w.yaml:7:23: " + at + ".renamed_from: renamed_from is a name that another provider of the account has, or had (account.renamed_from_free)",
		}},
		"two renamed from one name": {provider("secrets: [s]", "renamed_from: o") + "      - {name: q, kind: a, renamed_from: o, secrets: [s]}\n", []string{
			"w.yaml:8:42: accounts[0].providers[1].renamed_from: renamed_from is a name that another provider of the account has, or had (account.renamed_from_free)",
		}},
		"renamed from itself": {provider("secrets: [s]", "renamed_from: p"), []string{
			"w.yaml:7:23: " + at + ".renamed_from: renamed_from is the name itself (provider.renamed)",
		}},
		"an unknown word for orders": {"accounts: [{name: a, orders: {unknown: drop}}]\n", []string{
			"w.yaml:1:40: accounts[0].orders.unknown: must be in list [, wait, create] (string.in)",
		}},
		"an unknown zone":    {provider("secrets: [s]", "time_zone: Asia/Dacca2"), []string{"w.yaml:7:20: " + at + ".time_zone: no such time zone; use an IANA name, for example Asia/Dhaka"}},
		"the machine's zone": {provider("secrets: [s]", "time_zone: Local"), []string{"w.yaml:7:20: " + at + ".time_zone: no such time zone; use an IANA name, for example Asia/Dhaka"}},
		"a currency in small letters": {provider("secrets: [s]", "currency: bdt"), []string{
			"w.yaml:7:19: " + at + ".currency: use an ISO 4217 code in capitals, for example BDT (provider.currency)",
		}},
		"an unknown kind": {"accounts: [{name: shop, providers: [{name: p, kind: xyz, secrets: [s]}]}]\n", []string{
			"w.yaml:1:53: " + at + ".kind: no such kind; there are a, b",
		}},
		"what a kind finds": {"accounts: [{name: shop, providers: [{name: p, kind: strict, secrets: [s]}]}]\n", []string{
			"w.yaml:1:37: " + at + ".expect.shop_domain: is needed",
		}},
		"a key for no account": {keys("- {name: k, account: other, scopes: [track], sha256: \"${SHA}\"}"), []string{
			"w.yaml:8:24: api_keys[0].account: an api_key names an account that does not exist (config.key_account)",
		}},
		"a key for no provider": {keys("- {name: k, account: shop, scopes: [ingest], providers: [p, q], sha256: \"${SHA}\"}"), []string{
			"w.yaml:8:63: api_keys[0].providers[1]: an api_key names a provider that its account does not have (config.key_providers)",
		}},
		"an ingest key without providers": {keys("- {name: k, account: shop, scopes: [ingest], sha256: \"${SHA}\"}"), []string{
			"w.yaml:8:5: api_keys[0]: a key with the scope ingest names the providers it may speak for (api_key.ingest_providers)",
		}},
		"providers that limit nothing": {keys("- {name: k, account: shop, scopes: [track], providers: [p], sha256: \"${SHA}\"}"), []string{
			"w.yaml:8:5: api_keys[0]: providers only limits the scope ingest; a key without that scope is not limited by it (api_key.providers_ingest)",
		}},
		"payload alone": {keys("- {name: k, account: shop, scopes: [payload], sha256: \"${SHA}\"}"), []string{
			"w.yaml:8:5: api_keys[0]: the scope payload only adds to the scope operate (api_key.payload_operate)",
		}},
		"an unknown scope": {keys("- {name: k, account: shop, scopes: [track, admin], sha256: \"${SHA}\"}"), []string{
			"w.yaml:8:46: api_keys[0].scopes[1]: must be in list [ingest, track, operate, payload] (string.in)",
		}},
		"the key itself": {keys("- {name: k, account: shop, scopes: [track], sha256: SEEDED}"), []string{
			"w.yaml:8:55: api_keys[0].sha256: write the SHA-256 of the key as 64 lower-case hexadecimal digits (api_key.sha256)",
		}},
		"two keys with one digest": {keys("- {name: k, account: shop, scopes: [track], sha256: \"${SHA}\"}", "- {name: l, account: shop, scopes: [track], sha256: \"${SHA}\"}"), []string{
			"w.yaml:9:55: api_keys[1].sha256: two api_keys have the same name or the same sha256 (config.keys_unique)",
		}},
		"an unset variable": {provider("secrets:", "  - ${SECRET}", "  - a${MISSING}b"), []string{
			"w.yaml:8:13: " + at + ".secrets[1].value: the environment variable MISSING is not set",
		}},
		"an unset variable in a list of words": {keys("- {name: k, account: shop, scopes: [\"${MISSING}\"], sha256: \"${SHA}\"}"), []string{
			"w.yaml:8:39: api_keys[0].scopes[0]: the environment variable MISSING is not set",
		}},
		"a broken variable": {provider("secrets: ['${no-name}']"), []string{
			"w.yaml:6:19: " + at + ".secrets[0].value: write ${NAME} for an environment variable, or $${ for the text ${",
		}},
		"an empty variable": {provider("secrets: [\"${EMPTY}\"]"), []string{
			"w.yaml:6:19: " + at + ".secrets[0].value: must be at least 1 characters (string.min_len)",
		}},
		"a variable with a line break": {provider("secrets: [\"${NEWLINE}\"]"), []string{
			"w.yaml:6:19: " + at + ".secrets[0].value: there is white space around the secret, perhaps a line break at its end; take it away (secret.white_space)",
		}},
		"a tag of another tool": {provider("secrets: [!env SECRET]"), []string{
			"w.yaml:6:19: " + at + ".secrets[0]: tags are not supported: ${NAME} reads the environment, and a value that begins with ! must stand in quotes",
		}},
		"a binary value": {provider("secrets: [!!binary c2VjcmV0]"), []string{
			"w.yaml:6:19: " + at + ".secrets[0]: tags are not supported: ${NAME} reads the environment, and a value that begins with ! must stand in quotes",
		}},
		"an anchor": {provider("secrets: [&SEEDED x]"), []string{
			"w.yaml:6:19: " + at + ".secrets[0]: anchors are not supported; a value that begins with & must stand in quotes",
		}},
		"an alias": {"listen: &a :1\ndatabase_url: *a\n", []string{
			"w.yaml:1:9: listen: anchors are not supported; a value that begins with & must stand in quotes",
			"w.yaml:2:15: database_url: aliases are not supported; a value that begins with * must stand in quotes",
		}},
		"broken syntax": {"listen: [\n", []string{"w.yaml:1:1: not YAML: did not find expected node content"}},
		"several faults at once, by line": {"listn: x\naccounts:\n  - name: a\n    strict: maybe\n    name: b\n", []string{
			"w.yaml:1:1: unknown field listn; known here: listen, database_url, accounts, api_keys, payload_retention, trusted_proxies",
			"w.yaml:4:13: accounts[0].strict: write true or false",
			"w.yaml:5:5: accounts[0].name: the field is written twice",
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			cfg, problems := parse(test.text)

			if diff := cmp.Diff(test.want, lines(problems)); diff != "" {
				t.Error(diff)
			}
			if cfg != nil {
				t.Error("a faulty configuration was handed out")
			}
		})
	}
}

func TestWarningsDoNotKeepWaybillFromStarting(t *testing.T) {
	t.Parallel()

	tests := map[string]struct {
		text string
		want []string
	}{
		"no secrets": {provider("currency: BDT"), []string{
			"w.yaml:4:9: warning: accounts[0].providers[0].secrets: there is no usable secret: every body will be refused",
		}},
		"secrets left open": {provider("secrets:"), []string{
			"w.yaml:6:17: warning: accounts[0].providers[0].secrets: there is no usable secret: every body will be refused",
		}},
		"one secret has expired": {provider("secrets: [new, {value: old, not_after: 2026-01-15T10:00:00Z}]"), []string{
			"w.yaml:6:48: warning: accounts[0].providers[0].secrets[1].not_after: the secret has expired and proves nothing; remove it",
		}},
		"the only secret has expired": {provider("secrets: [{value: old, not_after: 2026-01-15T10:00:00Z}]"), []string{
			"w.yaml:6:18: warning: accounts[0].providers[0].secrets: there is no usable secret: every body will be refused",
			"w.yaml:6:43: warning: accounts[0].providers[0].secrets[0].not_after: the secret has expired and proves nothing; remove it",
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			cfg, problems := parse(test.text)

			if diff := cmp.Diff(test.want, lines(problems)); diff != "" {
				t.Error(diff)
			}
			if cfg == nil || len(config.Faults(problems)) != 0 {
				t.Error("a warning counts as a fault")
			}
		})
	}
}

func TestWhiteSpaceAroundASecretIsAFault(t *testing.T) {
	t.Parallel()
	for _, secret := range []string{`"s "`, `" s"`, `"s\n"`, `"s\r\n"`, `"\ts"`, `"s\u00a0"`, `"\ufeffs"`, `"s\u200b"`, "|\n  s\n", `" "`} {
		text := "accounts: \n- name: shop\n  providers:\n  - name: p\n    kind: a\n    secrets:\n    - " +
			strings.ReplaceAll(secret, "\n  ", "\n        ")

		cfg, problems := parse(text)

		if cfg != nil || len(problems) != 1 || problems[0].Rule != "secret.white_space" || problems[0].Line != 7 {
			t.Errorf("%q: %q", secret, lines(problems))
		}
	}
	if cfg, problems := parse(provider(`secrets: ["inner space is kept\tso"]`)); cfg == nil {
		t.Errorf("inner white space: %q", lines(problems))
	}
}
