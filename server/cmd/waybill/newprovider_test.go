package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

const newProvider = "newprovider"

// TestANewProviderIsOneFolderAndALineOfTheCatalogue builds waybill with a provider that the tree does not have, and uses
// it. What the build sees beside the tree is the new folder and the catalogue with one line more, and its import.
func TestANewProviderIsOneFolderAndALineOfTheCatalogue(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(root, "server", "provider", "catalog", "testdata", newProvider)
	ran(t, nil, "go", "test", flagsOfThisBuild(), source) // the suite that every provider must pass

	program := filepath.Join(t.TempDir(), "waybill")
	ran(t, nil, "go", "build", flagsOfThisBuild(), "-buildvcs=false", "-overlay", overlay(t, root, source), "-o", program,
		filepath.Join(root, "server", "cmd", "waybill"))

	s := closedShop(t, shopConfig(`{name: newprovider, kind: newprovider, secrets: ["`+testSecret+`"]}`))
	s.program = program
	s.open()
	t.Cleanup(s.shut)
	env := []string{"WAYBILL_CONFIG=" + s.configPath(), "WAYBILL_API=" + s.url, "WAYBILL_API_KEY=" + testKey, "GORACE=" + quickEnd}
	says := func(wanted string, args ...string) {
		t.Helper()
		if printed := ran(t, env, program, args...); !strings.Contains(printed, wanted) {
			t.Errorf("waybill %s: %s\nwant in it %q", strings.Join(args, " "), printed, wanted)
		}
	}

	says("sound", "config", "check", s.configPath())
	says("newprovider\tnewprovider\tlanded", "send", "--list")
	says(`"statusChanged"`, "send", "--provider", newProvider, "--sample", "landed", "--dry-run")
	s.place("7100", 4200, "EUR")
	says("answer\t200 OK", "send", "--provider", newProvider, "--sample", "aloft", "--order", "7100")
	says("answer\t200 OK", "send", "--provider", newProvider, "--sample", "landed", "--order", "7100")
	s.await("the parcel's end", func() (bool, error) {
		printed := ran(t, env, program, "status", "7100")
		return strings.Contains(printed, "status\tdelivered") && strings.Contains(printed, "\t"+newProvider+"\t"), nil
	})
}

// ran runs a program to its end and gives what it printed.
func ran(t *testing.T, env []string, program string, args ...string) string {
	t.Helper()
	args = slices.DeleteFunc(args, func(arg string) bool { return arg == "" })
	command := exec.CommandContext(context.WithoutCancel(t.Context()), program, args...)
	command.Env = append(os.Environ(), env...)
	printed, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", filepath.Base(program), strings.Join(args, " "), err, printed)
	}
	return string(printed)
}

// flagsOfThisBuild says whether the test itself was built with the race detector: everything that it needs is built then
// already.
func flagsOfThisBuild() string {
	info, ok := debug.ReadBuildInfo()
	if ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		return "-race"
	}
	return ""
}

// overlay writes what go build's -overlay reads: which files it is to see where there are none, or others.
func overlay(t *testing.T, root, source string) string {
	t.Helper()
	replace := map[string]string{}
	for _, pattern := range []string{"*.go", filepath.Join("testdata", "*.http")} {
		files, err := filepath.Glob(filepath.Join(source, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, file := range files {
			inside, err := filepath.Rel(source, file)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(file, "_test.go") {
				replace[filepath.Join(root, "server", "provider", newProvider, inside)] = file
			}
		}
	}
	catalogue := filepath.Join(root, "server", "provider", "catalog", "catalog.go")
	replace[catalogue] = withLine(t, catalogue)

	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	return written(t, "overlay.json", string(text))
}

// withLine is the catalogue with the new provider in it.
func withLine(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const imports, kinds = "import (\n", "return []provider.Kind{\n"
	if strings.Count(string(text), imports) != 1 || strings.Count(string(text), kinds) != 1 {
		t.Fatal("the catalogue is no list any more")
	}
	return written(t, "catalog.go", strings.NewReplacer(
		imports, imports+"\t\"github.com/waybillhq/waybill/server/provider/"+newProvider+"\"\n",
		kinds, kinds+"\t\t"+newProvider+".Kind(),\n",
	).Replace(string(text)))
}

func written(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
