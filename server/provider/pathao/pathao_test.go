package pathao_test

import (
	"strings"
	"testing"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/pathao"
	"github.com/waybillhq/waybill/server/provider/providertest"
)

const answerHeader = "X-Pathao-Merchant-Webhook-Integration-Secret"

func options() providertest.Options {
	return providertest.Options{
		Sample:      "order.delivered",
		ProofHeader: "X-PATHAO-Signature",
		Malformed:   []string{"f3992ecc-59da-4cbe-a049-a13da2018d51", "current-synthetic-secret"},
		Words:       words(),
		UnknownWord: providertest.Word{
			Body: `{"event":"order.teleported","consignment_id":"DS1","timestamp":"2026-01-15T12:30:05+00:00"}`,
			Says: []string{"unrecognised event"},
		},
	}
}

// words are every event name and every label of the older payloads.
func words() []providertest.Word {
	var all []providertest.Word
	add := func(field, word, extra string, says ...string) {
		all = append(all, providertest.Word{
			Name: word,
			Body: `{"` + field + `":"` + word + `","consignment_id":"DS1","merchant_order_id":"SYN-1",` + extra +
				`"timestamp":"2026-01-15T12:30:05+00:00"}`,
			Says: says,
		})
	}
	const money = `"collected_amount":1050,`
	const returns = `"return_consignment_id":"DR1","return_type":"return","collected_amount":0,`

	add("event", "order.created", "", "shipment_announced")
	add("event", "order.updated", "", "shipment_announced")
	add("event", "order.pickup-requested", "", "shipment_announced")
	add("event", "order.assigned-for-pickup", "", "shipment_announced")
	add("event", "order.picked", "", "status_changed shipped")
	add("event", "order.pickup-failed", "", "fact pickup_failed!")
	add("event", "order.pickup-cancelled", "", "status_changed cancelled")
	add("event", "order.at-the-sorting-hub", "", "status_changed in_transit")
	add("event", "order.in-transit", "", "status_changed in_transit")
	add("event", "order.received-at-last-mile-hub", "", "status_changed in_transit")
	add("event", "order.assigned-for-delivery", "", "status_changed out_for_delivery")
	add("event", "order.delivered", money, "status_changed delivered", "movement paid")
	add("event", "order.partial-delivery", money, "status_changed delivered", "fact partial_delivery", "movement paid")
	add("event", "order.exchanged", money, "status_changed delivered", "fact exchange", "movement paid")
	add("event", "order.delivery-failed", "", "status_changed failed_delivery")
	add("event", "order.on-hold", "", "fact on_hold!")
	add("event", "order.returned", "", "status_changed returning")
	add("event", "order.paid-return", money, "status_changed returning", "fact paid_return")
	add("event", "order.return-id-created", returns, "status_changed returning on the return parcel", "status_changed returning")
	add("event", "order.return-in-transit", returns, "status_changed returning on the return parcel", "status_changed returning")
	add("event", "order.returned-to-merchant", returns, "status_changed returned on the return parcel", "status_changed returned")
	add("event", "order.paid", `"invoice_id":"INV-1",`, "fact settlement")
	add("event", "store.created", "", "ignored")
	add("event", "store.updated", "", "ignored")
	add("event", "webhook_integration", "", "ignored")
	add("event", " ORDER.Delivered ", "", "status_changed delivered")

	add("order_status", "Order_Created", "", "shipment_announced")
	add("order_status", "Order_Updated", "", "shipment_announced")
	add("order_status", "Pickup_Requested", "", "shipment_announced")
	add("order_status", "Assigned_for_Pickup", "", "shipment_announced")
	add("order_status", "Picked", "", "status_changed shipped")
	add("order_status", "Pickup_Failed", "", "fact pickup_failed!")
	add("order_status", "Pickup_Cancelled", "", "status_changed cancelled")
	add("order_status", "At_the_Sorting_HUB", "", "status_changed in_transit")
	add("order_status", "In_Transit", "", "status_changed in_transit")
	add("order_status", "Received_at_Last_Mile_HUB", "", "status_changed in_transit")
	add("order_status", "Assigned_for_Delivery", "", "status_changed out_for_delivery")
	add("order_status", "Delivered", money, "status_changed delivered", "movement paid")
	add("order_status", "Partial_Delivery", money, "status_changed delivered", "fact partial_delivery", "movement paid")
	add("order_status", "Return", "", "status_changed returning")
	add("order_status", "Delivery_Failed", "", "status_changed failed_delivery")
	add("order_status", "On_Hold", "", "fact on_hold!")
	add("order_status", "paid_return", money, "status_changed returning", "fact paid_return")
	add("order_status", "exchange", money, "status_changed delivered", "fact exchange", "movement paid")
	add("order_status", "Payment_Invoice", "", "fact settlement")
	add("order_status", "Teleported", "", "unrecognised order_status")
	return all
}

