package bkash_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/fetch"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/bkash"
	"github.com/waybillhq/waybill/server/provider/providertest"
)

const (
	topic       = "arn:aws:sns:ap-southeast-1:000000000000:synth"
	certificate = "https://sns.ap-southeast-1.amazonaws.com/SimpleNotificationService-rehearsal.pem"
)

var member = regexp.MustCompile(`"Signature":"[^"]*"`)

// place is where a message carries its signature.
var place = &providertest.Place{
	Get: func(r *provider.Request) string {
		return strings.TrimSuffix(strings.TrimPrefix(member.FindString(string(r.Body)), `"Signature":"`), `"`)
	},
	Set: func(r *provider.Request, proofs ...string) {
		var members []string
		for _, proof := range proofs {
			text, err := json.Marshal(proof)
			if err != nil {
				panic(err)
			}
			members = append(members, `"Signature":`+string(text))
		}
		if len(members) == 0 {
			members = []string{`"none":""`}
		}
		r.Body = []byte(member.ReplaceAllLiteralString(string(r.Body), strings.Join(members, ",")))
	},
}

func options() providertest.Options {
	return providertest.Options{
		Sample:    "payment",
		Place:     place,
		Malformed: []string{"AAAA", strings.Repeat("A", 344)},
		Words: []providertest.Word{
			word(payment(`"transactionStatus":"Completed"`), "movement paid"),
			word(payment(`"transactionStatus":"completed "`), "movement paid"),
			word(payment(`"transactionStatus":"Completed","couponAmount":"50.00"`), "movement paid", "fact coupon_used!"),
			word(payment(`"transactionStatus":"Completed","couponAmount":"0"`), "movement paid"),
			word(payment(`"transactionStatus":""`), "undecoded"),
			word(payment(`"transactionStatus":"Completed","trxID":""`), "undecoded"),
			word(payment(`"transactionStatus":"Completed","amount":"x"`), "undecoded"),
			word(message("Notification", `not JSON`), "undecoded"),
			word(message("Notification", `{"a":1,"a":2}`), "undecoded"),
			word(message("SubscriptionConfirmation", "You have chosen"), "ignored"),
			word(message("UnsubscribeConfirmation", "You have chosen"), "ignored"),
			word(strings.Replace(message("SubscriptionConfirmation", ""), "sns.ap-southeast-1.amazonaws.com/?Action", "example.test/?Action", 1), "undecoded"),
			word(message("Invitation", ""), "undecoded"),
			word(`{"dateTime":"20260115183005","trxID":"T"}`, "undecoded"),
			word(strings.Replace(payment(`"transactionStatus":"Completed"`), `"MessageId":"M-1",`, "", 1), "undecoded"),
		},
		UnknownWord: word(payment(`"transactionStatus":"Reversed"`), "unrecognised Message.transactionStatus"),
	}
}

func word(body string, says ...string) providertest.Word {
	return providertest.Word{Name: body, Body: body, Says: says}
}

// message is an envelope.
func message(kind, text string) string {
	return member.ReplaceAllLiteralString(envelope(map[string]any{"Type": kind, "Message": text}), `"Signature":""`)
}

func envelope(changed map[string]any) string {
	all := map[string]any{
		"Type": "Notification", "MessageId": "M-1", "TopicArn": topic, "Timestamp": "2026-01-15T12:30:06.000Z",
		"Token": "T", "SubscribeURL": "https://sns.ap-southeast-1.amazonaws.com/?Action=ConfirmSubscription&Token=T",
	}
	maps.Copy(all, changed)
	text, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	return strings.ReplaceAll(string(text), `\u0026`, "&")
}

// payment is a notification of a payment with some members set another way.
func payment(members string) string {
	all := map[string]any{
		"trxID": "TRX1", "dateTime": "20260115183005", "amount": "1050.00", "currency": "BDT", "merchantInvoiceNumber": "SYN-1",
	}
	if err := json.Unmarshal([]byte("{"+members+"}"), &all); err != nil {
		panic(err)
	}
	text, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	return message("Notification", string(text))
}

