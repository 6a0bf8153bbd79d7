package shiprocket_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/providertest"
	"github.com/waybillhq/waybill/server/provider/shiprocket"
)

func options() providertest.Options {
	return providertest.Options{
		Sample:      "7-delivered",
		ProofHeader: "x-api-key",
		Malformed:   []string{"current-synthetic-secret", "Bearer current-synthetic-secret-4f1d"},
		Words:       words(),
		UnknownWord: providertest.Word{Body: body("33", "TELEPORTED", "0"), Says: []string{"unrecognised shipment_status_id"}},
	}
}

func body(id, label, isReturn string) string {
	return `{"awb":"99000000001","courier_name":"Synth","current_status":"X","current_status_id":20,"shipment_status":"` +
		label + `","shipment_status_id":` + id + `,"current_timestamp":"15 01 2026 18:00:05","order_id":"SYN-1",` +
		`"sr_order_id":990001,"is_return":` + isReturn + `,"channel_id":1}`
}

// words are every status id with its text.
func words() []providertest.Word {
	var all []providertest.Word
	add := func(id, label string, says ...string) {
		all = append(all, providertest.Word{Name: id + " " + label, Body: body(id, label, "0"), Says: says})
	}
	const announced, returning = "shipment_announced", "status_changed returning"
	add("1", "AWB ASSIGNED", announced)
	add("2", "LABEL GENERATED", announced)
	add("3", "PICKUP SCHEDULED", announced)
	add("4", "PICKUP QUEUED", announced)
	add("5", "MANIFEST GENERATED", announced)
	add("6", "SHIPPED", "status_changed shipped")
	add("7", "DELIVERED", "status_changed delivered")
	add("8", "CANCELLED", "status_changed cancelled")
	add("9", "RTO INITIATED", returning)
	add("10", "RTO DELIVERED", "status_changed returned")
	add("11", "PENDING", announced)
	add("12", "LOST", "fact lost!")
	add("13", "PICKUP ERROR", "fact pickup_failed!")
	add("14", "RTO ACKNOWLEDGED", returning)
	add("15", "PICKUP RESCHEDULED", announced)
	add("16", "CANCELLATION REQUESTED", "fact cancellation_requested!")
	add("17", "OUT FOR DELIVERY", "status_changed out_for_delivery")
	add("18", "IN TRANSIT", "status_changed in_transit")
	add("19", "OUT FOR PICKUP", announced)
	add("20", "PICKUP EXCEPTION", "fact pickup_failed!")
	add("21", "UNDELIVERED", "status_changed failed_delivery")
	add("22", "DELAYED", "fact delayed")
	add("23", "PARTIAL DELIVERED", "status_changed delivered", "fact partial_delivery")
	add("24", "DESTROYED", "fact destroyed!")
	add("25", "DAMAGED", "fact damaged!")
	add("26", "FULFILLED", "fact fulfilled")
	add("27", "PICKUP BOOKED", announced)
	add("38", "REACHED DESTINATION HUB", "status_changed in_transit")
	add("39", "MISROUTED", "status_changed in_transit", "fact misrouted!")
	add("40", "RTO NDR", returning)
	add("41", "RTO OUT FOR DELIVERY", returning)
	add("42", "PICKED UP", "status_changed shipped")
	add("43", "SELF FULFILLED", "fact self_fulfilled")
	add("44", "DISPOSED OFF", "fact disposed!")
	add("45", "CANCELLED BEFORE DISPATCH", "status_changed cancelled")
	add("46", "RTO IN TRANSIT", returning)
	add("47", "QC FAILED", "fact qc_failed!")
	add("48", "REACHED WAREHOUSE", "status_changed in_transit")
	add("49", "CUSTOM CLEARED", "status_changed in_transit")
	add("50", "IN FLIGHT", "status_changed in_transit")
	add("51", "HANDOVER TO COURIER", "status_changed shipped")
	add("52", "SHIPMENT BOOKED", announced)
	add("54", "IN TRANSIT OVERSEAS", "status_changed in_transit")
	add("75", "RTO LOCK", returning)
	add("76", "UNTRACEABLE", "fact untraceable!")
	add("77", "RECIPIENT ISSUE", "fact recipient_issue!")
	add("78", "BACK AT SELLER CITY", returning)
	return all
}

