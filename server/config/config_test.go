package config_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/config"
)

var now = time.Date(2026, 1, 15, 10, 0, 0, 0, time.UTC)

// env is the environment of every test.
var env = map[string]string{
	"SECRET":  "whsec_SEEDED_from_env",
	"NEWLINE": "whsec_SEEDED_from_env\n",
	"EMPTY":   "",
	"COLON":   "a: b\nc: d",
	"SHA":     strings.Repeat("ab", 32),
}

func parse(text string) (*configv1.Config, []config.Problem) {
	loader := config.Loader{
		Env: func(name string) (string, bool) {
			value, ok := env[name]
			return value, ok
		},
		Now:   func() time.Time { return now },
		Check: checkKinds,
	}
	return loader.Parse("w.yaml", []byte(text))
}

// checkKinds knows the kinds that the tests use; those whose name begins with x don't exist.
func checkKinds(cfg *configv1.Config) []config.Fault {
	var faults []config.Fault
	if len(cfg.GetAccounts()) == 0 {
		return nil
	}
	for _, provider := range cfg.GetAccounts()[0].GetProviders() {
		if strings.HasPrefix(provider.GetKind(), "x") {
			faults = append(faults, config.Fault{Field: "accounts[0].providers[0].kind", Message: "no such kind; there are a, b"})
		}
		if provider.GetKind() == "strict" {
			faults = append(faults, config.Fault{Field: "accounts[0].providers[0].expect.shop_domain", Message: "is needed"})
		}
		if len(provider.GetSecrets()) == 0 {
			faults = append(faults, config.Fault{Field: "accounts[0].providers[0].secrets", Message: "no secret"})
		}
	}
	return faults
}

func lines(problems []config.Problem) []string {
	all := make([]string, 0, len(problems))
	for _, problem := range problems {
		all = append(all, problem.String())
	}
	return all
}

// provider is a configuration of one provider, whose fields begin on line 6.
func provider(fields ...string) string {
	text := "accounts:\n  - name: shop\n    providers:\n      - name: p\n        kind: a\n"
	return text + indent(8, fields)
}

func indent(by int, lines []string) string {
	var text strings.Builder
	for _, line := range lines {
		text.WriteString(strings.Repeat(" ", by) + line + "\n")
	}
	return text.String()
}

// keys are a configuration with one provider and api_keys whose fields begin on line 7.
func keys(fields ...string) string {
	return provider("secrets: [s]") + "api_keys:\n" + indent(2, fields)
}

func TestAGoodFileIsReadWithItsDefaults(t *testing.T) {
	t.Parallel()

	cfg, problems := parse(provider("secrets: [one]"))

	if len(problems) != 0 {
		t.Fatalf("problems: %q", lines(problems))
	}
	account := config.Account(cfg, "shop")
	got := []any{
		config.Listen(cfg), config.DatabaseURL(cfg, ""), config.DatabaseURL(cfg, "data"), config.PayloadRetention(cfg),
		config.WaitLimit(account), config.CreatesUnknown(account),
		config.MaxBodyBytes(config.Provider(account, "p"), 0), config.MaxBodyBytes(config.Provider(account, "p"), 99),
		config.Account(cfg, "other") == nil, config.Provider(account, "other") == nil, config.Provider(nil, "p") == nil,
	}
	want := []any{
		"127.0.0.1:8080", "sqlite:waybill-data/waybill.db", "sqlite:data/waybill.db", 720 * time.Hour,
		48 * time.Hour, false, int64(2 << 20), int64(99), true, true, true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
}

func TestWhatAFileSaysWinsOverTheDefaults(t *testing.T) {
	t.Parallel()

	cfg, problems := parse(`
listen: ":9000"
database_url: postgres://u:p@h/d
payload_retention: 90h30m
api_keys:
  # nobody yet
accounts:
  - name: shop
    strict: true
    orders: {unknown: create, wait_limit: 30m}
    providers:
      - name: p
        kind: a
        max_body_bytes: 64Ki
        minor_units: true
        expect: {livemode: false}
        secrets:
          - plain: text
          - {value: "0123", not_after: 2027-01-31T00:00:00Z}
          - $${NAME}${SECRET}
`[1:])
	if cfg != nil || len(problems) != 1 || problems[0].Line != 17 {
		t.Fatalf("a secret with a field of its own is one problem on line 17, got %q", lines(problems))
	}

	cfg, problems = parse(`
listen: ":9000"
database_url: postgres://u:p@h/d
payload_retention: 90h30m
api_keys:
  # nobody yet
accounts:
  - name: shop
    strict: true
    orders: {unknown: create, wait_limit: 30m}
    providers:
      - name: p
        kind: a
        max_body_bytes: 64Ki
        minor_units: true
        expect: {livemode: false}
        secrets:
          - 1e3
          - {value: "0123", not_after: 2027-01-31T00:00:00Z}
          - $${NAME}${SECRET}
`[1:])
	if len(problems) != 0 {
		t.Fatalf("problems: %q", lines(problems))
	}
	account := config.Account(cfg, "shop")
	p := config.Provider(account, "p")
	got := []any{
		config.Listen(cfg), config.DatabaseURL(cfg, "data"), config.PayloadRetention(cfg), config.WaitLimit(account),
		config.CreatesUnknown(account), account.GetStrict(), config.MaxBodyBytes(p, 0), p.GetMinorUnits(),
		p.GetExpect().Livemode != nil && !p.GetExpect().GetLivemode(),
		p.GetSecrets()[0].GetValue(), p.GetSecrets()[1].GetValue(), p.GetSecrets()[2].GetValue(),
		p.GetSecrets()[1].GetNotAfter().AsTime(),
	}
	want := []any{
		":9000", "postgres://u:p@h/d", 90*time.Hour + 30*time.Minute, 30 * time.Minute, true, true, int64(65536), true,
		true, "1e3", "0123", "${NAME}whsec_SEEDED_from_env", time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
}

func TestAMissingFileIsAnError(t *testing.T) {
	t.Parallel()

	cfg, problems, err := config.Load(filepath.Join(t.TempDir(), "none.yaml"), nil)

	if !errors.Is(err, fs.ErrNotExist) || cfg != nil || problems != nil {
		t.Fatalf("got %v, %v, %v", cfg, problems, err)
	}
}