func TestBKashKeepsTheContract(t *testing.T) {
	t.Parallel()
	providertest.Run(t, bkash.Kind(), options())
}

func FuzzTranslate(f *testing.F) { providertest.FuzzTranslate(f, bkash.Kind(), options()) }

// FuzzVerify takes nothing that it did not sign, and takes back what it did, unless a line break makes it ambiguous.
func FuzzVerify(f *testing.F) {
	opened := open(f, nil)
	f.Add([]byte(payment(`"transactionStatus":"Completed"`)), "hello\nworld", "M-1", "subject")
	f.Add([]byte(message("SubscriptionConfirmation", "x")), "", "M\n1", "")
	f.Fuzz(func(t *testing.T, raw []byte, text, id, subject string) {
		if prove(opened, &provider.Request{Body: raw, ReceivedAt: providertest.Now()}) == nil {
			t.Fatal("taken although nobody has signed it")
		}
		r := signed(envelope(map[string]any{"Message": text, "MessageId": id, "Subject": subject}))
		ambiguous := strings.Contains(id, "\n") || strings.Contains(subject, "\n")
		if err := prove(opened, r); (err != nil) != ambiguous {
			t.Fatalf("signed %q, %q, %q: %v", text, id, subject, err)
		}
	})
}

func open(t testing.TB, settings *configv1.Provider) provider.Provider {
	t.Helper()
	if settings == nil {
		settings = &configv1.Provider{}
	}
	settings = proto.CloneOf(settings)
	settings.Secrets = []*configv1.Secret{{Value: topic}}
	opened, err := bkash.Kind().New(settings)
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

// prove asks the rehearsal.
func prove(opened provider.Provider, r *provider.Request) error {
	return provider.Prove(context.Background(), opened, r, bkash.Kind().Rehearsal)
}

func signed(body string) *provider.Request {
	r := &provider.Request{Header: http.Header{}, Body: []byte(body), ReceivedAt: providertest.Now()}
	bkash.Kind().Sign(r, topic, providertest.Now())
	return r
}

func TestTheSignatureCoversEveryMemberThatSaysSomething(t *testing.T) {
	t.Parallel()
	opened := open(t, nil)
	for name, test := range map[string]struct {
		body    string
		changes map[string]string
	}{
		"a notification": {
			envelope(map[string]any{"Message": "hello", "Subject": "greeting"}),
			map[string]string{
				`"hello"`: `"hallo"`, `"M-1"`: `"M-2"`, `"greeting"`: `"grating"`, `"Subject":"greeting",`: "", "12:30:06": "12:30:07",
				`"Type":"Notification"`: `"Type":"UnsubscribeConfirmation"`, `"SignatureVersion":"1"`: `"SignatureVersion":"2"`,
				`"SignatureVersion":"1",`: "",
			},
		},
		"one without a subject": {
			envelope(map[string]any{"Message": "hello", "Subject": nil}),
			map[string]string{`"Subject":null`: `"Subject":""`},
		},
		"one of version 2": {
			envelope(map[string]any{"Message": "hello", "SignatureVersion": "2"}),
			map[string]string{`"hello"`: `"hallo"`, `"SignatureVersion":"2"`: `"SignatureVersion":"1"`},
		},
		"a subscription": {
			envelope(map[string]any{"Type": "SubscriptionConfirmation", "Message": "hello"}),
			map[string]string{
				`"hello"`: `"hallo"`, `"Token":"T"`: `"Token":"U"`, "Token=T": "Token=U", `"Type":"Subsc`: `"Type":"Unsubsc`,
				`SubscriptionConfirmation`: `UnsubscribeConfirmation`,
			},
		},
	} {
		honest := signed(test.body)
		if err := prove(opened, honest); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for from, to := range test.changes {
			changed := strings.Replace(string(honest.Body), from, to, 1)
			if changed == string(honest.Body) {
				t.Fatalf("%s: %s is not in %s", name, from, honest.Body)
			}
			if err := prove(opened, &provider.Request{Body: []byte(changed), ReceivedAt: providertest.Now()}); err == nil {
				t.Errorf("%s: %s became %s and was taken", name, from, to)
			}
		}
	}
	if err := prove(opened, signed(envelope(map[string]any{"SignatureVersion": "3"}))); err == nil {
		t.Error("an unknown version was taken")
	}
}

func TestAMessageOfAnotherTopicIsRefusedBeforeAnybodyIsAsked(t *testing.T) {
	t.Parallel()
	opened := open(t, nil)
	r := &provider.Request{Header: http.Header{}, Body: []byte(message("Notification", "x")), ReceivedAt: providertest.Now()}
	bkash.Kind().Sign(r, topic+"-of-somebody-else", providertest.Now())
	if calls, err := opened.(provider.Inquirer).Inquire(r); err == nil {
		t.Errorf("%d questions", len(calls))
	}
	if err := prove(opened, r); err == nil {
		t.Error("taken")
	}
	nobody, err := bkash.Kind().New(&configv1.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := nobody.(provider.Inquirer).Inquire(r); !errors.Is(err, provider.ErrNoSecret) {
		t.Errorf("inquire without a topic: %v", err)
	}
	if err := opened.Verify(signed(message("Notification", "x"))); err == nil {
		t.Error("taken without a certificate")
	}
}

func TestTheCertificateIsFetchedFromSNSAndNowhereElse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ address, apiURL, want string }{
		{certificate, "", certificate},
		{
			"https://sns.cn-north-1.amazonaws.com.cn/SimpleNotificationService-abc.pem", "",
			"https://sns.cn-north-1.amazonaws.com.cn/SimpleNotificationService-abc.pem",
		},
		{certificate, "https://127.0.0.1:9443", "https://127.0.0.1:9443/SimpleNotificationService-rehearsal.pem"},
		{"http://sns.ap-southeast-1.amazonaws.com/SimpleNotificationService-a.pem", "", ""},
		{"https://sns.ap-southeast-1.amazonaws.com.example.test/SimpleNotificationService-a.pem", "", ""},
		{"https://sns.amazonaws.com/SimpleNotificationService-a.pem", "", ""},
		{"https://bucket.s3.amazonaws.com/SimpleNotificationService-a.pem", "", ""},
		{"https://sns.evil.s3.amazonaws.com/SimpleNotificationService-a.pem", "", ""},
		{"https://sns-ap-southeast-1.amazonaws.com/SimpleNotificationService-a.pem", "", ""},
		{"https://sns.ap-southeast-1.amazonaws.com/other.pem", "", ""},
		{"https://sns.ap-southeast-1.amazonaws.com/x/SimpleNotificationService-a.pem", "", ""},
		{"https://sns.ap-southeast-1.amazonaws.com/SimpleNotificationService-a.pem?x=1", "", ""},
		{"https://sns.ap-southeast-1.amazonaws.com/SimpleNotificationService-a.pem#x", "", ""},
		{"https://user@sns.ap-southeast-1.amazonaws.com/SimpleNotificationService-a.pem", "", ""},
		{"https://sns.ap-southeast-1.amazonaws.com:8443/SimpleNotificationService-a.pem", "", ""},
		{"", "", ""},
		{"%", "", ""},
	} {
		r := signed(message("Notification", "x"))
		r.Body = []byte(strings.Replace(string(r.Body), certificate, test.address, 1))
		calls, err := open(t, &configv1.Provider{ApiUrl: test.apiURL}).(provider.Inquirer).Inquire(r)
		got := ""
		if len(calls) == 1 {
			got = calls[0].URL
		}
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%s: asks %q, %v, want %q", test.address, got, err, test.want)
		}
	}
}

