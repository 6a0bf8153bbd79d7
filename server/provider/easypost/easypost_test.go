package easypost_test

import (
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/easypost"
	"github.com/waybillhq/waybill/server/provider/providertest"
)

const signatureHeader = "X-Hmac-Signature"

func options(tb testing.TB) providertest.Options {
	tb.Helper()
	return providertest.Options{
		Sample:      "delivered",
		ProofHeader: signatureHeader,
		ProofPrefix: "hmac-sha256-hex=",
		SignsBody:   true,
		Malformed: []string{
			"hmac-sha256-hex", "hmac-sha256-hex=zz", "HMAC-SHA256-HEX=" + strings.Repeat("0", 64),
			"sha256=" + strings.Repeat("0", 64), "hmac-sha256-hex=" + strings.Repeat("0", 63),
		},
		Vectors:     vectors(tb),
		Words:       words(),
		UnknownWord: providertest.Word{Body: body("teleported"), Says: []string{"unrecognised result.status"}},
	}
}

// vectors are EasyPost's own: the body of its public examples, signed with a key whose é must be taken apart first.
func vectors(tb testing.TB) []providertest.Vector {
	tb.Helper()
	text, err := os.ReadFile("testdata/event-body.json")
	if err != nil {
		tb.Fatal(err)
	}
	vector := func(name, secret, signature string, refused bool) providertest.Vector {
		return providertest.Vector{
			Name: name, Secret: secret, Body: string(text), At: providertest.Now(), Refused: refused,
			Header: http.Header{signatureHeader: {"hmac-sha256-hex=" + signature}},
		}
	}
	const (
		decomposed = "38f3f53c103713df81616a0a186d77141957323ec21d5fe9363db93840f527db"
		composed   = "7f1669d6699d0b937cc1e69402423bdd2be0a8bcf571d34a8116765f1741219b"
	)
	return []providertest.Vector{
		vector("the published signature", "s\u00e9cret", decomposed, false),
		vector("the same secret, typed as two characters", "se\u0301cret", decomposed, false),
		vector("a key that was not taken apart", "s\u00e9cret", composed, true),
		vector("the secret without its accent", "secret", decomposed, true),
	}
}

func body(status string) string {
	return event("evt_1", "tracker.updated", "production", `{"tracking_code":"EZ1","status":"`+status+`"}`)
}

func event(id, description, mode, result string) string {
	return `{"id":"` + id + `","object":"Event","description":"` + description + `","mode":"` + mode +
		`","created_at":"2026-01-15T12:30:05Z","status":"pending","result":` + result + `}`
}

// words are every status of a tracker.
func words() []providertest.Word {
	var all []providertest.Word
	add := func(status string, says ...string) {
		all = append(all, providertest.Word{Name: status, Body: body(status), Says: says})
	}
	add("unknown", "ignored")
	add("pre_transit", "shipment_announced")
	add("in_transit", "status_changed in_transit")
	add("out_for_delivery", "status_changed out_for_delivery")
	add("delivered", "status_changed delivered")
	add("available_for_pickup", "status_changed in_transit", "fact ready_for_pickup")
	add("return_to_sender", "status_changed returning")
	add("failure", "status_changed failed_delivery")
	add("cancelled", "status_changed cancelled")
	add("error", "fact tracking_failed!")
	return all
}

func TestEasyPostKeepsTheContract(t *testing.T) {
	t.Parallel()
	providertest.Run(t, easypost.Kind(), options(t))
}

func TestTheReadmeHasTheMapping(t *testing.T) {
	t.Parallel()
	providertest.InReadme(t, words())
}

func FuzzVerify(f *testing.F)    { providertest.FuzzVerify(f, easypost.Kind(), options(f)) }
func FuzzTranslate(f *testing.F) { providertest.FuzzTranslate(f, easypost.Kind(), options(f)) }

