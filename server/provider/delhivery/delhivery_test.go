package delhivery_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/delhivery"
	"github.com/waybillhq/waybill/server/provider/providertest"
)

func options() providertest.Options {
	return providertest.Options{
		Sample:      "delivered",
		ProofHeader: "X-Waybill-Token",
		Malformed:   []string{"current-synthetic-secret", "Bearer current-synthetic-secret-4f1d"},
		Words:       words(),
		UnknownWord: providertest.Word{Body: body("LT", "Lost"), Says: []string{"unrecognised StatusType/Status"}},
	}
}

func body(statusType, status string) string {
	return `{"Shipment":{"AWB":"99000000001","ReferenceNo":"SYN-1","NSLCode":"X-SYN","Sortcode":"SYN/AAA",` +
		`"PickUpDate":"2026-01-15 09:00:00.000","Status":{"Status":"` + status + `","StatusType":"` + statusType +
		`","StatusDateTime":"2026-01-15T18:00:05.120","StatusLocation":"Synthpur","Instructions":"synthetic"}}}`
}

// words are every pair of the table.
func words() []providertest.Word {
	var all []providertest.Word
	add := func(statusType, status string, says ...string) {
		all = append(all, providertest.Word{
			Name: statusType + "/" + status, Body: body(statusType, status), Says: append(says, "checkpoint"),
		})
	}
	add("UD", "Manifested", "shipment_announced")
	add("UD", "Not Picked", "fact pickup_failed!")
	add("UD", "In Transit", "status_changed in_transit")
	add("UD", "Pending", "status_changed in_transit")
	add("UD", "Dispatched", "status_changed out_for_delivery")
	add("DL", "Delivered", "status_changed delivered")
	add("RT", "In Transit", "status_changed returning")
	add("RT", "Pending", "status_changed returning")
	add("RT", "Dispatched", "status_changed returning")
	add("DL", "RTO", "status_changed returned")
	add("PP", "Open", "shipment_announced on the return parcel")
	add("PP", "Scheduled", "shipment_announced on the return parcel")
	add("PP", "Dispatched", "shipment_announced on the return parcel")
	add("PU", "In Transit", "status_changed returning on the return parcel")
	add("PU", "Pending", "status_changed returning on the return parcel")
	add("PU", "Dispatched", "status_changed returning on the return parcel")
	add("DL", "DTO", "status_changed returned on the return parcel")
	add("CN", "Canceled", "status_changed cancelled on the return parcel")
	add("CN", "Closed", "status_changed cancelled on the return parcel")
	return all
}

func TestDelhiveryKeepsTheContract(t *testing.T) {
	t.Parallel()
	providertest.Run(t, delhivery.Kind(), options())
}

func TestTheReadmeHasTheMapping(t *testing.T) {
	t.Parallel()
	providertest.InReadme(t, words())
}

func FuzzVerify(f *testing.F)    { providertest.FuzzVerify(f, delhivery.Kind(), options()) }
func FuzzTranslate(f *testing.F) { providertest.FuzzTranslate(f, delhivery.Kind(), options()) }

