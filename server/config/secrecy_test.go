package config_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/waybillhq/waybill/server/config"
)

func TestNoProblemShowsWhatAFieldHolds(t *testing.T) {
	t.Parallel()
	broken := []string{
		provider("secrets: [SEEDED: x]"),
		provider("secrets: {SEEDED: x}"),
		provider("secrets: SEEDED"),
		provider("secrets: [[SEEDED]]"),
		provider("secrets: ['SEEDED ', {value: SEEDED, not_after: SEEDED}]"),
		provider("secrets: ['SEEDED ']", "answer_token: 'SEEDED SEEDED'"),
		provider("secrets: [*SEEDED]"),
		provider("secrets: [&SEEDED]"),
		provider("secrets: [!SEEDED x]"),
		provider("secrets: [%SEEDED]"),
		provider("secrets: [@SEEDED]"),
		provider("secrets: [`SEEDED`]"),
		provider("secrets: [\"SEEDED]"),
		provider("secrets: [\"\\SEEDED\"]"),
		provider("secrets:", "  SEEDED_1"),
		provider("SEEDED_1: x"),
		provider("strict: SEEDED"),
		provider("secrets: ['${SEEDED"),
		provider("secrets: ['SEEDED${MISSING}']"),
		provider("secrets: [\"${NEWLINE}\"]"),
		provider("secrets: [s]", "max_body_bytes: SEEDED", "minor_units: SEEDED"),
		"database_url: mysql://SEEDED:SEEDED@h/d\naccounts: [{name: SEEDED}]\n",
		"database_url: [SEEDED]\npayload_retention: SEEDED\n",
		"database_url: SEEDED\nSEEDED_2\n",
		"accounts: [{name: \"${COLON}\"}]\n",
		keys("- {name: k, account: SEEDED, scopes: [SEEDED], providers: [SEEDED], sha256: SEEDED}"),
		"\x00SEEDED", "SEEDED: \xff", "SEEDED", "- SEEDED",
	}
	for _, text := range broken {
		cfg, problems := parse(text)
		if cfg != nil || len(config.Faults(problems)) == 0 {
			t.Errorf("no fault was found in %q", text)
		}
		for _, line := range lines(problems) {
			if strings.Contains(line, "SEEDED") && !strings.Contains(text, "${SEEDED") {
				t.Errorf("%q is shown: %s", text, line)
			}
		}
	}
}

func TestAVariableCanNotAddFields(t *testing.T) {
	t.Parallel()

	cfg, problems := parse("accounts:\n  - name: shop\n    providers: [{name: p, kind: a, secrets: [\"x${COLON}\"]}]\n")

	if cfg == nil {
		t.Fatalf("problems: %q", lines(problems))
	}
	if got := cfg.GetAccounts()[0].GetProviders()[0].GetSecrets()[0].GetValue(); got != "xa: b\nc: d" {
		t.Fatalf("the secret is %q", got)
	}
}

func TestTheExampleFileIsRight(t *testing.T) {
	t.Parallel()
	loader := config.Loader{
		Env: func(name string) (string, bool) {
			if strings.HasSuffix(name, "_SHA256") {
				return strings.Repeat("0", 56) + digest(name), true
			}
			return "secret-of-" + name, true
		},
		Now: func() time.Time { return now },
	}

	cfg, problems, err := loader.Load(filepath.Join("..", "..", "examples", "waybill.yaml"))

	if err != nil || len(problems) != 0 {
		t.Fatalf("error %v, problems %q", err, lines(problems))
	}
	if len(cfg.GetAccounts()[0].GetProviders()) != 4 || len(cfg.GetApiKeys()) != 3 {
		t.Fatalf("the example has lost something: %d providers, %d keys", len(cfg.GetAccounts()[0].GetProviders()), len(cfg.GetApiKeys()))
	}
}

// digest is eight hexadecimal digits that differ between the names of the example.
func digest(name string) string {
	const digits = "0123456789abcdef"
	var text strings.Builder
	for i := range 8 {
		text.WriteByte(digits[int(name[i])%16])
	}
	return text.String()
}
