package woocommerce_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/providertest"
	"github.com/waybillhq/waybill/server/provider/woocommerce"
)

const header = "X-WC-Webhook-Signature"

func options() providertest.Options {
	// WooCommerce publishes no fixed signature; these are made with the algorithm of its core.
	vector := func(name, secret, proof string, refused bool) providertest.Vector {
		return providertest.Vector{
			Name: name, Secret: secret, Header: http.Header{http.CanonicalHeaderKey(header): {proof}}, Body: `{"id":1001}`,
			At: providertest.Now(), Refused: refused,
		}
	}
	const plain, decoded = "17WQWx7g5jPbjwIFNFc2uV+tBJdqXTI0U81cs2wmhJo=", "02j/JSbAvpy6hF+XKoqK55kGxevpFTlbj1p6p5231bk="
	return providertest.Options{
		Sample:      "order.updated-processing",
		ProofHeader: header,
		SignsBody:   true,
		// WooCommerce gives its events no id.
		KnownByBytes: true,
		Malformed: []string{
			"sha256=" + plain, strings.TrimRight(plain, "="), "d7b5905b1ee0e633db8f0205345736b95fad04976a5d323453cd5cb36c26849a",
		},
		Vectors: []providertest.Vector{
			vector("a plain secret", "synthetic-secret", plain, false),
			vector("a secret with an entity", "a&amp;b", decoded, false),
			vector("the same secret without it", "a&b", decoded, false),
			vector("another secret", "a&amp;amp;b", decoded, true),
			vector("another signature", "synthetic-secret", decoded, true),
		},
		Words:       words(),
		UnknownWord: word("order.updated", order("partially-shipped", ""), "order_placed SYN-1", "unrecognised status"),
	}
}

// order is a body; more are further members, each with a comma before it.
func order(status, more string) string {
	return `{"id":1001,"number":"SYN-1","status":"` + status + `","currency":"BDT","total":"1050.00",` +
		`"date_modified_gmt":"2026-01-15T12:30:05","line_items":[{"id":1,"sku":"MUG-1","quantity":1}]` + more + `}`
}

func word(topic, body string, says ...string) providertest.Word {
	return providertest.Word{
		Name: topic + " " + body, Header: http.Header{"X-Wc-Webhook-Topic": {topic}}, Body: body, Says: says,
	}
}

func words() []providertest.Word {
	const dated, cod = `,"date_paid_gmt":"2026-01-15T12:00:00"`, `,"payment_method":"cod","date_paid_gmt":null`
	all := []providertest.Word{
		word("order.deleted", `{"id":1001}`, "fact order_deleted!"),
		word("order.deleted", `{}`, "undecoded"),
		word("order.updated", `{"id":1001}`, "undecoded"),
		word("order.updated", `{"code":"woocommerce_rest_cannot_view","message":"Sorry","data":{"status":401}}`, "undecoded"),
		word("order.updated", strings.Replace(order("x", ""), `"status":"x",`, "", 1), "undecoded"),
		word("order.updated", strings.Replace(order("pending", ""), `"id":1001,`, "", 1), "undecoded"),
		word("order.updated", strings.Replace(order("pending", ""), `"quantity":1`, `"quantity":null`, 1), "undecoded"),
		word("order.updated", strings.Replace(order("pending", ""), "1050.00", "1050.005", 1), "undecoded"),
		word("product.updated", `{"id":5}`, "ignored"),
		word("coupon.created", `not JSON`, "ignored"),
		word("action.woocommerce_add_to_cart", `{"action":"x","arg":1}`, "ignored"),
		word("", order("pending", ""), "undecoded"),
	}
	add := func(status, more string, says ...string) {
		all = append(all, word("order.updated", order(status, more), append([]string{"order_placed SYN-1"}, says...)...))
	}
	add("pending", "", "assertion pending")
	add("processing", "", "assertion paid")
	add("processing", dated, "assertion paid")
	add("processing", cod, "assertion pending")
	add("on-hold", "", "assertion pending", "fact on_hold")
	add("on-hold", dated, "assertion paid", "fact on_hold")
	add("ready-for-pickup", "", "assertion pending", "fact ready_for_pickup")
	add("ready-for-pickup", dated, "assertion paid", "fact ready_for_pickup")
	add("completed", "", "assertion paid", "shipment_announced", "status_changed shipped")
	add("completed", cod, "assertion pending", "shipment_announced", "status_changed shipped")
	add("completed", dated+`,"payment_method":"cod"`, "assertion paid", "shipment_announced", "status_changed shipped")
	add("cancelled", "", "assertion voided", "order_cancelled")
	add("cancelled", dated, "assertion paid", "order_cancelled")
	add("refunded", "", "assertion paid", "refund_step")
	add("refunded", `,"refunds":[{"id":7,"total":"-50.00"},{"id":8,"total":"-1000"}]`, "assertion paid", "refund_step", "refund_step")
	add("processing", `,"refunds":[{"id":7,"total":"-50.00"},{"id":8,"total":"0.00"}]`, "assertion paid", "refund_step")
	add("failed", "", "assertion failed")
	add("trash", "", "assertion pending", "fact order_deleted!")
	add("Processing ", "", "assertion paid")
	for _, draft := range []string{"checkout-draft", "auto-draft", "draft", "new"} {
		all = append(all, word("order.created", order(draft, ""), "ignored"))
	}
	return all
}

