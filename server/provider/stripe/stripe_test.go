package stripe_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/providertest"
	"github.com/waybillhq/waybill/server/provider/stripe"
)

const header = "Stripe-Signature"

// published is the signed event of Stripe's own .NET library's tests, with the signature that stands there.
const published = `{
  "id": "evt_123",
  "object": "event",
  "account": "acct_123",
  "api_version": "2017-05-25",
  "created": 1533204620,
  "data": {
    "object": {
      "id": "cus_123",
      "object": "customer",
      "created": 123456789,
      "email": "test@stripe.com",
      "livemode": false,
      "metadata": {}
    }
  },
  "livemode": false,
  "pending_webhooks": 1,
  "request": {
    "id": "req_123",
    "idempotency_key": "idempotency-key-123"
  },
  "type": "customer.created"
}
`

const (
	publishedSecret    = "webhook_secret"
	publishedSignature = "2220f87ef101a04665f11cdf770523143f875572008577fa0f20882ddb9cc3c7"
	publishedOldScheme = "63f3a72374a733066c4be69ed7f8e5ac85c22c9f0a6a612ab9a025a9e4ee7eef"
)

func options() providertest.Options {
	return providertest.Options{
		Sample:      "payment_intent.succeeded",
		ProofHeader: header,
		SignsBody:   true,
		Past:        300 * time.Second,
		Future:      300 * time.Second,
		Malformed: []string{
			"v1,t=1", "t=", "t=abc,v1=zz", "t=1768480205", "v1=" + publishedSignature, "t=1768480205,v1=",
			"t=1768480205,v1=" + publishedSignature[1:], "t=1768480205,v1=" + strings.Repeat("0", 64),
			"t=99999999999999999999,v1=" + publishedSignature, "t=-1,v1=" + publishedSignature,
			"t=1768480205,t=1768480205,v1=" + publishedSignature, "t=1768480205,v0=" + publishedSignature,
		},
		Vectors: vectors(),
		Words:   words(),
		UnknownWord: providertest.Word{
			Body: event("charge.dispute.updated", `{"id":"dp_1","payment_intent":"pi_1","status":"teleported"}`),
			Says: []string{"unrecognised data.object.status"},
		},
	}
}

// vectors are the published signature, and the cases that Stripe's Go library tests.
func vectors() []providertest.Vector {
	at := time.Unix(1533204620, 0)
	vector := func(name, value string, refused bool) providertest.Vector {
		return providertest.Vector{
			Name: name, Secret: publishedSecret, Header: http.Header{header: {value}}, Body: published, At: at,
			Refused: refused,
		}
	}
	good := "t=1533204620,v1=" + publishedSignature
	return []providertest.Vector{
		vector("as published", good+",v0="+publishedOldScheme, false),
		vector("without the old scheme", good, false),
		vector("the second of two signatures is ours", "t=1533204620,v1="+strings.Repeat("0", 64)+",v1="+publishedSignature, false),
		vector("a signature that is no hex beside ours", good+",v1=bad_signature", false),
		vector("capital hex", "t=1533204620,v1="+strings.ToUpper(publishedSignature), false),
		vector("the old scheme only", "t=1533204620,v0="+publishedSignature, true),
		vector("another time", "t=1533204621,v1="+publishedSignature, true),
		vector("no header", "", true),
		vector("a pair that is none", "v1,t=1", true),
		vector("an empty time", "t=", true),
	}
}

func event(eventType, object string) string {
	return `{"id":"evt_1","object":"event","created":1768480205,"livemode":true,"type":"` + eventType +
		`","data":{"object":` + object + `}}`
}

