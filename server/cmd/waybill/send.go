package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/config"
	"github.com/waybillhq/waybill/server/order"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/catalog"
)

type sendCommand struct {
	Provider    string `help:"The provider's name in the configuration." placeholder:"NAME"`
	Sample      string `help:"Which sample to send." placeholder:"NAME"`
	List        bool   `help:"List the samples."`
	DryRun      bool   `help:"Show the headers, with the proof left out, and what Waybill reads in the body. Nothing is sent."`
	To          string `default:"http://127.0.0.1:8080" env:"WAYBILL_API" help:"Where the server listens for webhooks." placeholder:"URL"`
	Account     string `env:"WAYBILL_ACCOUNT" help:"The account. Default: the only one of the configuration file." placeholder:"NAME"`
	Order       string `default:"1001" help:"The order's number." placeholder:"NUMBER"`
	Consignment string `help:"The parcel's id at its courier. Default: made from the order's number." placeholder:"ID"`
	Payment     string `help:"The payment's reference. Default: made from the order's number." placeholder:"ID"`
	Amount      int64  `default:"120000" help:"The money in it, in the currency's smallest unit." placeholder:"MINOR"`
	Currency    string `default:"BDT" help:"Its currency."`
	ID          string `help:"Tells this event from others: the same id is the same event again. Default: a new one." name:"id" placeholder:"ID"`
	At          string `help:"When it happened: 2h (ago), 2026-11-29, or 2026-11-29T14:00:00+06:00. Default: now." placeholder:"TIME"`
}

// Help tells what the short help can't.
func (*sendCommand) Help() string {
	return "The sample is signed with the first secret of the provider in the configuration file, so a server that runs " +
		"with the same file takes it for the provider's own. An order's number always gives the same order id, parcel " +
		"and payment: samples of several providers with the same --order are about one order."
}

// Run sends a sample, shows it, or lists what there is.
func (c *sendCommand) Run(ctx context.Context, g *globals, out *output) error {
	if c.List && g.Config == "" {
		return c.list(out, nil, nil)
	}
	cfg, account, err := c.settings(g)
	if err != nil {
		return err
	}
	if c.List {
		return c.list(out, cfg, account)
	}
	sender, err := c.sender(cfg, account, out)
	if err != nil {
		return err
	}
	if c.DryRun {
		return sender.show(out)
	}
	return sender.send(ctx, c.To, out)
}

// settings are the configuration and the account in it.
func (c *sendCommand) settings(g *globals) (*configv1.Config, *configv1.Account, error) {
	if g.Config == "" {
		return nil, nil, usage("the secrets stand in the configuration file, and none was said", "--config FILE, or set WAYBILL_CONFIG")
	}
	cfg, err := loadConfig(g.Config)
	if err != nil {
		return nil, nil, err
	}
	if c.Account == "" && len(cfg.GetAccounts()) == 1 {
		return cfg, cfg.GetAccounts()[0], nil
	}
	account := config.Account(cfg, c.Account)
	if account == nil {
		return nil, nil, usage("which account? The configuration has "+accountNames(cfg), "--account NAME, or set WAYBILL_ACCOUNT")
	}
	return cfg, account, nil
}

// list prints the samples of the account's providers, or of every kind where there is no configuration.
func (c *sendCommand) list(out *output, cfg *configv1.Config, account *configv1.Account) error {
	own, err := samplesOf(cfg, account)
	if err != nil {
		return err
	}
	listed := &grid{columns: []column{{title: "Provider"}, {title: "Kind"}, {title: "Sample"}}}
	for _, kind := range catalog.Kinds() {
		for _, name := range providersOf(account, kind.Name) {
			if c.Provider != "" && c.Provider != name {
				continue
			}
			samples, configured := own[name]
			if !configured {
				samples = kind.Samples
			}
			for _, sample := range samples {
				listed.add(name, kind.Name, sample.Name)
			}
		}
	}
	if !out.json {
		out.grid(listed)
		return nil
	}
	for _, row := range listed.rows {
		if err := out.object(map[string]string{"provider": row[0], "kind": row[1], "sample": row[2]}); err != nil {
			return err
		}
	}
	return nil
}

// samplesOf are the samples of an account's providers, by their names: some have theirs in the settings.
func samplesOf(cfg *configv1.Config, account *configv1.Account) (map[string][]provider.Sample, error) {
	opened, err := provider.Open(cfg, catalog.Kinds())
	if err != nil {
		return nil, err
	}
	samples := make(map[string][]provider.Sample)
	for _, one := range opened {
		if one.Account == account.GetName() {
			samples[one.Config.GetName()] = one.Kind.Samples
		}
	}
	return samples, nil
}

func providersOf(account *configv1.Account, kind string) []string {
	if account == nil {
		return []string{"-"}
	}
	var names []string
	for _, settings := range account.GetProviders() {
		if settings.GetKind() == kind {
			names = append(names, settings.GetName())
		}
	}
	return names
}

