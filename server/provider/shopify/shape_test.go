package shopify_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/waybillhq/waybill/server/provider/providertest"
	"github.com/waybillhq/waybill/server/provider/shopify"
)

// bodies are by what they are about. The last ones have no topic here: an app may be sent them as well, signed with the
// same secret.
var bodies = map[string]string{
	"order":      order(`"admin_graphql_api_id":"gid://shopify/Order/7100000000130","financial_status":"paid"`),
	"fulfilment": fulfilment(`"admin_graphql_api_id":"gid://shopify/Fulfillment/55","tracking_number":"T1","line_items":[{"id":1,"quantity":2}]`),
	"refund": `{"id":77,"admin_graphql_api_id":"gid://shopify/Refund/77","order_id":7100000000130,"refund_line_items":[],` +
		`"transactions":[{"kind":"refund","status":"success","amount":"10.00","currency":"EUR"}]}`,
	"edit": `{"order_edit":{"id":5,"order_id":7100000000130,"line_items":{"additions":[],"removals":[]}}}`,

	"draft": `{"id":9,"order_id":null,"name":"#D9","status":"open","currency":"EUR","total_price":"42.00","line_items":[]}`,
	"completed draft": `{"id":9,"order_id":7100000000130,"name":"#D9","status":"completed","currency":"EUR",` +
		`"total_price":"42.00","line_items":[{"id":1,"quantity":2}]}`,
	"checkout":    `{"id":9,"name":"#9","currency":"EUR","total_price":"42.00","line_items":[{"key":"1","quantity":2}]}`,
	"transaction": `{"id":9,"order_id":7100000000130,"kind":"sale","status":"success","amount":"42.00","currency":"EUR"}`,
	"scan":        `{"id":9,"fulfillment_id":55,"order_id":7100000000130,"status":"in_transit","happened_at":"2026-01-15T12:30:05Z"}`,
	"dispute":     `{"id":9,"order_id":7100000000130,"type":"chargeback","status":"needs_response","amount":"42.00","currency":"EUR"}`,
	"customer":    `{"id":8003,"email":null,"currency":"EUR","orders_count":1}`,
}

func TestATopicReadsNoBodyOfAnotherShape(t *testing.T) {
	t.Parallel()
	for topic, test := range map[string]struct {
		own   []string
		thing string
	}{
		"orders/create":       {[]string{"order"}, "an order"},
		"orders/paid":         {[]string{"order"}, "an order"},
		"orders/updated":      {[]string{"order"}, "an order"},
		"orders/cancelled":    {[]string{"order"}, "an order"},
		"orders/edited":       {[]string{"order", "edit"}, "an order"},
		"fulfillments/create": {[]string{"fulfilment"}, "a fulfilment"},
		"fulfillments/update": {[]string{"fulfilment"}, "a fulfilment"},
		"refunds/create":      {[]string{"refund"}, "a refund"},
	} {
		for about, body := range bodies {
			event := translate(t, topic, body)
			undecoded := slices.Equal(providertest.Summary(event), []string{"undecoded"})
			if slices.Contains(test.own, about) == undecoded {
				t.Errorf("%s with a body about the %s says %q", topic, about, providertest.Summary(event))
			}
			if want := "the body is not " + test.thing + ", for it"; undecoded &&
				(!strings.HasPrefix(problem(event), want) || !strings.Contains(problem(event), "the topic header may have been changed")) {
				t.Errorf("%s with a body about the %s: problem %q", topic, about, problem(event))
			}
		}
	}
}

// TestEverySampleIsReadUnderItsOwnTopicsOnly sends what the samples hold under every topic there is.
func TestEverySampleIsReadUnderItsOwnTopicsOnly(t *testing.T) {
	t.Parallel()
	topics := []string{
		"orders/create", "orders/paid", "orders/updated", "orders/cancelled", "orders/edited",
		"fulfillments/create", "fulfillments/update", "refunds/create",
	}
	for _, sample := range shopify.Kind().Samples {
		request, err := sample.Request(providertest.Values())
		if err != nil {
			t.Fatal(err)
		}
		genuine := request.Header.Get("X-Shopify-Topic")
		if !slices.Contains(topics, genuine) {
			continue
		}
		says := providertest.Summary(translate(t, genuine, string(request.Body)))
		for _, topic := range topics {
			got := providertest.Summary(translate(t, topic, string(request.Body)))
			if !slices.Equal(got, says) && !slices.Equal(got, []string{"undecoded"}) {
				t.Errorf("%s under %s says %q, and %q under its own", sample.Name, topic, got, says)
			}
		}
	}
}

