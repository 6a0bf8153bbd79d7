package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/waybillhq/waybill/bench/database"
	"github.com/waybillhq/waybill/bench/load"
	"github.com/waybillhq/waybill/bench/process"
)

// contender is a server that is measured, with its database.
type contender struct {
	name    string
	process *process.Process
	server  database.Server
	data    database.Database
	// idle is its memory before it was asked anything.
	idle int64
	// pool is the first number of the events that duplicates are sent of.
	pool int64
}

// poolSize is how many different events a storm of duplicates is about.
const poolSize = 1024

// startWaybill starts the program under test on a fresh database.
func (b *bench) startWaybill(ctx context.Context, name string, server database.Server, flags ...string) (*contender, error) {
	data, err := server.Fresh(ctx)
	if err != nil {
		return nil, err
	}
	args := append([]string{
		"serve", "--with-parent", "--config", b.config, "--listen", "127.0.0.1:0", "--database-url", data.URL,
	}, flags...)
	return b.start(ctx, contender{name: name, server: server, data: data}, b.Waybill, args)
}

// startNaive starts the naive writer on a fresh database. It writes rows like the model's.
func (b *bench) startNaive(ctx context.Context, server database.Server, model string) (*contender, error) {
	data, err := server.Fresh(ctx)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("naive writer: %w", err)
	}
	return b.start(ctx, contender{name: naive, server: server, data: data}, self, []string{
		"naive", "--kind", b.Kind, "--database-url", data.URL, "--like", model, "--pool", fmt.Sprint(b.Pool),
	})
}

func (b *bench) startBare(ctx context.Context) (*contender, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("floor: %w", err)
	}
	return b.start(ctx, contender{name: bare}, self, []string{"bare", "--kind", b.Kind})
}

func (b *bench) start(ctx context.Context, c contender, path string, args []string) (*contender, error) {
	b.logs++
	var err error
	c.process, err = process.Start(ctx, process.Spec{
		Path: path, Args: args, Env: []string{load.Variable + "=" + b.secret},
		Log: filepath.Join(b.folder, fmt.Sprintf("server-%d.log", b.logs)),
	})
	if err != nil {
		return nil, err
	}
	time.Sleep(settle)
	usage, err := c.process.Usage()
	if err != nil {
		c.process.Stop()
		return nil, err
	}
	c.idle = usage.Resident
	return &c, nil
}

// settle is how long a server is left alone before its memory is looked at.
const settle = 150 * time.Millisecond

// stop ends the server and removes its database.
func (c *contender) stop(ctx context.Context) error {
	c.process.Stop()
	if c.data.Drop == nil {
		return nil
	}
	return c.data.Drop(context.WithoutCancel(ctx))
}

func (b *bench) target(c *contender) load.Target {
	return load.Target{Address: c.process.Address, Workload: b.workload}
}

// fill sends the events that duplicates are then sent of.
func (b *bench) fill(ctx context.Context, c *contender) error {
	c.pool = b.reserve(poolSize)
	return load.Deliver(ctx, b.target(c), c.pool, poolSize)
}

// reserve gives the first of so many numbers that nobody else gets.
func (b *bench) reserve(count int64) int64 { return b.numbers.Add(count) - count }

func (b *bench) next() int64 { return b.reserve(1) }
