package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"buf.build/go/protoyaml"

	waybill "github.com/waybillhq/waybill/clients/go"
	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/catalog"
)

// TestEverySampleOfEveryKindMakesTheRoundTrip sends whatever the catalogue holds, as waybill send does, to a server that
// runs with the same file, and looks at what became of it, as an operator does. A new kind is in it by being in the
// catalogue.
func TestEverySampleOfEveryKindMakesTheRoundTrip(t *testing.T) {
	t.Parallel()
	open := openShopWith(t, catalogueConfig(t))
	keyFile := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(keyFile, []byte(testKey), 0o600); err != nil {
		t.Fatal(err)
	}

	cfg, err := loadConfig(open.configPath())
	if err != nil {
		t.Fatal(err)
	}

	for at, kind := range catalog.Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			t.Parallel()
			trip := &roundTrip{
				t: t, shop: on(t, open), kind: kind, cfg: cfg, at: time.Now(), keyFile: keyFile, known: map[string]bool{},
			}
			opened, err := trip.command("", "").opened(cfg, cfg.GetAccounts()[0])
			if err != nil {
				t.Fatal(err)
			}
			if len(opened.Kind.Samples) == 0 {
				t.Error("the kind has no sample: nobody can see what it does")
			}
			for i, sample := range opened.Kind.Samples {
				trip.travel(opened, sample, fmt.Sprintf("7%02d%03d", at, i))
			}
		})
	}
}

