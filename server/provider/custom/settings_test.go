package custom_test

import (
	"strings"
	"testing"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/config"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/custom"
)

// head is what stands before the settings of a test, whose first line is the seventh of the file.
const head = `accounts:
  - name: shop
    providers:
      - name: p
        kind: custom
        secrets: [key]
`

// proven is a proof, for tests that are about something else.
const proven = "proof: {header: X-Sig}\n"

// plainBody is a description that nothing is wrong with.
const plainBody = `custom:
  id: item.id
  references: {consignment_id: item.parcel}
  changes:
    - {kind: status_changed, status: item.status}
`

// read reads settings as Waybill does when it starts: from a file.
func read(t *testing.T, settings string) (*configv1.Provider, []string) {
	t.Helper()
	loader := config.Loader{
		Env: func(name string) (string, bool) { return "secret-of-" + name, true },
		Check: func(cfg *configv1.Config) []config.Fault {
			var faults []config.Fault
			for _, problem := range provider.Check(cfg, []provider.Kind{custom.Kind()}) {
				faults = append(faults, config.Fault(problem))
			}
			return faults
		},
	}
	var text strings.Builder
	text.WriteString(head)
	for line := range strings.Lines(settings) {
		text.WriteString("        " + line)
	}
	cfg, problems := loader.Parse("w.yaml", []byte(text.String()))
	lines := make([]string, 0, len(problems))
	for _, problem := range problems {
		lines = append(lines, problem.String())
	}
	if cfg == nil {
		return nil, lines
	}
	return cfg.GetAccounts()[0].GetProviders()[0], lines
}

// settings reads settings that nothing is wrong with.
func settings(t *testing.T, text string) *configv1.Provider {
	t.Helper()
	made, problems := read(t, text)
	if made == nil || len(problems) > 0 {
		t.Fatalf("sound settings have problems:\n%s", strings.Join(problems, "\n"))
	}
	return made
}

// made opens settings that nothing is wrong with.
func made(t *testing.T, text string) provider.Provider {
	t.Helper()
	return open(t, settings(t, text))
}

