package custom_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/config"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/custom"
	"github.com/waybillhq/waybill/server/provider/providertest"
)

var exampleFile = filepath.Join("..", "..", "..", "examples", "custom-courier.yaml")

// examples are the providers of the example file, which nothing is wrong with: its fixtures are read too.
func examples(t *testing.T) map[string]*configv1.Provider {
	t.Helper()
	loader := config.Loader{
		Env: func(name string) (string, bool) { return "secret-of-" + name, true },
		Check: func(cfg *configv1.Config) []config.Fault {
			var faults []config.Fault
			for _, problem := range provider.Check(cfg, []provider.Kind{custom.Kind()}) {
				faults = append(faults, config.Fault(problem))
			}
			return faults
		},
	}
	cfg, problems, err := loader.Load(exampleFile)
	if err != nil || len(problems) > 0 {
		t.Fatalf("%v, problems %v", err, problems)
	}
	found := make(map[string]*configv1.Provider)
	for _, settings := range cfg.GetAccounts()[0].GetProviders() {
		found[settings.GetName()] = settings
	}
	return found
}

func TestACourierIsDescribedInAboutTwentyLines(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(exampleFile)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(text), "        custom:\n")
	if len(parts) != 3 {
		t.Fatalf("%d descriptions, want 2", len(parts)-1)
	}
	for _, part := range parts[1:] {
		lines := 0
		for line := range strings.Lines(part) {
			if !strings.HasPrefix(line, "          ") {
				break
			}
			lines++
		}
		if lines == 0 || lines > 22 {
			t.Errorf("a description has %d lines", lines)
		}
	}
}

func TestEveryFixtureOfTheExamplesIsASampleThatIsProvenAndRead(t *testing.T) {
	t.Parallel()
	want := map[string][]string{
		"riders/delivered": {"status_changed delivered"},
		"riders/on-hold":   {"fact on_hold!"},
		"freight/scan":     {"status_changed in_transit"},
		"freight/scans":    {"status_changed out_for_delivery", "status_changed delivered"},
		"freight/packed":   {"shipment_announced", "status_changed shipped"},
	}
	seen := 0
	for name, settings := range examples(t) {
		opened := open(t, settings)
		kind := provider.DescribedKind(custom.Kind(), opened)
		for _, sample := range kind.Samples {
			seen++
			r, err := sample.Request(providertest.Values())
			if err != nil {
				t.Fatal(err)
			}
			kind.Sign(r, settings.GetSecrets()[0].GetValue(), providertest.Now())
			if err := opened.Verify(r); err != nil {
				t.Errorf("%s: %v", sample.Name, err)
			}
			events, err := providertest.Translate(t, opened, r)
			if err != nil {
				t.Fatal(err)
			}
			if got := says(events); !slices.Equal(got, want[name+"/"+sample.Name]) {
				t.Errorf("%s/%s says %q", name, sample.Name, got)
			}
		}
	}
	if seen != len(want) {
		t.Errorf("%d fixtures, want %d", seen, len(want))
	}
}

func says(events []*waybillv1.IngestEventRequest) []string {
	var all []string
	for _, event := range events {
		all = append(all, providertest.Summary(event)...)
	}
	return all
}

// exampleOptions are what the suite can't know of the example's plain courier.
func exampleOptions(settings *configv1.Provider) providertest.Options {
	body := func(status string) string {
		return `{"consignment_id":"C1","order_number":"SYN-1","event_status":"` + status + `","event_time":"2026-01-15T12:30:05Z"}`
	}
	opts := providertest.Options{
		Sample: "riders-delivered", Settings: settings, ProofHeader: "X-Riders-Signature", ProofPrefix: "sha256=", SignsBody: true,
		UnknownWord: providertest.Word{Body: body("teleported"), Says: []string{"unrecognised event_status"}},
	}
	for word, means := range map[string]string{
		"created": "shipment_announced", "picked_up": "status_changed shipped", "in transit": "status_changed in_transit",
		"Out-For-Delivery": "status_changed out_for_delivery", "delivery_failed": "status_changed failed_delivery",
		"delivered": "status_changed delivered", "return_started": "status_changed returning",
		"returned": "status_changed returned", "on_hold": "fact on_hold!",
	} {
		opts.Words = append(opts.Words, providertest.Word{Name: word, Body: body(word), Says: []string{means}})
	}
	return opts
}

func TestTheFourMembersOfAPlainCourierKeepTheContract(t *testing.T) {
	t.Parallel()
	settings := examples(t)["riders"]
	kind := described(t, settings)
	for i := range kind.Samples { // the folder's own example has goldens of these names
		kind.Samples[i].Name = "riders-" + kind.Samples[i].Name
	}
	providertest.Run(t, kind, exampleOptions(settings))
}

