package shopify_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/providertest"
	"github.com/waybillhq/waybill/server/provider/shopify"
)

const proofHeader = "X-Shopify-Hmac-Sha256"

// The signature that a community library's tests publish for the body "my secret message", quotes included.
const (
	publishedSecret    = "hush"
	publishedBody      = `"my secret message"`
	publishedSignature = "hMTq0K2x7oyOjoBwGYeTj5oxfnaVYXzbanUG9aajpKI="
	publishedInHex     = "84c4ead0adb1ee8c8e8e80701987938f9a317e7695617cdb6a7506f5a6a3a4a2"
)

func options() providertest.Options {
	vector := func(name, value string, refused bool) providertest.Vector {
		return providertest.Vector{
			Name: name, Secret: publishedSecret, Header: http.Header{proofHeader: {value}}, Body: publishedBody,
			At: providertest.Now(), Refused: refused,
		}
	}
	return providertest.Options{
		Sample:      "orders-paid",
		ProofHeader: proofHeader,
		SignsBody:   true,
		// The body's digest stands in the identity beside Shopify's own id.
		KnownByBytes: true,
		Malformed:    []string{publishedSignature, publishedInHex, "sha256=" + publishedSignature},
		Vectors: []providertest.Vector{
			vector("as published", publishedSignature, false),
			vector("the right digest in hex", publishedInHex, true),
			vector("without padding", strings.TrimRight(publishedSignature, "="), true),
			vector("with a prefix", "sha256="+publishedSignature, true),
		},
		Words: words(),
		UnknownWord: providertest.Word{
			Header: topic("orders/updated"),
			Body:   order(`"financial_status":"teleported"`),
			Says:   []string{"order_placed 1001", "unrecognised financial_status"},
		},
	}
}

func topic(name string) http.Header {
	return http.Header{"X-Shopify-Topic": {name}, "X-Shopify-Webhook-Id": {"wh-1"}}
}

// order is an order's body with these members.
func order(members string) string {
	return bare(`"id":7100000000130,"name":"#1001","updated_at":"2026-01-15T18:30:05+06:00","currency":"EUR",` +
		`"total_price":"42.00","line_items":[{"id":1,"quantity":2}],` + members)
}

// bare is a body of these members and of those that tell an order, where they are not among them.
func bare(members string) string {
	return "{" + with(members, `"currency":"EUR"`, `"total_price":"42.00"`, `"financial_status":null`, `"cancelled_at":null`) + "}"
}

// fulfilment is a fulfilment's body with these members.
func fulfilment(members string) string {
	return "{" + with(members, `"id":55`, `"order_id":7100000000130`, `"updated_at":"2026-01-15T12:30:05Z"`,
		`"name":"#1001.1"`, `"status":"success"`) + "}"
}

// with adds the members that are not there.
func with(members string, others ...string) string {
	var named map[string]json.RawMessage
	if err := json.Unmarshal([]byte("{"+members+"}"), &named); err != nil {
		panic(err)
	}
	for _, other := range others {
		name, _, _ := strings.Cut(other, ":")
		if _, there := named[strings.Trim(name, `"`)]; !there {
			members += "," + other
		}
	}
	return members
}

