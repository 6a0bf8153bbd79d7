package courier_test

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/courier"
	"github.com/waybillhq/waybill/server/provider/providertest"
)

const signatureHeader = "X-Courier-Signature"

func options() providertest.Options {
	return providertest.Options{
		Sample:      "delivered",
		ProofHeader: signatureHeader,
		ProofPrefix: "sha256=",
		SignsBody:   true,
		Malformed:   []string{"sha1=" + strings.Repeat("0", 40), "sha256=zz", "SHA256=" + strings.Repeat("0", 64)},
		Vectors: []providertest.Vector{{
			Name: "the public vector of the same scheme", Secret: "It's a Secret to Everybody", Body: "Hello, World!",
			Header: http.Header{signatureHeader: {"sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"}},
			At:     providertest.Now(),
		}},
		Words:       words(),
		UnknownWord: providertest.Word{Body: body("teleported"), Says: []string{"unrecognised event_status"}},
	}
}

func body(status string) string {
	return `{"consignment_id":"C1","order_number":"SYN-1","event_status":"` + status + `","event_time":"2026-01-15T12:30:05Z"}`
}

// words are every status word.
func words() []providertest.Word {
	var all []providertest.Word
	add := func(says []string, statuses ...string) {
		for _, status := range statuses {
			all = append(all, providertest.Word{Name: status, Body: body(status), Says: says})
		}
	}
	add([]string{"shipment_announced"}, "announced", "created", "pending", "processing", "label_created", "pickup_scheduled")
	add([]string{"status_changed shipped"}, "shipped", "picked_up")
	add([]string{"status_changed in_transit"}, "in_transit")
	add([]string{"status_changed out_for_delivery"}, "out_for_delivery")
	add([]string{"status_changed failed_delivery"}, "failed_delivery", "delivery_failed", "attempt_failed", "undelivered")
	add([]string{"status_changed delivered"}, "delivered")
	add([]string{"status_changed delivered", "fact partial_delivery"}, "partial_delivery", "partially_delivered")
	add([]string{"status_changed returning"}, "returning", "return_in_transit")
	add([]string{"status_changed returned"}, "returned")
	add([]string{"status_changed cancelled"}, "cancelled", "canceled")
	add([]string{"fact on_hold!"}, "on_hold")
	return all
}

func TestTheCourierKeepsTheContract(t *testing.T) {
	t.Parallel()
	providertest.Run(t, courier.Kind(), options())
}

func TestEveryConfigurableProofKeepsTheContract(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		proof  *configv1.Proof
		header string
		prefix string
		fixed  bool
	}{
		"hex, no prefix":       {&configv1.Proof{Header: "X-Sig"}, "X-Sig", "", false},
		"hex with a prefix":    {&configv1.Proof{Scheme: "hmac_sha256", Header: "X-Sig", Prefix: "v1=", Encoding: "hex"}, "X-Sig", "v1=", false},
		"base64":               {&configv1.Proof{Header: "X-Sig", Encoding: "base64"}, "X-Sig", "", false},
		"base64 with a prefix": {&configv1.Proof{Header: "X-Sig", Prefix: "sha256=", Encoding: "base64"}, "X-Sig", "sha256=", false},
		"bearer":               {&configv1.Proof{Scheme: "bearer"}, "Authorization", "Bearer ", true},
		"static header":        {&configv1.Proof{Scheme: "static_header", Header: "X-Key"}, "X-Key", "", true},
		"static with a prefix": {&configv1.Proof{Scheme: "static_header", Header: "X-Key", Prefix: "Token "}, "X-Key", "Token ", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts := options()
			opts.Settings = &configv1.Provider{Proof: c.proof}
			opts.ProofHeader, opts.ProofPrefix, opts.SignsBody = c.header, c.prefix, !c.fixed
			opts.Vectors, opts.Malformed = nil, nil
			providertest.Run(t, signingAs(t, opts.Settings), opts)
		})
	}
}

// signingAs is the kind, signing as the settings say.
func signingAs(t *testing.T, settings *configv1.Provider) provider.Kind {
	t.Helper()
	kind := courier.Kind()
	sender := provider.Opened{Kind: kind, Config: settings, Provider: open(t, settings)}
	kind.Sign = sender.Sign
	return kind
}

func TestTheReadmeHasTheMapping(t *testing.T) {
	t.Parallel()
	providertest.InReadme(t, words())
}

