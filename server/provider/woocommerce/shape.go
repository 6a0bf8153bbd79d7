package woocommerce

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// The topic is not signed and picks the parser, so each parser asks first whether the body is of its own shape. Without
// that a customer under the topic of an order would become one.

// notA says that a body is of another shape than its topic's.
func notA(thing, why string) error {
	return fmt.Errorf("the body is not %s, for %s: the topic header may have been changed", thing, why)
}

// wrongShape reports a body that is no order.
func (s *shop) wrongShape(b orderBody) error {
	if strings.HasPrefix(string(b.Code), "woocommerce_rest_") {
		return errors.New("the shop sent an error in place of the order: may the webhook's user read orders?")
	}
	var why string
	switch {
	case !isOrders(b.Links.self):
		why = "its address names something else"
	case b.ID == "":
		why = "it lacks id"
	case b.Number == "":
		why = "it lacks number"
	case b.Status.Fold() == "":
		why = "it lacks status"
	case b.Currency.Fold() == "" && s.currency == "":
		why = "it lacks currency"
	case b.Total == "":
		why = "it lacks total"
	case b.LineItems == nil:
		why = "it lacks line_items"
	case bool(b.BillingPeriod):
		why = "it has billing_period"
	default:
		return nil
	}
	return notA("an order", why)
}

// collection is what comes after the version in an address at the shop's API: wc/v3/orders/1001.
var collection = regexp.MustCompile(`(?:^|/)wc/v[0-9]+/([^/]+)`)

// isOrders is false of an address at the shop's API that is no order's. A shop without readable addresses has the route
// in a parameter.
func isOrders(address string) bool {
	parsed, err := url.Parse(address)
	if err != nil {
		return true
	}
	for _, route := range []string{parsed.Path, parsed.Query().Get("rest_route")} {
		if named := collection.FindStringSubmatch(route); named != nil && named[1] != "orders" {
			return false
		}
	}
	return true
}
