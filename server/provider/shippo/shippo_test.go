package shippo_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/providertest"
	"github.com/waybillhq/waybill/server/provider/shippo"
)

const signatureHeader = "Shippo-Auth-Signature"

func options() providertest.Options {
	return providertest.Options{
		Sample:      "delivered",
		ProofHeader: signatureHeader,
		SignsBody:   true,
		Past:        300 * time.Second,
		Future:      300 * time.Second,
		Malformed: []string{
			"t=", "v1,t=1", "t=1768480205", "t=1768480205,v1=", "t=1768480205,v1=zz", "t=1768480205,v0=" + strings.Repeat("0", 64),
			"v1=" + strings.Repeat("0", 64), "t=x,v1=" + strings.Repeat("0", 64), "t=-1768480205,v1=" + strings.Repeat("0", 64),
			"t=1768480205,t=1768480205,v1=" + strings.Repeat("0", 64),
		},
		Vectors: []providertest.Vector{{
			Name: "computed from the description", Secret: "synthetic-secret", Body: `{"event":"track_updated"}`,
			Header: http.Header{signatureHeader: {"t=1700000000,v1=28bebb6d4179d7aed86fb5ed11f77442e6530011bc9f3ae8f10d1370fecd89ee"}},
			At:     time.Unix(1700000000, 0),
		}, {
			Name: "the same an hour later", Secret: "synthetic-secret", Body: `{"event":"track_updated"}`,
			Header: http.Header{signatureHeader: {"t=1700000000,v1=28bebb6d4179d7aed86fb5ed11f77442e6530011bc9f3ae8f10d1370fecd89ee"}},
			At:     time.Unix(1700003600, 0), Refused: true,
		}},
		Words:       words(),
		UnknownWord: providertest.Word{Body: body("TELEPORTED", ""), Says: []string{"unrecognised data.tracking_status.status"}},
	}
}

func body(status, substatus string) string {
	sub := "null"
	if substatus != "" {
		sub = `{"code":"` + substatus + `","text":"t","action_required":false}`
	}
	return `{"event":"track_updated","test":false,"data":{"carrier":"synth","tracking_number":"T1","transaction":"tx1",` +
		`"metadata":"SYN-1","tracking_status":{"object_id":"scan1","status":"` + status +
		`","status_date":"2026-01-15T12:30:05Z","substatus":` + sub + `}}}`
}

// words are every status, and the substatuses that say more than theirs.
func words() []providertest.Word {
	var all []providertest.Word
	add := func(status, substatus string, says ...string) {
		name := strings.TrimSuffix(status+"/"+substatus, "/")
		all = append(all, providertest.Word{Name: name, Body: body(status, substatus), Says: says})
	}
	add("UNKNOWN", "", "ignored")
	add("PRE_TRANSIT", "", "shipment_announced")
	add("TRANSIT", "", "status_changed in_transit")
	add("TRANSIT", "out_for_delivery", "status_changed out_for_delivery")
	add("TRANSIT", "delivery_attempted", "status_changed failed_delivery")
	add("TRANSIT", "pickup_available", "status_changed in_transit", "fact ready_for_pickup")
	add("DELIVERED", "", "status_changed delivered")
	add("RETURNED", "", "status_changed returning")
	add("FAILURE", "", "status_changed failed_delivery", "fact undeliverable!")
	return all
}

func TestShippoKeepsTheContract(t *testing.T) {
	t.Parallel()
	providertest.Run(t, shippo.Kind(), options())
}

func TestTheReadmeHasTheMapping(t *testing.T) {
	t.Parallel()
	providertest.InReadme(t, words())
}

func FuzzVerify(f *testing.F)    { providertest.FuzzVerify(f, shippo.Kind(), options()) }
func FuzzTranslate(f *testing.F) { providertest.FuzzTranslate(f, shippo.Kind(), options()) }