func TestWhatABodyLacksIsNamed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ topic, body, want string }{
		{"orders/updated", `{}`, "an order, for it lacks id"},
		{"orders/updated", bare(`"id":null,"line_items":[]`), "an order, for it lacks id"},
		{"orders/updated", bare(`"id":1`), "an order, for it lacks line_items"},
		{"orders/updated", bare(`"id":1,"line_items":null`), "an order, for it lacks line_items"},
		{"orders/updated", bare(`"id":1,"line_items":[],"currency":null`), "an order, for it lacks currency"},
		{"orders/updated", bare(`"id":1,"line_items":[],"total_price":null`), "an order, for it lacks total_price"},
		{"orders/updated", bare(`"id":1,"line_items":[],"order_id":null`), "an order, for it has order_id"},
		{
			"orders/updated", bare(`"id":1,"line_items":[],"admin_graphql_api_id":"gid://shopify/DraftOrder/1"`),
			"an order, for its admin_graphql_api_id names something else",
		},
		{
			"orders/updated", `{"id":1,"line_items":[],"currency":"EUR","total_price":"42.00"}`,
			"an order, for it lacks financial_status",
		},
		{
			"orders/cancelled", strings.Replace(order(`"note":null`), `,"cancelled_at":null`, "", 1),
			"a cancelled order, for it lacks cancelled_at",
		},
		{"fulfillments/update", fulfilment(`"id":null`), "a fulfilment, for it lacks id or order_id"},
		{"fulfillments/update", fulfilment(`"order_id":null`), "a fulfilment, for it lacks id or order_id"},
		{"fulfillments/update", fulfilment(`"status":null`), "a fulfilment, for it lacks status"},
		{"fulfillments/update", fulfilment(`"name":null`), "a fulfilment, for its name is not that of a fulfilment"},
		{"fulfillments/update", fulfilment(`"name":"#1001"`), "a fulfilment, for its name is not that of a fulfilment"},
		{"fulfillments/update", fulfilment(`"total_price":null`), "a fulfilment, for it has total_price or financial_status"},
		{"fulfillments/update", fulfilment(`"financial_status":"paid"`), "a fulfilment, for it has total_price or financial_status"},
		{
			"fulfillments/update", fulfilment(`"admin_graphql_api_id":"gid://shopify/FulfillmentEvent/1"`),
			"a fulfilment, for its admin_graphql_api_id names something else",
		},
		{"refunds/create", `{"order_id":2,"transactions":[]}`, "a refund, for it lacks id or order_id"},
		{"refunds/create", `{"id":1,"transactions":[]}`, "a refund, for it lacks id or order_id"},
		{"refunds/create", `{"id":1,"order_id":2}`, "a refund, for it lacks transactions"},
		{"refunds/create", `{"id":1,"order_id":2,"transactions":null}`, "a refund, for it lacks transactions"},
		{
			"refunds/create", `{"id":1,"order_id":2,"transactions":[],"admin_graphql_api_id":"gid://shopify/Return/1"}`,
			"a refund, for its admin_graphql_api_id names something else",
		},
	} {
		want := "the body is not " + test.want + ": the topic header may have been changed, or the subscription strips the body"
		if got := problem(translate(t, test.topic, test.body)); got != want {
			t.Errorf("%s %s: problem %q, want %q", test.topic, test.body, got, want)
		}
	}
}

func TestNamesOfFulfilmentsAreKnown(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"#1001.1", "#1001.12", "LG-1001.2", "#1001-F1", "1001.1"} {
		says(t, translate(t, "fulfillments/create", fulfilment(`"name":"`+name+`"`)), "shipment_announced")
	}
	for _, name := range []string{"", "#1001", "#D9", ".1", "#1001.", "#1001-R1", "#1001.1 "} {
		says(t, translate(t, "fulfillments/create", fulfilment(`"name":"`+name+`"`)), "undecoded")
	}
}