func words() []providertest.Word {
	var all []providertest.Word
	add := func(name, eventType, object string, says ...string) {
		all = append(all, providertest.Word{Name: name, Body: event(eventType, object), Says: says})
	}
	const intent = `{"id":"pi_1","amount":4200,"amount_received":4200,"amount_capturable":4200,"currency":"eur"}`
	for eventType, says := range map[string]string{
		"payment_intent.created":                   "movement pending",
		"payment_intent.processing":                "movement pending",
		"payment_intent.requires_action":           "movement pending",
		"payment_intent.partially_funded":          "movement pending",
		"payment_intent.amount_capturable_updated": "movement authorized",
		"payment_intent.succeeded":                 "movement paid",
		"payment_intent.payment_failed":            "movement failed",
		"payment_intent.canceled":                  "movement voided",
	} {
		add(eventType, eventType, intent, says)
	}
	session := func(status string) string {
		return `{"id":"cs_1","payment_intent":"pi_1","amount_total":4200,"currency":"eur","payment_status":"` + status + `"}`
	}
	add("session paid", "checkout.session.completed", session("paid"), "movement paid")
	add("session unpaid", "checkout.session.completed", session("unpaid"), "movement pending")
	add("session of nothing", "checkout.session.completed", session("no_payment_required"), "movement paid")
	add("session of a new status", "checkout.session.completed", session("later"), "unrecognised data.object.payment_status")
	add("session paid later", "checkout.session.async_payment_succeeded", session("paid"), "movement paid")
	add("session failed later", "checkout.session.async_payment_failed", session("unpaid"), "movement failed")
	add("session expired", "checkout.session.expired", session("unpaid"), "movement voided")

	charge := func(extra string) string {
		return `{"id":"ch_1","payment_intent":"pi_1","amount":4200,"currency":"eur"` + extra + `}`
	}
	add("charge pending", "charge.pending", charge(""), "movement pending")
	add("charge", "charge.succeeded", charge(""), "movement paid")
	add("charge captured", "charge.succeeded", charge(`,"captured":true`), "movement paid")
	add("charge reserved", "charge.succeeded", charge(`,"captured":false`), "movement authorized")
	add("charge captured later", "charge.captured", charge(`,"captured":true`), "movement paid")
	add("charge failed", "charge.failed", charge(""), "movement failed")
	add("charge expired", "charge.expired", charge(""), "movement voided")
	add("charge refunded", "charge.refunded", charge(`,"amount_refunded":1000`), "refund_total")
	add("refund failed", "refund.failed", charge(`,"status":"failed"`), "fact refund_failed!")
	add("refund updated to failed", "charge.refund.updated", charge(`,"status":"canceled"`), "fact refund_failed!")
	add("refund updated", "charge.refund.updated", charge(`,"status":"succeeded"`), "ignored")

	for status, says := range map[string]string{
		"warning_needs_response": "dispute open", "warning_under_review": "dispute open", "warning_closed": "dispute won",
		"needs_response": "dispute open", "under_review": "dispute open", "won": "dispute won", "lost": "dispute lost",
		"prevented": "dispute won",
	} {
		for _, what := range []string{"created", "updated", "closed", "funds_withdrawn", "funds_reinstated"} {
			add(what+" "+status, "charge.dispute."+what, charge(`,"status":"`+status+`"`), says)
		}
	}
	add("a type nobody needs", "billing_portal.session.created", `{"id":"bps_1"}`, "ignored")
	return all
}

func TestStripeKeepsTheContract(t *testing.T) {
	t.Parallel()
	providertest.Run(t, stripe.Kind(), options())
}

func FuzzVerify(f *testing.F)    { providertest.FuzzVerify(f, stripe.Kind(), options()) }
func FuzzTranslate(f *testing.F) { providertest.FuzzTranslate(f, stripe.Kind(), options()) }

func translate(t *testing.T, settings *configv1.Provider, body string) *waybillv1.IngestEventRequest {
	t.Helper()
	opened, err := stripe.Kind().New(settings)
	if err != nil {
		t.Fatal(err)
	}
	events, err := providertest.Translate(t, opened, &provider.Request{Body: []byte(body), ReceivedAt: providertest.Now()})
	if err != nil || len(events) != 1 {
		t.Fatalf("%d events, %v, want one", len(events), err)
	}
	return events[0]
}

func references(event *waybillv1.IngestEventRequest) string {
	names := make([]string, 0, len(event.GetReferences()))
	for _, reference := range event.GetReferences() {
		names = append(names, strings.ToLower(strings.TrimPrefix(reference.GetKind().String(), "REFERENCE_KIND_"))+"="+reference.GetValue())
	}
	return strings.Join(names, " ")
}

