package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/waybillhq/waybill/bench/database"
	"github.com/waybillhq/waybill/bench/load"
)

// runCommand is what is measured, and for how long.
type runCommand struct {
	Waybill     string        `help:"The program under test." required:"" type:"existingfile"`
	Postgres    string        `env:"WAYBILL_TEST_DATABASE_URL" help:"A PostgreSQL server on this machine. None: only the embedded database is measured." placeholder:"URL"`
	Databases   []string      `default:"sqlite,postgres" enum:"sqlite,postgres" help:"Which to measure."`
	Connections []int         `default:"1,8,64,256" help:"How many connections to measure with."`
	Repetitions int           `default:"3"`
	Measure     time.Duration `default:"800ms" help:"How long a cell is measured. Open loops take three times that."`
	WarmUp      time.Duration `default:"200ms" help:"How long a cell runs before."`
	Within      time.Duration `default:"15m" help:"When to give up."`
	Kind        string        `default:"shopify" help:"The kind of provider that sends."`
	Sample      string        `default:"orders-create" help:"Which of its samples."`
	Pool        int           `default:"32" help:"Connections that the naive writer keeps to a database server."`
	Report      string        `help:"A Markdown file whose measured part is written anew." placeholder:"FILE"`
	Profile     string        `help:"Also write CPU profiles of the program under test into a folder." placeholder:"DIR"`
}

// Run measures and reports. Without repetitions it only takes profiles.
func (c *runCommand) Run(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.Within, fmt.Errorf("it took longer than %s", c.Within))
	defer cancel()
	b, err := newBench(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()

	if c.Repetitions > 0 {
		about, err := b.measure(ctx)
		if err != nil {
			return errors.Join(err, context.Cause(ctx))
		}
		if err := newReport(b, about).write(os.Stdout, c.Report); err != nil {
			return err
		}
	}
	return b.profile(ctx)
}

// measure fills the book and says what it was measured on.
func (b *bench) measure(ctx context.Context) (about []string, err error) {
	if about, err = b.about(ctx); err != nil {
		return nil, err
	}
	before, err := b.watchStrangers(ctx)
	if err != nil {
		return nil, err
	}
	for n := range b.Repetitions {
		if err := b.repeat(ctx, n); err != nil {
			return nil, err
		}
	}
	after, err := b.watchStrangers(ctx)
	if err != nil {
		return nil, err
	}
	return append(about,
		fmt.Sprintf("%s of %s a cell, in %s", count(b.Repetitions, "repetition"), b.Measure, time.Since(b.began).Round(time.Second)),
		fmt.Sprintf("others spent %.0f %% of the machine's processor time meanwhile", before.share(after))), nil
}

// bench is a run under way.
type bench struct {
	*runCommand
	folder   string
	secret   string
	config   string
	workload *load.Workload
	servers  []database.Server
	book     *book
	// numbers counts the events that were made up: none is sent to a database twice unless it is meant to be.
	numbers atomic.Int64
	logs    int
	began   time.Time
}

func newBench(ctx context.Context, c *runCommand) (*bench, error) {
	secret := load.ExampleSecret(c.Kind, rand.Text())
	sender, err := load.NewSender(c.Kind, secret)
	if err != nil {
		return nil, err
	}
	workload, err := load.NewWorkload(sender, c.Sample)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "waybill-bench-")
	if err != nil {
		return nil, fmt.Errorf("folder: %w", err)
	}
	b := &bench{
		runCommand: c, folder: folder, secret: secret, config: filepath.Join(folder, "waybill.yaml"),
		workload: workload, book: newBook(), began: time.Now(),
	}
	if err := os.WriteFile(b.config, []byte(sender.Config()), 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("config: %w", err), b.close())
	}
	if err := b.openServers(ctx); err != nil {
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

func (b *bench) openServers(ctx context.Context) error {
	migrator := database.Migrator{Path: b.Waybill}
	if slices.Contains(b.Databases, "sqlite") {
		b.servers = append(b.servers, &database.SQLite{Folder: b.folder, Migrator: migrator})
	}
	if !slices.Contains(b.Databases, "postgres") || b.Postgres == "" {
		return nil
	}
	postgres, err := database.OpenPostgres(ctx, b.Postgres, migrator)
	if err != nil {
		return err
	}
	b.servers = append(b.servers, postgres)
	return nil
}

func (b *bench) about(ctx context.Context) ([]string, error) {
	about := machine()
	disk, err := syncTime(b.folder)
	if err != nil {
		return nil, err
	}
	about = append(about, fmt.Sprintf("a write of 4 KB and its sync take %s at the median", disk))
	for _, server := range b.servers {
		line, err := server.About(ctx)
		if err != nil {
			return nil, err
		}
		about = append(about, line)
	}
	return append(about, fmt.Sprintf("%s %s, a body of %d bytes, HMAC-SHA256", b.Kind, b.Sample, b.workload.Bytes())), nil
}

func (b *bench) close() error {
	var failures []error
	for _, server := range b.servers {
		failures = append(failures, server.Close())
	}
	return errors.Join(append(failures, os.RemoveAll(b.folder))...)
}

// say tells whoever waits what is going on.
func (b *bench) say(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	fmt.Fprintf(os.Stderr, "%6.1fs  %s\n", time.Since(b.began).Seconds(), strings.TrimSpace(line))
}