func words() []providertest.Word {
	all := make([]providertest.Word, 0, 84)
	for status, says := range map[string]string{
		"pending": "assertion pending", "authorized": "assertion authorized", "partially_paid": "fact partially_paid",
		"paid": "assertion paid", "partially_refunded": "assertion paid", "refunded": "assertion paid",
		"voided": "assertion voided", "expired": "assertion voided", "PAID": "assertion paid",
	} {
		for _, name := range []string{"orders/create", "orders/paid", "orders/updated", "orders/cancelled", "orders/edited"} {
			all = append(all, providertest.Word{
				Name: name + " " + status, Header: topic(name), Body: order(`"financial_status":"` + status + `"`),
				Says: []string{"order_placed 1001", says},
			})
		}
	}
	for status, says := range map[string][]string{
		"label_purchased": nil, "label_printed": nil, "confirmed": nil,
		"carrier_picked_up":  {"status_changed shipped"},
		"in_transit":         {"status_changed in_transit"},
		"delayed":            {"fact delayed"},
		"out_for_delivery":   {"status_changed out_for_delivery"},
		"attempted_delivery": {"status_changed failed_delivery"},
		"ready_for_pickup":   {"status_changed in_transit", "fact ready_for_pickup"},
		"picked_up":          {"status_changed delivered"},
		"delivered":          {"status_changed delivered"},
		"failure":            {"fact shipment_failure!"},
		"teleported":         {"unrecognised shipment_status"},
	} {
		for _, name := range []string{"fulfillments/create", "fulfillments/update"} {
			all = append(all, providertest.Word{
				Name: name + " " + status, Header: topic(name), Body: fulfilment(`"shipment_status":"` + status + `"`),
				Says: append([]string{"shipment_announced"}, says...),
			})
		}
	}
	for status, says := range map[string][]string{
		"pending": nil, "open": nil, "success": nil,
		"cancelled":  {"status_changed cancelled"},
		"error":      {"fact fulfilment_failed!"},
		"failure":    {"fact fulfilment_failed!"},
		"teleported": {"unrecognised status"},
	} {
		all = append(all, providertest.Word{
			Name: "fulfilment " + status, Header: topic("fulfillments/update"), Body: fulfilment(`"status":"` + status + `"`),
			Says: append([]string{"shipment_announced"}, says...),
		})
	}
	for _, name := range []string{
		"customers/data_request", "customers/redact", "shop/redact", "app/uninstalled", "products/update", "orders/delete",
	} {
		all = append(all, providertest.Word{Name: name, Header: topic(name), Body: `{"id":1}`, Says: []string{"ignored"}})
	}
	return all
}

func TestShopifyKeepsTheContract(t *testing.T) {
	t.Parallel()
	providertest.Run(t, shopify.Kind(), options())
}

func FuzzVerify(f *testing.F)    { providertest.FuzzVerify(f, shopify.Kind(), options()) }
func FuzzTranslate(f *testing.F) { providertest.FuzzTranslate(f, shopify.Kind(), options()) }

func translateWith(t *testing.T, settings *configv1.Provider, header http.Header, body string) *waybillv1.IngestEventRequest {
	t.Helper()
	opened, err := shopify.Kind().New(settings)
	if err != nil {
		t.Fatal(err)
	}
	r := &provider.Request{Header: header, Body: []byte(body), ReceivedAt: providertest.Now()}
	events, err := providertest.Translate(t, opened, r)
	if err != nil || len(events) != 1 {
		t.Fatalf("%d events, %v, want one", len(events), err)
	}
	return events[0]
}

func translate(t *testing.T, name, body string) *waybillv1.IngestEventRequest {
	t.Helper()
	return translateWith(t, nil, topic(name), body)
}

func says(t *testing.T, event *waybillv1.IngestEventRequest, want ...string) {
	t.Helper()
	if got := providertest.Summary(event); !slices.Equal(got, want) {
		t.Errorf("the event says %q, want %q (%v)", got, want, event.GetChanges())
	}
}

func references(event *waybillv1.IngestEventRequest) string {
	names := make([]string, 0, len(event.GetReferences()))
	for _, reference := range event.GetReferences() {
		names = append(names, strings.ToLower(strings.TrimPrefix(reference.GetKind().String(), "REFERENCE_KIND_"))+"="+reference.GetValue())
	}
	return strings.Join(names, " ")
}

func placed(event *waybillv1.IngestEventRequest) *waybillv1.OrderPlaced {
	return event.GetChanges()[0].GetOrderPlaced()
}