func TestPathaoKeepsTheContract(t *testing.T) {
	t.Parallel()
	providertest.Run(t, pathao.Kind(), options())
}

func FuzzVerify(f *testing.F)    { providertest.FuzzVerify(f, pathao.Kind(), options()) }
func FuzzTranslate(f *testing.F) { providertest.FuzzTranslate(f, pathao.Kind(), options()) }

func open(t *testing.T, settings *configv1.Provider) provider.Provider {
	t.Helper()
	opened, err := pathao.Kind().New(settings)
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

func TestTheProbeIsAnswered202WithTheHeaderAndNeedsNoProof(t *testing.T) {
	t.Parallel()
	opened := open(t, &configv1.Provider{})

	answer, ok := opened.Handshake(&provider.Request{Body: []byte(`{ "event": "webhook_integration" }`)})
	if !ok || answer.Status != 202 || answer.Header.Get(answerHeader) != "f3992ecc-59da-4cbe-a049-a13da2018d51" {
		t.Errorf("answer %+v, %t", answer, ok)
	}
	for _, body := range []string{
		`{"event":"order.delivered","reason":"webhook_integration"}`,
		`{"Event":"webhook_integration"}`,
		`{"event":"webhook_integration"`,
		`{"event":"webhook_integration","event":"order.delivered"}`,
		`"webhook_integration"`,
	} {
		if _, ok := opened.Handshake(&provider.Request{Body: []byte(body)}); ok {
			t.Errorf("%s was taken for the probe", body)
		}
	}
}

func TestEveryAnswerCarriesTheIntegrationHeader(t *testing.T) {
	t.Parallel()
	constant, own := open(t, &configv1.Provider{}), open(t, &configv1.Provider{AnswerToken: "own-token"})

	for _, verdict := range []provider.Verdict{
		provider.Accepted, provider.Unproven, provider.Refused, provider.TooLarge, provider.Unavailable,
		provider.MethodNotAllowed, provider.Incomplete, provider.Unsupported,
	} {
		if got := constant.Answer(provider.Result{Verdict: verdict}).Header.Get(answerHeader); len(got) != 36 {
			t.Errorf("%s is answered with the header %q", verdict, got)
		}
		if got := own.Answer(provider.Result{Verdict: verdict}).Header.Get(answerHeader); got != "own-token" {
			t.Errorf("%s is answered with the header %q, want the configured one", verdict, got)
		}
	}
	if status := constant.Answer(provider.Result{Verdict: provider.Accepted}).Status; status != 202 {
		t.Errorf("an accepted event is answered %d, want 202", status)
	}
}

func TestAnAnswerTokenThatIsTheSecretIsAFaultOfTheSettings(t *testing.T) {
	t.Parallel()
	settings := &configv1.Provider{
		Secrets:     []*configv1.Secret{{Value: "hush-hush"}},
		AnswerToken: "hush-hush",
		TimeZone:    "Asia/Nowhere",
		Currency:    "XXQ",
		Expect:      &configv1.Expect{ShopDomain: "x.example.test"},
	}
	fields := map[string]bool{}
	for _, problem := range pathao.Kind().Check(settings) {
		fields[problem.Field] = true
		if strings.Contains(problem.Message, "hush") {
			t.Error("the problem quotes the secret")
		}
	}
	for _, field := range []string{"answer_token", "time_zone", "currency", "expect.shop_domain"} {
		if !fields[field] {
			t.Errorf("no problem of %s", field)
		}
	}
}

func TestGoodsOnTheirWayBackAreTheRightParcel(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		extra, consignment string
		isReturn           bool
	}{
		"a return consignment is named":  {`"return_consignment_id":"DR1","return_type":"exchange"`, "DR1", true},
		"an exchange without one":        {`"return_type":"exchange"`, "DS1#return", true},
		"a partial delivery without one": {`"return_type":"partial-delivery","return_consignment_id":null`, "DS1#return", true},
		"a plain return without one":     {`"return_type":"return","return_consignment_id":""`, "DS1", false},
		"a paid return without one":      {`"return_type":"paid-return"`, "DS1", false},
		"nothing said":                   {`"reason":null`, "DS1", false},
	} {
		event := translate(t, nil, `{"event":"order.return-in-transit","consignment_id":"DS1",`+test.extra+`}`)
		shipment := event.GetChanges()[0].GetStatusChanged().GetShipment()
		if shipment.GetConsignmentId() != test.consignment || shipment.GetReturnParcel() != test.isReturn {
			t.Errorf("%s: the status is on %v", name, shipment)
		}
	}
}

