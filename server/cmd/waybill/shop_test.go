package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	waybill "github.com/waybillhq/waybill/clients/go"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

const (
	testSecret  = "whsec_the-shops-own-secret"
	testKey     = "wbk_operator-and-internal-sender"
	testAccount = "lantern"
)

// testConfig has a provider of each of the first kinds. nosecret is one that was never given its secret.
const testConfig = `
accounts:
  - name: lantern
    providers:
      - {name: shopify, kind: shopify, secrets: ["%[1]s"]}
      - {name: pathao, kind: pathao, secrets: ["%[1]s"]}
      - {name: stripe, kind: stripe, secrets: ["%[1]s"], order_reference: order_number}
      - {name: payments, kind: payments, secrets: ["%[1]s"], currency: EUR}
      - {name: nosecret, kind: stripe}
api_keys:
  - {name: tester, account: lantern, scopes: [ingest, track, operate, payload], providers: [shopify, stripe], sha256: "%[2]s"}
`

// shop is a Waybill in a process of its own, as it is deployed: the test binary, started again as waybill serve.
type shop struct {
	*demoServer
	t      *testing.T
	dir    string
	client *waybill.Client
	// database is where it keeps its records.
	database testDatabase
}

func openShop(t *testing.T, env ...string) *shop {
	t.Helper()
	return openShopWith(t, shopConfig(), env...)
}

// shopConfig is the usual configuration, with further providers, each a line of its own.
func shopConfig(further ...string) string {
	digest := sha256.Sum256([]byte(testKey))
	text := fmt.Sprintf(testConfig, testSecret, hex.EncodeToString(digest[:]))
	const providers = "    providers:\n"
	for _, line := range further {
		text = strings.Replace(text, providers, providers+"      - "+line+"\n", 1)
	}
	return text
}

func openShopWith(t *testing.T, config string, env ...string) *shop {
	t.Helper()
	database := chosenDatabase(t)
	if database != "" && len(env) == 0 {
		openRivals(t, database, config)
	}
	return openShopOn(t, database, config, env...)
}

// openShopOn opens a shop on a database that it may share with others.
func openShopOn(t *testing.T, database testDatabase, config string, env ...string) *shop {
	t.Helper()
	s := closedShopOn(t, database, config, env...)
	s.open()
	t.Cleanup(s.shut)
	return s
}

// closedShop is a shop whose process is not started yet.
func closedShop(t *testing.T, config string, env ...string) *shop {
	t.Helper()
	return closedShopOn(t, chosenDatabase(t), config, env...)
}

func closedShopOn(t *testing.T, database testDatabase, config string, env ...string) *shop {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "waybill.yaml")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	server, err := newDemoServer(dir, "127.0.0.1:0", append(database.env(), env...))
	if err != nil {
		t.Fatal(err)
	}
	return &shop{demoServer: server, t: t, dir: dir, database: database}
}

// open starts the process, for the first time or after it was killed.
func (s *shop) open() {
	s.t.Helper()
	if err := s.start(s.t.Context()); err != nil {
		s.t.Fatalf("%v\n%s", err, s.said())
	}
	client, err := waybill.New(s.url, waybill.Key(testKey), waybill.Attempts(1))
	if err != nil {
		s.t.Fatal(err)
	}
	s.client = client
}

func (s *shop) shut() {
	if err := s.stop(); err != nil && !strings.Contains(err.Error(), "killed") {
		s.t.Errorf("the server did not stop cleanly: %v\n%s", err, s.said())
	}
	if s.t.Failed() {
		s.t.Log(s.said())
	}
	if err := s.log.Close(); err != nil {
		s.t.Error(err)
	}
}

// said is what the server has logged.
func (s *shop) said() string {
	text, err := s.logText()
	if err != nil {
		s.t.Error(err)
	}
	return text
}

// delivery is a webhook's answer.
type delivery struct {
	status int
	header http.Header
	body   string
	// eventID, outcome and first are read from the default answer.
	eventID string
	outcome string
	first   bool
}

// send posts a sample as its provider would.
func (s *shop) send(providerName, sample string, values provider.SampleValues, change ...func(*provider.Request)) delivery {
	s.t.Helper()
	return s.post(providerName, s.sign(providerName, sample, values, change...))
}

// sign makes a sample's request with its proof. Changes come before the proof, so the provider vouches for them.
func (s *shop) sign(
	providerName, sample string, values provider.SampleValues, change ...func(*provider.Request),
) *provider.Request {
	s.t.Helper()
	kind, template, err := findSample(providerName, sample)
	if err != nil {
		s.t.Fatal(err)
	}
	if values.At.IsZero() {
		values.At = time.Now().Add(-time.Minute).Truncate(time.Second)
	}
	request, err := template.Request(values)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, apply := range change {
		apply(request)
	}
	kind.Sign(request, testSecret, time.Now())
	return request
}

// body puts a body of the test's own in the place of a sample's.
func body(text string) func(*provider.Request) {
	return func(r *provider.Request) { r.Body = []byte(text) }
}

func (s *shop) post(providerName string, request *provider.Request) delivery {
	s.t.Helper()
	got, err := s.tryPost(s.t.Context(), "/webhooks/"+testAccount+"/"+providerName, request)
	if err != nil {
		s.t.Fatal(err)
	}
	return got
}