func open(t *testing.T, settings *configv1.Provider) provider.Provider {
	t.Helper()
	opened, err := shippo.Kind().New(settings)
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

func translate(t *testing.T, settings *configv1.Provider, body string) *waybillv1.IngestEventRequest {
	t.Helper()
	r := &provider.Request{Body: []byte(body), ReceivedAt: providertest.Now()}
	events, err := providertest.Translate(t, open(t, settings), r)
	if err != nil || len(events) != 1 {
		t.Fatalf("%d events, %v, want one", len(events), err)
	}
	return events[0]
}

func TestATokenInTheAddressProvesWhereNoSignatureComes(t *testing.T) {
	t.Parallel()
	opened := open(t, &configv1.Provider{Secrets: []*configv1.Secret{{Value: "right"}}})
	signed := &provider.Request{Header: http.Header{}, Body: []byte("{}"), ReceivedAt: providertest.Now()}
	shippo.Kind().Sign(signed, "right", providertest.Now())
	sound := signed.Header.Get(signatureHeader)

	for name, c := range map[string]struct {
		header string
		query  url.Values
		want   bool
	}{
		"the token alone":                  {"", url.Values{"token": {"right"}}, true},
		"another token":                    {"", url.Values{"token": {"wrong"}}, false},
		"two tokens":                       {"", url.Values{"token": {"right", "right"}}, false},
		"an empty token":                   {"", url.Values{"token": {""}}, false},
		"neither":                          {"", nil, false},
		"a signature alone":                {sound, nil, true},
		"a signature beside another token": {sound, url.Values{"token": {"wrong"}}, true},
		"a bad signature beside the token": {"t=1,v1=00", url.Values{"token": {"right"}}, false},
	} {
		r := &provider.Request{Header: http.Header{}, Query: c.query, Body: []byte("{}"), ReceivedAt: providertest.Now()}
		if c.header != "" {
			r.Header.Set(signatureHeader, c.header)
		}
		if err := opened.Verify(r); (err == nil) != c.want {
			t.Errorf("%s: %v, want taken %t", name, err, c.want)
		}
	}
	bare := open(t, &configv1.Provider{})
	if bare.Verify(&provider.Request{Query: url.Values{"token": {""}}, ReceivedAt: providertest.Now()}) == nil {
		t.Error("an empty token was taken where no secret is configured")
	}
}

func TestAnySignatureOfSeveralWillDo(t *testing.T) {
	t.Parallel()
	opened := open(t, &configv1.Provider{Secrets: []*configv1.Secret{{Value: "right"}}})
	r := &provider.Request{Header: http.Header{}, Body: []byte("{}"), ReceivedAt: providertest.Now()}
	shippo.Kind().Sign(r, "right", providertest.Now())
	stamp, signature, _ := strings.Cut(r.Header.Get(signatureHeader), ",")
	r.Header.Set(signatureHeader, stamp+",v1="+strings.Repeat("0", 64)+",v0=zz, "+signature)
	if err := opened.Verify(r); err != nil {
		t.Errorf("verify: %v", err)
	}
}

func TestTheIdentityIsTheScansOwn(t *testing.T) {
	t.Parallel()
	event := translate(t, &configv1.Provider{}, body("DELIVERED", ""))
	if event.GetEventId() != "scan1" || event.GetEventIdDerived() {
		t.Errorf("identity %s, derived %t", event.GetEventId(), event.GetEventIdDerived())
	}
	without := strings.Replace(body("DELIVERED", ""), `"object_id":"scan1",`, "", 1)
	first, again := translate(t, &configv1.Provider{}, without), translate(t, &configv1.Provider{}, without+" ")
	if !first.GetEventIdDerived() || first.GetEventId() != again.GetEventId() || !strings.HasPrefix(first.GetEventId(), "20260115T123005Z-") {
		t.Errorf("identities %s and %s", first.GetEventId(), again.GetEventId())
	}
}

func TestTestParcelsAreSetAsideUnlessExpected(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	for _, c := range []struct {
		expect *configv1.Expect
		test   string
		want   string
	}{
		{nil, "false", "status_changed delivered"},
		{nil, "true", "ignored"},
		{nil, "null", "status_changed delivered"},
		{&configv1.Expect{Livemode: &yes}, "true", "ignored"},
		{&configv1.Expect{Livemode: &no}, "true", "status_changed delivered"},
		{&configv1.Expect{Livemode: &no}, "false", "ignored"},
		{nil, `"no"`, "undecoded"},
	} {
		event := translate(t, &configv1.Provider{Expect: c.expect}, strings.Replace(body("DELIVERED", ""), `"test":false`, `"test":`+c.test, 1))
		if says := providertest.Summary(event); says[0] != c.want {
			t.Errorf("test %s with %v says %q, want %q", c.test, c.expect, says, c.want)
		}
	}
}

func TestTheOrderIsReadFromTheLabelsFreeText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ reference, metadata, want string }{
		{"", `"SYN-1"`, "SYN-1"},
		{"", `"#SYN-1"`, "SYN-1"},
		{"", `"Order SYN-1 for Ada"`, ""},
		{"", `""`, ""},
		{"", `null`, ""},
		{"", `{"order":"SYN-1"}`, ""},
		{"", `"{\"order\":\"SYN-1\"}"`, ""},
		{"order", `"{\"order\":\"SYN-1\",\"x\":[]}"`, "SYN-1"},
		{"order", `"{\"order\":1001}"`, "1001"},
		{"order", `"{\"order\":{}}"`, ""},
		{"order", `"SYN-1"`, ""},
	} {
		event := translate(t, &configv1.Provider{OrderReference: c.reference},
			strings.Replace(body("DELIVERED", ""), `"metadata":"SYN-1"`, `"metadata":`+c.metadata, 1))
		got := ""
		for _, reference := range event.GetReferences() {
			if reference.GetKind() == waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_NUMBER {
				got = reference.GetValue()
			}
		}
		if got != c.want {
			t.Errorf("metadata %s with %q names %q, want %q", c.metadata, c.reference, got, c.want)
		}
	}
}

