package catalog_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/catalog"
)

func names() []string {
	all := make([]string, 0, len(catalog.Kinds()))
	for _, kind := range catalog.Kinds() {
		all = append(all, kind.Name)
	}
	return all
}

func TestEveryFolderIsInTheCatalogUnderItsOwnName(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	var folders []string
	for _, entry := range entries {
		if entry.IsDir() && entry.Name() != "catalog" && entry.Name() != "providertest" {
			folders = append(folders, entry.Name())
		}
	}
	var packages []string // a folder's name is the kind's, without the dashes that a package can't have
	for _, name := range names() {
		packages = append(packages, strings.ReplaceAll(name, "-", ""))
	}
	if !slices.Equal(folders, packages) {
		t.Errorf("folders %q, catalog %q", folders, packages)
	}
	for _, folder := range folders {
		if _, err := os.Stat(filepath.Join("..", folder, "README.md")); err != nil {
			t.Errorf("%s says nowhere what is known about it: %v", folder, err)
		}
	}
}

// plainWords are names that are also ordinary words, or part of an import's path. Only as a text of their own do they name the provider.
var plainWords = map[string]bool{"payments": true, "github": true}

// nouns are names that are nouns of the trade, and so columns and members too. Only beside the word kind do they name the
// provider.
var nouns = map[string]bool{"courier": true, "custom": true}

// TestNoOtherPackageNamesAProvider greps what must work for a provider that nobody has written yet. The command wires
// everything and plays the demo's story, so it may.
func TestNoOtherPackageNamesAProvider(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..")
	looked := 0
	for _, folder := range []string{"server", "proto", filepath.Join("ent", "schema")} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			inside, _ := filepath.Rel(root, path)
			if entry.IsDir() {
				if inside == filepath.Join("server", "provider") || inside == filepath.Join("server", "cmd") ||
					strings.HasSuffix(inside, "test") { // a suite is test code, whatever its files are called
					return filepath.SkipDir
				}
				return nil
			}
			if !isCode(path) {
				return nil
			}
			looked++
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, name := range names() {
				if at := mention(name).FindIndex(text); at != nil {
					t.Errorf("%s names %s in line %d", inside, name, 1+strings.Count(string(text[:at[0]]), "\n"))
				}
			}
			return nil
		})
		if err != nil && !os.IsNotExist(err) {
			t.Error(err)
		}
	}
	if looked == 0 {
		t.Fatal("no file was looked at: the test looks in the wrong place")
	}
}

func isCode(path string) bool {
	return strings.HasSuffix(path, ".proto") || strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go")
}

func mention(name string) *regexp.Regexp {
	if nouns[name] {
		return regexp.MustCompile(`(?i)kind\W{1,6}["'\x60]` + regexp.QuoteMeta(name) + `["'\x60]`)
	}
	if plainWords[name] {
		return regexp.MustCompile(`(?i)["'\x60]` + regexp.QuoteMeta(name) + `["'\x60]`)
	}
	return regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(name) + `\b`)
}

func TestEveryConfiguredProviderIsOpenedUnderItsAccount(t *testing.T) {
	t.Parallel()
	cfg := &configv1.Config{}
	for _, account := range []string{"dhaka", "berlin"} {
		made := &configv1.Account{Name: account}
		for _, kind := range catalog.Kinds() {
			made.Providers = append(made.Providers, kind.ExampleSettings("main-"+kind.Name, "synthetic"))
		}
		cfg.Accounts = append(cfg.Accounts, made)
	}

	opened, err := provider.Open(cfg, catalog.Kinds())
	if err != nil {
		t.Fatal(err)
	}
	if problems := provider.Check(cfg, catalog.Kinds()); len(problems) > 0 {
		t.Errorf("problems %v", problems)
	}
	if len(opened) != 2*len(names()) {
		t.Errorf("%d providers opened, want %d", len(opened), 2*len(names()))
	}
	for _, one := range opened {
		if one.Provider == nil || one.Config.GetName() != "main-"+one.Kind.Name {
			t.Errorf("opened %s as %s", one.Config.GetName(), one.Kind.Name)
		}
	}
}

func TestSettingsAreCheckedByPath(t *testing.T) {
	t.Parallel()
	cfg := &configv1.Config{Accounts: []*configv1.Account{
		{Name: "a"},
		{Name: "b", Providers: []*configv1.Provider{
			{Name: "one", Kind: "carrier-pigeon"},
			{Name: "two", Kind: names()[0], Secrets: []*configv1.Secret{{Value: "x "}}},
		}},
	}}
	fields := make([]string, 0, 2)
	for _, problem := range provider.Check(cfg, catalog.Kinds()) {
		fields = append(fields, problem.Field)
	}
	want := []string{"accounts[1].providers[0].kind", "accounts[1].providers[1].secrets[0].value"}
	if !slices.Equal(fields, want) {
		t.Errorf("problems of %q, want %q", fields, want)
	}
	if _, err := provider.Open(cfg, catalog.Kinds()); err == nil || !strings.Contains(err.Error(), "b/one") {
		t.Errorf("open: %v, want an error that names b/one", err)
	}
}