// sender is a sample made for one configured provider.
type sender struct {
	opened  provider.Opened
	sample  provider.Sample
	request *provider.Request
	// proof are the names of the headers and query parameters that signing added.
	proof []string
}

func (c *sendCommand) sender(cfg *configv1.Config, account *configv1.Account, out *output) (*sender, error) {
	opened, err := c.opened(cfg, account)
	if err != nil {
		return nil, err
	}
	sample, err := c.sample(opened)
	if err != nil {
		return nil, err
	}
	values, err := c.values(out)
	if err != nil {
		return nil, err
	}
	request, err := sample.Request(values)
	if err != nil {
		return nil, err
	}
	return sign(&sender{opened: opened, sample: sample, request: request}, out.now())
}

func (c *sendCommand) opened(cfg *configv1.Config, account *configv1.Account) (provider.Opened, error) {
	all, err := provider.Open(cfg, catalog.Kinds())
	if err != nil {
		return provider.Opened{}, err
	}
	for _, opened := range all {
		if opened.Account == account.GetName() && opened.Config.GetName() == c.Provider {
			return opened, nil
		}
	}
	names := make([]string, 0, len(account.GetProviders()))
	for _, settings := range account.GetProviders() {
		names = append(names, settings.GetName())
	}
	return provider.Opened{}, usage("which provider? The account has "+strings.Join(names, ", "), "--provider NAME")
}

func (c *sendCommand) sample(opened provider.Opened) (provider.Sample, error) {
	at := slices.IndexFunc(opened.Kind.Samples, func(sample provider.Sample) bool { return sample.Name == c.Sample })
	if at < 0 {
		return provider.Sample{}, usage("which sample?", "waybill send --list --provider "+c.Provider+", then --sample NAME")
	}
	return opened.Kind.Samples[at], nil
}

func (c *sendCommand) values(out *output) (provider.SampleValues, error) {
	currency := strings.ToUpper(c.Currency)
	if _, known := order.Exponent(currency); !known {
		return provider.SampleValues{}, usage("--currency: there is no such currency", "--currency BDT")
	}
	at := out.now()
	if c.At != "" {
		var err error
		if at, err = moment("--at", c.At, out); err != nil {
			return provider.SampleValues{}, err
		}
	}
	values := sampleValues(c.Order, at)
	values.Currency, values.MinorUnits = currency, c.Amount
	if c.ID != "" {
		values.ID = c.ID
	}
	if c.Consignment != "" {
		values.Consignment = c.Consignment
	}
	if c.Payment != "" {
		values.PaymentID = c.Payment
	}
	return values, nil
}

// sign adds the proof and remembers what it is, so that it can be left out where the request is shown.
func sign(s *sender, now time.Time) (*sender, error) {
	secrets := s.opened.Config.GetSecrets()
	if len(secrets) == 0 {
		return nil, &failure{
			exit: exitFailed, code: "no_secret",
			message: "provider " + s.opened.Config.GetName() + " has no secret to sign with",
			next:    "waybill config check FILE",
		}
	}
	if s.request.Query == nil {
		s.request.Query = url.Values{}
	}
	header, query := s.request.Header.Clone(), cloned(s.request.Query)
	s.opened.Sign(s.request, secrets[0].GetValue(), now)
	s.proof = append(changed(header, s.request.Header), changed(query, s.request.Query)...)
	return s, nil
}

func cloned(values url.Values) url.Values {
	return url.Values(http.Header(values).Clone())
}

// changed are the names whose values differ.
func changed[Values ~map[string][]string](before, after Values) []string {
	var names []string
	for name, values := range after {
		if !slices.Equal(before[name], values) {
			names = append(names, name)
		}
	}
	return names
}

func (s *sender) path() string {
	path := "/webhooks/" + s.opened.Account + "/" + s.opened.Config.GetName()
	if len(s.request.Query) > 0 {
		return path + "?" + s.request.Query.Encode()
	}
	return path
}

const (
	sendTimeout = 30 * time.Second
	// answerLimit bounds what is read of an answer: it is printed.
	answerLimit = 64 << 10
)

// send posts the sample and prints the answer.
func (s *sender) send(ctx context.Context, base string, out *output) error {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(base, "/")+s.path(), strings.NewReader(string(s.request.Body)))
	if err != nil {
		return usage("--to: not a URL", "--to http://127.0.0.1:8080")
	}
	request.Header = s.request.Header
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil {
		return &failure{
			exit: exitFailed, code: "unavailable",
			message: "nobody answers at " + base + ": " + innermost(err).Error(),
			next:    "waybill serve, or --to URL if the server is elsewhere",
		}
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, answerLimit))
	if err != nil {
		return fmt.Errorf("answer: %w", err)
	}
	return s.tell(out, answer{Status: response.StatusCode, Body: strings.TrimSpace(string(body))})
}

// innermost leaves out the layer that repeats the URL: its query may hold the proof.
func innermost(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return wrapped.Err
	}
	return err
}