func TestAWholeReturnBringsItsConsignmentBackToo(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]int{"return": 2, "paid-return": 2, "exchange": 1, "partial-delivery": 1} {
		event := translate(t, nil, `{"event":"order.returned-to-merchant","consignment_id":"DS1",`+
			`"return_consignment_id":"DR1","return_type":"`+kind+`"}`)
		if got := len(event.GetChanges()); got != want {
			t.Errorf("%s: %d changes, want %d", kind, got, want)
			continue
		}
		if want == 2 && event.GetChanges()[1].GetStatusChanged().GetShipment().GetConsignmentId() != "DS1" {
			t.Errorf("%s: the second change is %v", kind, event.GetChanges()[1])
		}
	}
}

func TestCollectedMoneyIsReadExactly(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"1050": 105000, "83.46": 8346, "83.4": 8340, "1050.000": 105000, `"1050.50"`: 105050, "90071992547409.93": 9007199254740993,
	} {
		event := translate(t, nil, `{"event":"order.delivered","consignment_id":"DS1","collected_amount":`+text+`}`)
		payment := event.GetChanges()[1].GetPaymentReported()
		if payment.GetAmount().GetMinorUnits() != want || payment.GetAmount().GetCurrency() != "BDT" {
			t.Errorf("%s became %v", text, payment.GetAmount())
		}
		if payment.GetPaymentId() != "cod:DS1" || !payment.GetCashOnDelivery() {
			t.Errorf("%s: payment %v is no cash on delivery of the consignment", text, payment)
		}
	}
	for _, text := range []string{"0", "0.00", "null", `""`} {
		event := translate(t, nil, `{"event":"order.delivered","consignment_id":"DS1","collected_amount":`+text+`}`)
		if len(event.GetChanges()) != 1 {
			t.Errorf("%s became %v: nothing was collected", text, event.GetChanges())
		}
	}
	for _, text := range []string{"-5", "1050.555", "1e3", `"ten"`, "true", "99999999999999999999"} {
		event := translate(t, nil, `{"event":"order.delivered","consignment_id":"DS1","collected_amount":`+text+`}`)
		if providertest.Summary(event)[0] != "undecoded" {
			t.Errorf("%s became %v, want undecoded: a wrong amount is worse than none", text, event.GetChanges())
		}
	}
	euro := translate(t, &configv1.Provider{Currency: "JPY"},
		`{"event":"order.delivered","consignment_id":"DS1","collected_amount":1050}`)
	if amount := euro.GetChanges()[1].GetPaymentReported().GetAmount(); amount.GetMinorUnits() != 1050 || amount.GetCurrency() != "JPY" {
		t.Errorf("1050 in a currency without decimals became %v", amount)
	}
}

