// Command waybill turns provider webhooks into order state, and shows operators what is not finished and why.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
)

// commandLine is every command with its flags.
type commandLine struct {
	Globals globals `embed:""`

	Status    statusCommand    `cmd:"" help:"Show where an order stands."`
	Pending   pendingCommand   `cmd:"" help:"Show what is unfinished, why, and who must act."`
	Events    eventsCommand    `cmd:"" help:"List recorded events, or show one with its deliveries and decisions."`
	Reprocess reprocessCommand `cmd:"" help:"Decide an unfinished event again, or give it up."`
	Send      sendCommand      `cmd:"" help:"Sign a sample and post it as its provider would."`
	Config    configCommand    `cmd:"" help:"Work with the configuration file."`
	Demo      demoCommand      `cmd:"" help:"Play the main job through a real server and check every promise."`
	Serve     serveCommand     `cmd:"" help:"Serve the webhook adapter, the API and the worker in one process."`
	Adapter   adapterCommand   `cmd:"" help:"Serve the webhook adapter alone, in front of an API elsewhere."`
	Migrate   migrateCommand   `cmd:"" help:"Bring the database's tables to what this version needs."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// run does what the arguments say and gives the exit code.
func run(ctx context.Context, args []string) int {
	cli := &commandLine{}
	parser, err := kong.New(cli,
		kong.Name("waybill"),
		kong.Description("Order state that can be trusted, from raw provider webhooks."),
		kong.Vars{"version": version()},
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.BindTo(ctx, (*context.Context)(nil)),
	)
	if err != nil {
		fmt.Fprintln(os.Stderr, "waybill:", err)
		return exitFailed
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		complaint := usage(parseMessage(err), helpOf(err))
		return report(os.Stderr, complaint, slices.Contains(args, "--json"))
	}
	out := newOutput(&cli.Globals, os.Stdout)
	if err := errors.Join(parsed.Run(&cli.Globals, out), out.failed); err != nil {
		return report(os.Stderr, err, cli.Globals.JSON)
	}
	return exitDone
}

// version is the module's version, or the commit that the program was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "waybill (unknown version)"
	}
	parts := []string{"waybill", info.Main.Version}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			parts = append(parts, setting.Value)
		}
	}
	return strings.Join(append(parts, info.GoVersion), " ")
}

// parseMessage is what kong says, without what it puts before it.
func parseMessage(err error) string {
	if parse, ok := errors.AsType[*kong.ParseError](err); ok && parse.Unwrap() != nil {
		return parse.Unwrap().Error()
	}
	return err.Error()
}

// helpOf is what to type to read about the command that was meant.
func helpOf(err error) string {
	parse, ok := errors.AsType[*kong.ParseError](err)
	if ok && parse.Context != nil && parse.Context.Selected() != nil {
		return parse.Context.Selected().FullPath() + " --help"
	}
	return "waybill --help"
}
