package standardwebhooks_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/providertest"
	"github.com/waybillhq/waybill/server/provider/standardwebhooks"
)

// The vectors of the official Go and Rust libraries and of Svix's manual, and one of our own for Ed25519, made with the
// first test key of RFC 8032.
const (
	goSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	goID     = "msg_p5jXN8AQM9LWM0D4loKWxJek"
	goStamp  = 1614265330
	goBody   = `{"test": 2432232314}`
	goProof  = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="

	edPublic = "whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="
	edSeed   = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
	edBody   = `{"type":"order.delivered","timestamp":"2023-11-14T22:13:20Z","data":{"order":"SYN-1001"}}`
	edProof  = "v1a,CE7G77CltmBcHRTEPaFQUwavvVvD6v1nnJ26fD4tcVJWHClN+tBBmKYwX8UGNjVKr/O8n1SgGUvzBLzgdOrFBQ=="
)

func headers(prefix, id string, stamp int64, signature string) http.Header {
	return http.Header{
		prefix + "-Id": {id}, prefix + "-Timestamp": {strconv.FormatInt(stamp, 10)}, prefix + "-Signature": {signature},
	}
}

func vectors() []providertest.Vector {
	at := time.Unix(goStamp, 0)
	wrong := "v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc="
	published := func(name, secret, id string, stamp int64, body, proof string) providertest.Vector {
		return providertest.Vector{
			Name: name, Secret: secret, Header: headers("Webhook", id, stamp, proof), Body: body, At: time.Unix(stamp, 0),
		}
	}
	variant := func(name string, header http.Header, refused bool) providertest.Vector {
		return providertest.Vector{Name: name, Secret: goSecret, Header: header, Body: goBody, At: at, Refused: refused}
	}
	without := func(name string) http.Header {
		header := headers("Webhook", goID, goStamp, goProof)
		header.Del(name)
		return header
	}
	mixed := headers("Svix", goID, goStamp, goProof)
	mixed.Set("Webhook-Id", goID)

	return []providertest.Vector{
		published("the Go library's", goSecret, goID, goStamp, goBody, goProof),
		published("the Rust library's", "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD", "msg_27UH4WbU6Z5A5EzD8u03UvzRbpk", 1649367553,
			`{"email":"test@example.com","username":"test_user"}`, "v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw="),
		published("the manual of Svix", "whsec_plJ3nmyCDGBKInavdOK15jsl", "msg_loFOjxBNrRLzqYUf", 1731705121,
			`{"event_type":"ping","data":{"success":true}}`, "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0="),
		published("the secret without its prefix", strings.TrimPrefix(goSecret, "whsec_"), goID, goStamp, goBody, goProof),
		published("Ed25519", edPublic, "msg_synth_0001", 1700000000, edBody, edProof),
		variant("the names of Svix", headers("Svix", goID, goStamp, goProof), false),
		variant("one of several", headers("Webhook", goID, goStamp, wrong+" v2,"+goProof[3:]+" "+goProof+" "+wrong), false),
		variant("a wrong one", headers("Webhook", goID, goStamp, wrong), true),
		variant("an empty one", headers("Webhook", goID, goStamp, "v1,"), true),
		variant("under another scheme", headers("Webhook", goID, goStamp, "v2,"+goProof[3:]), true),
		variant("as if it were Ed25519", headers("Webhook", goID, goStamp, "v1a,"+goProof[3:]), true),
		variant("without an id", without("Webhook-Id"), true),
		variant("without a time", without("Webhook-Timestamp"), true),
		variant("without a signature", without("Webhook-Signature"), true),
		variant("another id", headers("Webhook", goID+"x", goStamp, goProof), true),
		variant("another time", headers("Webhook", goID, goStamp+1, goProof), true),
		variant("names of both", mixed, true),
		variant("a time that is none", http.Header{"Webhook-Id": {goID}, "Webhook-Timestamp": {"1614265330.0"}, "Webhook-Signature": {goProof}}, true),
	}
}

func options() providertest.Options {
	return providertest.Options{
		Sample:      "payment.paid",
		ProofHeader: "Webhook-Signature",
		ProofPrefix: "v1,",
		SignsBody:   true,
		Past:        300 * time.Second,
		Future:      300 * time.Second,
		Malformed: []string{
			"v1", "v1,,", "v1,=", "v1 " + goProof[3:], "v1," + strings.TrimRight(goProof[3:], "="), "v1a,", edProof, goProof,
			"v1;" + goProof[3:], "v1," + strings.NewReplacer("+", "-", "/", "_").Replace(goProof[3:]),
		},
		Vectors:     vectors(),
		Words:       words(),
		UnknownWord: word("order.teleported", `{"order_number":"A"}`, "unrecognised type"),
	}
}