func TestShiprocketKeepsTheContract(t *testing.T) {
	t.Parallel()
	providertest.Run(t, shiprocket.Kind(), options())
}

func TestTheReadmeHasTheMapping(t *testing.T) {
	t.Parallel()
	providertest.InReadme(t, words())
}

func FuzzVerify(f *testing.F)    { providertest.FuzzVerify(f, shiprocket.Kind(), options()) }
func FuzzTranslate(f *testing.F) { providertest.FuzzTranslate(f, shiprocket.Kind(), options()) }

func translate(t *testing.T, settings *configv1.Provider, body string) *waybillv1.IngestEventRequest {
	t.Helper()
	opened, err := shiprocket.Kind().New(settings)
	if err != nil {
		t.Fatal(err)
	}
	r := &provider.Request{Body: []byte(body), ReceivedAt: providertest.Now()}
	events, err := providertest.Translate(t, opened, r)
	if err != nil || len(events) != 1 {
		t.Fatalf("%d events, %v, want one", len(events), err)
	}
	return events[0]
}

func says(t *testing.T, body string) []string {
	t.Helper()
	return providertest.Summary(translate(t, &configv1.Provider{}, body))
}

func TestTheOtherStatusNumberingIsNeverRead(t *testing.T) {
	t.Parallel()
	// current_status_id 7 would be delivered in the other numbering's place.
	changed := strings.Replace(body("18", "IN TRANSIT", "0"), `"current_status_id":20`, `"current_status_id":7`, 1)
	if got := says(t, changed); !slices.Equal(got, []string{"status_changed in_transit"}) {
		t.Errorf("says %q", got)
	}
	without := strings.Replace(body("7", "DELIVERED", "0"), `"shipment_status_id":7,`, "", 1)
	if got := says(t, without); got[0] != "undecoded" {
		t.Errorf("without shipment_status_id it says %q", got)
	}
}

func TestADisputedIDCountsOnlyWhereTheWordAgrees(t *testing.T) {
	t.Parallel()
	for label, want := range map[string]string{
		"CANCELLED BEFORE DISPATCH": "status_changed cancelled",
		"Cancelled_before-dispatch": "status_changed cancelled",
		"DELIVERED":                 "unrecognised shipment_status",
		"":                          "unrecognised shipment_status",
	} {
		if got := says(t, body("45", label, "0")); got[0] != want {
			t.Errorf("45 %q says %q, want %q", label, got, want)
		}
	}
	if got := says(t, body("7", "DELIVERED TO CONSIGNEE", "0")); got[0] != "status_changed delivered" {
		t.Errorf("an undisputed id with another word says %q", got)
	}
}

func TestAReturnMovesTheReturnParcelOnly(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"1":  "shipment_announced on the return parcel",
		"42": "status_changed returning on the return parcel",
		"17": "status_changed returning on the return parcel",
		"21": "status_changed returning on the return parcel",
		"7":  "status_changed returned on the return parcel",
		"8":  "status_changed cancelled on the return parcel",
	} {
		for _, flag := range []string{"1", `"1"`, "true"} {
			if got := says(t, body(id, "X", flag)); got[0] != want {
				t.Errorf("%s with is_return %s says %q, want %q", id, flag, got, want)
			}
		}
	}
	for _, flag := range []string{"0", `"0"`, "false", "null", `""`} {
		if got := says(t, body("7", "DELIVERED", flag)); got[0] != "status_changed delivered" {
			t.Errorf("is_return %s says %q", flag, got)
		}
	}
	for _, flag := range []string{"2", `"maybe"`, "[]", "{}", "-1"} {
		if got := says(t, body("7", "DELIVERED", flag)); got[0] != "undecoded" {
			t.Errorf("is_return %s says %q", flag, got)
		}
	}
}