func TestASnapshotIsOneEventWithAChangeForEachThingItSays(t *testing.T) {
	t.Parallel()
	event := translate(t, "orders/updated", order(`"order_number":1001,"financial_status":"partially_refunded",
		"cancelled_at":"2026-01-15T18:00:00+06:00","cancel_reason":"fraud","fulfillments":[
			{"id":55,"status":"success","shipment_status":"in_transit","tracking_number":"T1","updated_at":"2026-01-15T11:00:00Z"}],
		"refunds":[{"id":77,"processed_at":"2026-01-15T11:30:00Z","transactions":[
			{"kind":"refund","status":"success","amount":"10.00","currency":"EUR"}]}]`))

	says(t, event, "order_placed 1001", "assertion paid", "order_cancelled", "shipment_announced",
		"status_changed in_transit", "refund_step")
	if got := references(event); got != "order_id=7100000000130 order_number=1001 tracking_number=T1 fulfilment_id=55" {
		t.Errorf("references %s", got)
	}
	times := make([]string, 0, len(event.GetChanges()))
	for _, change := range event.GetChanges() {
		at := ""
		if change.GetOccurredAt() != nil {
			at = change.GetOccurredAt().AsTime().Format("15:04")
		}
		times = append(times, at)
	}
	if want := []string{"", "", "12:00", "11:00", "11:00", "11:30"}; !slices.Equal(times, want) {
		t.Errorf("changes happened at %q, want %q", times, want)
	}
	if got := event.GetOccurredAt().AsTime().Format("15:04:05"); got != "12:30:05" {
		t.Errorf("the snapshot is of %s, want updated_at in UTC", got)
	}
	refund := event.GetChanges()[5].GetRefundReported()
	if refund.GetRefundId() != "77" || refund.GetAmount().GetMinorUnits() != 1000 || refund.GetRunningTotal() {
		t.Errorf("refund %v, want a step of 1000 by its own id", refund)
	}
	if reason := event.GetChanges()[2].GetOrderCancelled().GetReason(); reason != "fraud" {
		t.Errorf("cancelled because of %q", reason)
	}
}

func TestLinesCountWhatIsLeftAfterEdits(t *testing.T) {
	t.Parallel()
	event := translate(t, "orders/updated", bare(`"id":1,"line_items":[
		{"id":71000000001301,"sku":"LAMP-S","quantity":2,"current_quantity":1,"fulfillable_quantity":1},
		{"id":2,"sku":"BULB","quantity":1,"current_quantity":0},
		{"id":3,"sku":null,"quantity":4}]`))
	lines := make([]string, 0, 3)
	for _, line := range placed(event).GetLines() {
		lines = append(lines, line.GetLineId()+" "+line.GetSku()+" "+strconv.FormatInt(line.GetQuantity(), 10))
	}
	if want := []string{"71000000001301 LAMP-S 1", "2 BULB 0", "3  4"}; !slices.Equal(lines, want) {
		t.Errorf("lines %q, want %q", lines, want)
	}
}

func TestOrdersAreNamedByIdAndByEveryNumberOnce(t *testing.T) {
	t.Parallel()
	for members, want := range map[string]struct{ references, number string }{
		`"id":1,"name":"#1001","order_number":1001`:   {"order_id=1 order_number=1001", "1001"},
		`"id":1,"name":"LG-1001","order_number":1001`: {"order_id=1 order_number=LG-1001 order_number=1001", "LG-1001"},
		`"id":1,"name":null,"order_number":1001`:      {"order_id=1 order_number=1001", "1001"},
		`"id":1,"name":"","order_number":null`:        {"order_id=1", "1"},
		`"id":9007199254740993,"name":"#1"`:           {"order_id=9007199254740993 order_number=1", "1"},
		`"id":"820982911946154508","name":"#12345678901234567890"`: {
			"order_id=820982911946154508 order_number=12345678901234567890", "12345678901234567890",
		},
	} {
		event := translate(t, "orders/create", bare(`"line_items":[],`+members))
		if got := references(event); got != want.references || placed(event).GetOrderNumber() != want.number {
			t.Errorf("%s: references %s, number %s", members, got, placed(event).GetOrderNumber())
		}
	}
}