func TestEveryFaultOfTheSettingsNamesItsLineAndField(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		settings string
		want     string
	}{
		"nothing about bodies": {proven, "w.yaml:4:9: accounts[0].providers[0].custom: it is missing: it says how bodies read"},
		"no proof":             {plainBody, "w.yaml:4:9: accounts[0].providers[0].proof.header: the scheme needs a header: name it here"},
		"no identity": {
			proven + "custom:\n  changes: [{kind: order_cancelled}]\n",
			"w.yaml:9:11: @custom: nothing tells one event from another: write id, or identity",
		},
		"an unknown name": {
			proven + strings.Replace(plainBody, "item.id", "itm.id", 1),
			"w.yaml:9:15: @custom.id: column 1: undeclared reference to 'itm' (did you mean 'item'?)",
		},
		"broken syntax": {
			proven + strings.Replace(plainBody, "item.id", "item.id ==", 1),
			"w.yaml:9:15: @custom.id: column 11: the expression ends too early",
		},
		"text in quotes is not repeated": {
			proven + strings.Replace(plainBody, "item.id", `"item.id + 'TOP-SECRET' 'TOP-SECRET-TOO'"`, 1),
			"w.yaml:9:15: @custom.id: column 24: what stands here has no place here",
		},
		"a text that is not closed": {
			proven + strings.Replace(plainBody, "item.id", "\"item.id + 'TOP-SECRET\"", 1),
			"w.yaml:9:15: @custom.id: column 11: a character has no place here, or a text is not closed",
		},
		"types that don't fit": {
			proven + strings.Replace(plainBody, "item.id", "\"'a' + 1\"", 1),
			"w.yaml:9:15: @custom.id: column 5: found no matching overload for '_+_' applied to '(string, int)'",
		},
		"a condition that is none": {
			proven + strings.Replace(plainBody, "kind:", "when: \"'x'\", kind:", 1),
			"w.yaml:12:22: @custom.changes[0].when: it gives string, and true or false is needed",
		},
		"an optional number for a condition": {
			proven + strings.Replace(plainBody, "kind:", "when: \"optional.of(1)\", kind:", 1),
			"w.yaml:12:22: @custom.changes[0].when: it gives optional_type(int), and true or false is needed",
		},
		"a text that is a condition": {
			proven + strings.Replace(plainBody, "item.id", "item.id == 'x'", 1),
			"w.yaml:9:15: @custom.id: it gives bool, and text is needed",
		},
		"a number with a point": {
			proven + strings.Replace(plainBody, "kind:", "when: item.weight == 1.5, kind:", 1),
			"w.yaml:12:22: @custom.changes[0].when: column 16: a number with a point loses digits: write it as text, '1.5'",
		},
		"a number beside a body's": {
			proven + strings.Replace(plainBody, "kind:", "when: item.code == 7, kind:", 1),
			"w.yaml:12:22: @custom.changes[0].when: column 11: numbers of a body are text here: compare with text, '7', or count with int(…)",
		},
		"a number in a list": {
			proven + strings.Replace(plainBody, "kind:", "when: \"item.code in [7, 8]\", kind:", 1),
			"w.yaml:12:22: @custom.changes[0].when: column 11: numbers of a body are text here: look for text, ['7'], or count with int(…)",
		},
		"a float": {
			proven + strings.Replace(plainBody, "item.id", "string(double(item.id))", 1),
			"w.yaml:9:15: @custom.id: column 14: there is no function double here",
		},
		"a function of another kind": {
			proven + strings.Replace(plainBody, "item.id", "string(timestamp(item.id))", 1),
			"w.yaml:9:15: @custom.id: column 17: there is no function timestamp here",
		},
		"a pattern from the body": {
			proven + strings.Replace(plainBody, "kind:", "when: item.a.matches(item.b), kind:", 1),
			"w.yaml:12:22: @custom.changes[0].when: column 15: matches takes only what is written out here, like 'this'",
		},
		"a pattern of another language": {
			proven + strings.Replace(plainBody, "kind:", "when: \"item.a.matches('(?=a)')\", kind:", 1),
			"w.yaml:12:22: @custom.changes[0].when: column 16: invalid matches argument",
		},
		"a pattern that grows": {
			proven + strings.Replace(plainBody, "kind:", "when: \"item.a.matches('((a{100}){10}){10}')\", kind:", 1),
			"w.yaml:12:22: @custom.changes[0].when: ",
		},
		"a fact from a header": {
			proven + strings.Replace(plainBody, "item.parcel", "\"header['x-parcel']\"", 1),
			"w.yaml:10:40: @custom.references.consignment_id: column 1: undeclared reference to 'header': nobody signs headers, so no fact comes from them",
		},
		"a header that nobody keeps": {
			proven + strings.Replace(plainBody, "kind:", "when: \"has(header.topic)\", kind:", 1),
			"w.yaml:12:22: @custom.changes[0].when: no header is kept: name in custom.headers those that it looks at",
		},
		"an id that nobody signs": {
			proven + strings.Replace(plainBody, "item.id", "webhook_id", 1),
			"w.yaml:9:15: @custom.id: only the preset standard_webhooks signs an id",
		},
		"a header that is a proof": {
			proven + strings.Replace(plainBody, "  id:", "  headers: [x-sig]\n  id:", 1),
			"w.yaml:9:21: @custom.headers[0]: this header carries a proof, and headers named here are stored: take it away",
		},
		"an id that all items share": {
			proven + strings.Replace(plainBody, "id: item.id", "items: body.list\n  id: body.id", 1),
			"w.yaml:10:15: @custom.id: it looks at no item, so all items of a body would be one event",
		},
		"an id that all bodies share": {
			proven + strings.Replace(plainBody, "item.id", "\"'x'\"", 1),
			"w.yaml:9:15: @custom.id: it is the same for every event",
		},
		"items that are no list": {
			proven + strings.Replace(plainBody, "  id:", "  items: \"'x'\"\n  id:", 1),
			"w.yaml:9:18: @custom.items: it gives string, and a list is needed",
		},
		"a status that is none of ours": {
			proven + strings.Replace(plainBody, "item.status", "\"'lost'\"", 1),
			"w.yaml:12:46: @custom.changes[0].status: a status that is written out is one of announced, cancelled, delivered, failed_delivery, in_transit, out_for_delivery, returned, returning, shipped",
		},
		"a meaning that is none": {
			proven + plainBody + "  status_map:\n    here: delivered\n    gone: lost in space\n",
			`w.yaml:15:19: @custom.status_map["gone"]: write one of announced, cancelled,`,
		},
		"a word twice": {
			proven + plainBody + "  status_map:\n    Picked up: shipped\n    picked-up: in_transit\n",
			`w.yaml:15:24: @custom.status_map["picked-up"]: the word is there already, written a little otherwise: case, spaces and dashes don't count`,
		},
		"a word twice to the letter": {
			proven + plainBody + "  status_map:\n    up: shipped\n    up: in_transit\n",
			"w.yaml:15:13: @custom.status_map: the word is written twice",
		},
		"two statuses of a word": {
			proven + plainBody + "  status_map:\n    up: shipped, delivered\n",
			`w.yaml:14:17: @custom.status_map["up"]: a word has one of our statuses, and facts beside it`,
		},
		"a field of another kind": {
			proven + strings.Replace(plainBody, "kind:", "refund_id: item.x, kind:", 1),
			"w.yaml:12:27: @custom.changes[0].refund_id: a change of kind status_changed has no refund_id: take it away",
		},
		"a field that is missing": {
			proven + strings.Replace(plainBody, ", status: item.status", "", 1),
			"w.yaml:12:15: @custom.changes[0]: a change of kind status_changed needs status",
		},
		"a parcel without a name": {
			proven + strings.Replace(plainBody, "consignment_id: item.parcel", "order_number: item.order", 1),
			"w.yaml:12:15: @custom.changes[0]: it is about a parcel that nothing names: write consignment_id or tracking_number, here or in references",
		},
		"a payment without a name": {
			proven + strings.Replace(plainBody, "kind: status_changed, status: item.status", "kind: payment_reported, state: paid", 1),
			"w.yaml:12:15: @custom.changes[0]: a payment has a name: write payment_id, here or in references",
		},
		"an amount without a currency": {
			proven + strings.Replace(plainBody, "kind: status_changed, status: item.status", "kind: payment_reported, payment_id: item.p, state: paid, amount: item.a", 1),
			"w.yaml:12:81: @custom.changes[0].amount: an amount has a currency: write currency here, or the provider's beside custom",
		},
		"an expectation that nothing answers": {
			proven + "expect: {store_id: s1}\n" + plainBody,
			"w.yaml:8:28: accounts[0].providers[0].expect.store_id: bodies of this kind don't say it, so it can't be expected: take it away",
		},
		"an answer to an expectation that is none": {
			proven + strings.Replace(plainBody, "  id:", "  destination: {store_id: item.store}\n  id:", 1),
			"w.yaml:9:35: @custom.destination.store_id: nothing is expected of it: write expect.store_id beside custom",
		},
		"a redirect": {
			proven + plainBody + "  answer: {status: 302}\n",
			"w.yaml:13:28: @custom.answer.status: an answer to what is recorded is a status of 200 to 299 (custom_answer.status)",
		},
		"a token without its header": {
			proven + "answer_token: abc\n" + plainBody,
			"w.yaml:10:11: @custom.answer.token_header: a header and its value go together: write token_header here and answer_token beside custom",
		},
		"a handshake for everything": {
			proven + plainBody + "  handshake: {when: 'true'}\n",
			"w.yaml:13:29: @custom.handshake.when: it looks at no body and no header, so every delivery would be taken for the probe and be lost",
		},
		"a handshake that a browser runs": {
			proven + plainBody + "  handshake: {when: has(body.challenge), echo: body.challenge, content_type: text/html}\n",
			"w.yaml:13:86: @custom.handshake.content_type: what somebody sends is sent back: write text/plain or application/json, nothing that a browser runs",
		},
		"a fixture that is not there": {
			proven + plainBody + "  fixtures: [none.http]\n",
			"w.yaml:13:22: @custom.fixtures[0]: there is no such file; a path begins at the folder of the configuration file",
		},
		"a fixture that can't be read": {
			proven + plainBody + "  fixtures:\n    - {name: a, text: \"A: b\\n\\n{}\"}\n",
			"w.yaml:14:15: @custom.fixtures[0]: event 1 of it can't be read: custom.id: id is missing",
		},
		"a fixture without its parcel": {
			proven + plainBody + "  fixtures:\n    - {name: a, text: \"A: b\\n\\n{\\\"id\\\":\\\"1\\\",\\\"parcel\\\":null,\\\"status\\\":\\\"delivered\\\"}\"}\n",
			"w.yaml:14:15: @custom.fixtures[0]: event 1 of it can't be read: custom.references.consignment_id: parcel is missing",
		},
		"a fixture that the handshake takes": {
			proven + plainBody + "  handshake: {when: has(body.id)}\n  fixtures:\n    - {name: a, text: \"A: b\\n\\n{\\\"id\\\":\\\"1\\\",\\\"parcel\\\":\\\"P\\\",\\\"status\\\":\\\"delivered\\\"}\"}\n",
			"w.yaml:15:15: @custom.fixtures[0]: the handshake takes it, although it reads as a delivery: narrow handshake.when",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg, problems := read(t, c.settings)
			want := strings.Replace(c.want, "@", "accounts[0].providers[0].", 1)
			if cfg != nil || len(problems) != 1 || !strings.HasPrefix(problems[0], want) {
				t.Errorf("problems:\n%s\nwant\n%s", strings.Join(problems, "\n"), want)
			}
			if strings.Contains(strings.Join(problems, ""), "TOP-SECRET") {
				t.Error("a text of the settings is repeated")
			}
		})
	}
}

func TestADescriptionForAKindThatKnowsItsOwnIsAFault(t *testing.T) {
	t.Parallel()
	own := custom.Kind()
	own.Name, own.Configured = "own", false
	set := custom.Example()
	set.Kind, set.Secrets = "own", []*configv1.Secret{{Value: "key"}}
	cfg := &configv1.Config{Accounts: []*configv1.Account{{Providers: []*configv1.Provider{set}}}}

	problems := provider.Check(cfg, []provider.Kind{own})
	if len(problems) != 1 || problems[0].Field != "accounts[0].providers[0].custom" {
		t.Errorf("problems %v", problems)
	}
	set.Kind = "custom"
	if problems := provider.Check(cfg, []provider.Kind{custom.Kind()}); len(problems) > 0 {
		t.Errorf("for the kind that it is for: problems %v", problems)
	}
}
