// Package config reads Waybill's configuration: one YAML file whose schema is proto/waybill/config/v1.
//
// A fault is told with its file, line, column, field and rule, and never with the value of a field. Reading has two
// steps. The first finds what is wrong with the text: syntax, unknown and repeated fields, values of the wrong shape,
// variables that are not set. Only when there is nothing of that kind does the second look for values that break a
// rule, so that one typing mistake is one message.
package config

import (
	"path/filepath"
	"time"

	// The zones that a configuration names must load on a machine without a zone database too.
	_ "time/tzdata"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
)

// The defaults of fields that are left out.
const (
	DefaultListen           = "127.0.0.1:8080"
	DefaultDataDir          = "waybill-data"
	DefaultDatabaseFile     = "waybill.db"
	DefaultWaitLimit        = 48 * time.Hour
	DefaultPayloadRetention = 720 * time.Hour
	DefaultMaxBodyBytes     = 2 << 20
)

// Listen is where to listen, HOST:PORT.
func Listen(cfg *configv1.Config) string {
	if cfg.GetListen() == "" {
		return DefaultListen
	}
	return cfg.GetListen()
}

// DatabaseURL is where the data is. Without one it is an SQLite file in the data directory.
func DatabaseURL(cfg *configv1.Config, dataDir string) string {
	if cfg.GetDatabaseUrl() != "" {
		return cfg.GetDatabaseUrl()
	}
	if dataDir == "" {
		dataDir = DefaultDataDir
	}
	return "sqlite:" + filepath.Join(dataDir, DefaultDatabaseFile)
}

// PayloadRetention is how long the bytes of finished events are kept.
func PayloadRetention(cfg *configv1.Config) time.Duration {
	if cfg.GetPayloadRetention() == nil {
		return DefaultPayloadRetention
	}
	return cfg.GetPayloadRetention().AsDuration()
}

// CreatesUnknown says whether an event creates the order it names when nobody has heard of it, instead of waiting.
func CreatesUnknown(account *configv1.Account) bool {
	return account.GetOrders().GetUnknown() == "create"
}

// WaitLimit is how long an event waits for its order before it is parked.
func WaitLimit(account *configv1.Account) time.Duration {
	if account.GetOrders().GetWaitLimit() == nil {
		return DefaultWaitLimit
	}
	return account.GetOrders().GetWaitLimit().AsDuration()
}

// MaxBodyBytes is the largest body taken from a provider whose kind allows kindLimit; 0 stands for the usual limit.
func MaxBodyBytes(provider *configv1.Provider, kindLimit int64) int64 {
	switch {
	case provider.GetMaxBodyBytes() > 0:
		return provider.GetMaxBodyBytes()
	case kindLimit > 0:
		return kindLimit
	}
	return DefaultMaxBodyBytes
}

// Account is the account with a name. Nil: there is none.
func Account(cfg *configv1.Config, name string) *configv1.Account {
	for _, account := range cfg.GetAccounts() {
		if account.GetName() == name {
			return account
		}
	}
	return nil
}

// Provider is the account's provider with a name. Nil: there is none.
func Provider(account *configv1.Account, name string) *configv1.Provider {
	for _, provider := range account.GetProviders() {
		if provider.GetName() == name {
			return provider
		}
	}
	return nil
}
