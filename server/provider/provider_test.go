package provider_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

func TestIdentityPartsAreKeptApart(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 15, 12, 30, 5, 0, time.UTC)
	if provider.DerivedID(at, "ab", "c") == provider.DerivedID(at, "a", "bc") {
		t.Error(`"ab"+"c" and "a"+"bc" have one identity`)
	}
	if provider.DerivedID(at, "a", "") == provider.DerivedID(at, "a") {
		t.Error("an empty part counts for nothing")
	}
	if id := provider.DerivedID(at, "a"); !strings.HasPrefix(id, "20260115T123005Z-") || len(id) != 17+64 {
		t.Errorf("identity %s", id)
	}
	if id := provider.DerivedID(time.Time{}, "a"); len(id) != 64 {
		t.Errorf("identity without a time: %s", id)
	}
}

func TestAnUndecodedEventIsKnownByItsBytes(t *testing.T) {
	t.Parallel()
	one, again, other := provider.Undecoded([]byte("x"), "p"), provider.Undecoded([]byte("x"), "q"), provider.Undecoded([]byte("y"), "p")
	if one.GetEventId() != again.GetEventId() || one.GetEventId() == other.GetEventId() {
		t.Errorf("identities %s, %s, %s", one.GetEventId(), again.GetEventId(), other.GetEventId())
	}
}

func TestNamesOfMembersAreMatchedExactly(t *testing.T) {
	t.Parallel()
	var b struct {
		ID provider.ID `json:"id"`
	}
	if err := provider.Decode([]byte(`{"ID":"wrong","Id":"wrong","id":"right","iD":"wrong"}`), &b); err != nil || b.ID != "right" {
		t.Errorf("id %q, %v", b.ID, err)
	}
	if err := provider.Decode([]byte(`{"id":"a","\u0069d":"b"}`), &b); err == nil {
		t.Error("a member that comes twice, once escaped, was taken")
	}
	if err := provider.Decode([]byte(`{"deep":{"x":[{"a":1,"a":2}]}}`), &b); err == nil {
		t.Error("a member that comes twice in a part that nobody reads was taken")
	}
}

func TestNumbersKeepEveryDigit(t *testing.T) {
	t.Parallel()
	var b struct {
		ID     provider.ID     `json:"id"`
		Amount provider.Number `json:"amount"`
	}
	if err := provider.Decode([]byte(`{"id":90071992547409931234567890,"amount":0.10000000000000000001}`), &b); err != nil {
		t.Fatal(err)
	}
	if b.ID != "90071992547409931234567890" || b.Amount != "0.10000000000000000001" {
		t.Errorf("id %s, amount %s", b.ID, b.Amount)
	}
}

func TestTimesAreReadInTheirZoneOrMarked(t *testing.T) {
	t.Parallel()
	const (
		exact   = waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_EXACT
		assumed = waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_ZONE_ASSUMED
		missing = waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_MISSING
	)
	dhaka, err := time.LoadLocation("Asia/Dhaka")
	if err != nil {
		t.Fatal(err)
	}
	for text, test := range map[string]struct {
		zone      *time.Location
		want      string
		certainty waybillv1.OccurredAtCertainty
	}{
		"2026-01-15T12:30:05Z":        {nil, "2026-01-15T12:30:05Z", exact},
		"2026-01-15T18:30:05.5+06:00": {nil, "2026-01-15T12:30:05.5Z", exact},
		"2026-01-15T18:30:05+0600":    {nil, "2026-01-15T12:30:05Z", exact},
		"2026-01-15 18:30:05+06:00":   {nil, "2026-01-15T12:30:05Z", exact},
		"2026-01-15 18:30:05":         {dhaka, "2026-01-15T12:30:05Z", assumed},
		"2026-01-15T18:30":            {dhaka, "2026-01-15T12:30:00Z", assumed},
		"2026-01-16 02:30:05":         {nil, "2026-01-15T12:30:05Z", assumed}, // UTC+14
		"":                            {nil, "", missing},
		"tomorrow":                    {nil, "", missing},
		"2026-13-45 99:99:99":         {nil, "", missing},
		"0001-01-01T00:00:00Z":        {nil, "", missing},
		"9999-12-31T23:59:59-14:00":   {nil, "", missing},
		"1768480205":                  {nil, "", missing},
	} {
		moment := provider.ParseMoment(text, test.zone)
		got := ""
		if moment.Timestamp() != nil {
			got = moment.Timestamp().AsTime().Format(time.RFC3339Nano)
		}
		if got != test.want || moment.Certainty != test.certainty {
			t.Errorf("%q: %s, %s, want %s, %s", text, got, moment.Certainty, test.want, test.certainty)
		}
	}
	for _, seconds := range []int64{0, -1, 253402300800} {
		if moment := provider.UnixMoment(seconds); moment.Certainty != missing {
			t.Errorf("%d seconds became %v", seconds, moment)
		}
	}
}

