package main

import (
	"fmt"
	"os"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/config"
)

// serverConfig reads the configuration of a command that serves. What the file is silent about, and what a flag or the
// environment says, is looked up by the methods below: flag, environment, file, default.
func (g *globals) serverConfig() (*configv1.Config, error) {
	if g.Config == "" {
		return nil, usage("which configuration? None was said", "--config FILE, or set WAYBILL_CONFIG")
	}
	cfg, problems, err := config.Load(g.Config, checkProviders)
	if err != nil {
		return nil, &failure{exit: exitFailed, code: "config", message: err.Error(), next: "waybill config check FILE"}
	}
	if cfg == nil {
		return loadConfig(g.Config)
	}
	for _, problem := range problems {
		fmt.Fprintln(os.Stderr, "waybill:", problem)
	}
	return cfg, nil
}

func (g *globals) listenAddress(cfg *configv1.Config) string {
	if g.Listen != "" {
		return g.Listen
	}
	return config.Listen(cfg)
}

func (g *globals) dataDir() string {
	if g.DataDir != "" {
		return g.DataDir
	}
	return config.DefaultDataDir
}

func (g *globals) databaseURL(cfg *configv1.Config) string {
	if g.DatabaseURL != "" {
		return g.DatabaseURL
	}
	return config.DatabaseURL(cfg, g.dataDir())
}