// catalogueConfig is a shop with a provider of every kind under the kind's own name. What a proof asks outside is asked
// of the kind's rehearsal.
func catalogueConfig(t *testing.T) string {
	t.Helper()
	account := &configv1.Account{Name: testAccount, Orders: &configv1.Orders{Unknown: "create"}}
	for _, kind := range catalog.Kinds() {
		settings := kind.ExampleSettings(kind.Name, "catalogue-"+kind.Name)
		if kind.Rehearsal != nil {
			settings.ApiUrl, settings.ApiCa = rehearsed(t, kind.Rehearsal)
		}
		account.Providers = append(account.Providers, settings)
	}
	digest := sha256.Sum256([]byte(testKey))
	text, err := protoyaml.MarshalOptions{UseProtoNames: true}.Marshal(&configv1.Config{
		Accounts: []*configv1.Account{account},
		ApiKeys: []*configv1.ApiKey{{
			Name: "tester", Account: testAccount, Scopes: []string{"track", "operate", "payload"}, Sha256: hex.EncodeToString(digest[:]),
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// rehearsed serves a rehearsal, and gives what must stand in api_url and api_ca for it.
func rehearsed(t *testing.T, rehearsal *provider.Rehearsal) (url, roots string) {
	t.Helper()
	side := httptest.NewTLSServer(rehearsal)
	t.Cleanup(side.Close)
	own := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: side.Certificate().Raw})
	return side.URL, string(own) + rehearsal.Roots
}

// on is the shop as a part of the test sees it.
func on(t *testing.T, s *shop) *shop {
	seen := *s
	seen.t = t
	return &seen
}

// roundTrip sends the samples of one kind, one after the other.
type roundTrip struct {
	t    *testing.T
	shop *shop
	kind provider.Kind
	cfg  *configv1.Config
	// at is when everything happened.
	at time.Time
	// keyFile holds the operator's key.
	keyFile string
	// known are the events of earlier samples.
	known map[string]bool
}

// command is waybill send, as it is typed.
func (r *roundTrip) command(sample, number string) *sendCommand {
	return &sendCommand{
		Provider: r.kind.Name, Sample: sample, Order: number, ID: "trip" + number,
		To: r.shop.url, Account: testAccount, Amount: 120000, Currency: "BDT",
		At: r.at.UTC().Format(time.RFC3339),
	}
}

// printer is a command's stdout.
func printer() (*output, *bytes.Buffer) {
	printed := &bytes.Buffer{}
	return &output{stdout: printed, json: true, width: defaultWidth, now: time.Now, zone: time.UTC}, printed
}

func (r *roundTrip) travel(opened provider.Opened, sample provider.Sample, number string) {
	r.t.Helper()
	want := r.expected(opened, sample, number)

	r.send(sample, number)

	var got []string
	for _, event := range r.recorded() {
		got = append(got, event.GetEventId())
		r.decided(sample, r.shop.awaitEvent(event.GetId()))
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		r.t.Errorf("%s left the events %q, want %q", sample.Name, got, want)
	}
}

// send sends a sample until it is taken. A machine with other things to do may be late, and says so: then a sender sends
// it again.
func (r *roundTrip) send(sample provider.Sample, number string) {
	r.t.Helper()
	r.shop.await("a 2xx for "+sample.Name, func() (bool, error) {
		out, printed := printer()
		err := r.command(sample.Name, number).Run(r.t.Context(), &globals{Config: r.shop.configPath()}, out)
		if refused, ok := errors.AsType[*failure](err); ok && refused.code == "http_503" {
			return false, err
		}
		if err != nil {
			r.t.Fatalf("%s: %v: %s", sample.Name, err, printed)
		}
		return true, nil
	})
}

// expected are the identities of the events that a sample must leave. A probe, and the confirmation of a subscription,
// leave none.
func (r *roundTrip) expected(opened provider.Opened, sample provider.Sample, number string) []string {
	r.t.Helper()
	out, _ := printer()
	sender, err := r.command(sample.Name, number).sender(r.cfg, r.cfg.GetAccounts()[0], out)
	if err != nil {
		r.t.Fatal(err)
	}
	if _, probe := opened.Provider.Handshake(sender.request); probe {
		return nil
	}
	if confirmer, ok := opened.Provider.(provider.Confirmer); ok {
		if _, setUp := confirmer.Confirm(sender.request); setUp {
			return nil
		}
	}
	events, err := opened.Provider.Translate(sender.request)
	if err != nil {
		r.t.Fatalf("%s: %v", sample.Name, err)
	}
	var ids []string
	for _, event := range events {
		ids = append(ids, event.GetEventId())
	}
	slices.Sort(ids)
	return ids
}

// recorded are the provider's events that no earlier sample has left.
func (r *roundTrip) recorded() []*waybill.Event {
	r.t.Helper()
	var found []*waybill.Event
	request := &waybill.ListEventsRequest{Account: testAccount, Provider: r.kind.Name}
	for event, err := range r.shop.client.Events(r.t.Context(), request) {
		if err != nil {
			r.t.Fatal(err)
		}
		if !r.known[event.GetId()] {
			r.known[event.GetId()] = true
			found = append(found, event)
		}
	}
	return found
}

// decided wants an end, or a reason why there is none yet, that an operator can see; and the order where the event is
// about one.
func (r *roundTrip) decided(sample provider.Sample, event *waybill.Event) {
	r.t.Helper()
	switch event.GetState() {
	case waybillv1.EventState_EVENT_STATE_COMPLETED:
		if len(event.GetDecisions()) == 0 || event.GetOutcome() == waybillv1.Outcome_OUTCOME_UNSPECIFIED {
			r.t.Errorf("%s is completed without an outcome", sample.Name)
		}
	case waybillv1.EventState_EVENT_STATE_WAITING, waybillv1.EventState_EVENT_STATE_PARKED:
		if event.GetReason() == "" {
			r.t.Errorf("%s is %s and nobody knows why", sample.Name, event.GetState())
		}
	default:
		r.t.Errorf("%s is %s: %s", sample.Name, event.GetState(), event.GetReason())
	}
	for _, number := range event.GetOrderNumbers() {
		out, printed := printer()
		status := &statusCommand{Number: number, apiFlags: apiFlags{API: r.shop.url, KeyFile: r.keyFile, Account: testAccount}}
		if err := status.Run(r.t.Context(), &globals{}, out); err != nil || !strings.Contains(printed.String(), number) {
			r.t.Errorf("%s: status %s: %v: %s", sample.Name, number, err, printed)
		}
	}
}
