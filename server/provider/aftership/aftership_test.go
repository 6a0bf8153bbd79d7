package aftership_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/aftership"
	"github.com/waybillhq/waybill/server/provider/providertest"
)

const signatureHeader = "Aftership-Hmac-Sha256"

func options() providertest.Options {
	vector := providertest.Vector{
		Name: "computed from the description", Secret: "synthetic-secret", Body: `{"event":"tracking_update"}`,
		Header: http.Header{signatureHeader: {"h4iOuFvLFj/TpMYVUzOPN2cvDYy1NS3UgdcJiXVi1lk="}}, At: providertest.Now(),
	}
	unpadded := vector
	unpadded.Name, unpadded.Refused = "without its padding", true
	unpadded.Header = http.Header{signatureHeader: {"h4iOuFvLFj/TpMYVUzOPN2cvDYy1NS3UgdcJiXVi1lk"}}
	return providertest.Options{
		Sample:      "Delivered",
		ProofHeader: signatureHeader,
		SignsBody:   true,
		Malformed:   []string{"h4iOuFvLFj/TpMYVUzOPN2cvDYy1NS3UgdcJiXVi1lk=", "sha256=x", "AAAA"},
		Vectors:     []providertest.Vector{vector, unpadded},
		Words:       words(),
		UnknownWord: providertest.Word{Body: body("Teleported", ""), Says: []string{"unrecognised msg.tag"}},
	}
}

func body(tag, subtag string) string {
	return `{"event":"tracking_update","event_id":"00000000-0000-4000-8000-000000000001","ts":1768480205,` +
		`"msg":{"tracking_number":"T1","slug":"synth","tag":"` + tag + `","subtag":"` + subtag + `","order_number":"SYN-1"}}`
}

// words are every tag, and the subtags that say something else than theirs.
func words() []providertest.Word {
	var all []providertest.Word
	add := func(tag, subtag string, says ...string) {
		name := tag
		if subtag != "" {
			name = subtag
		}
		all = append(all, providertest.Word{Name: name, Body: body(tag, subtag), Says: says})
	}
	add("Pending", "", "ignored")
	add("InfoReceived", "", "shipment_announced")
	add("InTransit", "", "status_changed in_transit")
	add("OutForDelivery", "", "status_changed out_for_delivery")
	add("AttemptFail", "", "status_changed failed_delivery")
	add("Delivered", "", "status_changed delivered")
	add("AvailableForPickup", "", "status_changed in_transit", "fact ready_for_pickup")
	add("Exception", "", "fact exception!")
	add("Exception", "Exception_010", "status_changed returning")
	add("Exception", "Exception_011", "status_changed returning", "fact returned_to_sender!")
	add("Expired", "", "fact tracking_expired!")
	return all
}

func TestAfterShipKeepsTheContract(t *testing.T) {
	t.Parallel()
	providertest.Run(t, aftership.Kind(), options())
}

func TestTheReadmeHasTheMapping(t *testing.T) {
	t.Parallel()
	providertest.InReadme(t, words())
}

func FuzzVerify(f *testing.F)    { providertest.FuzzVerify(f, aftership.Kind(), options()) }
func FuzzTranslate(f *testing.F) { providertest.FuzzTranslate(f, aftership.Kind(), options()) }

