package paypal_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/fetch"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/paypal"
	"github.com/waybillhq/waybill/server/provider/providertest"
)

const (
	webhook     = "1AB23456CD789012E"
	sigHeader   = "Paypal-Transmission-Sig"
	certHeader  = "Paypal-Cert-Url"
	algoHeader  = "Paypal-Auth-Algo"
	genuineCert = "https://api.paypal.com/v1/notifications/certs/CERT-rehearsal"
)

func rehearsal() *provider.Rehearsal { return paypal.Kind().Rehearsal }

func options() providertest.Options {
	return providertest.Options{
		Sample:      "payment.capture.completed",
		Settings:    &configv1.Provider{ApiCa: rehearsal().Roots},
		ProofHeader: sigHeader,
		SignsBody:   true,
		Malformed:   []string{"AAAA", "%%%%", strings.Repeat("A", 344), base64.StdEncoding.EncodeToString(make([]byte, 256))},
		Words:       words(),
		UnknownWord: word("PAYMENT.CAPTURE.TELEPORTED", `{}`, "unrecognised event_type"),
	}
}

func event(eventType, resource string) string {
	return `{"id":"WH-1","event_type":"` + eventType + `","create_time":"2026-01-15T12:30:05.000Z","resource":` + resource + `}`
}

func word(eventType, resource string, says ...string) providertest.Word {
	return providertest.Word{Name: eventType + " " + resource, Body: event(eventType, resource), Says: says}
}

const capture = `{"id":"CAP1","invoice_id":"SYN-1","amount":{"currency_code":"USD","value":"10.50"}}`

func words() []providertest.Word {
	const sale = `{"id":"S1","invoice_number":"SYN-1","amount":{"currency":"USD","total":"10.50"}}`
	var all []providertest.Word
	for kind, says := range map[string]string{
		"CAPTURE.PENDING": "movement pending", "CAPTURE.COMPLETED": "movement paid", "CAPTURE.DENIED": "movement failed",
		"CAPTURE.DECLINED": "movement failed", "AUTHORIZATION.CREATED": "movement authorized",
		"AUTHORIZATION.VOIDED": "movement voided", "CAPTURE.REFUNDED": "refund_step",
	} {
		all = append(all, word("PAYMENT."+kind, capture, says))
	}
	for kind, says := range map[string]string{
		"PENDING": "movement pending", "COMPLETED": "movement paid", "DENIED": "movement failed", "REFUNDED": "refund_step",
	} {
		all = append(all, word("PAYMENT.SALE."+kind, sale, says))
	}
	dispute := func(status, code string) string {
		return `{"dispute_id":"D1","status":"` + status + `","dispute_outcome":{"outcome_code":"` + code + `"},` +
			`"dispute_amount":{"currency_code":"USD","value":"10.50"},"disputed_transactions":[{"seller_transaction_id":"CAP1"}]}`
	}
	for _, what := range []string{"CREATED", "UPDATED", "RESOLVED"} {
		name := "CUSTOMER.DISPUTE." + what
		for _, status := range []string{"OPEN", "WAITING_FOR_BUYER_RESPONSE", "WAITING_FOR_SELLER_RESPONSE", "UNDER_REVIEW", "APPEALED", "OTHER"} {
			all = append(all, word(name, dispute(status, ""), "dispute open"))
		}
		all = append(all,
			word(name, dispute("RESOLVED", "RESOLVED_BUYER_FAVOUR"), "dispute lost"),
			word(name, dispute("RESOLVED", "RESOLVED_SELLER_FAVOUR"), "dispute won"),
			word(name, dispute("RESOLVED", "CANCELED_BY_BUYER"), "dispute won"),
		)
		for _, code := range []string{"RESOLVED_WITH_PAYOUT", "ACCEPTED", "DENIED", "NONE"} {
			all = append(all, word(name, dispute("RESOLVED", code), "unrecognised resource.dispute_outcome.outcome_code"))
		}
	}
	return append(all,
		word("PAYMENT.CAPTURE.REVERSED", capture, "refund_step", "fact payment_reversed!"),
		word("PAYMENT.SALE.REVERSED", sale, "refund_step", "fact payment_reversed!"),
		word("PAYMENT.REFUND.FAILED", capture, "unrecognised event_type"),
		word("CHECKOUT.ORDER.APPROVED", `{"id":"O1"}`, "ignored"),
		word("CHECKOUT.ORDER.COMPLETED", `7`, "ignored"),
		word("BILLING.SUBSCRIPTION.CREATED", `{}`, "ignored"),
		word("PAYMENT.CAPTURE.COMPLETED", `{"id":"CAP1"}`, "undecoded"),
		word("PAYMENT.CAPTURE.COMPLETED", `{"amount":{"currency_code":"USD","value":"10.50"}}`, "undecoded"),
		word("PAYMENT.CAPTURE.COMPLETED", `{"id":"CAP1","amount":{"currency_code":"USD","value":"10.505"}}`, "undecoded"),
		word("PAYMENT.CAPTURE.COMPLETED", `{"id":"CAP1","amount":{"value":"10.50"}}`, "undecoded"),
		word("PAYMENT.CAPTURE.COMPLETED", `[]`, "undecoded"),
		word("PAYMENT.CAPTURE.REFUNDED", `{"id":"R1"}`, "undecoded"),
		word("PAYMENT.CAPTURE.REFUNDED", `{"amount":{"currency_code":"USD","value":"10.50"}}`, "undecoded"),
		word("CUSTOMER.DISPUTE.CREATED", `{"status":"OPEN"}`, "undecoded"),
		word("CUSTOMER.DISPUTE.CREATED", `{"dispute_id":"D1","dispute_amount":{"value":"x","currency_code":"USD"}}`, "undecoded"),
		word("", `{}`, "undecoded"),
		providertest.Word{Name: "no resource", Body: `{"id":"WH-1","event_type":"PAYMENT.CAPTURE.COMPLETED"}`, Says: []string{"undecoded"}},
		providertest.Word{Name: "no id", Body: `{"event_type":"PAYMENT.CAPTURE.COMPLETED"}`, Says: []string{"undecoded"}},
	)
}

