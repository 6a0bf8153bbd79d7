package woocommerce_test

import (
	"slices"
	"strings"
	"testing"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider/providertest"
)

// bodies are by what they are about. A shop signs them all with the same secret, if its owner says so.
var bodies = map[string]string{
	"order":         order("processing", `,"_links":{"self":[{"href":"https://woo.example.test/wp-json/wc/v3/orders/1001"}]}`),
	"deleted thing": `{"id":1001}`,
	"customer":      `{"id":8003,"email":"synthetic@example.test","role":"customer","meta_data":[]}`,
	"product":       `{"id":5,"name":"Mug","status":"publish","price":"10.50","sku":"MUG-1"}`,
	"coupon":        `{"id":6,"code":"TENOFF","amount":"10.00","status":"publish"}`,
	"subscription":  order("cancelled", `,"billing_period":"month"`),
	"subscription by its address": order("cancelled",
		`,"_links":{"self":[{"href":"https://woo.example.test/shop/index.php?rest_route=%2Fwc%2Fv1%2Fsubscriptions%2F1001"}]}`),
}

func problem(event *waybillv1.IngestEventRequest) string {
	return event.GetChanges()[0].GetUndecoded().GetProblem()
}

func TestATopicReadsNoBodyOfAnotherShape(t *testing.T) {
	t.Parallel()
	for topic, test := range map[string]struct{ own, thing string }{
		"order.created":  {"order", "an order"},
		"order.updated":  {"order", "an order"},
		"order.restored": {"order", "an order"},
		"order.deleted":  {"deleted thing", "a deleted order"},
	} {
		for about, body := range bodies {
			event := translate(t, nil, request(topic, body))
			undecoded := slices.Equal(providertest.Summary(event), []string{"undecoded"})
			if (about == test.own) == undecoded {
				t.Errorf("%s with a body about the %s says %q", topic, about, providertest.Summary(event))
			}
			if want := "the body is not " + test.thing + ", for it"; undecoded &&
				(!strings.HasPrefix(problem(event), want) || !strings.HasSuffix(problem(event), ": the topic header may have been changed")) {
				t.Errorf("%s with a body about the %s: problem %q", topic, about, problem(event))
			}
		}
	}
}

func TestWhatABodyLacksIsNamed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ topic, without, with, want string }{
		{"order.updated", `"id":1001,`, "", "an order, for it lacks id"},
		{"order.updated", `"number":"SYN-1",`, "", "an order, for it lacks number"},
		{"order.updated", `"status":"processing",`, "", "an order, for it lacks status"},
		{"order.updated", `"currency":"BDT",`, "", "an order, for it lacks currency"},
		{"order.updated", `"total":"1050.00",`, "", "an order, for it lacks total"},
		{"order.updated", `"line_items":[{"id":1,"sku":"MUG-1","quantity":1}]`, `"x":1`, "an order, for it lacks line_items"},
		{"order.updated", `"id":1001,`, `"id":1001,"billing_period":null,`, "an order, for it has billing_period"},
		{
			"order.updated", `"id":1001,`, `"id":1001,"_links":{"self":[{"href":"https://woo.example.test/wp-json/wc/v3/products/1001"}]},`,
			"an order, for its address names something else",
		},
		{"order.deleted", order("processing", ""), `{}`, "a deleted order, for it lacks id"},
		{"order.deleted", order("processing", ""), `{"id":null}`, "a deleted order, for it lacks id"},
		{"order.deleted", order("processing", ""), `{"id":1001,"email":null}`, "a deleted order, for it holds more than an id"},
	} {
		body := strings.Replace(order("processing", ""), test.without, test.with, 1)
		want := "the body is not " + test.want + ": the topic header may have been changed"
		if got := problem(translate(t, nil, request(test.topic, body))); got != want {
			t.Errorf("%s %s: problem %q, want %q", test.topic, body, got, want)
		}
	}
}

func TestACurrencyThatAPluginStripsIsTheSettings(t *testing.T) {
	t.Parallel()
	body := strings.Replace(order("processing", ""), `"currency":"BDT",`, "", 1)
	event := translate(t, &configv1.Provider{Currency: "EUR"}, request("order.updated", body))
	if total := event.GetChanges()[0].GetOrderPlaced().GetTotal(); total.GetCurrency() != "EUR" || total.GetMinorUnits() != 105000 {
		t.Errorf("total %v", total)
	}
}