// issued is a certificate of a name and a time.
func issued(t *testing.T, name string, from, to time.Time, key any) []byte {
	t.Helper()
	made := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: from, NotAfter: to}
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

func TestTheCertificateMustBeInForceAndInTheNameOfSNS(t *testing.T) {
	t.Parallel()
	address, err := url.Parse(certificate)
	if err != nil {
		t.Fatal(err)
	}
	genuine := bkash.Kind().Rehearsal.Answer(address).Body
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	elliptical, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := providertest.Now()
	r := signed(message("Notification", "x"))
	verify := func(status int, body []byte) error {
		asked := *r
		asked.Evidence = []provider.Reply{{Status: status, Body: body}}
		return open(t, nil).Verify(&asked)
	}
	if err := verify(http.StatusOK, genuine); err != nil {
		t.Errorf("the genuine one: %v", err)
	}
	for name, body := range map[string][]byte{
		"another key":     issued(t, "sns.amazonaws.com", now.Add(-time.Hour), now.Add(time.Hour), key),
		"another name":    issued(t, "shop.example.test", now.Add(-time.Hour), now.Add(time.Hour), key),
		"not yet":         issued(t, "sns.amazonaws.com", now.Add(time.Hour), now.Add(2*time.Hour), key),
		"no more":         issued(t, "sns.amazonaws.com", now.Add(-2*time.Hour), now.Add(-time.Hour), key),
		"no RSA":          issued(t, "sns.amazonaws.com", now.Add(-time.Hour), now.Add(time.Hour), elliptical),
		"no certificate":  []byte("<html>"),
		"a broken one":    []byte("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"),
		"nothing":         nil,
		"a regional name": issued(t, "sns.cn-north-1.amazonaws.com.cn", now.Add(-time.Hour), now.Add(time.Hour), key),
	} {
		if err := verify(http.StatusOK, body); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	if err := verify(http.StatusNotFound, genuine); err == nil {
		t.Error("a reply that is no 200 was taken")
	}
}

func TestLineBreaksCantMoveTheBordersOfWhatIsSigned(t *testing.T) {
	t.Parallel()
	// The topic's owner signs a message whose text looks like the members that come after it.
	honest := signed(envelope(map[string]any{"Message": "a\nMessageId\nM-1\nTimestamp\nx\nTopicArn\n" + topic + "\nType\nNotification\nMessageId\nM-1", "MessageId": "M-2"}))
	if err := prove(open(t, nil), honest); err != nil {
		t.Fatalf("prove: %v", err)
	}
	signature := member.FindString(string(honest.Body))
	moved := envelope(map[string]any{
		"Message":          "a",
		"MessageId":        "M-1\nTimestamp\nx\nTopicArn\n" + topic + "\nType\nNotification\nMessageId\nM-1\nMessageId\nM-2",
		"SignatureVersion": "1", "SigningCertURL": certificate, "Signature": "",
	})
	moved = member.ReplaceAllLiteralString(moved, signature)
	if err := prove(open(t, nil), &provider.Request{Body: []byte(moved), ReceivedAt: providertest.Now()}); err == nil {
		t.Error("the same signature was good for another reading")
	}
}

func TestASubscriptionIsConfirmedAtSNSAndNowhereElse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ kind, address, want string }{
		{
			"SubscriptionConfirmation", "https://sns.ap-southeast-1.amazonaws.com/?Action=ConfirmSubscription&Token=T",
			"https://sns.ap-southeast-1.amazonaws.com/?Action=ConfirmSubscription&Token=T",
		},
		{"SubscriptionConfirmation", "https://example.test/?Action=ConfirmSubscription&Token=T", ""},
		{"SubscriptionConfirmation", "http://sns.ap-southeast-1.amazonaws.com/?Action=ConfirmSubscription", ""},
		{"SubscriptionConfirmation", "https://sns.ap-southeast-1.amazonaws.com/?Action=DeleteTopic", ""},
		{"SubscriptionConfirmation", "", ""},
		{"Notification", "https://sns.ap-southeast-1.amazonaws.com/?Action=ConfirmSubscription&Token=T", ""},
		{"UnsubscribeConfirmation", "https://sns.ap-southeast-1.amazonaws.com/?Action=ConfirmSubscription&Token=T", ""},
	} {
		r := signed(envelope(map[string]any{"Type": test.kind, "SubscribeURL": test.address}))
		call, ok := open(t, nil).(provider.Confirmer).Confirm(r)
		if ok != (test.want != "") || call.URL != test.want || call.Keep != 0 {
			t.Errorf("%s %s: %t %+v", test.kind, test.address, ok, call)
		}
	}
	if _, ok := open(t, nil).(provider.Confirmer).Confirm(&provider.Request{Body: []byte("x")}); ok {
		t.Error("what can't be read was confirmed")
	}
}