func word(eventType, data string, says ...string) providertest.Word {
	return providertest.Word{
		Name:   eventType + " " + data,
		Header: http.Header{"Webhook-Id": {"msg_1"}},
		Body:   `{"type":"` + eventType + `","timestamp":"2026-01-15T12:30:05Z","data":` + data + `}`,
		Says:   says,
	}
}

func words() []providertest.Word {
	const (
		money  = `,"amount":"10.50","currency":"EUR"}`
		paid   = `{"payment_id":"P","order_number":"A"` + money
		parcel = `{"consignment_id":"C","order_number":"A"`
	)
	all := []providertest.Word{
		word("order.placed", `{"order_id":"1","order_number":"A","total":"10.5","currency":"EUR","lines":[{"line_id":"1","quantity":2}]}`, "order_placed A"),
		word("order.placed", `{"order_number":"#A"}`, "order_placed A"),
		word("order.updated", `{"order_id":"1"}`, "order_placed 1"),
		word(" Order.Placed ", `{"order_id":"1"}`, "order_placed 1"),
		word("order.cancelled", `{"order_id":"1"}`, "order_cancelled"),
		word("order.fact", `{"order_id":"1","name":"on_hold","needs_attention":true}`, "fact on_hold!"),
		word("order.fact", parcel+`,"name":"Weighed","amount":"-"}`, "undecoded"),
		word("order.fact", parcel+`,"name":"weighed"}`, "fact weighed"),
		word("order.fact", parcel+`,"name":"not a name"}`, "undecoded"),
		word("shipment.announced", parcel+`,"courier":"X","units":[{"line_id":"1","quantity":1}]}`, "shipment_announced"),
		word("shipment.announced", parcel+`,"return_parcel":true}`, "shipment_announced on the return parcel"),
		word("shipment.announced", `{"order_number":"A"}`, "undecoded"),
		word("shipment.announced", parcel+`,"units":[{"line_id":"1"}]}`, "undecoded"),
		word("shipment.status", parcel+`,"status":"teleported"}`, "unrecognised data.status"),
		word("shipment.status", parcel+`}`, "undecoded"),
		word("shipment.status", `{"order_number":"A","status":"shipped"}`, "undecoded"),
		word("shipment.checkpoint", parcel+`,"location":"Dhaka"}`, "checkpoint"),
		word("shipment.checkpoint", parcel+`}`, "undecoded"),
		word("payment.refunded", `{"payment_id":"P","refund_id":"R"`+money, "refund_step"),
		word("payment.refunded", `{"order_number":"A","refund_id":"R"`+money, "refund_step"),
		word("payment.refunded", paid, "refund_total"),
		word("payment.refunded", `{"order_number":"A"`+money, "undecoded"),
		word("payment.refunded", `{"payment_id":"P"}`, "undecoded"),
		word("payment.paid", `{"payment_id":"P","asserted":true}`, "assertion paid"),
		word("payment.paid", `{"payment_id":"P"}`, "undecoded"),
		word("payment.paid", `{"order_number":"A"`+money, "undecoded"),
		word("payment.paid", `{"payment_id":"P","amount":"1"}`, "undecoded"),
		word("payment.paid", `{"payment_id":"P","amount":"1","currency":"EURO"}`, "undecoded"),
		word("payment.paid", `{"payment_id":"P","amount":-1,"currency":"EUR"}`, "undecoded"),
		word("payment.paid", `{}`, "undecoded"),
		word("payment.paid", `[]`, "undecoded"),
		word("payment.paid", `null`, "undecoded"),
		word("dispute.opened", `{"payment_id":"P"}`, "undecoded"),
		word("order.placed", `{"order_number":"A","lines":[{"line_id":"1"}]}`, "undecoded"),
		word("order.placed", `{"payment_id":"P"}`, "undecoded"),
		word("order.cancelled", `{"payment_id":"P"}`, "undecoded"),
		word("order.fact", `{"order_number":"A"}`, "undecoded"),
		word("", `{}`, "undecoded"),
	}
	for _, state := range []string{"pending", "authorized", "paid", "failed", "voided"} {
		all = append(all, word("payment."+state, paid, "movement "+state))
	}
	for eventType, says := range map[string]string{"opened": "open", "won": "won", "lost": "lost"} {
		all = append(all, word("dispute."+eventType, `{"dispute_id":"D","payment_id":"P"}`, "dispute "+says))
	}
	for _, status := range []string{
		"processing", "shipped", "in_transit", "out_for_delivery", "failed_delivery", "returning", "delivered", "returned",
		"cancelled",
	} {
		all = append(all, word("shipment.status", parcel+`,"status":"`+status+`"}`, "status_changed "+status))
	}
	return all
}