// freight reads a body as the example's second courier.
func freight(t *testing.T, body string) []*waybillv1.IngestEventRequest {
	t.Helper()
	return translateAll(t, open(t, examples(t)["freight"]), body)
}

func scan(id, awb, status, at string) string {
	return fmt.Sprintf(`{"event_id":%q,"awb":%q,"status":%q,"scanned_at":%q}`, id, awb, status, at)
}

func TestTheBytesAreProvenWithTheirMarkAndReadWithoutIt(t *testing.T) {
	t.Parallel()
	opened := open(t, examples(t)["freight"])
	marked := "\ufeff" + scan("s-1", "A1", "in_transit", "2026-01-15T09:00:00Z")
	r := &provider.Request{Header: map[string][]string{}, Body: []byte(marked), ReceivedAt: providertest.Now()}
	provider.DescribedKind(custom.Kind(), opened).Sign(r, "secret-of-FREIGHT_SECRET", providertest.Now())
	for _, agent := range []string{"Go-http-client/1.1", "python-requests/2.31", ""} {
		r.Header.Set("User-Agent", agent)
		if err := opened.Verify(r); err != nil {
			t.Errorf("user agent %q: %v", agent, err)
		}
	}
	if got := says(translateAll(t, opened, marked)); !slices.Equal(got, []string{"status_changed in_transit"}) {
		t.Errorf("says %q", got)
	}
	r.Body = r.Body[3:]
	if opened.Verify(r) == nil {
		t.Error("taken although the mark was cut off after signing")
	}
}

func TestScansAreOrderedByTheInstantAndAZonelessOneNeverLeads(t *testing.T) {
	t.Parallel()
	at := func(text string) *waybillv1.IngestEventRequest {
		return freight(t, scan("s", "A1", "in_transit", text))[0]
	}
	west, utc, bare := at("2026-01-15T08:45:00-05:00"), at("2026-01-15T14:10:00Z"), at("2026-01-15 16:00")
	if got := west.GetOccurredAt().AsTime(); !got.Equal(time.Date(2026, 1, 15, 13, 45, 0, 0, time.UTC)) {
		t.Errorf("with an offset it is %s", got)
	}
	if bare.GetOccurredAtCertainty() != waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_ZONE_ASSUMED ||
		!bare.GetOccurredAt().AsTime().Before(utc.GetOccurredAt().AsTime()) {
		t.Errorf("without a zone it is %s, %s", bare.GetOccurredAt().AsTime(), bare.GetOccurredAtCertainty())
	}
	if local := open(t, examples(t)["riders"]); local != nil {
		event := translateAll(t, local, `{"consignment_id":"C1","event_status":"delivered","event_time":"2026-01-15 16:00"}`)[0]
		if got := event.GetOccurredAt().AsTime(); !got.Equal(time.Date(2026, 1, 15, 10, 0, 0, 0, time.UTC)) {
			t.Errorf("in the configured zone it is %s", got)
		}
	}
}

func TestABatchRepeatsKnownEventsUnderTheirOwnIDs(t *testing.T) {
	t.Parallel()
	first, second := scan("s-1", "A1", "in_transit", "2026-01-15T08:00:00Z"), scan("s-2", "A1", "delivered", "2026-01-15T09:00:00Z")
	alone, both := freight(t, `{"batch":[`+first+`]}`), freight(t, `{"batch":[`+first+`,`+second+`]}`)
	if len(alone) != 1 || len(both) != 2 || both[0].GetEventId() != "s-1" || both[1].GetEventId() != "s-2" ||
		alone[0].GetEventId() != freight(t, first)[0].GetEventId() || both[0].GetEventIdDerived() {
		t.Errorf("%v and %v", alone, both)
	}
}