func TestProofAndConfirmationGoTheWholeWayOverHTTPS(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 10)
	side := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.URL.RequestURI()
		if strings.Contains(r.URL.RawQuery, "Token=gone") {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		bkash.Kind().Rehearsal.ServeHTTP(w, r)
	}))
	t.Cleanup(side.Close)
	opened := open(t, &configv1.Provider{
		ApiUrl: side.URL, ApiCa: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: side.Certificate().Raw})),
	})
	client := fetch.New(fetch.Config{})

	ask := func(r *provider.Request) (bool, error) {
		t.Helper()
		if err := provider.Prove(t.Context(), opened, r, client); err != nil {
			t.Fatalf("prove: %v", err)
		}
		return provider.Confirm(t.Context(), opened, r, client)
	}
	if done, err := ask(signed(message("Notification", "x"))); done || err != nil {
		t.Errorf("a notification was confirmed: %t, %v", done, err)
	}
	if done, err := ask(signed(message("SubscriptionConfirmation", "x"))); !done || err != nil {
		t.Errorf("confirm: %t, %v", done, err)
	}
	gone := signed(envelope(map[string]any{
		"Type": "SubscriptionConfirmation", "SubscribeURL": "https://sns.ap-southeast-1.amazonaws.com/?Action=ConfirmSubscription&Token=gone",
	}))
	if done, err := ask(gone); !done || !errors.Is(err, provider.ErrUnreachable) {
		t.Errorf("a confirmation that is refused: %t, %v", done, err)
	}
	close(asked)
	want := []string{
		"/SimpleNotificationService-rehearsal.pem", "/?Action=ConfirmSubscription&Token=T", "/?Action=ConfirmSubscription&Token=gone",
	}
	var got []string
	for path := range asked {
		got = append(got, path)
	}
	if !slices.Equal(got, want) {
		t.Errorf("asked %q, want %q", got, want)
	}
}