func TestStandardWebhooksKeepTheContract(t *testing.T) {
	t.Parallel()
	providertest.Run(t, standardwebhooks.Kind(), options())
}

func FuzzVerify(f *testing.F)    { providertest.FuzzVerify(f, standardwebhooks.Kind(), options()) }
func FuzzTranslate(f *testing.F) { providertest.FuzzTranslate(f, standardwebhooks.Kind(), options()) }

func open(t *testing.T, settings *configv1.Provider) provider.Provider {
	t.Helper()
	opened, err := standardwebhooks.Kind().New(settings)
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

func secrets(values ...string) *configv1.Provider {
	settings := &configv1.Provider{}
	for _, value := range values {
		settings.Secrets = append(settings.Secrets, &configv1.Secret{Value: value})
	}
	return settings
}

func TestASendersPrivateKeySignsWhatItsPublicKeyProves(t *testing.T) {
	t.Parallel()
	seed, err := hex.DecodeString(edSeed)
	if err != nil {
		t.Fatal(err)
	}
	whole := ed25519.NewKeyFromSeed(seed)
	opened := open(t, secrets(goSecret, edPublic))
	for name, raw := range map[string][]byte{"a seed": seed, "a whole key": whole} {
		r := &provider.Request{Header: http.Header{}, Body: []byte(edBody), ReceivedAt: providertest.Now()}
		standardwebhooks.Kind().Sign(r, "whsk_"+base64.StdEncoding.EncodeToString(raw), providertest.Now())
		if err := opened.Verify(r); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		r.Body[3] ^= 1
		if err := opened.Verify(r); err == nil {
			t.Errorf("%s: a changed body was taken", name)
		}
	}
	for _, useless := range []string{"whsk_", "whsk_AAAA", "whsk_%%%", edPublic, "", "whsec_%%%"} {
		r := &provider.Request{Header: http.Header{}, Body: []byte(edBody), ReceivedAt: providertest.Now()}
		standardwebhooks.Kind().Sign(r, useless, providertest.Now())
		if err := opened.Verify(r); err == nil {
			t.Errorf("signed with %q and taken", useless)
		}
	}
}

func TestAPointInAnIDWouldMoveTheBordersOfWhatIsSigned(t *testing.T) {
	t.Parallel()
	opened := open(t, secrets(goSecret))
	signed := func(id, stamp, body string) *provider.Request {
		r := &provider.Request{
			Header:     http.Header{"Webhook-Id": {id}, "Webhook-Timestamp": {stamp}},
			Body:       []byte(body),
			ReceivedAt: time.Unix(goStamp, 0),
		}
		return r
	}
	// The sender signs a body that begins with digits and a point.
	honest := signed("msg_1", strconv.Itoa(goStamp), strconv.Itoa(goStamp)+`.{"type":"x"}`)
	standardwebhooks.Kind().Sign(honest, goSecret, time.Unix(goStamp, 0))
	if err := opened.Verify(honest); err != nil {
		t.Fatalf("verify: %v", err)
	}
	moved := signed("msg_1."+strconv.Itoa(goStamp), strconv.Itoa(goStamp), `{"type":"x"}`)
	moved.Header.Set("Webhook-Signature", honest.Header.Get("Webhook-Signature"))
	if err := opened.Verify(moved); err == nil {
		t.Error("the same signature was good for another id and another body")
	}
	for _, id := range []string{"", "a b", "a.b", "é", strings.Repeat("a", 256), "a\x00"} {
		r := signed(id, strconv.Itoa(goStamp), goBody)
		standardwebhooks.Kind().Sign(r, goSecret, time.Unix(goStamp, 0))
		r.Header.Set("Webhook-Id", id)
		if err := opened.Verify(r); err == nil {
			t.Errorf("id %q was taken", id)
		}
	}
}

func TestASecretOfAnotherShapeIsAFaultOfTheSettings(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"whsec_", "whsec_not base64", "plain-text", "whpk_AAAA", "whpk_", "whsk_" + edPublic[5:]} {
		problems := standardwebhooks.Kind().Check(secrets(goSecret, value))
		if len(problems) != 1 || problems[0].Field != "secrets[1].value" || strings.Contains(problems[0].Message, value[5:]+"x") {
			t.Errorf("%s: problems %v, want one of secrets[1].value", value, problems)
		}
		r := &provider.Request{Header: headers("Webhook", goID, goStamp, goProof), Body: []byte(goBody), ReceivedAt: time.Unix(goStamp, 0)}
		if err := open(t, secrets(value)).Verify(r); !errors.Is(err, provider.ErrNoSecret) {
			t.Errorf("%s: verify: %v, want %v", value, err, provider.ErrNoSecret)
		}
	}
	if problems := standardwebhooks.Kind().Check(secrets(goSecret, edPublic, goSecret[6:])); len(problems) > 0 {
		t.Errorf("sound secrets have problems: %v", problems)
	}
	if problems := standardwebhooks.Kind().Check(secrets("")); len(problems) != 1 {
		t.Errorf("an empty secret has problems %v, want one", problems)
	}
}