func TestTimesComeFromTheZonedFieldAndElseFromDhaka(t *testing.T) {
	t.Parallel()
	const exact = waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_EXACT
	const assumed = waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_ZONE_ASSUMED
	const missing = waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_MISSING
	for name, test := range map[string]struct {
		zone, extra, want string
		certainty         waybillv1.OccurredAtCertainty
	}{
		"both":           {"", `"timestamp":"2026-01-15T12:30:05+00:00","updated_at":"2026-01-15 18:30:05"`, "12:30:05", exact},
		"an offset":      {"", `"timestamp":"2026-01-15T18:30:05+06:00"`, "12:30:05", exact},
		"naive only":     {"", `"updated_at":"2026-01-15 18:30:05"`, "12:30:05", assumed},
		"another zone":   {"Europe/Berlin", `"updated_at":"2026-01-15 18:30:05"`, "17:30:05", assumed},
		"an unread zone": {"", `"timestamp":"soon","updated_at":"2026-01-15 18:30:05"`, "12:30:05", assumed},
		"neither":        {"", `"timestamp":null,"updated_at":""`, "", missing},
		"year zero":      {"", `"timestamp":"0000-01-01T00:00:00Z"`, "", missing},
	} {
		event := translate(t, &configv1.Provider{TimeZone: test.zone},
			`{"event":"order.picked","consignment_id":"DS1",`+test.extra+`}`)
		got := ""
		if event.GetOccurredAt() != nil {
			got = event.GetOccurredAt().AsTime().Format(time.TimeOnly)
		}
		if got != test.want || event.GetOccurredAtCertainty() != test.certainty {
			t.Errorf("%s: %s, %s, want %s, %s", name, got, event.GetOccurredAtCertainty(), test.want, test.certainty)
		}
	}
}

func TestIdentityComesFromTheRawWordsAndNotFromTheSettings(t *testing.T) {
	t.Parallel()
	id := func(zone, body string) string {
		return translate(t, &configv1.Provider{TimeZone: zone}, body).GetEventId()
	}
	const picked = `{"event":"order.picked","consignment_id":"DS1","updated_at":"2026-01-15 18:30:05"}`
	base := id("", picked)

	if !strings.HasPrefix(base, "20260115T183005Z-") {
		t.Errorf("identity %s does not begin with its time", base)
	}
	if other := id("Europe/Berlin", picked); other != base {
		t.Errorf("another zone makes identity %s of %s", other, base)
	}
	if rebuilt := id("", `{"consignment_id":"DS1", "updated_at":"2026-01-15 18:30:05","event":"order.picked","reason":"x"}`); rebuilt != base {
		t.Errorf("a body built anew has identity %s, want %s", rebuilt, base)
	}
	seen := map[string]string{base: picked}
	for _, body := range []string{
		`{"event":"order.in-transit","consignment_id":"DS1","updated_at":"2026-01-15 18:30:05"}`,
		`{"event":"order.picked","consignment_id":"DS2","updated_at":"2026-01-15 18:30:05"}`,
		`{"event":"order.picked","consignment_id":"DS1","updated_at":"2026-01-15 18:30:06"}`,
		`{"event":"order.picked","consignment_id":"DS1","updated_at":"2026-01-15 18:30:05","return_consignment_id":"R"}`,
		`{"event":"store.created","store_id":1,"updated_at":"2026-01-15 18:30:05"}`,
		`{"event":"store.created","store_id":2,"updated_at":"2026-01-15 18:30:05"}`,
	} {
		if twin := seen[id("", body)]; twin != "" {
			t.Errorf("%s and %s have one identity", body, twin)
		}
		seen[id("", body)] = body
	}
}