func TestTheTotalIsWhatTheOrderCostsWhateverWasRefunded(t *testing.T) {
	t.Parallel()
	const refunded = `"refunds":[{"id":7,"transactions":[{"kind":"refund","status":"success","amount":"10.00"},
		{"kind":"refund","status":"pending","amount":"3.00"},{"kind":"void","status":"success","amount":"2.00"}]}]`
	for members, want := range map[string]string{
		`"total_price":"42.00","currency":"EUR"`:                                            "4200 EUR",
		`"total_price":"42.00","current_total_price":"37.00","currency":"EUR","refunds":[]`: "3700 EUR",
		`"total_price":"42.00","current_total_price":"32.00","currency":"EUR",` + refunded:  "4200 EUR",
		`"total_price":"42.00","current_total_price":"32.00","currency":"EUR"`:              "4200 EUR",
		`"total_price":"42.00","current_total_price":"0.00","currency":"EUR","refunds":[{"id":7,"transactions":[
			{"kind":"refund","status":"success","amount":"46.20","currency":"USD"}]}]`: "4200 EUR",
		`"total_price":"500","currency":"JPY"`:    "500 JPY",
		`"total_price":"500.00","currency":"JPY"`: "500 JPY",
		`"total_price":"1.050","currency":"KWD"`:  "1050 KWD",
		`"total_price":1050.5,"currency":"BDT"`:   "105050 BDT",
	} {
		total := placed(translate(t, "orders/updated", bare(`"id":1,"line_items":[],`+members))).GetTotal()
		if got := strconv.FormatInt(total.GetMinorUnits(), 10) + " " + total.GetCurrency(); got != want {
			t.Errorf("%s: total %s, want %s", members, got, want)
		}
	}
	for _, members := range []string{
		`"total_price":"42.005","currency":"EUR"`, `"total_price":"-1","currency":"EUR"`, `"total_price":"42,00","currency":"EUR"`,
		`"total_price":"42.00","currency":"???"`, `"total_price":"42.00","currency":"EUR","refunds":[{"id":7,"transactions":[{"kind":"refund","status":"success","amount":"x"}]}]`,
		`"total_price":"42.00","currency":"EUR","refunds":[{"transactions":[{"kind":"refund","status":"success","amount":"1"}]}]`,
	} {
		says(t, translate(t, "orders/updated", bare(`"id":1,"line_items":[],`+members)), "undecoded")
	}
}

func TestAnAssertionIsNoMovementAndKnowsItsAmount(t *testing.T) {
	t.Parallel()
	paid := translate(t, "orders/paid", order(`"financial_status":"paid"`)).GetChanges()[1].GetPaymentReported()
	if paid.GetPaymentId() != "order:7100000000130" || paid.GetAmount().GetMinorUnits() != 4200 {
		t.Errorf("payment %v", paid)
	}
	part := translate(t, "orders/updated", order(`"financial_status":"partially_paid","total_outstanding":"30.00"`))
	says(t, part, "order_placed 1001", "assertion paid")
	if amount := part.GetChanges()[1].GetPaymentReported().GetAmount(); amount.GetMinorUnits() != 1200 {
		t.Errorf("partially paid %v, want what is not outstanding", amount)
	}
	says(t, translate(t, "orders/updated", order(`"financial_status":null`)), "order_placed 1001")
	says(t, translate(t, "orders/updated", order(`"financial_status":"partially_paid","total_outstanding":"99.00"`)),
		"order_placed 1001", "fact partially_paid")
}

func TestTheTopicNeverDecidesAFact(t *testing.T) {
	t.Parallel()
	says(t, translate(t, "orders/cancelled", order(`"financial_status":"pending","cancelled_at":null`)),
		"order_placed 1001", "assertion pending")
	says(t, translate(t, "orders/paid", order(`"financial_status":"pending"`)), "order_placed 1001", "assertion pending")

	header := topic("orders/paid")
	header.Set("X-Shopify-Triggered-At", "2030-01-01T00:00:00Z")
	event := translateWith(t, nil, header, order(`"updated_at_":"x"`))
	if got := event.GetOccurredAt().AsTime().Year(); got != 2026 {
		t.Errorf("the event happened in %d: an unsigned header is no time", got)
	}
}

