package redx_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/providertest"
	"github.com/waybillhq/waybill/server/provider/redx"
)

func options() providertest.Options {
	return providertest.Options{
		Sample:      "delivered",
		ProofQuery:  "token",
		Malformed:   []string{"current-synthetic-secret", "Bearer current-synthetic-secret-4f1d"},
		Words:       slices.Concat(statuses(), deliveryTypes()),
		UnknownWord: providertest.Word{Body: body("agent-returned", "regular"), Says: []string{"unrecognised status"}},
	}
}

func body(status, deliveryType string) string {
	return `{"tracking_number":"21A427TU4BN3R","timestamp":"2026-01-15T12:30:05.000Z","status":"` + status +
		`","invoice_number":"SYN-1","delivery_type":"` + deliveryType + `"}`
}

// statuses are the words of a parcel that travels to the customer.
func statuses() []providertest.Word {
	var all []providertest.Word
	add := func(status string, says ...string) {
		all = append(all, providertest.Word{Name: status, Body: body(status, "regular"), Says: says})
	}
	add("pickup-pending", "shipment_announced")
	add("ready-for-delivery", "status_changed in_transit")
	add("delivery-in-progress", "status_changed out_for_delivery")
	add("delivered", "status_changed delivered")
	add("agent-hold", "fact on_hold!")
	add("agent-area-change", "fact area_change")
	add("agent-returning", "status_changed returning")
	add("returned", "status_changed returned")
	add("paid", "fact settlement")
	add("cancelled", "status_changed cancelled")
	return all
}

// deliveryTypes are the words that say which way a parcel travels, each with the status it matters for.
func deliveryTypes() []providertest.Word {
	var all []providertest.Word
	add := func(status, deliveryType string, says ...string) {
		all = append(all, providertest.Word{
			Name: status + ", " + deliveryType, Body: body(status, deliveryType), Says: says,
		})
	}
	add("delivered", "regular", "status_changed delivered")
	add("delivered", "exchange-delivery", "status_changed delivered", "fact exchange")
	add("delivered", "partial-delivery", "status_changed delivered", "fact partial_delivery")
	add("delivered", "reverse", "status_changed returned on the return parcel")
	add("delivered", "exchange-return", "status_changed returned on the return parcel")
	add("delivered", "partial-return", "status_changed returned on the return parcel")
	add("delivery-in-progress", "exchange-return", "status_changed returning on the return parcel")
	add("agent-returning", "partial-delivery", "status_changed returning on the return parcel")
	add("returned", "partial-delivery", "status_changed returned on the return parcel")
	add("pickup-pending", "reverse", "shipment_announced on the return parcel")
	return all
}

func TestRedXKeepsTheContract(t *testing.T) {
	t.Parallel()
	providertest.Run(t, redx.Kind(), options())
}

func TestTheReadmeHasTheMapping(t *testing.T) {
	t.Parallel()
	providertest.InReadme(t, options().Words)
}

func FuzzVerify(f *testing.F)    { providertest.FuzzVerify(f, redx.Kind(), options()) }
func FuzzTranslate(f *testing.F) { providertest.FuzzTranslate(f, redx.Kind(), options()) }

