package main

import (
	"context"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestCommandsAgainstTheRealServer plays testdata/real: what an operator types in a day, against waybill serve.
func TestCommandsAgainstTheRealServer(t *testing.T) {
	t.Parallel()
	open := openShop(t)

	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "real"),
		Setup: func(env *testscript.Env) error {
			env.Setenv("WAYBILL_API", open.url)
			env.Setenv("WAYBILL_CONFIG", open.configPath())
			env.Setenv("WAYBILL_API_KEY", testKey)
			env.Setenv("TZ", "Asia/Dhaka")
			env.Setenv("GORACE", quickEnd)
			return nil
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits,
			"until": until,
		},
	})
}

const untilWithin = 15 * time.Second

// until runs waybill again and again until its stdout matches: until 'state\tcompleted' events evt_1. A subexpression
// of the match becomes $FOUND.
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: until REGEXP arguments…")
	}
	pattern, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	ctx, cancel := context.WithTimeout(context.Background(), untilWithin)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		command := exec.CommandContext(ctx, "waybill", args[1:]...)
		command.Env = append(environment(ts), "WAYBILL_CONFIG="+ts.Getenv("WAYBILL_CONFIG"))
		printed, _ := command.CombinedOutput() // an order that does not exist yet is a failure too
		if found := pattern.FindSubmatch(printed); found != nil {
			ts.Logf("%s", printed)
			if len(found) > 1 {
				ts.Setenv("FOUND", string(found[1]))
			}
			return
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			ts.Fatalf("no match for %s in\n%s", args[0], printed)
		}
	}
}