func TestOrdersEditedTellsThatTheOrderChangedAndNotWhatItIs(t *testing.T) {
	t.Parallel()
	event := translate(t, "orders/edited", `{"order_edit":{"id":78912328793,"created_at":"2026-01-15T12:00:00Z",
		"committed_at":"2026-01-15T12:30:05Z","order_id":820982911946154508,
		"line_items":{"additions":[{"id":866550311766439020,"delta":1}],"removals":[{"id":1,"delta":1},{"id":2,"delta":3}]}}}`)
	says(t, event, "fact order_edited")
	if references(event) != "order_id=820982911946154508" || event.GetOccurredAt().AsTime().Format("15:04") != "12:30" {
		t.Errorf("references %s at %v", references(event), event.GetOccurredAt())
	}
	says(t, translate(t, "orders/edited", `{"order_edit":{}}`), "undecoded")
}

func TestRefundsAreStepsByTheirOwnIds(t *testing.T) {
	t.Parallel()
	event := translate(t, "refunds/create", `{"id":929361462,"order_id":7100000000130,"processed_at":"2026-01-15T12:30:05Z",
		"transactions":[{"kind":"refund","status":"success","amount":"4.00","currency":"EUR"},
			{"kind":"refund","status":"success","amount":"6.50","currency":"EUR"},
			{"kind":"refund","status":"failure","amount":"99.00","currency":"EUR"}]}`)
	says(t, event, "refund_step")
	step := event.GetChanges()[0].GetRefundReported()
	if step.GetRefundId() != "929361462" || step.GetAmount().GetMinorUnits() != 1050 {
		t.Errorf("refund %v, want 1050 by its own id", step)
	}
	if got := references(event); got != "order_id=7100000000130" {
		t.Errorf("references %s", got)
	}
	says(t, translate(t, "refunds/create", `{"id":1,"order_id":2,"transactions":[]}`), "ignored")
	for _, body := range []string{
		`{"order_id":2}`, `{"id":1}`,
		`{"id":1,"order_id":2,"transactions":[{"kind":"refund","status":"success","amount":"1","currency":"EUR"},
			{"kind":"refund","status":"success","amount":"1","currency":"USD"}]}`,
		`{"id":1,"order_id":2,"transactions":[{"kind":"refund","status":"success","amount":"92233720368547758.07","currency":"EUR"},
			{"kind":"refund","status":"success","amount":"0.01","currency":"EUR"}]}`,
		`{"id":1,"order_id":2,"transactions":[{"kind":"refund","status":"success","amount":"1"}]}`,
	} {
		says(t, translate(t, "refunds/create", body), "undecoded")
	}
}

func TestEachTrackingNumberIsAParcel(t *testing.T) {
	t.Parallel()
	units := `"line_items":[{"id":1,"quantity":2}],"tracking_company":"Pathao",`

	none := translate(t, "fulfillments/create", fulfilment(units+`"tracking_number":null,"tracking_numbers":[]`))
	says(t, none, "shipment_announced")
	if shipment := none.GetChanges()[0].GetShipmentAnnounced().GetShipment(); shipment.GetFulfilmentId() != "55" || shipment.GetTrackingNumber() != "" {
		t.Errorf("a parcel without a number is %v", shipment)
	}

	one := translate(t, "fulfillments/update", fulfilment(units+`"tracking_number":"T1","tracking_numbers":["T1"],"shipment_status":"in_transit"`))
	says(t, one, "shipment_announced", "status_changed in_transit")
	announced := one.GetChanges()[0].GetShipmentAnnounced()
	if s := announced.GetShipment(); s.GetTrackingNumber() != "T1" || s.GetFulfilmentId() != "55" {
		t.Errorf("a parcel with one number is %v", s)
	}
	if announced.GetUnits()[0].GetQuantity() != 2 || announced.GetCourier() != "Pathao" {
		t.Errorf("announced %v", announced)
	}

	two := translate(t, "fulfillments/update", fulfilment(units+`"tracking_number":"T1","tracking_numbers":["T1","T2"],"shipment_status":"delivered"`))
	says(t, two, "shipment_announced", "status_changed delivered", "shipment_announced", "status_changed delivered")
	if got := references(two); got != "order_id=7100000000130 tracking_number=T1 tracking_number=T2 fulfilment_id=55" {
		t.Errorf("references %s", got)
	}
	second := two.GetChanges()[2].GetShipmentAnnounced()
	if second.GetShipment().GetTrackingNumber() != "T2" || second.GetShipment().GetFulfilmentId() != "" {
		t.Errorf("the second parcel is %v: the fulfilment's id would name two parcels", second.GetShipment())
	}
	if second.GetUnits()[0].GetQuantity() != 0 {
		t.Errorf("the second parcel counts %v again", second.GetUnits())
	}
}