func TestPayPalKeepsTheContract(t *testing.T) {
	t.Parallel()
	providertest.Run(t, paypal.Kind(), options())
}

func FuzzVerify(f *testing.F)    { providertest.FuzzVerify(f, paypal.Kind(), options()) }
func FuzzTranslate(f *testing.F) { providertest.FuzzTranslate(f, paypal.Kind(), options()) }

// open makes the provider with the rehearsal's root, which stands in for those of the system.
func open(t *testing.T, settings *configv1.Provider) provider.Provider {
	t.Helper()
	if settings == nil {
		settings = &configv1.Provider{}
	}
	settings = proto.CloneOf(settings)
	settings.Secrets = []*configv1.Secret{{Value: webhook}}
	if settings.GetApiCa() == "" {
		settings.ApiCa = rehearsal().Roots
	}
	opened, err := paypal.Kind().New(settings)
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

func signed(body string) *provider.Request {
	r := &provider.Request{Header: http.Header{}, Body: []byte(body), ReceivedAt: providertest.Now()}
	paypal.Kind().Sign(r, webhook, providertest.Now())
	return r
}

func TestTheCertificateIsFetchedFromPayPalAndNowhereElse(t *testing.T) {
	t.Parallel()
	no := false
	play := &configv1.Provider{Expect: &configv1.Expect{Livemode: &no}}
	for _, test := range []struct {
		settings *configv1.Provider
		address  string
		want     string
	}{
		{nil, genuineCert, genuineCert},
		{nil, "https://api-m.paypal.com/v1/notifications/certs/CERT-1", "https://api-m.paypal.com/v1/notifications/certs/CERT-1"},
		{play, "https://api.sandbox.paypal.com/v1/notifications/certs/CERT-1", "https://api.sandbox.paypal.com/v1/notifications/certs/CERT-1"},
		{&configv1.Provider{ApiUrl: "https://127.0.0.1:9443/side"}, genuineCert, "https://127.0.0.1:9443/side/v1/notifications/certs/CERT-rehearsal"},
		{nil, "https://api.sandbox.paypal.com/v1/notifications/certs/CERT-1", ""},
		{play, genuineCert, ""},
		{nil, "http://api.paypal.com/v1/notifications/certs/CERT-1", ""},
		{nil, "https://api.paypal.com.example.test/v1/notifications/certs/CERT-1", ""},
		{nil, "https://apipaypal.com/v1/notifications/certs/CERT-1", ""},
		{nil, "https://example.test/v1/notifications/certs/CERT-1?.paypal.com", ""},
		{nil, "https://example.test#.paypal.com/v1/notifications/certs/CERT-1", ""},
		{nil, "https://api.paypal.com@example.test/v1/notifications/certs/CERT-1", ""},
		{nil, "https://user@api.paypal.com/v1/notifications/certs/CERT-1", ""},
		{nil, "https://api.paypal.com:8443/v1/notifications/certs/CERT-1", ""},
		{nil, "https://api.paypal.com/v1/notifications/certs/../../../redirect", ""},
		{nil, "https://api.paypal.com/v1/notifications/certs/%2e%2e/x", ""},
		{nil, "https://api.paypal.com/redirect", ""},
		{nil, "https://127.0.0.1/v1/notifications/certs/CERT-1", ""},
		{nil, "%", ""},
	} {
		r := signed(event("PAYMENT.CAPTURE.COMPLETED", capture))
		r.Header.Set(certHeader, test.address)
		calls, err := open(t, test.settings).(provider.Inquirer).Inquire(r)
		got := ""
		if len(calls) == 1 {
			got = calls[0].URL
		}
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%s: asks %q, %v, want %q", test.address, got, err, test.want)
		}
	}
}

