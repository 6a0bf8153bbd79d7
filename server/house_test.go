// Package server_test holds the rules of the house: who may import whom, and why.
package server_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/waybillhq/waybill/"

// room is a folder of the house. May lists the folders of ours that its non-test code may import; a trailing /...
// takes in everything below.
type room struct {
	path   string
	may    []string
	reason string
}

// house is read from the top: the first room whose path matches a package holds for it.
var house = []room{
	{"server/order", nil, "the rules are pure: nouns stand on the ground and import nothing of ours"},
	{"server/provider/catalog", []string{"server/provider/..."}, "the one place that knows every provider"},
	{
		"server/provider/catalog/docs",
		[]string{"gen/go/...", "server/provider", "server/provider/catalog"},
		"it asks whatever the catalogue holds, and names none",
	},
	{
		"server/provider/providertest",
		[]string{"gen/go/...", "server/provider", "server/order"},
		"the suite knows the contract, never a provider",
	},
	{"server/provider", []string{"gen/go/...", "server/order"}, "the contract: bytes in, wire events out"},
	{
		"server/provider/...",
		[]string{"gen/go/...", "server/provider", "server/order"},
		"a provider knows the contract and not its neighbours",
	},
	{"server/fetch", []string{"server/provider"}, "calls to providers' own sides: it knows the contract's call and no provider"},
	{
		"server/webhook",
		[]string{"gen/go/...", "server/provider"},
		"the door speaks to the API through the generated client only, so that it can run apart",
	},
	{"server/config", []string{"gen/go/..."}, "configuration is read before anything exists"},
	{"server/store", []string{"server/order", "ent/..."}, "the only importer of ent"},
	{"server/store/...", []string{"server/order", "server/store"}, "suites and faults see what everybody sees"},
	{"server/api", []string{"gen/go/...", "server/order", "server/store"}, "wire on one side, nouns on the other"},
	{"server/work", []string{"server/order", "server/store"}, "work is claimed from the store and decided by the rules"},
	{"server/cmd/...", []string{"..."}, "all wiring, by hand"},
	{"clients/go", []string{"gen/go/..."}, "a client links no server code"},
	{"ent/...", []string{"ent/..."}, "generated, below the store"},
	{"ent", []string{"ent/..."}, "generated, below the store"},
	{"gen/...", []string{"gen/..."}, "generated"},
	{"proto/...", nil, "a tool of the build"},
	{"examples/...", []string{"clients/go", "gen/go/..."}, "examples show what outsiders can do"},
}

func TestEveryPackageImportsOnlyWhatItsRoomAllows(t *testing.T) {
	t.Parallel()
	seen := 0

	walk(t, "..", func(file string, imports []string) {
		folder := path.Dir(file)
		room := roomOf(folder)
		if room == nil {
			t.Errorf("%s: package %s has no room in the house: add it to the table, with its reason", file, folder)
			return
		}
		for _, imported := range imports {
			seen++
			if !slices.ContainsFunc(room.may, func(pattern string) bool { return matches(pattern, imported) }) {
				t.Errorf("%s imports %s; %s may not: %s", file, imported, room.path, room.reason)
			}
		}
	})
	if seen == 0 {
		t.Fatal("no import of ours was seen: the test looks in the wrong place")
	}
}

func roomOf(folder string) *room {
	for i := range house {
		if matches(house[i].path, folder) {
			return &house[i]
		}
	}
	return nil
}

func matches(pattern, folder string) bool {
	if pattern == "..." {
		return true
	}
	prefix, deep := strings.CutSuffix(pattern, "/...")
	if !deep {
		return pattern == folder
	}
	return folder == prefix || strings.HasPrefix(folder, prefix+"/")
}

// walk calls visit for every non-test Go file below root with the imports of ours that it has.
func walk(t *testing.T, root string, visit func(file string, imports []string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if file != root && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "testdata" || name == "bench") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		visit(filepath.ToSlash(relative), oursOf(parsed.Imports))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func oursOf(specs []*ast.ImportSpec) []string {
	var ours []string
	for _, spec := range specs {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		if rest, ok := strings.CutPrefix(imported, module); ok {
			ours = append(ours, rest)
		}
	}
	return ours
}