func TestACancelledFulfilmentMovesNothingElse(t *testing.T) {
	t.Parallel()
	says(t, translate(t, "fulfillments/update", fulfilment(`"status":"cancelled","shipment_status":"in_transit"`)),
		"shipment_announced", "status_changed cancelled")
}

func digest(body string) string {
	sum := sha256.Sum256([]byte(body))
	return hex.EncodeToString(sum[:])
}

func TestIdentityIsTopicAndWebhookIdAndTheBody(t *testing.T) {
	t.Parallel()
	body := order(`"financial_status":"paid"`)
	event := func(topicName, webhookID, body string) *waybillv1.IngestEventRequest {
		return translateWith(t, nil, http.Header{"X-Shopify-Topic": {topicName}, "X-Shopify-Webhook-Id": {webhookID}}, body)
	}
	id := func(topicName, webhookID string) string { return event(topicName, webhookID, body).GetEventId() }
	if got := id("orders/paid", "wh-1"); got != "orders/paid:wh-1:"+digest(body) {
		t.Errorf("identity %s", got)
	}
	if id("orders/paid", "wh-1") == id("orders/updated", "wh-1") || id("orders/paid", "wh-1") == id("orders/paid", "wh-2") {
		t.Error("two deliveries have one identity")
	}
	if id("orders/paid", "x:y") == id("orders/paid:x", "y") || id("orders/paid", ":") == id("orders/paid:", "") {
		t.Error("a topic can be moved into the id")
	}
	if bare := id("orders/paid", ""); bare != "orders/paid::"+digest(body) {
		t.Errorf("without an id the identity is %s", bare)
	}
	if event("orders/paid", "wh-1", body).GetEventIdDerived() || !event("orders/paid", "", body).GetEventIdDerived() {
		t.Error("only an identity without Shopify's id is ours alone")
	}
	if event := translate(t, "orders/paid", body); event.GetDeliveryId() != "wh-1" || event.GetEventType() != "orders/paid" {
		t.Errorf("delivery %s, type %s", event.GetDeliveryId(), event.GetEventType())
	}
	says(t, translateWith(t, nil, http.Header{}, body), "undecoded")
}

func TestAnOlderBodyUnderTheIdOfAnotherLeavesTheGenuineOneItsPlace(t *testing.T) {
	t.Parallel()
	captured := translate(t, "orders/updated", order(`"financial_status":"pending"`))
	genuine := translate(t, "orders/updated", order(`"financial_status":"paid"`))
	again := translate(t, "orders/updated", order(`"financial_status":"paid"`))
	if captured.GetEventId() == genuine.GetEventId() {
		t.Errorf("both are %s: who knows an id can keep its delivery from being applied", genuine.GetEventId())
	}
	if genuine.GetEventId() != again.GetEventId() {
		t.Error("a retry is no duplicate")
	}
}