func open(t *testing.T, settings *configv1.Provider) provider.Provider {
	t.Helper()
	opened, err := redx.Kind().New(settings)
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

func TestTheTokenMustStandInTheQueryExactlyOnce(t *testing.T) {
	t.Parallel()
	opened := open(t, &configv1.Provider{Secrets: []*configv1.Secret{{Value: "right"}}})

	for name, c := range map[string]struct {
		query url.Values
		want  bool
	}{
		"once":                 {url.Values{"token": {"right"}}, true},
		"beside other members": {url.Values{"token": {"right"}, "x": {"y"}}, true},
		"twice":                {url.Values{"token": {"right", "right"}}, false},
		"under another name":   {url.Values{"Token": {"right"}}, false},
		"empty":                {url.Values{"token": {""}}, false},
		"nowhere":              {nil, false},
	} {
		err := opened.Verify(&provider.Request{Query: c.query, ReceivedAt: providertest.Now()})
		if (err == nil) != c.want {
			t.Errorf("token %s: %v, want taken %t", name, err, c.want)
		}
	}
}

func TestATokenInAHeaderProvesNothing(t *testing.T) {
	t.Parallel()
	opened := open(t, &configv1.Provider{Secrets: []*configv1.Secret{{Value: "right"}}})

	r := &provider.Request{
		Header:     map[string][]string{"Token": {"right"}, "Authorization": {"Bearer right"}},
		ReceivedAt: providertest.Now(),
	}
	if opened.Verify(r) == nil {
		t.Error("taken")
	}
}

func TestADeliveryTypeNobodyKnowsNeverDelivers(t *testing.T) {
	t.Parallel()
	event := translate(t, &configv1.Provider{}, body("delivered", "drone-drop"))
	if says := providertest.Summary(event); !slices.Equal(says, []string{"unrecognised delivery_type"}) {
		t.Errorf("says %q", says)
	}
}

func TestAReturnLegLeavesTheCustomersParcelAlone(t *testing.T) {
	t.Parallel()
	event := translate(t, &configv1.Provider{}, body("delivered", "exchange-return"))

	moved := event.GetChanges()[0].GetStatusChanged().GetShipment()
	if moved.GetConsignmentId() != "21A427TU4BN3R#return" || moved.GetTrackingNumber() != "" || !moved.GetReturnParcel() {
		t.Errorf("moved %v", moved)
	}
	last := event.GetReferences()[1]
	if last.GetValue() != "21A427TU4BN3R" {
		t.Errorf("reference %v, want the parcel whose order it is", last)
	}
}

func TestTheTwoLegsOfAnExchangeAreTwoEvents(t *testing.T) {
	t.Parallel()
	settings := &configv1.Provider{}
	there := translate(t, settings, body("delivered", "exchange-delivery"))
	back := translate(t, settings, body("delivered", "exchange-return"))
	if there.GetEventId() == back.GetEventId() {
		t.Error("one identity for both legs")
	}
	if !there.GetEventIdDerived() {
		t.Error("the identity is not marked as derived")
	}
}

func TestAnotherMessageIsTheSameEvent(t *testing.T) {
	t.Parallel()
	settings := &configv1.Provider{}
	first := translate(t, settings, body("delivered", "regular"))
	second := translate(t, settings, strings.Replace(body("delivered", "regular"), "{", `{"message_en":"other",`, 1))
	if first.GetEventId() != second.GetEventId() {
		t.Errorf("%s and %s", first.GetEventId(), second.GetEventId())
	}
}

func TestTheIdentityDoesNotDependOnTheConfiguredZone(t *testing.T) {
	t.Parallel()
	naive := strings.Replace(body("delivered", "regular"), "2026-01-15T12:30:05.000Z", "2026-01-15 12:30:05", 1)
	here, there := translate(t, &configv1.Provider{}, naive), translate(t, &configv1.Provider{TimeZone: "UTC"}, naive)
	if here.GetEventId() != there.GetEventId() || !strings.HasPrefix(here.GetEventId(), "20260115T123005Z-") {
		t.Errorf("%s and %s", here.GetEventId(), there.GetEventId())
	}
}

func TestTimesAreReadInWhateverFormTheyCome(t *testing.T) {
	t.Parallel()
	const (
		exact   = waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_EXACT
		assumed = waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_ZONE_ASSUMED
		missing = waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_MISSING
	)
	at := time.Date(2026, 1, 15, 12, 30, 5, 0, time.UTC)

	for text, c := range map[string]struct {
		at        time.Time
		certainty waybillv1.OccurredAtCertainty
	}{
		`"2026-01-15T12:30:05.000Z"`:  {at, exact},
		`"2026-01-15T18:30:05+06:00"`: {at, exact},
		`"2026-01-15 18:30:05"`:       {at, assumed},
		`1768480205`:                  {at, exact},
		`1768480205000`:               {at, exact},
		`"1768480205"`:                {at, exact},
		`"yesterday"`:                 {time.Time{}, missing},
		`null`:                        {time.Time{}, missing},
	} {
		event := translate(t, &configv1.Provider{},
			strings.Replace(body("delivered", "regular"), `"2026-01-15T12:30:05.000Z"`, text, 1))
		got := time.Time{}
		if event.GetOccurredAt() != nil {
			got = event.GetOccurredAt().AsTime()
		}
		if !got.Equal(c.at) || event.GetOccurredAtCertainty() != c.certainty {
			t.Errorf("%s is %s, %s", text, got, event.GetOccurredAtCertainty())
		}
	}
}

func TestABodyWithoutItsParcelIsKeptUndecoded(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"status":"delivered"}`,
		`{"tracking_number":"","status":"delivered"}`,
		`{"tracking_number":{},"status":"delivered"}`,
		`{"tracking_number":"T1","status":" "}`,
		`{"tracking_number":"T1","status":7}`,
		`{"tracking_number":"T\u0000","status":"delivered"}`,
	} {
		if says := providertest.Summary(translate(t, &configv1.Provider{}, body)); says[0] != "undecoded" {
			t.Errorf("%s says %q", body, says)
		}
	}
}

func TestSettingsThatRedXCannotKeepAreReported(t *testing.T) {
	t.Parallel()
	settings := &configv1.Provider{
		Secrets:  []*configv1.Secret{{Value: "right"}},
		Expect:   &configv1.Expect{StoreId: "1"},
		Proof:    &configv1.Proof{Header: "X-Token"},
		TimeZone: "Asia/Nowhere",
	}
	problems := redx.Kind().Check(settings)
	fields := make([]string, 0, len(problems))
	for _, problem := range problems {
		fields = append(fields, problem.Field)
	}
	if want := []string{"time_zone", "expect.store_id", "proof.header"}; !slices.Equal(fields, want) {
		t.Errorf("problems of %q, want %q", fields, want)
	}
}
