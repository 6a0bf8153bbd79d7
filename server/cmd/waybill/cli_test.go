package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"waybill": mainWithFaults})
}

// TestCommands plays testdata/script against a server of the generated handlers with fixed answers: what is tested is
// what the commands ask, print, and end with.
func TestCommands(t *testing.T) {
	t.Parallel()
	api := httptest.NewServer(stubHandler())
	t.Cleanup(api.Close)
	hooks := httptest.NewServer(hookHandler())
	t.Cleanup(hooks.Close)

	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			env.Setenv("WAYBILL_API", api.URL)
			env.Setenv("STUB", api.URL)
			env.Setenv("WAYBILL_ACCOUNT", "dhaka-shop")
			env.Setenv("WAYBILL_API_KEY", operatorKey)
			env.Setenv("OPERATOR_KEY", operatorKey)
			env.Setenv("HOOKS", hooks.URL)
			env.Setenv("TZ", "Asia/Dhaka")
			env.Setenv("TERM", "xterm")
			env.Setenv("GORACE", quickEnd)
			return errors.Join(
				os.WriteFile(filepath.Join(env.WorkDir, "track.key"), []byte(trackKey+"\n"), 0o600),
				os.WriteFile(filepath.Join(env.WorkDir, "raw.bin"), []byte(rawBody), 0o600),
			)
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":  exits,
			"lines":  lines,
			"counts": counts,
			"same":   same,
			"screen": screen,
		},
	})
}

// quickEnd: a process built with the race detector otherwise waits a second at its end, and a script starts many.
const quickEnd = "atexit_sleep_ms=10"

// exits runs waybill and compares its exit code: exits 2 status --json.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: exits CODE arguments…")
	}
	got := 0
	if err := ts.Exec("waybill", args[1:]...); err != nil {
		ended, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = ended.ExitCode()
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("waybill %s: exit code is %d, want %s", strings.Join(args[1:], " "), got, args[0])
	}
}

// lines counts the lines of the last command's stdout: lines 3.
func lines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: lines COUNT")
	}
	if got := strings.Count(ts.ReadFile("stdout"), "\n"); strconv.Itoa(got) != args[0] {
		ts.Fatalf("stdout has %d lines, want %s", got, args[0])
	}
}

// counts runs waybill and counts the lines of its stdout, where they are too many for the test's log.
func counts(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: counts COUNT arguments…")
	}
	command := exec.CommandContext(context.Background(), "waybill", args[1:]...)
	command.Env = environment(ts)
	stdout, err := command.Output()
	ts.Check(err)
	if got := bytes.Count(stdout, []byte("\n")); strconv.Itoa(got) != args[0] {
		ts.Fatalf("stdout has %d lines, want %s", got, args[0])
	}
}

// environment is what the script has set of what waybill reads.
func environment(ts *testscript.TestScript) []string {
	names := []string{"GORACE", "PATH", "TERM", "NO_COLOR", "TZ", "WAYBILL_API", "WAYBILL_ACCOUNT", "WAYBILL_API_KEY"}
	env := make([]string, 0, len(names))
	for _, name := range names {
		env = append(env, name+"="+ts.Getenv(name))
	}
	return env
}

// same compares the last command's stdout with a file in which ⇥ stands for a tab: same want.txt.
func same(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: same FILE")
	}
	want := strings.ReplaceAll(ts.ReadFile(args[0]), "⇥", "\t")
	if got := ts.ReadFile("stdout"); got != want {
		ts.Fatalf("stdout is\n%q\nwant\n%q", got, want)
	}
}

// screen runs a command with its stdout at a terminal of 100 columns, or $COLUMNS, and keeps what the terminal was sent
// in the file screen.
func screen(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: screen command…")
	}
	columns := uint64(100)
	if said := ts.Getenv("COLUMNS"); said != "" {
		var err error
		columns, err = strconv.ParseUint(said, 10, 16)
		ts.Check(err)
	}
	terminal, tty, err := pty.Open()
	ts.Check(err)
	ts.Check(pty.Setsize(terminal, &pty.Winsize{Rows: 24, Cols: uint16(columns)}))
	command := exec.CommandContext(context.Background(), args[0], args[1:]...)
	command.Dir, command.Env, command.Stdout = ts.MkAbs("."), environment(ts), tty
	ts.Check(command.Start())
	ts.Check(tty.Close())

	sent, err := io.ReadAll(terminal)
	if err != nil && !errors.Is(err, syscall.EIO) { // EIO: the last writer has closed the terminal
		ts.Fatalf("terminal: %v", err)
	}
	ts.Check(command.Wait())
	ts.Check(terminal.Close())
	ts.Logf("[screen]\n%s", sent)
	ts.Check(os.WriteFile(ts.MkAbs("screen"), sent, 0o600))
}
