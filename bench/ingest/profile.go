package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/waybillhq/waybill/bench/database"
)

// profiled is a load that a profile is taken under.
type profiled struct {
	name, load  string
	connections int
	flags       []string
}

var profiles = []profiled{
	{"alone", firsts, 1, []string{"--without-worker"}},
	{"receipts", firsts, many, []string{"--without-worker"}},
	{"duplicates", duplicates, many, []string{"--without-worker"}},
	{"worker", firsts, many, nil},
}

// profile writes what Waybill spends its time on, and prints the most of it.
func (b *bench) profile(ctx context.Context) error {
	if b.Profile == "" {
		return nil
	}
	if err := os.MkdirAll(b.Profile, 0o750); err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	for _, server := range b.servers {
		for _, run := range profiles {
			path := filepath.Join(b.Profile, strings.ToLower(server.Name())+"-"+run.name+".pprof")
			if err := b.profileOne(ctx, server, run, path); err != nil {
				return err
			}
			if err := b.top(ctx, path); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *bench) profileOne(ctx context.Context, server database.Server, run profiled, path string) (err error) {
	c, err := b.startWaybill(ctx, waybill, server, append([]string{"--cpu-profile", path}, run.flags...)...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.stop(ctx)) }()
	if err := b.fill(ctx, c); err != nil {
		return err
	}
	_, err = b.closed(ctx, c, run.load, run.connections)
	return err
}

// top prints what the most time goes into.
func (b *bench) top(ctx context.Context, path string) error {
	tool := exec.CommandContext(ctx, "go", "tool", "pprof", "-top", "-cum", "-nodecount=60", b.Waybill, path)
	tool.Stdout, tool.Stderr = os.Stdout, os.Stderr
	if err := tool.Run(); err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	return nil
}