func TestABodyForAnotherStoreIsKeptAndIgnored(t *testing.T) {
	t.Parallel()
	settings := &configv1.Provider{Expect: &configv1.Expect{StoreId: "990001"}}
	mine := translate(t, settings, `{"event":"order.picked","consignment_id":"DS1","store_id":990001}`)
	other := translate(t, settings, `{"event":"order.picked","consignment_id":"DS1","store_id":990002}`)
	if says := providertest.Summary(mine); says[0] != "status_changed shipped" {
		t.Errorf("the expected store's event says %q", says)
	}
	if says := providertest.Summary(other); says[0] != "ignored" {
		t.Errorf("another store's event says %q", says)
	}
}

func TestEmptyAndMissingFieldsAreLeftOutOrNamed(t *testing.T) {
	t.Parallel()
	bare := translate(t, nil, `{"event":"order.picked","consignment_id":"DS1","merchant_order_id":null,"reason":null}`)
	if len(bare.GetReferences()) != 1 || bare.GetReferences()[0].GetValue() != "DS1" {
		t.Errorf("references %v, want the consignment alone", bare.GetReferences())
	}
	blank := translate(t, nil, `{"event":"order.picked","consignment_id":"DS1","merchant_order_id":" # "}`)
	if len(blank.GetReferences()) != 1 {
		t.Errorf("references %v, want the consignment alone", blank.GetReferences())
	}
	for body, problem := range map[string]string{
		`{"event":"order.picked"}`:                                   "consignment_id is missing",
		`{"event":"order.picked","consignment_id":""}`:               "consignment_id is missing",
		`{"event":"order.picked","consignment_id":["DS1"]}`:          "consignment_id is neither text nor a whole number",
		`{"event":"order.picked","consignment_id":"DS\u0000"}`:       "consignment_id holds text that is not proper Unicode",
		`{"event":"order.picked","consignment_id":"DS\ud83d"}`:       "consignment_id holds text that is not proper Unicode",
		"{\"event\":\"order.picked\",\"consignment_id\":\"DS\xe9\"}": "consignment_id holds text that is not proper Unicode",
		`{"event":"order.picked","consignment_id":1.5}`:              "consignment_id is not a whole number",
		`{"event":null,"order_status":"","consignment_id":"DS1"}`:    "event is missing",
		`{"Event":"order.picked","consignment_id":"DS1"}`:            "event is missing",
		`{"event":7,"consignment_id":"DS1"}`:                         "event is not text",
		`null`:                                                       "event is missing",
	} {
		event := translate(t, nil, body)
		if got := event.GetChanges()[0].GetUndecoded().GetProblem(); got != problem {
			t.Errorf("%s: problem %q, want %q", body, got, problem)
		}
	}
}

func TestHarmlessTextDoesNotStopAnEvent(t *testing.T) {
	t.Parallel()
	event := translate(t, nil, "{\"event\":\"order.delivery-failed\",\"consignment_id\":9007199254740993,"+
		"\"reason\":\"gone\\u0000 away \\ud83d\",\"note\":\"caf\xe9 \\ud83d\"}")
	change := event.GetChanges()[0].GetStatusChanged()
	if change.GetReason() != "gone\uFFFD away \uFFFD" {
		t.Errorf("reason %q", change.GetReason())
	}
	if change.GetShipment().GetConsignmentId() != "9007199254740993" {
		t.Errorf("an id beyond 2^53 became %s", change.GetShipment().GetConsignmentId())
	}
	long := translate(t, nil, `{"event":"order.delivery-failed","consignment_id":"DS1","reason":"`+strings.Repeat("é", 5000)+`"}`)
	if got := []rune(long.GetChanges()[0].GetStatusChanged().GetReason()); len(got) != 2000 {
		t.Errorf("a long reason was cut to %d characters", len(got))
	}
	huge := translate(t, nil, `{"event":"order.picked","consignment_id":"`+strings.Repeat("9", 300)+`"}`)
	if says := providertest.Summary(huge); says[0] != "undecoded" {
		t.Errorf("an id of 300 digits says %q, want undecoded", says)
	}
}