func TestASubstatusCountsOnlyUnderTransit(t *testing.T) {
	t.Parallel()
	if says := providertest.Summary(translate(t, &configv1.Provider{}, body("DELIVERED", "out_for_delivery"))); says[0] != "status_changed delivered" {
		t.Errorf("says %q", says)
	}
	event := translate(t, &configv1.Provider{}, body("TRANSIT", "package_forwarded"))
	if said := event.GetChanges()[0].GetStatusChanged(); said.GetReason() != "package_forwarded" ||
		said.GetStatus() != waybillv1.ShipmentStatus_SHIPMENT_STATUS_IN_TRANSIT {
		t.Errorf("says %v", said)
	}
}

func TestAScanThatSaysWhatOrWhereIsACheckpoint(t *testing.T) {
	t.Parallel()
	event := translate(t, &configv1.Provider{}, strings.Replace(body("TRANSIT", ""), `"object_id"`,
		`"status_details":"Arrived","location":{"city":"Synthpur","state":"","country":"US"},"object_id"`, 1))
	if got := event.GetChanges()[1].GetCheckpoint(); got.GetDescription() != "Arrived" || got.GetLocation() != "Synthpur, US" {
		t.Errorf("checkpoint %v", got)
	}
}

func TestOtherEventsAreIgnoredWhateverTheirShape(t *testing.T) {
	t.Parallel()
	for _, event := range []string{"transaction_created", "transaction_updated", "batch_created", "batch_purchased", "new_thing"} {
		got := translate(t, &configv1.Provider{}, `{"event":"`+event+`","test":true,"data":[1]}`)
		if says := providertest.Summary(got); !slices.Equal(says, []string{"ignored"}) || !got.GetEventIdDerived() {
			t.Errorf("%s says %q", event, says)
		}
	}
}

func TestABodyThatLacksWhatItNeedsIsKeptUndecoded(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"data":{"tracking_number":"T1","tracking_status":{"status":"DELIVERED"}}}`,
		`{"event":"track_updated"}`,
		`{"event":"track_updated","data":{"tracking_status":{"status":"DELIVERED"}}}`,
		`{"event":"track_updated","data":{"tracking_number":"T1","tracking_status":"DELIVERED"}}`,
	} {
		if says := providertest.Summary(translate(t, &configv1.Provider{}, body)); says[0] != "undecoded" {
			t.Errorf("%s says %q", body, says)
		}
	}
	bare := translate(t, &configv1.Provider{}, `{"event":"track_updated","data":{"tracking_number":"T1","tracking_status":null}}`)
	if says := providertest.Summary(bare); !slices.Equal(says, []string{"ignored"}) {
		t.Errorf("a parcel without a scan says %q", says)
	}
}

func TestALimitIsWordedAsAFaultOfOurs(t *testing.T) {
	t.Parallel()
	opened := providertest.Open(t, shippo.Kind(), options())
	answer := opened.Answer(provider.Result{Verdict: provider.Limited, RetryAfter: time.Second})
	if answer.Status != 503 || answer.Header.Get("Retry-After") != "1" {
		t.Errorf("answer %d, Retry-After %q: after 429 Shippo would not send again", answer.Status, answer.Header.Get("Retry-After"))
	}
}