func translate(t *testing.T, settings *configv1.Provider, body string) *waybillv1.IngestEventRequest {
	t.Helper()
	events, err := providertest.Translate(t, open(t, settings), &provider.Request{Body: []byte(body), ReceivedAt: providertest.Now()})
	if err != nil || len(events) != 1 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	return events[0]
}

func TestAPaymentIsKnownByItsIDAndItsStatus(t *testing.T) {
	t.Parallel()
	read := translate(t, nil, payment(`"transactionStatus":"Completed"`))
	if read.GetEventId() != "TRX1/Completed" || read.GetDeliveryId() != "M-1" || read.GetEventIdDerived() {
		t.Errorf("event %s, delivery %s", read.GetEventId(), read.GetDeliveryId())
	}
	report := read.GetChanges()[0].GetPaymentReported()
	if report.GetPaymentId() != "TRX1" || report.GetAmount().GetMinorUnits() != 105000 || report.GetAmount().GetCurrency() != "BDT" {
		t.Errorf("payment %v", report)
	}
	kept := translate(t, nil, message("UnsubscribeConfirmation", "x"))
	if kept.GetEventId() != "M-1" {
		t.Errorf("event %s", kept.GetEventId())
	}
}

func TestThePaymentsOwnTimeGoesBeforeTheMessages(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		zone, dateTime, want string
	}{
		{"", `"20260115183005"`, "12:30:05 zone_assumed"},
		{"", `20260115183005`, "12:30:05 zone_assumed"},
		{"UTC", `"20260115183005"`, "18:30:05 zone_assumed"},
		{"", `"2026"`, "12:30:06 exact"},
		{"", `"20261315183005"`, "12:30:06 exact"},
		{"", `null`, "12:30:06 exact"},
	} {
		read := translate(t, &configv1.Provider{TimeZone: test.zone}, payment(`"transactionStatus":"Completed","dateTime":`+test.dateTime))
		certainty := strings.ToLower(strings.TrimPrefix(read.GetOccurredAtCertainty().String(), "OCCURRED_AT_CERTAINTY_"))
		if got := read.GetOccurredAt().AsTime().Format("15:04:05 ") + certainty; got != test.want {
			t.Errorf("%s in %q: %s, want %s", test.dateTime, test.zone, got, test.want)
		}
	}
}