func translate(t *testing.T, settings *configv1.Provider, w providertest.Word) *waybillv1.IngestEventRequest {
	t.Helper()
	events, err := providertest.Translate(t, open(t, settings), &provider.Request{
		Header: w.Header, Body: []byte(w.Body), ReceivedAt: providertest.Now(),
	})
	if err != nil || len(events) != 1 {
		t.Fatalf("%d events, %v, want one", len(events), err)
	}
	return events[0]
}

func TestTheHeadersIDIsTheEventsAndItsTimeIsNot(t *testing.T) {
	t.Parallel()
	paid := word("payment.paid", `{"payment_id":"P","amount":"1","currency":"EUR"}`)
	event := translate(t, nil, paid)
	if event.GetEventId() != "msg_1" || event.GetEventIdDerived() || !event.GetOccurredAt().AsTime().Equal(providertest.Now()) {
		t.Errorf("id %s, derived %t, at %s", event.GetEventId(), event.GetEventIdDerived(), event.GetOccurredAt().AsTime())
	}
	paid.Header = http.Header{"Svix-Id": {"msg_2"}}
	if id := translate(t, nil, paid).GetEventId(); id != "msg_2" {
		t.Errorf("id %s under the names of Svix", id)
	}
	paid.Header = nil
	if says := providertest.Summary(translate(t, nil, paid)); says[0] != "undecoded" {
		t.Errorf("without an id it says %v", says)
	}
	paid = word("payment.paid", `{"payment_id":"P","amount":"1","currency":"EUR"}`)
	paid.Body = strings.Replace(paid.Body, "2026-01-15T12:30:05Z", "yesterday", 1)
	if event := translate(t, nil, paid); event.GetOccurredAt() != nil {
		t.Errorf("a time that is none became %s", event.GetOccurredAt().AsTime())
	}
}

func TestAmountsAreMajorUnitsUnlessTheSettingsSayMinor(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		settings *configv1.Provider
		data     string
		want     *waybillv1.Money
	}{
		{nil, `"amount":"10.5","currency":"eur"`, &waybillv1.Money{Currency: "EUR", MinorUnits: 1050}},
		{nil, `"amount":10.50,"currency":"EUR"`, &waybillv1.Money{Currency: "EUR", MinorUnits: 1050}},
		{nil, `"amount":500,"currency":"JPY"`, &waybillv1.Money{Currency: "JPY", MinorUnits: 500}},
		{&configv1.Provider{Currency: "BDT"}, `"amount":7`, &waybillv1.Money{Currency: "BDT", MinorUnits: 700}},
		{&configv1.Provider{MinorUnits: true}, `"amount":1050,"currency":"EUR"`, &waybillv1.Money{Currency: "EUR", MinorUnits: 1050}},
		{&configv1.Provider{MinorUnits: true}, `"amount":10.5,"currency":"EUR"`, nil},
		{&configv1.Provider{MinorUnits: true}, `"amount":-1,"currency":"EUR"`, nil},
		{&configv1.Provider{MinorUnits: true}, `"amount":1,"currency":"XXX"`, nil},
		{nil, `"amount":"10.505","currency":"EUR"`, nil},
	} {
		event := translate(t, test.settings, word("payment.paid", `{"payment_id":"P",`+test.data+`}`))
		got := event.GetChanges()[0].GetPaymentReported().GetAmount()
		if got.GetCurrency() != test.want.GetCurrency() || got.GetMinorUnits() != test.want.GetMinorUnits() {
			t.Errorf("%s became %v, want %v", test.data, got, test.want)
		}
	}
}

func TestWhatIsNamedIsReferredTo(t *testing.T) {
	t.Parallel()
	event := translate(t, nil, word("shipment.announced",
		`{"order_id":"1","order_number":"#A","consignment_id":"C","tracking_number":"T","fulfilment_id":"F","payment_id":"P"}`))
	var names []string
	for _, reference := range event.GetReferences() {
		names = append(names, reference.GetValue())
	}
	if got := strings.Join(names, " "); got != "1 A C T F P" {
		t.Errorf("references %s", got)
	}
	shipment := event.GetChanges()[0].GetShipmentAnnounced().GetShipment()
	if shipment.GetConsignmentId() != "C" || shipment.GetTrackingNumber() != "T" || shipment.GetFulfilmentId() != "F" {
		t.Errorf("parcel %v", shipment)
	}
}
