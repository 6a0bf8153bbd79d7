package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	waybill "github.com/waybillhq/waybill/clients/go"
	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/config"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/catalog"
)

// globals are the flags of every command.
type globals struct {
	Config      string           `env:"WAYBILL_CONFIG" group:"Everywhere:" help:"Configuration file." placeholder:"FILE"`
	Listen      string           `env:"WAYBILL_LISTEN" group:"Everywhere:" help:"Where to listen. Default: the configuration's, else 127.0.0.1:8080." placeholder:"HOST:PORT"`
	DatabaseURL string           `env:"WAYBILL_DATABASE_URL" group:"Everywhere:" help:"sqlite:PATH or postgres://… Default: waybill.db in the data directory." name:"database-url" placeholder:"URL"`
	DataDir     string           `env:"WAYBILL_DATA_DIR" group:"Everywhere:" help:"Where data is kept. Default ./waybill-data." placeholder:"DIR"`
	JSON        bool             `group:"Everywhere:" help:"One JSON object a line on stdout, errors as JSON on stderr." name:"json"`
	Header      bool             `group:"Everywhere:" help:"Print table headers even where stdout is not a terminal."`
	Version     kong.VersionFlag `group:"Everywhere:" help:"Print the version."`
	Color       string           `default:"auto" enum:"auto,always,never" group:"Everywhere:" help:"Colour outcomes: auto, always or never."`
}

// loadConfig reads the configuration file. A file with faults is an error that names the first.
func loadConfig(path string) (*configv1.Config, error) {
	cfg, problems, err := config.Load(path, checkProviders)
	if err != nil {
		return nil, &failure{exit: exitFailed, code: "config", message: err.Error(), next: "waybill --config FILE"}
	}
	faults := config.Faults(problems)
	if len(faults) == 0 {
		return cfg, nil
	}
	message := faults[0].String()
	if len(faults) > 1 {
		message += fmt.Sprintf(", and %d more", len(faults)-1)
	}
	return nil, &failure{exit: exitFailed, code: "config", message: message, next: "waybill config check " + path}
}

// checkProviders asks every provider's kind what it thinks of its settings.
func checkProviders(cfg *configv1.Config) []config.Fault {
	problems := provider.Check(cfg, catalog.Kinds())
	faults := make([]config.Fault, 0, len(problems))
	for _, problem := range problems {
		faults = append(faults, config.Fault{Field: problem.Field, Message: problem.Message})
	}
	return faults
}

// apiFlags are the flags of every command that calls a server.
type apiFlags struct {
	API     string `default:"http://127.0.0.1:8080" env:"WAYBILL_API" help:"The server to call." name:"api" placeholder:"URL"`
	KeyFile string `env:"WAYBILL_API_KEY_FILE" help:"File with the API key. Without it: the environment's WAYBILL_API_KEY. There is no --key, because every process of the machine could read it." placeholder:"FILE"`
	Account string `env:"WAYBILL_ACCOUNT" help:"The account. Default: the only one of the configuration file." placeholder:"NAME"`
}

func (f *apiFlags) client() (*waybill.Client, error) {
	options := []waybill.Option{waybill.UserAgent("waybill-cli")}
	if f.KeyFile != "" {
		options = append(options, waybill.KeyFile(f.KeyFile))
	} else if key := os.Getenv("WAYBILL_API_KEY"); key != "" {
		options = append(options, waybill.Key(key))
	}
	return waybill.New(f.API, options...)
}

// account is the account that was said, or the only one there is.
func (f *apiFlags) account(g *globals) (string, error) {
	if f.Account != "" {
		return f.Account, nil
	}
	if g.Config == "" {
		return "", usage("which account? None was said, and no configuration file names one", "--account NAME, or set WAYBILL_ACCOUNT")
	}
	cfg, err := loadConfig(g.Config)
	if err != nil {
		return "", err
	}
	if len(cfg.GetAccounts()) == 1 {
		return cfg.GetAccounts()[0].GetName(), nil
	}
	return "", usage("which account? The configuration has "+accountNames(cfg), "--account NAME, or set WAYBILL_ACCOUNT")
}

func accountNames(cfg *configv1.Config) string {
	names := make([]string, 0, len(cfg.GetAccounts()))
	for _, account := range cfg.GetAccounts() {
		names = append(names, account.GetName())
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// connect gives what a client-side command needs: a client and its account.
func (f *apiFlags) connect(g *globals) (*waybill.Client, string, error) {
	account, err := f.account(g)
	if err != nil {
		return nil, "", err
	}
	client, err := f.client()
	return client, account, err
}