func TestABodyForAnotherShopIsKeptAndIgnored(t *testing.T) {
	t.Parallel()
	settings := &configv1.Provider{Expect: &configv1.Expect{ShopDomain: "a.myshopify.com"}}
	for name, test := range map[string]struct{ header, page, want, id string }{
		"the header agrees":                  {"a.myshopify.com", "", "order_placed 1001", "orders/paid:wh-1"},
		"capitals agree":                     {"A.MyShopify.com", "", "order_placed 1001", "orders/paid:wh-1"},
		"nothing is said":                    {"", "", "order_placed 1001", "orders/paid:wh-1"},
		"the header differs":                 {"b.myshopify.com", "", "ignored", "orders/paid@b.myshopify.com:wh-1"},
		"the signed address differs":         {"a.myshopify.com", "https://b.myshopify.com/1/orders/x", "ignored", "orders/paid@b.myshopify.com:wh-1"},
		"the signed address overrules":       {"b.myshopify.com", "https://a.myshopify.com/1/orders/x", "order_placed 1001", "orders/paid:wh-1"},
		"a shop's own domain proves nothing": {"a.myshopify.com", "https://lantern.example.test/1/orders/x", "order_placed 1001", "orders/paid:wh-1"},
	} {
		header := topic("orders/paid")
		if test.header != "" {
			header.Set("X-Shopify-Shop-Domain", test.header)
		}
		body := order(`"order_status_url":"` + test.page + `"`)
		event := translateWith(t, settings, header, body)
		id := test.id + ":" + digest(body)
		if got := providertest.Summary(event)[0]; got != test.want || event.GetEventId() != id {
			t.Errorf("%s: %s under %s, want %s under %s", name, got, event.GetEventId(), test.want, id)
		}
	}
	problems := shopify.Kind().Check(&configv1.Provider{
		Secrets: []*configv1.Secret{{Value: "s"}}, Expect: &configv1.Expect{ShopDomain: "A.myshopify.com", AccountId: "x"},
	})
	if len(problems) != 2 {
		t.Errorf("problems %v, want two", problems)
	}
}

func TestTextThatNobodyReadsIsHarmless(t *testing.T) {
	t.Parallel()
	for _, note := range []string{
		`leave at door\u0000 thanks`, `code \\u0000 is cool`, "🦦 שלום \u202eabc\u202c e\u0301 👩‍💻", `half an emoji \ud83d`, "caf\xe9",
		`Ana\r\nBcc: thief@evil.example.test`,
	} {
		event := translate(t, "orders/paid", order(`"note":"`+note+`","customer":{"first_name":"`+note+`"},"financial_status":"paid"`))
		says(t, event, "order_placed 1001", "assertion paid")
	}
	event := translate(t, "orders/paid", bare(`"id":1,"line_items":[{"id":2,"sku":"A\u0000B","quantity":1}]`))
	if sku := placed(event).GetLines()[0].GetSku(); sku != "A\uFFFDB" {
		t.Errorf("sku %q", sku)
	}
}

func problem(event *waybillv1.IngestEventRequest) string {
	return event.GetChanges()[0].GetUndecoded().GetProblem()
}

func TestMissingFieldsAreNamed(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		bare(`"id":1,"line_items":[{"quantity":1}]`):            "line_items: a line lacks its id or its quantity",
		bare(`"id":1,"line_items":[{"id":1}]`):                  "line_items: a line lacks its id or its quantity",
		bare(`"id":1,"line_items":[{"id":1,"quantity":"two"}]`): "line_items.0.quantity has the wrong type",
		bare(`"id":1,"line_items":[],"fulfillments":[{}]`):      "fulfillments: a fulfilment lacks its id",
		bare(`"id":1,"line_items":[{"id":1,"quantity":-1}]`): "our own rules refuse what the body says: " +
			"changes[0].order_placed.lines[0].quantity int64.gte_lte",
	} {
		if got := problem(translate(t, "orders/updated", body)); got != want {
			t.Errorf("%s: problem %q, want %q", body, got, want)
		}
	}
}

func TestALargeButHonestOrderIsRead(t *testing.T) {
	t.Parallel()
	lines := make([]string, 400)
	for i := range lines {
		lines[i] = `{"id":` + strconv.Itoa(100000+i) + `,"sku":"SKU-` + strconv.Itoa(i) + `","quantity":1,"current_quantity":1}`
	}
	body := `{"id":7100000000180,"name":"#1180","financial_status":"paid","total_price":"42.00","currency":"EUR",
		"note":"` + strings.Repeat("n", 1_400_000) + `","line_items":[` + strings.Join(lines, ",") + `]}`
	event := translate(t, "orders/paid", body)
	says(t, event, "order_placed 1180", "assertion paid")
	if got := len(placed(event).GetLines()); got != 400 {
		t.Errorf("%d lines", got)
	}
}