func TestAnItemThatCannotBeReadKeepsNobodyElseBack(t *testing.T) {
	t.Parallel()
	good := func(id string) string { return scan(id, "A"+id, "delivered", "2026-01-15T09:00:00Z") }
	for name, bad := range map[string]string{
		"no parcel, and a status that is a number": `{"event_id":"2","awb":null,"status":7}`,
		"a member that comes twice":                `{"event_id":"2","awb":"A2","awb":"A3","status":"delivered"}`,
		"one further down":                         `{"event_id":"2","awb":"A2","status":"delivered","x":[{"y":{"a":1,"a":1}}]}`,
		"no status":                                `{"event_id":"2","awb":"A2"}`,
		"no identity":                              `{"awb":"A2","status":"delivered"}`,
		"a blank identity":                         `{"event_id":" ","awb":"A2","status":"delivered"}`,
		"a number":                                 `7`,
		"null":                                     `null`,
		"text":                                     `"x"`,
		"a list":                                   `[` + good("9") + `]`,
		"a name of another case":                   `{"event_id":"2","AWB":"A2","Status":"delivered"}`,
		"a parcel of too many signs":               `{"event_id":"2","awb":"` + strings.Repeat("A", 300) + `","status":"delivered"}`,
		"a zero byte in the parcel":                `{"event_id":"2","awb":"A\u0000","status":"delivered"}`,
		"a lone surrogate":                         `{"event_id":"2","awb":"A\ud800","status":"delivered"}`,
		"an object for a parcel":                   `{"event_id":"2","awb":{"id":"A2"},"status":"delivered"}`,
		"a truth value for a status":               `{"event_id":"2","awb":"A2","status":true}`,
		"units without a number":                   `{"event_id":"2","awb":"A2","status":"delivered","units":[{"line_id":"1"}]}`,
	} {
		events := freight(t, `{"batch": [`+good("1")+` , `+bad+`,`+good("3")+`]}`)
		if got := says(events); !slices.Equal(got, []string{"status_changed delivered", "undecoded", "status_changed delivered"}) {
			t.Errorf("%s: the batch says %q", name, got)
			continue
		}
		if want := provider.Undecoded([]byte(bad), "x").GetEventId(); events[1].GetEventId() != want {
			t.Errorf("%s: identity %s, want that of the item's own bytes", name, events[1].GetEventId())
		}
	}
}

func TestABatchThatIsNoneIsKeptWhole(t *testing.T) {
	t.Parallel()
	numbers := func(count int) string {
		return `{"batch":[` + strings.TrimSuffix(strings.Repeat("1,", count), ",") + `]}`
	}
	for _, body := range []string{
		`{"batch":[]}`, `{"batch":{}}`, `{"batch":"x"}`, `{"batch":[1],"batch":[2]}`, `{"a":{"b":1,"b":2},"batch":[1]}`,
		`{"batch":[1`, `{"batch":[1]}x`, `{"batch":[1,]}`, numbers(provider.MaxItems + 1),
	} {
		events := freight(t, body)
		if got := says(events); !slices.Equal(got, []string{"undecoded"}) || events[0].GetEventId() != provider.Undecoded([]byte(body), "x").GetEventId() {
			t.Errorf("%s says %q", provider.Short(body, 40), got)
		}
	}
	if events := freight(t, numbers(provider.MaxItems)); len(events) != provider.MaxItems {
		t.Errorf("%d events, want %d", len(events), provider.MaxItems)
	}
	empty := strings.Replace(scan("s-1", "A1", "delivered", "2026-01-15T09:00:00Z"), "{", `{"batch":null,`, 1)
	if got := says(freight(t, empty)); !slices.Equal(got, []string{"status_changed delivered"}) {
		t.Errorf("an empty batch beside an event says %q", got)
	}
}

func TestTwoParcelsOfAnOrderAreNamedWithWhatIsInThem(t *testing.T) {
	t.Parallel()
	packed := func(id, awb, units string) *waybillv1.IngestEventRequest {
		return freight(t, `{"event_id":"`+id+`","order_ref":"SYN-1","awb":"`+awb+`","status":"shipped","units":`+units+`}`)[0]
	}
	for event, want := range map[*waybillv1.IngestEventRequest][]string{
		packed("1", "A1", `[1,2]`):                                {"1 x1", "2 x1"},
		packed("2", "A2", `["3","3"]`):                            {"3 x2"},
		packed("3", "A3", `[{"line_id":4,"quantity":"5"}]`):       {"4 x5"},
		packed("4", "A4", `[{"line_id":9007199254740993},"x"]`):   nil,
		packed("5", "A5", `[{"line_id":1,"quantity":10000000}]`):  nil,
		packed("6", "A6", `[{"line_id":1,"quantity":"1.5"}]`):     nil,
		packed("7", "A7", `[{"line_id":1,"quantity":1},1,"1",2]`): {"1 x3", "2 x1"},
	} {
		var got []string
		for _, unit := range event.GetChanges()[0].GetShipmentAnnounced().GetUnits() {
			got = append(got, fmt.Sprintf("%s x%d", unit.GetLineId(), unit.GetQuantity()))
		}
		if !slices.Equal(got, want) || (want == nil) != (event.GetChanges()[0].GetUndecoded() != nil) {
			t.Errorf("event %s: units %q, want %q", event.GetEventId(), got, want)
		}
	}
}
