package courier_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/providertest"
)

func TestABatchRepeatsKnownEventsUnderTheirOwnIDs(t *testing.T) {
	t.Parallel()
	first := `{"event_id":"e-1","awb":"A1","status":"in_transit","scanned_at":"2026-01-15T08:00:00Z"}`
	second := `{"event_id":"e-2","awb":"A1","status":"delivered","scanned_at":"2026-01-15T09:00:00Z"}`
	alone := translateAll(t, &configv1.Provider{}, `{"batch":[`+first+`]}`)
	both := translateAll(t, &configv1.Provider{}, `{"batch":[`+first+`,`+second+`]}`)

	if len(alone) != 1 || len(both) != 2 || alone[0].GetEventId() != "e-1" || both[0].GetEventId() != "e-1" || both[1].GetEventId() != "e-2" {
		t.Fatalf("%d and %d events", len(alone), len(both))
	}
	if bare := translate(t, &configv1.Provider{}, first); bare.GetEventId() != "e-1" {
		t.Errorf("outside a batch it is %s", bare.GetEventId())
	}
}

func TestAnItemThatCannotBeReadKeepsNobodyElseBack(t *testing.T) {
	t.Parallel()
	good := func(id string) string {
		return `{"event_id":"` + id + `","awb":"A` + id + `","status":"delivered","scanned_at":"2026-01-15T09:00:00Z"}`
	}
	for name, bad := range map[string]string{
		"a status that is no text":   `{"event_id":"2","awb":null,"status":7}`,
		"a member that comes twice":  `{"awb":"A2","awb":"A3","status":"delivered"}`,
		"no parcel":                  `{"status":"delivered"}`,
		"no status and no message":   `{"awb":"A2"}`,
		"a number":                   `7`,
		"null":                       `null`,
		"a list":                     `[` + good("9") + `]`,
		"a name of another case":     `{"AWB":"A2","Status":"delivered"}`,
		"a parcel of too many signs": `{"awb":"` + strings.Repeat("A", 300) + `","status":"delivered"}`,
		"a zero byte in the parcel":  `{"awb":"A\u0000","status":"delivered"}`,
		"a lone surrogate":           `{"awb":"A\ud800","status":"delivered"}`,
	} {
		events := translateAll(t, &configv1.Provider{}, `{"batch": [`+good("1")+` , `+bad+`,`+good("3")+`]}`)
		says := make([]string, 0, len(events))
		for _, event := range events {
			says = append(says, providertest.Summary(event)...)
		}
		if !slices.Equal(says, []string{"status_changed delivered", "undecoded", "status_changed delivered"}) {
			t.Errorf("%s: the batch says %q", name, says)
			continue
		}
		if want := provider.Undecoded([]byte(bad), "x").GetEventId(); events[1].GetEventId() != want {
			t.Errorf("%s: identity %s, want that of the item's own bytes", name, events[1].GetEventId())
		}
	}
}

func TestABatchThatIsNoneIsKeptWhole(t *testing.T) {
	t.Parallel()
	many := `{"batch":[` + strings.TrimSuffix(strings.Repeat("1,", provider.MaxItems+1), ",") + `]}`
	for _, body := range []string{
		`{"batch":[]}`, `{"batch":{}}`, `{"batch":"x"}`, `{"batch":[1],"batch":[2]}`, `{"batch":[1`, `{"batch":[1]}x`, `{"batch":[1,]}`,
		`[{"awb":"A1","status":"delivered"}]`, many,
	} {
		event := translate(t, &configv1.Provider{}, body)
		if says := providertest.Summary(event); says[0] != "undecoded" || event.GetEventId() != provider.Undecoded([]byte(body), "x").GetEventId() {
			t.Errorf("%s says %q", provider.Short(body, 40), says)
		}
	}
	full := `{"batch":[` + strings.TrimSuffix(strings.Repeat("1,", provider.MaxItems), ",") + `]}`
	if events := translateAll(t, &configv1.Provider{}, full); len(events) != provider.MaxItems {
		t.Errorf("%d events, want %d", len(events), provider.MaxItems)
	}
	if says := providertest.Summary(translate(t, &configv1.Provider{}, strings.Replace(body("delivered"), "{", `{"batch":null,`, 1))); says[0] != "status_changed delivered" {
		t.Errorf("an empty batch beside an event says %q", says)
	}
}

func TestTwoParcelsOfAnOrderAreNamedWithWhatIsInThem(t *testing.T) {
	t.Parallel()
	first := translate(t, &configv1.Provider{},
		`{"event_id":"1","order_ref":"SYN-1","awb":"A1","status":"shipped","units":[1,2],"scanned_at":"2026-01-15T08:00:00Z"}`)
	second := translate(t, &configv1.Provider{},
		`{"event_id":"2","order_ref":"SYN-1","awb":"A2","status":"shipped","units":["3","3"],"scanned_at":"2026-01-15T09:00:00Z"}`)

	for event, want := range map[*waybillv1.IngestEventRequest][]string{first: {"1 x1", "2 x1"}, second: {"3 x2"}} {
		if says := providertest.Summary(event); !slices.Equal(says, []string{"shipment_announced", "status_changed shipped"}) {
			t.Errorf("says %q", says)
		}
		got := make([]string, 0, 3)
		for _, unit := range event.GetChanges()[0].GetShipmentAnnounced().GetUnits() {
			got = append(got, fmt.Sprintf("%s x%d", unit.GetLineId(), unit.GetQuantity()))
		}
		if !slices.Equal(got, want) {
			t.Errorf("units %q, want %q", got, want)
		}
		if reference := event.GetReferences()[0]; reference.GetValue() != "SYN-1" {
			t.Errorf("reference %v", reference)
		}
	}
	announced := translate(t, &configv1.Provider{}, `{"event_id":"1","awb":"A1","status":"created","units":[1]}`)
	if says := providertest.Summary(announced); !slices.Equal(says, []string{"shipment_announced"}) {
		t.Errorf("an announcement with units says %q", says)
	}
}
