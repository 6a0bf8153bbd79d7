package providertest

import (
	"os"
	"strings"
	"testing"
)

// InReadme wants a row for each word in the folder's README.md, with everything that the word says: the mapping table
// that people read is the one that runs.
func InReadme(t *testing.T, words []Word) {
	t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := make(map[string]string)
	for line := range strings.Lines(string(text)) {
		if name, rest, ok := strings.Cut(strings.TrimPrefix(line, "| `"), "` |"); ok && strings.HasPrefix(line, "| `") {
			rows[name] = rest
		}
	}
	for _, word := range words {
		row, ok := rows[word.Name]
		if !ok {
			t.Errorf("README.md has no row for %s", word.Name)
			continue
		}
		for _, says := range word.Says {
			if !strings.Contains(row, "`"+says+"`") {
				t.Errorf("README.md says%s of %s, want `%s`", row, word.Name, says)
			}
		}
	}
}