func TestReferencesAreFoundWhereTheShopPutThem(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ key, members, want string }{
		{"", `"transactionReference":"R"`, "SYN-1 TRX1"},
		{"", `"merchantInvoiceNumber":null,"transactionReference":"R"`, "R TRX1"},
		{"", `"merchantInvoiceNumber":""`, "TRX1"},
		{"transactionReference", `"transactionReference":"R"`, "R TRX1"},
		{"transactionReference", `"amount":"1"`, "TRX1"},
	} {
		var names []string
		body := payment(`"transactionStatus":"Completed",` + test.members)
		for _, reference := range translate(t, &configv1.Provider{OrderReference: test.key}, body).GetReferences() {
			names = append(names, reference.GetValue())
		}
		if got := strings.Join(names, " "); got != test.want {
			t.Errorf("%s with %q: %s, want %s", test.members, test.key, got, test.want)
		}
	}
}

func TestSettingsAreChecked(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		settings *configv1.Provider
		field    string
	}{
		"sound":              {&configv1.Provider{Secrets: []*configv1.Secret{{Value: topic}}}, ""},
		"a topic in China":   {&configv1.Provider{Secrets: []*configv1.Secret{{Value: "arn:aws-cn:sns:cn-north-1:000000000000:x"}}}, ""},
		"no topic":           {&configv1.Provider{Secrets: []*configv1.Secret{{Value: "payments"}}}, "secrets[0].value"},
		"a queue":            {&configv1.Provider{Secrets: []*configv1.Secret{{Value: "arn:aws:sqs:ap-southeast-1:000000000000:x"}}}, "secrets[0].value"},
		"an unknown member":  {&configv1.Provider{Secrets: []*configv1.Secret{{Value: topic}}, OrderReference: "x"}, "order_reference"},
		"a known member":     {&configv1.Provider{Secrets: []*configv1.Secret{{Value: topic}}, OrderReference: "transactionReference"}, ""},
		"no such zone":       {&configv1.Provider{Secrets: []*configv1.Secret{{Value: topic}}, TimeZone: "Asia/Atlantis"}, "time_zone"},
		"no certificates":    {&configv1.Provider{Secrets: []*configv1.Secret{{Value: topic}}, ApiCa: "x"}, "api_ca"},
		"an expected store":  {&configv1.Provider{Secrets: []*configv1.Secret{{Value: topic}}, Expect: &configv1.Expect{StoreId: "x"}}, "expect.store_id"},
		"a proof of its own": {&configv1.Provider{Secrets: []*configv1.Secret{{Value: topic}}, Proof: &configv1.Proof{Scheme: "bearer"}}, "proof.scheme"},
	} {
		var fields []string
		for _, problem := range bkash.Kind().Check(test.settings) {
			fields = append(fields, problem.Field)
		}
		if got := strings.Join(fields, " "); got != test.field {
			t.Errorf("%s: problems of %q, want %q", name, got, test.field)
		}
	}
}