func open(t *testing.T, settings *configv1.Provider) provider.Provider {
	t.Helper()
	opened, err := aftership.Kind().New(settings)
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

func TestASignatureInHexIsRefused(t *testing.T) {
	t.Parallel()
	opened := open(t, &configv1.Provider{Secrets: []*configv1.Secret{{Value: "key"}}})
	digest := hmac.New(sha256.New, []byte("key"))
	digest.Write([]byte("{}"))
	r := &provider.Request{
		Header: http.Header{signatureHeader: {hex.EncodeToString(digest.Sum(nil))}}, Body: []byte("{}"), ReceivedAt: providertest.Now(),
	}
	if err := opened.Verify(r); err == nil || !strings.Contains(err.Error(), "base64") {
		t.Errorf("verify: %v, want a word about base64", err)
	}
}

func TestTheSignaturesOfOtherProductsProveNothing(t *testing.T) {
	t.Parallel()
	opened := open(t, &configv1.Provider{Secrets: []*configv1.Secret{{Value: "key"}}})
	for _, name := range []string{"Am-Webhook-Signature", "As-Signature-Hmac-Sha256"} {
		r := &provider.Request{Header: http.Header{}, Body: []byte("{}"), ReceivedAt: providertest.Now()}
		aftership.Kind().Sign(r, "key", providertest.Now())
		r.Header.Set(name, r.Header.Get(signatureHeader))
		r.Header.Del(signatureHeader)
		if opened.Verify(r) == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

func TestTheIdentityIsTheSignedIDWhateverElseChanges(t *testing.T) {
	t.Parallel()
	event := translate(t, &configv1.Provider{}, body("Delivered", ""))
	if event.GetEventId() != "00000000-0000-4000-8000-000000000001" || event.GetEventIdDerived() {
		t.Errorf("identity %s, derived %t", event.GetEventId(), event.GetEventIdDerived())
	}
}

func TestAPayloadWithoutAnIDGetsOneOfItsOwnWords(t *testing.T) {
	t.Parallel()
	without := strings.Replace(body("Delivered", ""), `"event_id":"00000000-0000-4000-8000-000000000001",`, "", 1)
	event, again := translate(t, &configv1.Provider{}, without), translate(t, &configv1.Provider{TimeZone: "Asia/Tokyo"}, without)
	if !event.GetEventIdDerived() || event.GetEventId() != again.GetEventId() || !strings.HasPrefix(event.GetEventId(), "20260115T123005Z-") {
		t.Errorf("identities %s and %s", event.GetEventId(), again.GetEventId())
	}
	other := translate(t, &configv1.Provider{}, strings.Replace(without, "Delivered", "InTransit", 1))
	if other.GetEventId() == event.GetEventId() {
		t.Error("another tag is the same event")
	}
}

func TestTheTimeIsTheEventsOwnAndElseTheNewestScans(t *testing.T) {
	t.Parallel()
	const (
		exact   = waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_EXACT
		assumed = waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_ZONE_ASSUMED
		missing = waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_MISSING
	)
	scans := func(ts string, times ...string) string {
		all := make([]string, 0, len(times))
		for _, at := range times {
			all = append(all, `{"checkpoint_time":"`+at+`","message":"m"}`)
		}
		return `{"event":"tracking_update","event_id":"1","ts":` + ts + `,"msg":{"tracking_number":"T1","tag":"Delivered",` +
			`"checkpoints":[` + strings.Join(all, ",") + `]}}`
	}
	at := func(hour int) time.Time { return time.Date(2026, 1, 15, hour, 0, 0, 0, time.UTC) }

	for name, c := range map[string]struct {
		zone, body string
		at         time.Time
		certainty  waybillv1.OccurredAtCertainty
	}{
		"its own":                    {"", scans("1768480200", "2026-01-15T01:00:00Z"), time.Unix(1768480200, 0), exact},
		"the newest scan's":          {"", scans("null", "2026-01-15T09:00:00Z", "2026-01-15T01:00:00Z"), at(9), exact},
		"a scan's without a zone":    {"", scans("null", "2026-01-15T20:00:00"), at(6), assumed},
		"a scan's in the given zone": {"Asia/Dhaka", scans("null", "2026-01-15T20:00:00"), at(14), assumed},
		"none":                       {"", scans("null"), time.Time{}, missing},
	} {
		event := translate(t, &configv1.Provider{TimeZone: c.zone}, c.body)
		got := time.Time{}
		if event.GetOccurredAt() != nil {
			got = event.GetOccurredAt().AsTime()
		}
		if !got.Equal(c.at) || event.GetOccurredAtCertainty() != c.certainty {
			t.Errorf("%s: %s, %s, want %s", name, got, event.GetOccurredAtCertainty(), c.at)
		}
	}
}

func TestAnOrderIsKnownByItsNumberAndElseByItsID(t *testing.T) {
	t.Parallel()
	for members, want := range map[string]string{
		`"order_number":"#SYN-1"`:                    "SYN-1",
		`"order_number":"SYN-1","order_id":"990001"`: "SYN-1",
		`"order_number":null,"order_id":"990001"`:    "990001",
		`"order_number":"","order_id":990001`:        "990001",
		`"title":"x"`:                                "T1",
	} {
		event := translate(t, &configv1.Provider{}, strings.Replace(body("Delivered", ""), `"order_number":"SYN-1"`, members, 1))
		if got := event.GetReferences()[0].GetValue(); got != want {
			t.Errorf("%s names %s, want %s", members, got, want)
		}
	}
}

func TestOtherEventsAreIgnoredWhateverTheirShape(t *testing.T) {
	t.Parallel()
	for _, event := range []string{"edd_revise", "tracking_pending_time", "new_thing"} {
		for _, id := range []string{`"event_id":"1",`, ""} {
			got := translate(t, &configv1.Provider{}, `{"event":"`+event+`",`+id+`"msg":[7]}`)
			if says := providertest.Summary(got); !slices.Equal(says, []string{"ignored"}) || got.GetEventId() == "" {
				t.Errorf("%s says %q", event, says)
			}
		}
	}
}

func TestASubtagCountsOnlyUnderItsOwnTag(t *testing.T) {
	t.Parallel()
	if says := providertest.Summary(translate(t, &configv1.Provider{}, body("Delivered", "Exception_011"))); says[0] != "status_changed delivered" {
		t.Errorf("says %q", says)
	}
	event := translate(t, &configv1.Provider{}, strings.Replace(body("Exception", "Exception_099"),
		`"order_number"`, `"subtag_message":"held","order_number"`, 1))
	if got := event.GetChanges()[0].GetFact().GetDetail(); got != "Exception_099: held" {
		t.Errorf("detail %q, want the subtag with its text", got)
	}
}

func TestScansStopNothing(t *testing.T) {
	t.Parallel()
	for _, odd := range []string{"null", "{}", `"x"`, "[7]", `[{"checkpoint_time":"soon"}]`, `[{"checkpoint_time":7,"message":"x"}]`} {
		got := translate(t, &configv1.Provider{}, strings.Replace(body("Delivered", ""), `"order_number"`, `"checkpoints":`+odd+`,"order_number"`, 1))
		if says := providertest.Summary(got); !slices.Equal(says, []string{"status_changed delivered"}) {
			t.Errorf("with %s it says %q", odd, says)
		}
	}
}

func TestABodyThatLacksWhatItNeedsIsKeptUndecoded(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"event_id":"1","msg":{"tracking_number":"T1","tag":"Delivered"}}`,
		`{"event":"tracking_update","event_id":"1"}`,
		`{"event":"tracking_update","event_id":"1","msg":"x"}`,
		`{"event":"tracking_update","event_id":"1","msg":{"tag":"Delivered"}}`,
		`{"event":"tracking_update","event_id":"1","msg":{"tracking_number":"T1"}}`,
	} {
		if says := providertest.Summary(translate(t, &configv1.Provider{}, body)); says[0] != "undecoded" {
			t.Errorf("%s says %q", body, says)
		}
	}
}