func open(t *testing.T, settings *configv1.Provider) provider.Provider {
	t.Helper()
	opened, err := delhivery.Kind().New(settings)
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

func TestTheSameStatusMeansAnotherThingUnderAnotherType(t *testing.T) {
	t.Parallel()
	for statusType, want := range map[string]string{
		"UD": "status_changed out_for_delivery",
		"RT": "status_changed returning",
		"PP": "shipment_announced on the return parcel",
		"PU": "status_changed returning on the return parcel",
		"DL": "unrecognised StatusType/Status",
		"XX": "unrecognised StatusType/Status",
	} {
		says := providertest.Summary(translate(t, &configv1.Provider{}, body(statusType, "Dispatched")))
		if says[0] != want {
			t.Errorf("Dispatched under %s says %q, want %q", statusType, says, want)
		}
	}
	for _, body := range []string{body("", "Delivered"), body("DL", "")} {
		if says := providertest.Summary(translate(t, &configv1.Provider{}, body)); says[0] != "undecoded" {
			t.Errorf("%s says %q", body, says)
		}
	}
}

func TestAReversePickupNeverMovesTheForwardParcel(t *testing.T) {
	t.Parallel()
	for _, word := range words() {
		event := translate(t, &configv1.Provider{}, word.Body)
		reverse := strings.HasPrefix(word.Name, "P") || strings.HasPrefix(word.Name, "CN") || word.Name == "DL/DTO"
		for _, change := range event.GetChanges() {
			shipment := change.GetStatusChanged().GetShipment()
			if shipment != nil && (shipment.GetConsignmentId() == "99000000001#return") != reverse {
				t.Errorf("%s moves %s", word.Name, shipment.GetConsignmentId())
			}
		}
	}
}

func TestTheNominatedHeaderIsTheOneThatCounts(t *testing.T) {
	t.Parallel()
	opened := open(t, &configv1.Provider{
		Secrets: []*configv1.Secret{{Value: "right"}},
		Proof:   &configv1.Proof{Header: "X-Our-Key", Prefix: "Token "},
	})
	for name, c := range map[string]struct {
		header http.Header
		want   bool
	}{
		"nominated":          {http.Header{"X-Our-Key": {"Token right"}}, true},
		"without the prefix": {http.Header{"X-Our-Key": {"right"}}, false},
		"the default one":    {http.Header{"X-Waybill-Token": {"right"}}, false},
		"none":               {http.Header{}, false},
	} {
		if err := opened.Verify(&provider.Request{Header: c.header, ReceivedAt: providertest.Now()}); (err == nil) != c.want {
			t.Errorf("header %s: %v, want taken %t", name, err, c.want)
		}
	}

	r := &provider.Request{Header: http.Header{}, ReceivedAt: providertest.Now()}
	provider.Opened{Kind: delhivery.Kind(), Provider: opened}.Sign(r, "right", providertest.Now())
	if err := opened.Verify(r); err != nil {
		t.Errorf("signed as configured: %v", err)
	}
}

func TestTimesOfAnyFractionAreReadInIndiaUnlessConfigured(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Time{
		"2026-01-15T18:00:05.120": time.Date(2026, 1, 15, 12, 30, 5, 120e6, time.UTC),
		"2026-01-15T18:00:05.1":   time.Date(2026, 1, 15, 12, 30, 5, 100e6, time.UTC),
		"2026-01-15T18:00:05":     time.Date(2026, 1, 15, 12, 30, 5, 0, time.UTC),
		"2026-01-15 18:00:05.120": time.Date(2026, 1, 15, 12, 30, 5, 120e6, time.UTC),
	} {
		event := translate(t, &configv1.Provider{}, strings.Replace(body("DL", "Delivered"), "2026-01-15T18:00:05.120", text, 1))
		if got := event.GetOccurredAt().AsTime(); !got.Equal(want) {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
		if event.GetOccurredAtCertainty() != waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_ZONE_ASSUMED {
			t.Errorf("%s is %s", text, event.GetOccurredAtCertainty())
		}
	}
}

func TestScansOfOneStatusAreToldApartByTimeAndCode(t *testing.T) {
	t.Parallel()
	first := body("UD", "In Transit")
	ids := []string{
		translate(t, &configv1.Provider{}, first).GetEventId(),
		translate(t, &configv1.Provider{}, strings.Replace(first, "05.120", "05.121", 1)).GetEventId(),
		translate(t, &configv1.Provider{}, strings.Replace(first, "X-SYN", "X-DIFF", 1)).GetEventId(),
		translate(t, &configv1.Provider{}, strings.Replace(first, "UD", "RT", 1)).GetEventId(),
	}
	slices.Sort(ids)
	if len(slices.Compact(ids)) != 4 {
		t.Errorf("identities %q, want four", ids)
	}
	again := translate(t, &configv1.Provider{}, strings.Replace(first, "synthetic", "reworded", 1))
	if !slices.Contains(ids, again.GetEventId()) {
		t.Error("other instructions make another event")
	}
}

func TestADocumentPushIsKeptUndecoded(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"waybill":"99000000001","doc_type":"EPOD","document":"x"}`,
		`{"Shipment":null}`,
		`{"Shipment":{"AWB":null,"Status":{"Status":"Delivered","StatusType":"DL"}}}`,
	} {
		if says := providertest.Summary(translate(t, &configv1.Provider{}, body)); says[0] != "undecoded" {
			t.Errorf("%s says %q", body, says)
		}
	}
}

func TestOnlyTheHeaderCanBeChosen(t *testing.T) {
	t.Parallel()
	problems := delhivery.Kind().Check(&configv1.Provider{
		Secrets: []*configv1.Secret{{Value: "right"}},
		Proof:   &configv1.Proof{Scheme: "hmac_sha256", Header: "X-Our-Key", Encoding: "hex"},
	})
	fields := make([]string, 0, len(problems))
	for _, problem := range problems {
		fields = append(fields, problem.Field)
	}
	if want := []string{"proof.scheme", "proof.encoding"}; !slices.Equal(fields, want) {
		t.Errorf("problems of %q, want %q", fields, want)
	}
}
