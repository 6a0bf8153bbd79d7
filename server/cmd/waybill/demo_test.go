package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheDemoKeepsEveryPromiseAndLeavesNothingRunning(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for range 2 { // the second run finds what the first has left
		demo := exec.CommandContext(t.Context(), program,
			"demo", "--exit", "--listen", "127.0.0.1:0", "--data-dir", dir)
		demo.Args[0] = "waybill"
		said, err := demo.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		if !strings.Contains(string(said), "Promises held: 9 of 9") || !strings.Contains(string(said), "taken over") {
			t.Errorf("the demo said\n%s", said)
		}
	}
	log, err := os.ReadFile(filepath.Join(dir, "demo", demoLogFile))
	if err != nil {
		t.Fatal(err)
	}
	if key, err := os.ReadFile(filepath.Join(dir, "demo", demoKeyFile)); err != nil || strings.Contains(string(log), strings.TrimSpace(string(key))) {
		t.Errorf("the log holds the key, or the key can't be read: %v", err)
	}
}
