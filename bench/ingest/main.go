// Command ingest measures what receiving a webhook costs, beside what it would cost at least and what a naive writer
// pays, and says whether the targets are reached.
//
// Everything runs on this machine and on loopback: the load, the servers, each a process of its own, and the databases.
// Contenders take turns cell by cell, so that a disturbance hits all of them; the figures are medians of the
// repetitions, and the ratios are medians of the ratios within each. It leaves nothing running and nothing behind.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/waybillhq/waybill/bench/floor"
	"github.com/waybillhq/waybill/bench/load"
)

type commandLine struct {
	Run   runCommand   `cmd:"" default:"withargs" help:"Measure and report."`
	Bare  bareCommand  `cmd:"" help:"Serve the floor that keeps nothing." hidden:""`
	Naive naiveCommand `cmd:"" help:"Serve the naive writer." hidden:""`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx)
	stop()
	os.Exit(code)
}

func run(ctx context.Context) int {
	parsed := kong.Parse(&commandLine{}, kong.Name("ingest"), kong.BindTo(ctx, (*context.Context)(nil)))
	if err := parsed.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "ingest:", err)
		return 1
	}
	return 0
}

type bareCommand struct {
	Kind string `required:""`
}

// Run serves until stdin ends.
func (c *bareCommand) Run(ctx context.Context) error {
	sender, err := load.NewSender(c.Kind, os.Getenv(load.Variable))
	if err != nil {
		return err
	}
	return floor.Serve(ctx, sender, floor.Bare)
}

type naiveCommand struct {
	Kind        string `required:""`
	DatabaseURL string `name:"database-url" required:""`
	Like        string `help:"A database of Waybill's, whose first rows are copied." required:""`
	Pool        int    `default:"32" help:"Connections to the database."`
}

// Run serves until stdin ends.
func (c *naiveCommand) Run(ctx context.Context) error {
	sender, err := load.NewSender(c.Kind, os.Getenv(load.Variable))
	if err != nil {
		return err
	}
	rows, err := floor.ReadRows(ctx, c.Like)
	if err != nil {
		return err
	}
	naive, err := floor.OpenNaive(ctx, c.DatabaseURL, rows, c.Pool)
	if err != nil {
		return err
	}
	defer func() { _ = naive.Close() }() // what was written is committed
	return floor.Serve(ctx, sender, naive.Keep)
}