func TestOnePaymentHasOneNameHoweverManyTypesReportIt(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		event("payment_intent.succeeded", `{"id":"pi_9","amount":1,"currency":"eur"}`),
		event("checkout.session.completed", `{"id":"cs_9","payment_intent":"pi_9","payment_status":"paid","amount_total":1,"currency":"eur"}`),
		event("checkout.session.completed", `{"id":"cs_9","payment_intent":{"id":"pi_9","object":"payment_intent"},"payment_status":"paid","amount_total":1,"currency":"eur"}`),
		event("charge.succeeded", `{"id":"ch_9","payment_intent":"pi_9","amount":1,"currency":"eur"}`),
		event("charge.refunded", `{"id":"ch_9","payment_intent":"pi_9","amount_refunded":1,"currency":"eur"}`),
		event("charge.dispute.created", `{"id":"dp_9","charge":"ch_9","payment_intent":"pi_9","status":"lost"}`),
	} {
		read := translate(t, nil, body)
		if got := references(read); got != "payment_id=pi_9" {
			t.Errorf("%s names %s", body, got)
		}
		change := read.GetChanges()[0]
		id := change.GetPaymentReported().GetPaymentId() + change.GetRefundReported().GetPaymentId() +
			change.GetDisputeReported().GetPaymentId()
		if id != "pi_9" {
			t.Errorf("%s is about payment %q", body, id)
		}
	}
	alone := translate(t, nil, event("charge.succeeded", `{"id":"ch_9","payment_intent":null,"amount":1,"currency":"eur"}`))
	if got := references(alone); got != "payment_id=ch_9" {
		t.Errorf("a charge without an intent names %s", got)
	}
	session := translate(t, nil, event("checkout.session.completed", `{"id":"cs_9","payment_status":"unpaid","amount_total":1,"currency":"eur"}`))
	if got := references(session); got != "payment_id=cs_9" {
		t.Errorf("a session without an intent names %s", got)
	}
}