func TestHeadersAreCheckedBeforeAnybodyIsAsked(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]string{
		"Paypal-Transmission-Id": "a|b", "Paypal-Transmission-Time": "yesterday", algoHeader: "SHA1withRSA", sigHeader: "%",
		certHeader: "x",
	} {
		for _, changed := range []string{"", value} {
			r := signed(event("PAYMENT.CAPTURE.COMPLETED", capture))
			r.Header.Set(name, changed)
			if calls, err := open(t, nil).(provider.Inquirer).Inquire(r); err == nil {
				t.Errorf("%s %q: %d questions", name, changed, len(calls))
			}
			if err := open(t, nil).Verify(r); err == nil {
				t.Errorf("%s %q: taken", name, changed)
			}
		}
	}
	nobody, err := paypal.Kind().New(&configv1.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	r := signed("{}")
	if _, err := nobody.(provider.Inquirer).Inquire(r); !errors.Is(err, provider.ErrNoSecret) {
		t.Errorf("inquire without a webhook's id: %v", err)
	}
	if err := open(t, nil).Verify(r); err == nil {
		t.Error("taken without a certificate")
	}
}

// forged is a certificate that anybody can make, and its key.
func forged(t *testing.T, name string, key any) []byte {
	t.Helper()
	made := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: providertest.Now().Add(-time.Hour), NotAfter: providertest.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	var public any
	switch k := key.(type) {
	case *rsa.PrivateKey:
		public = k.Public()
	case *ecdsa.PrivateKey:
		public = k.Public()
	}
	der, err := x509.CreateCertificate(rand.Reader, made, made, public, key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

func mustURL(t *testing.T, text string) *url.URL {
	t.Helper()
	address, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return address
}

func TestTheCertificateMustBePayPalsOwn(t *testing.T) {
	t.Parallel()
	r := signed(event("PAYMENT.CAPTURE.COMPLETED", capture))
	genuine := rehearsal().Answer(mustURL(t, genuineCert)).Body
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	verify := func(opened provider.Provider, reply provider.Reply, at time.Time) error {
		asked := *r
		asked.Evidence, asked.ReceivedAt = []provider.Reply{reply}, at
		return opened.Verify(&asked)
	}
	if err := verify(open(t, nil), provider.Reply{Status: http.StatusOK, Body: genuine}, providertest.Now()); err != nil {
		t.Errorf("the genuine one: %v", err)
	}
	if err := verify(open(t, nil), provider.Reply{Status: http.StatusOK, Body: append(slices.Clone(genuine), rehearsal().Roots...)}, providertest.Now()); err != nil {
		t.Errorf("the genuine one with its chain: %v", err)
	}
	for name, reply := range map[string]provider.Reply{
		"self-signed in PayPal's name": {Status: http.StatusOK, Body: forged(t, "messageverificationcerts.paypal.com", key)},
		"self-signed before the real":  {Status: http.StatusOK, Body: append(forged(t, "messageverificationcerts.paypal.com", key), genuine...)},
		"the root itself":              {Status: http.StatusOK, Body: []byte(rehearsal().Roots)},
		"no certificate":               {Status: http.StatusOK, Body: []byte("<html>")},
		"a broken one":                 {Status: http.StatusOK, Body: bytes.Replace(genuine, []byte("MII"), []byte("AAA"), 1)},
		"nothing":                      {Status: http.StatusOK},
		"not found":                    {Status: http.StatusNotFound, Body: genuine},
		"a redirect":                   {Status: http.StatusFound, Body: genuine},
	} {
		if err := verify(open(t, nil), reply, providertest.Now()); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	if err := verify(open(t, nil), provider.Reply{Status: http.StatusOK, Body: genuine}, providertest.Now().AddDate(200, 0, 0)); err == nil {
		t.Error("taken though the certificate has ended")
	}

	// A certificate that the system trusts, of somebody else, is no proof either.
	other := &configv1.Provider{ApiCa: string(forged(t, "shop.example.test", key))}
	if err := verify(open(t, other), provider.Reply{Status: http.StatusOK, Body: []byte(other.GetApiCa())}, providertest.Now()); err == nil {
		t.Error("a trusted certificate of another name was taken")
	}
	system, err := paypal.Kind().New(&configv1.Provider{Secrets: []*configv1.Secret{{Value: webhook}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := verify(system, provider.Reply{Status: http.StatusOK, Body: genuine}, providertest.Now()); err == nil {
		t.Error("the rehearsal's certificate is taken by a provider that does not name its root")
	}
}

func TestAProofGoesTheWholeWayOverHTTPS(t *testing.T) {
	t.Parallel()
	side := httptest.NewTLSServer(rehearsal())
	t.Cleanup(side.Close)
	own := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: side.Certificate().Raw})
	opened := open(t, &configv1.Provider{ApiUrl: side.URL, ApiCa: string(own) + rehearsal().Roots})
	client := fetch.New(fetch.Config{})

	r := signed(event("PAYMENT.CAPTURE.COMPLETED", capture))
	if err := provider.Prove(t.Context(), opened, r, client); err != nil {
		t.Errorf("prove: %v", err)
	}
	if len(r.Evidence) != 0 {
		t.Error("the request of the caller was changed")
	}
	changed := signed(event("PAYMENT.CAPTURE.COMPLETED", capture))
	changed.Body = bytes.Replace(changed.Body, []byte("10.50"), []byte("1.50"), 1)
	if err := provider.Prove(t.Context(), opened, changed, client); err == nil || errors.Is(err, provider.ErrUnreachable) {
		t.Errorf("prove a changed body: %v", err)
	}

	side.Close()
	if err := provider.Prove(t.Context(), opened, r, client); err != nil {
		t.Errorf("prove with the certificate that was kept: %v", err)
	}
	if err := provider.Prove(t.Context(), opened, r, fetch.New(fetch.Config{})); !errors.Is(err, provider.ErrUnreachable) {
		t.Errorf("prove when nobody can be asked: %v, want %v", err, provider.ErrUnreachable)
	}
	if err := provider.Prove(t.Context(), opened, r, nil); !errors.Is(err, provider.ErrUnreachable) {
		t.Errorf("prove without anybody who could ask: %v, want %v", err, provider.ErrUnreachable)
	}
}

func TestTheCRCIsPartOfTheMessageInDecimal(t *testing.T) {
	t.Parallel()
	// The published way to write it; the number is that of the vector in the facts we keep.
	if got := paypal.Message("id", "time", "hook", []byte(`{"id":"WH-SYN-1"}`)); got != "id|time|hook|2798028232" {
		t.Errorf("message %s", got)
	}
}

func translate(t *testing.T, settings *configv1.Provider, body string) *waybillv1.IngestEventRequest {
	t.Helper()
	events, err := providertest.Translate(t, open(t, settings), &provider.Request{
		Header: http.Header{"Paypal-Transmission-Id": {"T-1"}}, Body: []byte(body), ReceivedAt: providertest.Now(),
	})
	if err != nil || len(events) != 1 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	return events[0]
}

func TestAnEventIsKnownByItsOwnIDAndTimeAndADeliveryByItsTransmission(t *testing.T) {
	t.Parallel()
	read := translate(t, nil, event("PAYMENT.CAPTURE.COMPLETED", capture))
	if read.GetEventId() != "WH-1" || read.GetDeliveryId() != "T-1" || read.GetEventIdDerived() || !read.GetOccurredAt().AsTime().Equal(providertest.Now()) {
		t.Errorf("event %s, delivery %s, at %s", read.GetEventId(), read.GetDeliveryId(), read.GetOccurredAt().AsTime())
	}
}

func TestReferencesAreFoundWhereTheShopPutThem(t *testing.T) {
	t.Parallel()
	amount := `"amount":{"currency_code":"USD","value":"1.00"}`
	for _, test := range []struct{ key, eventType, resource, want string }{
		{"", "PAYMENT.CAPTURE.COMPLETED", `{"id":"C","invoice_id":"A","custom_id":"B",` + amount + `}`, "A C"},
		{"", "PAYMENT.CAPTURE.COMPLETED", `{"id":"C","custom_id":"#B",` + amount + `}`, "B C"},
		{"custom_id", "PAYMENT.CAPTURE.COMPLETED", `{"id":"C","invoice_id":"A","custom_id":"B",` + amount + `}`, "B C"},
		{"custom_id", "PAYMENT.CAPTURE.COMPLETED", `{"id":"C","invoice_id":"A",` + amount + `}`, "C"},
		{"", "PAYMENT.SALE.COMPLETED", `{"id":"S","custom":"X","amount":{"currency":"USD","total":"1.00"}}`, "X S"},
		{"", "PAYMENT.SALE.REFUNDED", `{"id":"R","sale_id":"S","amount":{"currency":"USD","total":"1.00"}}`, "S R"},
		{"", "PAYMENT.CAPTURE.REFUNDED", `{"id":"R","links":[{"rel":"self","href":"x"},{"rel":"up","href":"https://api.paypal.com/v2/payments/captures/C"}],` + amount + `}`, "C R"},
		{"", "PAYMENT.CAPTURE.REFUNDED", `{"id":"R","links":[{"rel":"up","href":"/"}],` + amount + `}`, "R"},
		{"", "CUSTOMER.DISPUTE.CREATED", `{"dispute_id":"D","disputed_transactions":[{"seller_transaction_id":"C","invoice_number":"A","custom":"B"}]}`, "A C"},
		{"custom", "CUSTOMER.DISPUTE.CREATED", `{"dispute_id":"D","disputed_transactions":[{"seller_transaction_id":"C","invoice_number":"A","custom":"B"}]}`, "B C"},
	} {
		var names []string
		for _, reference := range translate(t, &configv1.Provider{OrderReference: test.key}, event(test.eventType, test.resource)).GetReferences() {
			names = append(names, reference.GetValue())
		}
		if got := strings.Join(names, " "); got != test.want {
			t.Errorf("%s %s: %s, want %s", test.eventType, test.resource, got, test.want)
		}
	}
}

func TestSettingsAreChecked(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		settings *configv1.Provider
		field    string
	}{
		"sound":                    {&configv1.Provider{Secrets: []*configv1.Secret{{Value: webhook}}}, ""},
		"the simulator's":          {&configv1.Provider{Secrets: []*configv1.Secret{{Value: "WEBHOOK_ID"}}}, "secrets[0].value"},
		"an address":               {&configv1.Provider{Secrets: []*configv1.Secret{{Value: "https://shop.example.test"}}}, "secrets[0].value"},
		"a field that is none":     {&configv1.Provider{Secrets: []*configv1.Secret{{Value: webhook}}, OrderReference: "order_number"}, "order_reference"},
		"a field":                  {&configv1.Provider{Secrets: []*configv1.Secret{{Value: webhook}}, OrderReference: "custom_id"}, ""},
		"no certificates":          {&configv1.Provider{Secrets: []*configv1.Secret{{Value: webhook}}, ApiCa: "x"}, "api_ca"},
		"something to expect":      {&configv1.Provider{Secrets: []*configv1.Secret{{Value: webhook}}, Expect: &configv1.Expect{AccountId: "x"}}, "expect.account_id"},
		"another proof than there": {&configv1.Provider{Secrets: []*configv1.Secret{{Value: webhook}}, Proof: &configv1.Proof{Header: "X"}}, "proof.header"},
	} {
		var fields []string
		for _, problem := range paypal.Kind().Check(test.settings) {
			fields = append(fields, problem.Field)
		}
		if got := strings.Join(fields, " "); got != test.field {
			t.Errorf("%s: problems of %q, want %q", name, got, test.field)
		}
	}
}