func TestWooCommerceKeepsTheContract(t *testing.T) {
	t.Parallel()
	providertest.Run(t, woocommerce.Kind(), options())
}

func FuzzVerify(f *testing.F)    { providertest.FuzzVerify(f, woocommerce.Kind(), options()) }
func FuzzTranslate(f *testing.F) { providertest.FuzzTranslate(f, woocommerce.Kind(), options()) }

func open(t *testing.T, settings *configv1.Provider) provider.Provider {
	t.Helper()
	opened, err := woocommerce.Kind().New(settings)
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

func request(topic, body string) *provider.Request {
	return &provider.Request{
		Header: http.Header{"X-Wc-Webhook-Topic": {topic}}, Body: []byte(body), ReceivedAt: providertest.Now(),
	}
}

func translate(t *testing.T, settings *configv1.Provider, r *provider.Request) *waybillv1.IngestEventRequest {
	t.Helper()
	events, err := providertest.Translate(t, open(t, settings), r)
	if err != nil || len(events) != 1 {
		t.Fatalf("%d events, %v, want one", len(events), err)
	}
	return events[0]
}

func TestThePingIsAnsweredWithExactly200AndNothingElseIs(t *testing.T) {
	t.Parallel()
	settings := &configv1.Provider{Secrets: []*configv1.Secret{{Value: "synthetic"}}}
	opened := open(t, settings)
	for body, want := range map[string]bool{
		"webhook_id=27": true, "webhook_id=1": true,
		"webhook_id=": false, "webhook_id=27&order=880220": false, "webhook_id=27\n": false, "webhook_id=-1": false,
		"webhook_id=2a": false, `{"webhook_id":27}`: false, "": false, "id=27": false,
		"webhook_id=" + strings.Repeat("1", 21): false,
	} {
		r := &provider.Request{Header: http.Header{}, Body: []byte(body), ReceivedAt: providertest.Now()}
		answer, ok := opened.Handshake(r)
		if ok != want || ok && answer.Status != http.StatusOK {
			t.Errorf("%q: handshake %t with %d, want %t with 200", body, ok, answer.Status, want)
		}
		if !want && opened.Verify(r) == nil {
			t.Errorf("%q was proven without a signature", body)
		}
	}
	signed := &provider.Request{Header: http.Header{}, Body: []byte("webhook_id=27")}
	signed.Header.Set(header, "x")
	if _, ok := opened.Handshake(signed); ok {
		t.Error("a ping with a signature was taken for one of the shop's, which have none")
	}
	unsigned := &provider.Request{Header: http.Header{}, Body: []byte("webhook_id=27")}
	woocommerce.Kind().Sign(unsigned, "synthetic", providertest.Now())
	if len(unsigned.Header) != 0 {
		t.Error("the ping was signed")
	}
}

func TestCopiesOfOneSaveAreOneEventWhateverTheirDeliveryID(t *testing.T) {
	t.Parallel()
	first := request("order.updated", order("processing", ""))
	first.Header.Set("X-WC-Webhook-Delivery-ID", "d-1")
	again := request("order.updated", order("processing", ""))
	again.Header.Set("X-WC-Webhook-Delivery-ID", "d-2")
	a, b := translate(t, nil, first), translate(t, nil, again)
	if a.GetEventId() != b.GetEventId() || a.GetDeliveryId() != "d-1" || b.GetDeliveryId() != "d-2" {
		t.Errorf("ids %s and %s, deliveries %s and %s", a.GetEventId(), b.GetEventId(), a.GetDeliveryId(), b.GetDeliveryId())
	}
	if !strings.HasPrefix(a.GetEventId(), "20260115T123005Z-") || !a.GetEventIdDerived() {
		t.Errorf("id %s, derived %t", a.GetEventId(), a.GetEventIdDerived())
	}

	seen := map[string]string{a.GetEventId(): "the first"}
	for name, r := range map[string]*provider.Request{
		"another order in the same second": request("order.updated", strings.Replace(order("processing", ""), "1001", "1002", 1)),
		"another state of the order":       request("order.updated", order("completed", "")),
		"another topic":                    request("order.created", order("processing", "")),
		"a topic nobody needs":             request("product.updated", order("processing", "")),
		"a deletion":                       request("order.deleted", `{"id":1001}`),
	} {
		r.Header.Set("X-WC-Webhook-Delivery-ID", "d-1") // one webhook, one second
		id := translate(t, nil, r).GetEventId()
		if other, taken := seen[id]; taken {
			t.Errorf("%s has the id of %s", name, other)
		}
		seen[id] = name
	}
}

func TestTimesAreUTCWhereTheyAreGMTAndTheSitesOtherwise(t *testing.T) {
	t.Parallel()
	dhaka := &configv1.Provider{TimeZone: "Asia/Dhaka"}
	for _, test := range []struct {
		settings *configv1.Provider
		dates    string
		want     string
	}{
		{nil, `"date_modified_gmt":"2026-01-15T12:30:05"`, "2026-01-15 12:30:05 exact"},
		{dhaka, `"date_modified_gmt":"2026-01-15T12:30:05"`, "2026-01-15 12:30:05 exact"},
		{dhaka, `"date_modified_gmt":null,"date_modified":"2026-01-15T18:30:05"`, "2026-01-15 12:30:05 zone_assumed"},
		{nil, `"date_modified":"2026-01-16T02:30:05"`, "2026-01-15 12:30:05 zone_assumed"},
		{nil, `"date_created_gmt":"2026-01-15T12:30:05"`, "2026-01-15 12:30:05 exact"},
		{nil, `"date_modified_gmt":"soon"`, "1970-01-01 00:00:00 missing"},
	} {
		body := strings.Replace(order("pending", ""), `"date_modified_gmt":"2026-01-15T12:30:05"`, test.dates, 1)
		event := translate(t, test.settings, request("order.updated", body))
		certainty := strings.ToLower(strings.TrimPrefix(event.GetOccurredAtCertainty().String(), "OCCURRED_AT_CERTAINTY_"))
		if got := event.GetOccurredAt().AsTime().Format("2006-01-02 15:04:05 ") + certainty; got != test.want {
			t.Errorf("%s: %s, want %s", test.dates, got, test.want)
		}
	}
}

func TestABodyForAnotherShopIsSetAside(t *testing.T) {
	t.Parallel()
	settings := &configv1.Provider{Expect: &configv1.Expect{ShopDomain: "woo.example.test"}}
	links := func(address string) string { return `,"_links":{"self":[{"href":"` + address + `"}]}` }
	for name, test := range map[string]struct {
		more, source string
		ignored      bool
	}{
		"the address of its own order":   {links("https://woo.example.test/wp-json/wc/v3/orders/1001"), "", false},
		"another shop's order":           {links("https://other.example.test/wp-json/wc/v3/orders/1001"), "https://woo.example.test/", true},
		"a false header beside the fact": {links("https://WOO.example.test./wp-json"), "https://other.example.test/", false},
		"the header alone":               {"", "https://woo.example.test/", false},
		"another header alone":           {"", "https://other.example.test/", true},
		"nothing to tell by":             {"", "", false},
		"links of another shape":         {`,"_links":[7]`, "https://woo.example.test/", false},
		"an address that is none":        {links(":"), "https://other.example.test/", true},
	} {
		r := request("order.updated", order("processing", test.more))
		r.Header.Set("X-WC-Webhook-Source", test.source)
		event := translate(t, settings, r)
		ignored := slices.Equal(providertest.Summary(event), []string{"ignored"})
		if ignored != test.ignored {
			t.Errorf("%s: says %v", name, providertest.Summary(event))
		}
		genuine := translate(t, settings, request("order.updated", order("processing", test.more)))
		if ignored && !slices.Equal(providertest.Summary(genuine), []string{"ignored"}) && genuine.GetEventId() == event.GetEventId() {
			t.Errorf("%s: the copy that is set aside has the genuine one's id", name)
		}
	}
	for domain, want := range map[string]int{
		"woo.example.test": 0, "": 0, "https://woo.example.test": 1, "WOO.example.test": 1, "woo.example.test/": 1, "woo.example.test:8080": 1,
	} {
		problems := woocommerce.Kind().Check(&configv1.Provider{
			Secrets: []*configv1.Secret{{Value: "x"}}, Expect: &configv1.Expect{ShopDomain: domain},
		})
		if len(problems) != want {
			t.Errorf("expect.shop_domain %q has problems %v, want %d", domain, problems, want)
		}
	}
}

func meta(key, value string) string {
	return fmt.Sprintf(`,"meta_data":[{"id":1,"key":%q,"value":%s}]`, key, value)
}

func TestParcelsComeFromPluginsAndACompletedOrderHasOneInAnyCase(t *testing.T) {
	t.Parallel()
	const key = "_wc_shipment_tracking_items"
	for _, test := range []struct{ status, more, want string }{
		{"processing", "", ""},
		{"completed", "", "announced //order:1001, shipped //order:1001"},
		{"processing", meta("ptc_consignment_id", `"DS1"`), "announced DS1//"},
		{"completed", meta("ptc_consignment_id", `"DS1"`), "announced DS1//order:1001, shipped DS1//order:1001"},
		{"completed", meta(key, `[{"tracking_number":"T1","tracking_provider":"dhl"}]`), "announced /T1/order:1001, shipped /T1/order:1001"},
		{
			"completed", meta(key, `[{"tracking_number":"T1"},{"tracking_number":"T2"},{"tracking_number":"T1"}]`),
			"announced /T1/, shipped /T1/, announced /T2/, shipped /T2/",
		},
		{"processing", meta(key, `[{"tracking_number":77}]`), "announced /77/"},
		{"processing", meta(key, `"T1"`), ""},
		{"processing", meta(key, `[{"tracking_number":""}]`), ""},
		{"processing", meta("ptc_consignment_id", `{"a":1}`), ""},
		{"processing", meta("_other", `"T1"`), ""},
		{"processing", `,"meta_data":{"0":7}`, ""},
		{"processing", `,"meta_data":null`, ""},
	} {
		var got []string
		for _, change := range translate(t, nil, request("order.updated", order(test.status, test.more))).GetChanges() {
			for _, said := range []struct {
				word     string
				shipment *waybillv1.ShipmentReference
			}{
				{"announced", change.GetShipmentAnnounced().GetShipment()},
				{"shipped", change.GetStatusChanged().GetShipment()},
			} {
				if s := said.shipment; s != nil {
					got = append(got, said.word+" "+s.GetConsignmentId()+"/"+s.GetTrackingNumber()+"/"+s.GetFulfilmentId())
				}
			}
		}
		if all := strings.Join(got, ", "); all != test.want {
			t.Errorf("%s %s: %s, want %s", test.status, test.more, all, test.want)
		}
	}

	completed := translate(t, nil, request("order.updated", order("completed", `,"date_completed_gmt":"2026-01-15T10:00:00"`)))
	for _, change := range completed.GetChanges() {
		if at := change.GetOccurredAt(); change.GetStatusChanged() != nil && at.AsTime().Format("15:04:05") != "10:00:00" {
			t.Errorf("shipped at %s", at.AsTime())
		}
	}
}

func TestARefundIsTheSameStepHoweverManyBodiesListIt(t *testing.T) {
	t.Parallel()
	steps := func(status, more string) string {
		var found []string
		for _, change := range translate(t, nil, request("order.updated", order(status, more))).GetChanges() {
			if step := change.GetRefundReported(); step != nil {
				found = append(found, fmt.Sprintf("%s %d %s", step.GetRefundId(), step.GetAmount().GetMinorUnits(), step.GetAmount().GetCurrency()))
			}
		}
		return strings.Join(found, ", ")
	}
	for _, test := range []struct{ status, more, want string }{
		{"processing", `,"refunds":[{"id":7,"total":"-50.00"}]`, "7 5000 BDT"},
		{"refunded", `,"refunds":[{"id":7,"total":"-50.00"},{"id":8,"total":"-1000.00"}]`, "7 5000 BDT, 8 100000 BDT"},
		{"refunded", "", "order:1001 105000 BDT"},
		{"processing", `,"refunds":[]`, ""},
	} {
		if got := steps(test.status, test.more); got != test.want {
			t.Errorf("%s %s: %s, want %s", test.status, test.more, got, test.want)
		}
	}
	unnamed := translate(t, nil, request("order.updated", order("processing", `,"refunds":[{"total":"-50.00"}]`)))
	if says := providertest.Summary(unnamed); !slices.Equal(says, []string{"undecoded"}) {
		t.Errorf("a refund without an id says %v", says)
	}
}

func TestSecretsAreReadAsWordPressReadsThem(t *testing.T) {
	t.Parallel()
	for stored, key := range map[string]string{
		"a&amp;b": "a&b", "a&#038;b": "a&b", "a&#x26;b": "a&b", "&lt;&gt;": "<>", "&quot;": `"`, "&#34;": `"`,
		"&#039;": "'", "&#39;": "'", "&#x27;": "'", "&#x0027;": "'", "&amp;lt;": "&lt;", "&amp;amp;": "&amp;",
		"&nbsp;": "&nbsp;", "&#65;": "&#65;", "&": "&", "&amp": "&amp", "plain": "plain",
	} {
		r := request("order.updated", order("pending", ""))
		woocommerce.Kind().Sign(r, stored, providertest.Now())
		other := request("order.updated", order("pending", ""))
		provider.Proof{Scheme: provider.HMACSHA256, Place: header, Encoding: provider.Base64}.Sign(other, key)
		if got, want := r.Header.Get(header), other.Header.Get(header); got != want {
			t.Errorf("the key of %q is not %q", stored, key)
		}
	}
}