// tryPost is post for requests that may find nobody.
func (s *shop) tryPost(ctx context.Context, path string, request *provider.Request) (delivery, error) {
	outgoing, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+path, bytes.NewReader(request.Body))
	if err != nil {
		return delivery{}, err
	}
	outgoing.Header = request.Header.Clone()
	outgoing.URL.RawQuery = request.Query.Encode()
	response, err := noRedirects.Do(outgoing)
	if err != nil {
		return delivery{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return delivery{}, err
	}
	got := delivery{status: response.StatusCode, header: response.Header, body: string(text)}
	var answer webhookAnswer
	if json.Unmarshal(text, &answer) == nil {
		got.eventID, got.outcome, got.first = answer.Event.ID, answer.Event.Outcome, answer.FirstDelivery
	}
	return got, nil
}

// noRedirects shows a redirect instead of following it, as webhook senders do.
var noRedirects = &http.Client{
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// place has an order placed, and waits until it is there.
func (s *shop) place(number string, minor int64, currency string) {
	s.t.Helper()
	if err := s.tryPlace(number, minor, currency); err != nil {
		s.t.Fatal(err)
	}
	s.awaitOrder(number, func(*waybill.Order) bool { return true })
}

// tryPlace is place for a server that may not answer.
func (s *shop) tryPlace(number string, minor int64, currency string) error {
	_, err := s.client.IngestEvent(s.t.Context(), &waybill.IngestEventRequest{
		Account: testAccount, Provider: "shopify", EventId: "placed-" + number, EventType: "placed",
		References: []*waybillv1.Reference{
			{Kind: waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_ID, Value: "id-" + number},
			{Kind: waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_NUMBER, Value: number},
		},
		Changes: []*waybillv1.Change{{Change: &waybillv1.Change_OrderPlaced{OrderPlaced: &waybillv1.OrderPlaced{
			OrderId: "id-" + number, OrderNumber: number,
			Total: &waybillv1.Money{Currency: currency, MinorUnits: minor},
			Lines: []*waybillv1.OrderLine{{LineId: "1", Sku: "LAMP-S", Quantity: 2}},
		}}}},
		TranslatorVersion: "test",
	})
	return err
}

// await asks until it is told that the fact holds.
func (s *shop) await(what string, holds func() (bool, error)) {
	s.t.Helper()
	deadline := time.NewTimer(30 * time.Second)
	defer deadline.Stop()
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	var last error
	for {
		ok, err := holds()
		if ok {
			return
		}
		last = err
		select {
		case <-again.C:
		case <-deadline.C:
			s.t.Fatalf("%s did not come true: %v", what, last)
		}
	}
}

// awaitOrder waits until an order is there and the fact about it holds.
func (s *shop) awaitOrder(number string, holds func(*waybill.Order) bool) *waybill.Order {
	s.t.Helper()
	var seen *waybill.Order
	s.await("the fact about order "+number, func() (bool, error) {
		order, err := s.client.GetOrder(s.t.Context(), waybill.OrderNumber(testAccount, number))
		if err != nil {
			return false, err
		}
		seen = order
		return holds(order), fmt.Errorf("it is %v", order)
	})
	return seen
}

// awaitEvent waits until the worker has looked at an event.
func (s *shop) awaitEvent(id string) *waybill.Event {
	s.t.Helper()
	var seen *waybill.Event
	s.await("a decision about event "+id, func() (bool, error) {
		event, err := s.client.GetEvent(s.t.Context(), &waybill.GetEventRequest{
			Account: testAccount, EventId: id, IncludeRaw: true,
		})
		if err != nil {
			return false, err
		}
		seen = event
		return event.GetState() != waybillv1.EventState_EVENT_STATE_RECEIVED, nil
	})
	return seen
}

// settled sends a sample, expects a 2xx, and gives the event as decided.
func (s *shop) settled(
	providerName, sample string, values provider.SampleValues, change ...func(*provider.Request),
) *waybill.Event {
	s.t.Helper()
	got := s.send(providerName, sample, values, change...)
	if got.status/100 != 2 {
		s.t.Fatalf("%s %s was answered %d: %s", providerName, sample, got.status, got.body)
	}
	return s.awaitEvent(got.eventID)
}

func (s *shop) order(number string) *waybill.Order {
	s.t.Helper()
	return s.awaitOrder(number, func(*waybill.Order) bool { return true })
}

// events are all recorded events.
func (s *shop) events() []*waybill.Event {
	s.t.Helper()
	var events []*waybill.Event
	for event, err := range s.client.Events(s.t.Context(), &waybill.ListEventsRequest{Account: testAccount}) {
		if err != nil {
			s.t.Fatal(err)
		}
		events = append(events, event)
	}
	return events
}

// attention is the reasons why a person must look at an order.
func attention(order *waybill.Order) []string {
	var reasons []string
	for _, mark := range order.GetAttention() {
		reasons = append(reasons, mark.GetReason())
	}
	return reasons
}

func isPaid(order *waybill.Order) bool {
	return order.GetPaymentStatus() == waybillv1.PaymentStatus_PAYMENT_STATUS_PAID
}

// paidSteps counts how often the order became paid.
func paidSteps(order *waybill.Order) int {
	count := 0
	for _, entry := range order.GetTimeline() {
		if entry.GetKind() == waybillv1.TimelineKind_TIMELINE_KIND_PAYMENT_STATUS && entry.GetToStatus() == "paid" {
			count++
		}
	}
	return count
}