func TestReferencesComeStrongestFirstAndOnce(t *testing.T) {
	t.Parallel()
	var names provider.References
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_PAYMENT_ID, "p")
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_NUMBER, "#1001", "1001", "", "#")
	names.Add(waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_ID, "7", "7")
	got := make([]string, 0, len(names.List()))
	for _, name := range names.List() {
		got = append(got, name.GetValue())
	}
	if strings.Join(got, " ") != "7 1001 p" {
		t.Errorf("references %q", got)
	}
}

func TestWhatOurOwnRulesRefuseBecomesUndecoded(t *testing.T) {
	t.Parallel()
	sound := &waybillv1.IngestEventRequest{EventId: "e", Changes: []*waybillv1.Change{provider.IgnoredChange("why")}}
	if provider.Checked(sound, nil) != sound || sound.GetAccount() != "" || sound.GetProvider() != "" {
		t.Errorf("a sound event became %v", sound)
	}
	broken := &waybillv1.IngestEventRequest{
		EventId: strings.Repeat("secret", 100), Changes: []*waybillv1.Change{provider.IgnoredChange("why")},
	}
	problem := provider.Checked(broken, []byte("x")).GetChanges()[0].GetUndecoded().GetProblem()
	if !strings.Contains(problem, "event_id string.max_len") || strings.Contains(problem, "secret") {
		t.Errorf("problem %q, want the field and the rule, and no value", problem)
	}
}

func TestTheDefaultAnswerListsEveryEventOfABody(t *testing.T) {
	t.Parallel()
	response := func(id string, first bool, receipt waybillv1.Receipt) *waybillv1.IngestEventResponse {
		return &waybillv1.IngestEventResponse{
			Event:         &waybillv1.Event{Id: id, State: waybillv1.EventState_EVENT_STATE_RECEIVED},
			FirstDelivery: first, Receipt: receipt,
		}
	}
	one := response("evt_1", true, waybillv1.Receipt_RECEIPT_ACCEPTED)
	two := response("evt_2", false, waybillv1.Receipt_RECEIPT_DUPLICATE)
	for want, responses := range map[string][]*waybillv1.IngestEventResponse{
		`{"event":{"id":"evt_1","state":"received","outcome":"accepted"},"first_delivery":true}`:   {one},
		`{"event":{"id":"evt_2","state":"received","outcome":"duplicate"},"first_delivery":false}`: {two},
		`{"event":{"id":"evt_1","state":"received","outcome":"accepted"},"first_delivery":false,"events":[` +
			`{"id":"evt_1","state":"received","outcome":"accepted"},{"id":"evt_2","state":"received","outcome":"duplicate"}]}`: {one, two},
	} {
		answer := provider.DefaultAnswer(provider.Result{Verdict: provider.Accepted, Responses: responses})
		if got := strings.TrimSpace(string(answer.Body)); got != want || answer.Status != http.StatusOK {
			t.Errorf("answer %d %s, want 200 %s", answer.Status, got, want)
		}
	}
	busy := provider.DefaultAnswer(provider.Result{Verdict: provider.Unavailable, Message: "later"})
	if busy.Header.Get("Retry-After") != "1" || !json.Valid(busy.Body) {
		t.Errorf("answer %v %s", busy.Header, busy.Body)
	}
}

func TestSamplesAreFilledOrRefused(t *testing.T) {
	t.Parallel()
	values := provider.SampleValues{ID: "7", Currency: "KWD", MinorUnits: 1050, At: time.Unix(1768480205, 0)}
	r, err := provider.Sample{Name: "s", Text: "X-Id: {{.ID}}\n\n{\"a\":{{.Major}},\"c\":\"{{.CurrencyLower}}\",\"t\":{{.Unix}}}\n"}.Request(values)
	if err != nil {
		t.Fatal(err)
	}
	if r.Header.Get("X-Id") != "7" || string(r.Body) != `{"a":1.050,"c":"kwd","t":1768480205}` {
		t.Errorf("headers %v, body %s", r.Header, r.Body)
	}
	for _, text := range []string{"{{.Nobody}}\n\n", "{{", "no header line\n"} {
		if _, err := (provider.Sample{Text: text}).Request(values); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

func TestExpectationsThatNobodyChecksAreFaults(t *testing.T) {
	t.Parallel()
	live := true
	all := &configv1.Provider{Expect: &configv1.Expect{AccountId: "a", Livemode: &live, ShopDomain: "s", StoreId: "1"}}
	if problems := provider.CheckExpect(all, "livemode", "store_id"); len(problems) != 2 {
		t.Errorf("problems %v, want two", problems)
	}
	if problems := provider.CheckExpect(&configv1.Provider{}); len(problems) != 0 {
		t.Errorf("problems %v of settings that expect nothing", problems)
	}
}