func FuzzVerify(f *testing.F)    { providertest.FuzzVerify(f, courier.Kind(), options()) }
func FuzzTranslate(f *testing.F) { providertest.FuzzTranslate(f, courier.Kind(), options()) }

func open(t *testing.T, settings *configv1.Provider) provider.Provider {
	t.Helper()
	opened, err := courier.Kind().New(settings)
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

func translateAll(t *testing.T, settings *configv1.Provider, body string) []*waybillv1.IngestEventRequest {
	t.Helper()
	r := &provider.Request{Body: []byte(body), ReceivedAt: providertest.Now()}
	events, err := providertest.Translate(t, open(t, settings), r)
	if err != nil {
		t.Fatal(err)
	}
	return events
}

func translate(t *testing.T, settings *configv1.Provider, body string) *waybillv1.IngestEventRequest {
	t.Helper()
	events := translateAll(t, settings, body)
	if len(events) != 1 {
		t.Fatalf("%d events, want one", len(events))
	}
	return events[0]
}

func TestABodyThatBeginsWithAByteOrderMarkIsProvenWithItAndReadWithoutIt(t *testing.T) {
	t.Parallel()
	marked := "\ufeff" + body("in_transit")
	opened := open(t, &configv1.Provider{Secrets: []*configv1.Secret{{Value: "key"}}})
	r := &provider.Request{Header: http.Header{}, Body: []byte(marked), ReceivedAt: providertest.Now()}
	courier.Kind().Sign(r, "key", providertest.Now())

	if err := opened.Verify(r); err != nil {
		t.Errorf("verify: %v", err)
	}
	if says := providertest.Summary(translate(t, &configv1.Provider{}, marked)); says[0] != "status_changed in_transit" {
		t.Errorf("says %q", says)
	}
	r.Body = []byte(body("in_transit"))
	if opened.Verify(r) == nil {
		t.Error("taken although the mark was cut off after signing")
	}
}

// Some couriers sign the text and compress it afterwards. The proof is for the text; the packed bytes are none of its
// business.
func TestASignatureFromBeforeCompressionIsForTheText(t *testing.T) {
	t.Parallel()
	text := []byte(body("in_transit"))
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	if _, err := writer.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	opened := open(t, &configv1.Provider{Secrets: []*configv1.Secret{{Value: "key"}}})
	r := &provider.Request{Header: http.Header{}, Body: text, ReceivedAt: providertest.Now()}
	courier.Kind().Sign(r, "key", providertest.Now())

	if err := opened.Verify(r); err != nil {
		t.Errorf("the text: %v", err)
	}
	r.Body = packed.Bytes()
	if opened.Verify(r) == nil {
		t.Error("the packed bytes were taken")
	}
	if says := providertest.Summary(translate(t, &configv1.Provider{}, packed.String())); says[0] != "undecoded" {
		t.Errorf("the packed bytes say %q", says)
	}
}

// Scans with an offset, in UTC, and with no zone at all are told apart; the last is read as early as it can have been.
func TestScansAreOrderedByTheInstantAndAZonelessOneNeverLeads(t *testing.T) {
	t.Parallel()
	scan := func(at string) *waybillv1.IngestEventRequest {
		return translate(t, &configv1.Provider{}, `{"event_id":"e","awb":"A1","status":"in_transit","scanned_at":"`+at+`"}`)
	}
	west, utc, bare := scan("2026-01-15T08:45:00-05:00"), scan("2026-01-15T14:10:00Z"), scan("2026-01-15 16:00")

	if got := west.GetOccurredAt().AsTime(); !got.Equal(time.Date(2026, 1, 15, 13, 45, 0, 0, time.UTC)) {
		t.Errorf("with an offset it is %s", got)
	}
	if bare.GetOccurredAtCertainty() != waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_ZONE_ASSUMED ||
		!bare.GetOccurredAt().AsTime().Before(utc.GetOccurredAt().AsTime()) {
		t.Errorf("without a zone it is %s, %s", bare.GetOccurredAt().AsTime(), bare.GetOccurredAtCertainty())
	}
	local := translate(t, &configv1.Provider{TimeZone: "Europe/Berlin"},
		`{"event_id":"e","awb":"A1","status":"in_transit","scanned_at":"2026-01-15 16:00"}`)
	if got := local.GetOccurredAt().AsTime(); !got.Equal(time.Date(2026, 1, 15, 15, 0, 0, 0, time.UTC)) {
		t.Errorf("in the configured zone it is %s", got)
	}
}

func TestNothingButTheSignatureIsAskedOfASender(t *testing.T) {
	t.Parallel()
	opened := open(t, &configv1.Provider{Secrets: []*configv1.Secret{{Value: "key"}}})
	for _, agent := range []string{"Go-http-client/1.1", "python-requests/2.31", "curl/8.5.0", ""} {
		r := &provider.Request{Header: http.Header{"User-Agent": {agent}}, Body: []byte(body("in_transit")), ReceivedAt: providertest.Now()}
		courier.Kind().Sign(r, "key", providertest.Now())
		if err := opened.Verify(r); err != nil {
			t.Errorf("user agent %q: %v", agent, err)
		}
	}
}

func TestAnEventWithoutAnIDIsKnownByItsOwnWords(t *testing.T) {
	t.Parallel()
	first := translate(t, &configv1.Provider{}, body("delivered"))
	for name, c := range map[string]struct {
		body string
		same bool
	}{
		"the same, spaced":         {strings.ReplaceAll(body("delivered"), ",", " , "), true},
		"another order's name":     {strings.Replace(body("delivered"), "SYN-1", "SYN-2", 1), true},
		"another message":          {strings.Replace(body("delivered"), "{", `{"message":"m",`, 1), true},
		"another parcel":           {strings.Replace(body("delivered"), "C1", "C2", 1), false},
		"another status":           {body("in_transit"), false},
		"another second":           {strings.Replace(body("delivered"), "05Z", "06Z", 1), false},
		"another return parcel":    {strings.Replace(body("delivered"), "{", `{"return_consignment_id":"R1",`, 1), false},
		"a digit across a border":  {strings.Replace(strings.Replace(body("delivered"), "C1", "C1d", 1), `"delivered"`, `"elivered"`, 1), false},
		"the same in another zone": {body("delivered"), true},
	} {
		event := translate(t, &configv1.Provider{TimeZone: "Asia/Dhaka"}, c.body)
		if (event.GetEventId() == first.GetEventId()) != c.same || !event.GetEventIdDerived() {
			t.Errorf("%s: %s, first %s, want the same %t", name, event.GetEventId(), first.GetEventId(), c.same)
		}
	}
	note := func(text string) string { return `{"consignment_id":"C1","message":"` + text + `"}` }
	if translate(t, &configv1.Provider{}, note("a")).GetEventId() == translate(t, &configv1.Provider{}, note("b")).GetEventId() {
		t.Error("two messages without a status are one event")
	}
}

func TestAReturnConsignmentIsAParcelOfItsOwn(t *testing.T) {
	t.Parallel()
	named := strings.Replace(body("returned"), "{", `{"return_consignment_id":"R1",`, 1)
	shipment := translate(t, &configv1.Provider{}, named).GetChanges()[0].GetStatusChanged().GetShipment()
	if shipment.GetConsignmentId() != "R1" || !shipment.GetReturnParcel() {
		t.Errorf("moved %v", shipment)
	}
	own := translate(t, &configv1.Provider{}, strings.Replace(named, "returned", "delivered", 1))
	if shipment := own.GetChanges()[0].GetStatusChanged().GetShipment(); shipment.GetConsignmentId() != "C1" || shipment.GetReturnParcel() {
		t.Errorf("delivered %v", shipment)
	}
}

func TestTheSettingsOfTheProofAreChecked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		proof *configv1.Proof
		want  []string
	}{
		"none":                      {nil, nil},
		"a header":                  {&configv1.Proof{Header: "X-Sig"}, nil},
		"bearer":                    {&configv1.Proof{Scheme: "bearer"}, nil},
		"static without its header": {&configv1.Proof{Scheme: "static_header"}, []string{"proof.header"}},
	} {
		problems := courier.Kind().Check(&configv1.Provider{Secrets: []*configv1.Secret{{Value: "key"}}, Proof: c.proof})
		fields := make([]string, 0, len(problems))
		for _, problem := range problems {
			fields = append(fields, problem.Field)
		}
		if !slices.Equal(fields, c.want) {
			t.Errorf("%s: problems of %q, want %q", name, fields, c.want)
		}
	}
}
