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

// profiled is how many connections a profile is taken with.
const profiled = 64

// profile writes what Waybill spends its time on, and prints the most of it.
func (b *bench) profile(ctx context.Context) error {
	if b.Profile == "" {
		return nil
	}
	if err := os.MkdirAll(b.Profile, 0o750); err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	for _, server := range b.servers {
		for _, run := range []struct{ name, load, flag string }{
			{"receipts", firsts, "--without-worker"}, {"duplicates", duplicates, "--without-worker"}, {"worker", firsts, ""},
		} {
			path := filepath.Join(b.Profile, strings.ToLower(server.Name())+"-"+run.name+".pprof")
			if err := b.profileOne(ctx, server, path, run.load, run.flag); err != nil {
				return err
			}
			if err := b.top(ctx, path); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *bench) profileOne(ctx context.Context, server database.Server, path, kind, flag string) (err error) {
	flags := []string{"--cpu-profile", path}
	if flag != "" {
		flags = append(flags, flag)
	}
	c, err := b.startWaybill(ctx, waybill, server, flags...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.stop(ctx)) }()
	if err := b.fill(ctx, c); err != nil {
		return err
	}
	_, err = b.closed(ctx, c, kind, profiled)
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