func TestAnOrderIsKnownWithAndWithoutItsChannel(t *testing.T) {
	t.Parallel()
	for orderID, want := range map[string][]string{
		"SYN-1":       {"SYN-1"},
		"1_SYN-1":     {"1_SYN-1", "SYN-1"},
		"12_SYN-1":    {"12_SYN-1"},
		"#1001":       {"1001"},
		"1":           {"1"},
		"SYN_1_SYN-1": {"SYN_1_SYN-1"},
	} {
		event := translate(t, &configv1.Provider{}, strings.Replace(body("7", "DELIVERED", "0"), "SYN-1", orderID, 1))
		var got []string
		for _, reference := range event.GetReferences() {
			if reference.GetKind() == waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_NUMBER {
				got = append(got, reference.GetValue())
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s is %q, want %q", orderID, got, want)
		}
	}
}

func TestShiprocketsOwnNumberOfTheOrderNamesNothing(t *testing.T) {
	t.Parallel()
	for _, reference := range translate(t, &configv1.Provider{}, body("7", "DELIVERED", "0")).GetReferences() {
		if reference.GetValue() == "990001" {
			t.Errorf("reference %v: small numbers of several couriers would meet", reference)
		}
	}
}

func TestTheTimeIsDayFirstAndReadInIndia(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Time{
		"15 01 2026 18:00:05": time.Date(2026, 1, 15, 12, 30, 5, 0, time.UTC),
		"02 03 2026 00:00:00": time.Date(2026, 3, 1, 18, 30, 0, 0, time.UTC),
		"2026-01-15 18:00:05": time.Date(2026, 1, 15, 12, 30, 5, 0, time.UTC),
	} {
		event := translate(t, &configv1.Provider{}, strings.Replace(body("7", "DELIVERED", "0"), "15 01 2026 18:00:05", text, 1))
		if got := event.GetOccurredAt().AsTime(); !got.Equal(want) {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
		if event.GetOccurredAtCertainty() != waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_ZONE_ASSUMED {
			t.Errorf("%s is %s", text, event.GetOccurredAtCertainty())
		}
	}
	event := translate(t, &configv1.Provider{}, strings.Replace(body("7", "DELIVERED", "0"), "15 01 2026 18:00:05", "32 13 2026", 1))
	if event.GetOccurredAt() != nil {
		t.Errorf("a time that is none is %s", event.GetOccurredAt().AsTime())
	}
}

func TestTheNewestScanIsTheCheckpoint(t *testing.T) {
	t.Parallel()
	scans := `"scans":[{"date":"2026-01-15 18:00:05","activity":"handed over","location":"Synthpur","sr-status":"NA"},` +
		`{"date":"2026-01-14 09:00:00","activity":"picked","location":"Origin","sr-status":42}],`
	event := translate(t, &configv1.Provider{}, strings.Replace(body("7", "DELIVERED", "0"), "{", "{"+scans, 1))
	seen := event.GetChanges()[1].GetCheckpoint()
	if seen.GetDescription() != "handed over" || seen.GetLocation() != "Synthpur" {
		t.Errorf("checkpoint %v", seen)
	}
	for _, odd := range []string{`"scans":null,`, `"scans":{},`, `"scans":["x"],`, `"scans":[{"date":"NA"}],`, `"scans":"NA",`} {
		if got := says(t, strings.Replace(body("7", "DELIVERED", "0"), "{", "{"+odd, 1)); !slices.Equal(got, []string{"status_changed delivered"}) {
			t.Errorf("with %s it says %q", odd, got)
		}
	}
}

func TestAnEarlierScanUnderTheSameStatusIsAnEventOfItsOwn(t *testing.T) {
	t.Parallel()
	first := translate(t, &configv1.Provider{}, body("18", "IN TRANSIT", "0"))
	later := translate(t, &configv1.Provider{}, strings.Replace(body("18", "IN TRANSIT", "0"), "18:00:05", "18:00:06", 1))
	if first.GetEventId() == later.GetEventId() || !first.GetEventIdDerived() {
		t.Errorf("%s and %s", first.GetEventId(), later.GetEventId())
	}
}