func open(t *testing.T, settings *configv1.Provider) provider.Provider {
	t.Helper()
	opened, err := easypost.Kind().New(settings)
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

func TestThePublicExampleIsReadWhole(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/event-body.json")
	if err != nil {
		t.Fatal(err)
	}
	event := translate(t, &configv1.Provider{}, string(text))

	if event.GetEventId() != "evt_1" || event.GetEventIdDerived() {
		t.Errorf("identity %s, derived %t", event.GetEventId(), event.GetEventIdDerived())
	}
	if want := time.Date(2024, 8, 2, 19, 26, 51, 0, time.UTC); !event.GetOccurredAt().AsTime().Equal(want) {
		t.Errorf("it happened at %s, want the tracker's own time %s", event.GetOccurredAt().AsTime(), want)
	}
	if says := providertest.Summary(event); !slices.Equal(says, []string{"status_changed in_transit", "checkpoint"}) {
		t.Errorf("says %q", says)
	}
	scan := event.GetChanges()[1]
	if want := time.Date(2024, 8, 2, 18, 50, 0, 0, time.UTC); !scan.GetOccurredAt().AsTime().Equal(want) ||
		scan.GetCheckpoint().GetLocation() != "EDISON, NJ, US" ||
		scan.GetCheckpoint().GetDescription() != "Arrived at FedEx location" {
		t.Errorf("the newest scan is %v", scan)
	}
}

// A body that no JSON writer would produce is proven and read as it is: nothing may write it anew on the way.
func TestOddSpacingAndFloatsAreProvenAsTheyAre(t *testing.T) {
	t.Parallel()
	odd := "{ \"id\":\"evt_7\" ,\n\t\"description\":\"tracker.updated\",\"mode\":\"production\",  \"result\":\r\n" +
		`{"weight":136.0,"fees":[1.10,1e2],"status":"in_transit","public_url":"https:\/\/t.example.test\/1",` +
		`"tracking_code":"EZ\u0037","tracking_details":[ ]}}`
	opened := open(t, &configv1.Provider{Secrets: []*configv1.Secret{{Value: "key"}}})
	r := &provider.Request{Header: http.Header{}, Body: []byte(odd), ReceivedAt: providertest.Now()}
	easypost.Kind().Sign(r, "key", providertest.Now())

	if err := opened.Verify(r); err != nil {
		t.Errorf("verify: %v", err)
	}
	event := translate(t, &configv1.Provider{}, odd)
	if got := event.GetChanges()[0].GetStatusChanged(); got.GetShipment().GetTrackingNumber() != "EZ7" ||
		got.GetStatus() != waybillv1.ShipmentStatus_SHIPMENT_STATUS_IN_TRANSIT {
		t.Errorf("read %v", got)
	}
	r.Body = []byte(strings.Replace(odd, "136.0", "136", 1))
	if opened.Verify(r) == nil {
		t.Error("taken although a number was written anew")
	}
}

// A scan that comes after the delivery keeps its own time and its own identity, so that it can be shown as late.
func TestALateScanIsAnEventOfItsOwnWithItsOwnTime(t *testing.T) {
	t.Parallel()
	scan := func(id, status, at string) string {
		return event(id, "tracker.updated", "production", `{"tracking_code":"EZ1","status":"`+status+
			`","tracking_details":[{"status":"`+status+`","datetime":"`+at+`","message":"scan"}]}`)
	}
	delivered := translate(t, &configv1.Provider{}, scan("evt_1", "delivered", "2026-01-15T09:00:00Z"))
	late := translate(t, &configv1.Provider{}, scan("evt_2", "in_transit", "2026-01-14T18:00:00Z"))

	if late.GetEventId() == delivered.GetEventId() {
		t.Error("one identity for both")
	}
	if !late.GetOccurredAt().AsTime().Before(delivered.GetOccurredAt().AsTime()) {
		t.Errorf("late %s, delivered %s", late.GetOccurredAt().AsTime(), delivered.GetOccurredAt().AsTime())
	}
	if says := providertest.Summary(late); !slices.Equal(says, []string{"status_changed in_transit", "checkpoint"}) {
		t.Errorf("the late scan says %q", says)
	}
}

// Who hears of a parcel before any order has it must be able to wait for it by its number.
func TestATrackerNamesItsTrackingNumberAndNothingElse(t *testing.T) {
	t.Parallel()
	references := translate(t, &configv1.Provider{}, body("in_transit")).GetReferences()
	if len(references) != 1 || references[0].GetValue() != "EZ1" ||
		references[0].GetKind() != waybillv1.ReferenceKind_REFERENCE_KIND_TRACKING_NUMBER {
		t.Errorf("references %v", references)
	}
}

func TestAScanIsShownOnceAndNotWithEveryBodyThatRepeatsIt(t *testing.T) {
	t.Parallel()
	details := `[{"datetime":"2026-01-15T09:00:00Z","message":"third"},{"datetime":"2026-01-13T09:00:00Z","message":"first"},` +
		`{"datetime":"2026-01-14T09:00:00Z","message":"second"}]`
	event := translate(t, &configv1.Provider{}, event("evt_1", "tracker.updated", "production",
		`{"tracking_code":"EZ1","status":"in_transit","tracking_details":`+details+`}`))
	if len(event.GetChanges()) != 2 || event.GetChanges()[1].GetCheckpoint().GetDescription() != "third" {
		t.Errorf("changes %v", event.GetChanges())
	}
}

func TestScansStopNothing(t *testing.T) {
	t.Parallel()
	for _, details := range []string{"null", "{}", `"x"`, `[7]`, `[{"datetime":"soon","message":"x"}]`, `[{"datetime":7}]`} {
		event := translate(t, &configv1.Provider{}, event("evt_1", "tracker.updated", "production",
			`{"tracking_code":"EZ1","status":"delivered","tracking_details":`+details+`}`))
		if says := providertest.Summary(event); !slices.Equal(says, []string{"status_changed delivered"}) {
			t.Errorf("with %s it says %q", details, says)
		}
	}
}

func TestTheModeMustBeTheExpectedOne(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	tracker := `{"tracking_code":"EZ1","status":"delivered"}`
	for _, c := range []struct {
		expect *configv1.Expect
		mode   string
		want   string
	}{
		{nil, "production", "status_changed delivered"},
		{nil, "test", "ignored"},
		{&configv1.Expect{Livemode: &yes}, "test", "ignored"},
		{&configv1.Expect{Livemode: &no}, "test", "status_changed delivered"},
		{&configv1.Expect{Livemode: &no}, "production", "ignored"},
		{nil, "Production", "status_changed delivered"},
		{nil, "rehearsal", "unrecognised mode"},
		{nil, "", "undecoded"},
	} {
		event := translate(t, &configv1.Provider{Expect: c.expect}, event("evt_1", "tracker.updated", c.mode, tracker))
		if says := providertest.Summary(event); says[0] != c.want {
			t.Errorf("%q with %v says %q, want %q", c.mode, c.expect, says, c.want)
		}
	}
}

func TestAParcelOnItsWayBackMovesTheReturnParcelOnly(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]string{
		"in_transit": "status_changed returning on the return parcel",
		"delivered":  "status_changed returned on the return parcel",
	} {
		event := translate(t, &configv1.Provider{}, event("evt_1", "tracker.updated", "production",
			`{"tracking_code":"EZ1","status":"`+status+`","is_return":true}`))
		if says := providertest.Summary(event); says[0] != want {
			t.Errorf("%s says %q, want %q", status, says, want)
		}
	}
}

