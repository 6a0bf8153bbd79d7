package main

import (
	"context"
	"errors"
	"log/slog"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
)

// migrateCommand brings the database's tables to what this version needs.
type migrateCommand struct{}

// Run migrates and says so.
func (c *migrateCommand) Run(ctx context.Context, g *globals, out *output) error {
	cfg := &configv1.Config{}
	if g.Config != "" {
		var err error
		if cfg, err = g.serverConfig(); err != nil {
			return err
		}
	}
	opened, err := openStore(ctx, cfg, g, slog.Default())
	if err != nil {
		return err
	}
	err = errors.Join(opened.Migrate(ctx), opened.CheckSchema(ctx), opened.Close())
	if err != nil {
		return err
	}
	if out.json {
		return out.object(map[string]bool{"migrated": true})
	}
	out.line("waybill: the database has the tables of this version")
	return nil
}