func TestTheOrdersNumberIsFoundWhereTheShopPutIt(t *testing.T) {
	t.Parallel()
	const rest = `,"id":"pi_1","amount":1,"currency":"eur"}`
	for name, test := range map[string]struct{ key, object, want string }{
		"order_number first":          {"", `{"metadata":{"order_id":"C","order_ref":"B","order_number":"#A"}`, "A"},
		"then order_ref":              {"", `{"metadata":{"order_id":"C","order_ref":"B","order_number":""}`, "B"},
		"then order_id":               {"", `{"metadata":{"order_id":"C"}`, "C"},
		"then the client's reference": {"", `{"client_reference_id":"D","metadata":{"note":"x"}`, "D"},
		"the configured key":          {"invoice", `{"metadata":{"order_number":"A","invoice":"E"}`, "E"},
		"no other where one is set":   {"invoice", `{"metadata":{"order_number":"A"}`, ""},
		"but the client's reference":  {"invoice", `{"client_reference_id":"D","metadata":{"order_number":"A"}`, "D"},
		"no metadata":                 {"", `{"metadata":null`, ""},
	} {
		read := translate(t, &configv1.Provider{OrderReference: test.key}, event("payment_intent.succeeded", test.object+rest))
		want := "payment_id=pi_1"
		if test.want != "" {
			want = "order_number=" + test.want + " " + want
		}
		if got := references(read); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestAmountsBecomeTheMinorUnitsOfISO4217(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		currency string
		amount   string
		units    int64
	}{
		{"eur", "4200", 4200},
		{"EUR", "4200", 4200},
		{"jpy", "500", 500},
		{"krw", "500", 500},
		{"kwd", "5120", 5120},
		{"bhd", "1050", 1050},
		{"isk", "500", 5},
		{"ugx", "500", 5},
		{"mga", "5", 500},
		{"huf", "1045", 1045},
		{"twd", "80045", 80045},
		{"eur", "9007199254740993", 9007199254740993},
		{"vnd", "0", 0},
	} {
		read := translate(t, nil, event("payment_intent.succeeded",
			`{"id":"pi_1","amount":1,"amount_received":`+test.amount+`,"currency":"`+test.currency+`"}`))
		amount := read.GetChanges()[0].GetPaymentReported().GetAmount()
		if amount.GetMinorUnits() != test.units || amount.GetCurrency() != strings.ToUpper(test.currency) {
			t.Errorf("%s %s became %v, want %d", test.amount, test.currency, amount, test.units)
		}
	}
	for _, fields := range []string{
		`"amount_received":501,"currency":"isk"`, `"amount_received":-1,"currency":"eur"`, `"amount_received":42.5,"currency":"eur"`,
		`"amount_received":9223372036854775808,"currency":"eur"`, `"amount_received":9223372036854775807,"currency":"mga"`,
		`"amount_received":1`, `"amount_received":1,"currency":"euro"`, `"amount_received":1,"currency":"e€"`, `"currency":"eur"`,
		`"amount_received":1e3,"currency":"eur"`, `"amount_received":[1],"currency":"eur"`,
	} {
		read := translate(t, nil, event("payment_intent.succeeded", `{"id":"pi_1",`+fields+`}`))
		if says := providertest.Summary(read); says[0] != "undecoded" {
			t.Errorf("%s says %q, want undecoded: a wrong amount is worse than none", fields, says)
		}
	}
}

func TestTheAmountIsTheOneThatMoved(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int64{
		event("payment_intent.succeeded", `{"id":"pi_1","amount":4200,"amount_received":3000,"currency":"eur"}`):                         3000,
		event("payment_intent.succeeded", `{"id":"pi_1","amount":4200,"currency":"eur"}`):                                                4200,
		event("payment_intent.amount_capturable_updated", `{"id":"pi_1","amount":4200,"amount_capturable":4000,"currency":"eur"}`):       4000,
		event("charge.captured", `{"id":"ch_1","amount":4200,"amount_captured":3000,"currency":"eur"}`):                                  3000,
		event("checkout.session.completed", `{"id":"cs_1","amount_total":4200,"payment_status":"no_payment_required","currency":"eur"}`): 0,
	} {
		if amount := translate(t, nil, body).GetChanges()[0].GetPaymentReported().GetAmount(); amount.GetMinorUnits() != want {
			t.Errorf("%s: %v, want %d", body, amount, want)
		}
	}
	refund := translate(t, nil, event("charge.refunded", `{"id":"ch_1","payment_intent":"pi_1","amount":4200,"amount_refunded":2500,"currency":"eur"}`))
	if got := refund.GetChanges()[0].GetRefundReported(); got.GetAmount().GetMinorUnits() != 2500 || !got.GetRunningTotal() {
		t.Errorf("refund %v, want the running total of 2500", got)
	}
}

func TestABodyForAnotherDestinationIsKeptAndIgnored(t *testing.T) {
	t.Parallel()
	body := func(livemode, account string) string {
		return `{"id":"evt_1","created":1,"livemode":` + livemode + `,` + account +
			`"type":"payment_intent.succeeded","data":{"object":{"id":"pi_1","amount":1,"currency":"eur"}}}`
	}
	const mine, other = `"account":"acct_1",`, `"account":"acct_2",`
	live, test := &configv1.Expect{}, &configv1.Expect{Livemode: new(false)}
	account := &configv1.Expect{AccountId: "acct_1"}
	for name, row := range map[string]struct {
		expect *configv1.Expect
		body   string
		want   string
	}{
		"live money by default":      {nil, body("true", ""), "movement paid"},
		"no test money by default":   {nil, body("false", ""), "ignored"},
		"nor with empty settings":    {live, body("false", ""), "ignored"},
		"test money where expected":  {test, body("false", ""), "movement paid"},
		"no live money there":        {test, body("true", ""), "ignored"},
		"the account":                {account, body("true", mine), "movement paid"},
		"another account":            {account, body("true", other), "ignored"},
		"the endpoint's own account": {account, body("true", ""), "movement paid"},
		"no livemode at all":         {nil, body("null", ""), "undecoded"},
	} {
		read := translate(t, &configv1.Provider{Expect: row.expect}, row.body)
		if says := providertest.Summary(read); says[0] != row.want {
			t.Errorf("%s: %q, want %s", name, says, row.want)
		}
	}
	if id := translate(t, nil, body("true", mine)).GetEventId(); id != "acct_1/evt_1" {
		t.Errorf("a connected account's event has identity %s", id)
	}
}

func TestTheAPIVersionDecidesNothing(t *testing.T) {
	t.Parallel()
	read := translate(t, nil, `{"id":"evt_1","api_version":"2031-02-30.future","created":1768480205,"livemode":true,
		"type":"payment_intent.succeeded","request":"req_1","pending_webhooks":"many","context":{"new":[1]},
		"data":{"previous_attributes":7,"object":{"id":"pi_1","amount":4200,"currency":"eur","latest_charge":{},"charges":"gone"}}}`)
	if says := providertest.Summary(read); says[0] != "movement paid" {
		t.Errorf("an event of an unknown API version says %q", says)
	}
}

func TestThinEventsAreKeptAndIgnored(t *testing.T) {
	t.Parallel()
	read := translate(t, nil, `{"id":"evt_1","object":"v2.core.event","created":"2026-01-15T12:30:05.000Z","livemode":true,
		"type":"v1.payment_intent.succeeded","related_object":{"id":"pi_1","type":"payment_intent","url":"/v1/payment_intents/pi_1"}}`)
	if says := providertest.Summary(read); says[0] != "ignored" || read.GetOccurredAt().GetSeconds() != 1768480205 {
		t.Errorf("a thin event says %q at %v", says, read.GetOccurredAt())
	}
}

func TestMissingFieldsAreNamed(t *testing.T) {
	t.Parallel()
	for body, problem := range map[string]string{
		`{"type":"x","livemode":true}`:                                      "id or type is missing",
		`{"id":"evt_1","livemode":true}`:                                    "id or type is missing",
		`{"id":"evt_1","livemode":"yes","type":"x"}`:                        "livemode has the wrong type",
		`{"id":"evt_1","livemode":true,"type":"charge.failed"}`:             "data.object is missing",
		`{"id":"evt_1","livemode":true,"type":"charge.failed","data":null}`: "data.object is missing",
		event("charge.failed", "null"):                                      "data.object.id is missing",
		event("charge.failed", "[]"):                                        "data.object: the body is not a JSON object",
		event("charge.refunded", `{"id":"ch_1"}`):                           "data.object: amount_refunded is missing",
		event("charge.dispute.closed", `{"id":"dp_1"}`):                     "data.object: status is missing",
		event("checkout.session.completed", `{"id":"cs_1"}`):                "data.object: payment_status is missing",
		event("charge.failed", `{"id":"ch_1","metadata":{"order_id":[1]}}`): "data.object: metadata.order_id is neither text nor a whole number",
	} {
		if got := translate(t, nil, body).GetChanges()[0].GetUndecoded().GetProblem(); got != problem {
			t.Errorf("%s: problem %q, want %q", body, got, problem)
		}
	}
	timeless := translate(t, nil, `{"id":"evt_1","livemode":true,"type":"charge.failed","data":{"object":{"id":"ch_1"}}}`)
	if timeless.GetOccurredAt() != nil ||
		timeless.GetOccurredAtCertainty() != waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_MISSING {
		t.Errorf("an event without a time happened at %v, %s", timeless.GetOccurredAt(), timeless.GetOccurredAtCertainty())
	}
}

func TestFaultsOfTheSettingsAreFound(t *testing.T) {
	t.Parallel()
	settings := &configv1.Provider{
		Secrets: []*configv1.Secret{{Value: "whsec_x"}},
		Expect:  &configv1.Expect{AccountId: "pi_1", StoreId: "7"},
	}
	problems := stripe.Kind().Check(settings)
	if len(problems) != 2 || problems[0].Field != "expect.store_id" || problems[1].Field != "expect.account_id" {
		t.Errorf("problems %v", problems)
	}
}

func TestAFreshlySignedCopyIsTheSameEventDaysLater(t *testing.T) {
	t.Parallel()
	opened, err := stripe.Kind().New(&configv1.Provider{Secrets: []*configv1.Secret{{Value: "whsec_x"}}})
	if err != nil {
		t.Fatal(err)
	}
	body := event("payment_intent.succeeded", `{"id":"pi_1","amount":1,"currency":"eur"}`)
	ids := make([]string, 0, 2)
	for day := range 2 {
		now := providertest.Now().AddDate(0, 0, day*10)
		r := &provider.Request{Header: http.Header{}, Body: []byte(body), ReceivedAt: now}
		stripe.Kind().Sign(r, "whsec_x", now)
		if !strings.HasPrefix(r.Header.Get(header), "t="+strconv.FormatInt(now.Unix(), 10)) {
			t.Errorf("signed with %s", r.Header.Get(header))
		}
		if err := opened.Verify(r); err != nil {
			t.Errorf("day %d: %v", day*10, err)
		}
		events, _ := opened.Translate(r)
		ids = append(ids, events[0].GetEventId())
	}
	if ids[0] != "evt_1" || ids[0] != ids[1] {
		t.Errorf("identities %v", ids)
	}
}