func TestOtherTypesAreIgnoredWhateverTheirShape(t *testing.T) {
	t.Parallel()
	for _, description := range []string{"batch.created", "refund.successful", "scan_form.created", "insurance.purchased", "new.thing"} {
		event := translate(t, &configv1.Provider{}, event("evt_1", description, "test", `[1,{"status":{}}]`))
		if says := providertest.Summary(event); !slices.Equal(says, []string{"ignored"}) || event.GetEventType() != description {
			t.Errorf("%s says %q", description, says)
		}
	}
}

func TestABodyThatLacksWhatItNeedsIsKeptUndecoded(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"description":"tracker.updated","mode":"production","result":{"tracking_code":"EZ1","status":"delivered"}}`,
		`{"id":"evt_1","mode":"production","result":{"tracking_code":"EZ1","status":"delivered"}}`,
		`{"id":"evt_1","description":"tracker.updated","mode":"production"}`,
		event("evt_1", "tracker.updated", "production", "null"),
		event("evt_1", "tracker.updated", "production", `{"status":"delivered"}`),
		event("evt_1", "tracker.updated", "production", `{"tracking_code":"EZ1"}`),
		event("evt_1", "tracker.updated", "production", `{"tracking_code":"EZ1","status":"delivered","is_return":"yes"}`),
	} {
		if says := providertest.Summary(translate(t, &configv1.Provider{}, body)); says[0] != "undecoded" {
			t.Errorf("%s says %q", body, says)
		}
	}
}

func TestTheSecondSignatureProvesNothing(t *testing.T) {
	t.Parallel()
	opened := open(t, &configv1.Provider{Secrets: []*configv1.Secret{{Value: "key"}}})
	r := &provider.Request{Header: http.Header{}, Body: []byte(body("delivered")), ReceivedAt: providertest.Now()}
	easypost.Kind().Sign(r, "key", providertest.Now())
	r.Header.Set("X-Hmac-Signature-V2", r.Header.Get(signatureHeader))
	r.Header.Del(signatureHeader)
	if opened.Verify(r) == nil {
		t.Error("taken")
	}
}
