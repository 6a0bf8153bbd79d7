package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/waybillhq/waybill/server/config"
)

// described is a configuration whose provider has a description, from line 9 on.
func described(fields ...string) string {
	return provider("secrets: [s]", "custom:", "  changes: [{kind: order_cancelled}]") + indent(10, fields)
}

func TestAWordsMeaningHasItsPlace(t *testing.T) {
	t.Parallel()
	const at = "accounts[0].providers[0].custom.status_map"
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a word twice": {described("status_map:", "  a: shipped", "  b: shipped", "  a: returned"), []string{
			"w.yaml:12:13: " + at + ": the word is written twice",
		}},
		"nothing": {described("status_map:", "  a:"), []string{`w.yaml:10:15: ` + at + `["a"]: the item is empty`}},
		"a list":  {described("status_map:", "  - a"), []string{`w.yaml:10:13: ` + at + `: write words and what they mean, one a line: word: meaning`}},
		"a list for a meaning": {described("status_map:", "  a: [b]"), []string{
			`w.yaml:10:16: ` + at + `["a"]: write one value, not a list or fields`,
		}},
		"a list for a word": {described("status_map:", "  [a]: b"), []string{`w.yaml:10:13: ` + at + `: write one word, a colon and what it means`}},
		"an anchor":         {described("status_map:", "  a: &x b"), []string{`w.yaml:10:16: ` + at + `["a"]: anchors are not supported; a value that begins with & must stand in quotes`}},
		"too long a word": {described("status_map:", "  "+strings.Repeat("a", 256)+": b"), []string{
			`w.yaml:10:271: ` + at + `["` + strings.Repeat("a", 256) + `"]: must be at most 255 characters (string.max_len)`,
		}},
		"an unset variable": {described("status_map:", "  a.b[0]: ${MISSING}"), []string{
			`w.yaml:10:21: ` + at + `["a.b[0]"]: the environment variable MISSING is not set`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg, problems := parse(c.text)
			if diff := cmp.Diff(c.want, lines(problems)); diff != "" || cfg != nil {
				t.Error(diff)
			}
		})
	}
}

func TestWordsAndWhatTheyMeanAreRead(t *testing.T) {
	t.Parallel()
	cfg, problems := parse(described("status_map:", "  Picked Up: ${SECRET}", "  7: shipped", `  "": x`, "  yes: no"))
	if cfg != nil || len(problems) != 1 || problems[0].Rule != "string.min_len" {
		t.Fatalf("an empty word: %q", lines(problems))
	}
	cfg, problems = parse(described("status_map:", "  Picked Up: ${SECRET}", "  7: shipped", "  yes: no"))
	if len(problems) > 0 {
		t.Fatalf("problems %q", lines(problems))
	}
	want := map[string]string{"Picked Up": "whsec_SEEDED_from_env", "7": "shipped", "yes": "no"}
	if diff := cmp.Diff(want, cfg.GetAccounts()[0].GetProviders()[0].GetCustom().GetStatusMap()); diff != "" {
		t.Error(diff)
	}
}

func TestFixturesAreReadFromBesideTheFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, text := range map[string]string{
		"a.http": "A: b\n\n{}", "empty.http": "", "latin.http": "A: b\n\n\xe9", "in/b.http": "${NOT_EXPANDED}", "c.txt": "c",
	} {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	load := func(fixtures string) ([][2]string, []string) {
		path := filepath.Join(folder, "w.yaml")
		loader := config.Loader{Env: func(string) (string, bool) { return "in", true }}
		cfg, problems := loader.Parse(path, []byte(described("fixtures: "+fixtures)))
		var read [][2]string
		if cfg != nil {
			for _, fixture := range cfg.GetAccounts()[0].GetProviders()[0].GetCustom().GetFixtures() {
				read = append(read, [2]string{fixture.GetName(), fixture.GetText()})
			}
		}
		said := lines(problems)
		for i := range said {
			said[i] = strings.TrimPrefix(said[i], path+":")
		}
		return read, said
	}

	read, said := load("[a.http, '${FOLDER}/b.http', {file: c.txt, name: c}, {name: d, text: inline}, '" + filepath.Join(folder, "a.http") + "']")
	want := [][2]string{{"a", "A: b\n\n{}"}, {"b", "${NOT_EXPANDED}"}, {"c", "c"}, {"d", "inline"}, {"a", "A: b\n\n{}"}}
	if diff := cmp.Diff(want, read); diff != "" || len(said) > 0 {
		t.Errorf("%s, problems %q", diff, said)
	}

	const at = "accounts[0].providers[0].custom.fixtures[0]: "
	for fixture, message := range map[string]string{
		"none.http":               "9:22: " + at + "there is no such file; a path begins at the folder of the configuration file",
		"empty.http":              "9:22: " + at + "the file is empty",
		"latin.http":              "9:22: " + at + "the file is not UTF-8 text",
		"in":                      "9:22: " + at + "the file can't be read",
		"{name: x}":               "9:22: " + at + "write the file's path, or a name and the text itself (fixture.text)",
		"{file: a.http, text: x}": "9:22: " + at + "write the file's path, or a name and the text itself (fixture.text)",
		"[a.http]":                "9:22: " + at + "write the file's path as one value, or the fields name and text",
	} {
		if _, said := load("[" + fixture + "]"); len(said) != 1 || said[0] != message {
			t.Errorf("%s: problems %q, want %q", fixture, said, message)
		}
	}
}
