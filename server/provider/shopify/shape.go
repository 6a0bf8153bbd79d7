package shopify

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/waybillhq/waybill/server/provider"
)

// The topic is not signed and picks the parser, so each parser asks first whether the body is of its own shape. Without
// that a refund under the topic of a fulfilment would announce a parcel, and a fulfilment under an order's place one.

// notA says that a body is of another shape than its topic's.
func notA(thing, why string) error {
	return fmt.Errorf("the body is not %s, for %s: the topic header may have been changed, or the subscription strips the body",
		thing, why)
}

// wrongShape reports a body that is no order.
func (b orderBody) wrongShape() error {
	var why string
	switch {
	case otherKind(b.GlobalID, "Order"):
		why = otherGlobalID
	case b.ID == "":
		why = "it lacks id"
	case bool(b.OrderID): // fulfilments and refunds belong to an order, and drafts become one
		why = "it has order_id"
	case b.Currency.Fold() == "":
		why = "it lacks currency"
	case b.TotalPrice == "":
		why = "it lacks total_price"
	case !b.FinancialStatus.named: // checkouts have a price, too
		why = "it lacks financial_status"
	case b.LineItems == nil:
		why = "it lacks line_items"
	default:
		return nil
	}
	return notA("an order", why)
}

// fulfilmentName is an order's name with the number of a fulfilment: #1001.1, or #1001-F1.
var fulfilmentName = regexp.MustCompile(`.(\.|-F)[0-9]+$`)

// wrongShape reports a body that is no fulfilment.
func (b fulfillmentBody) wrongShape() error {
	var why string
	switch {
	case otherKind(b.GlobalID, "Fulfillment"):
		why = otherGlobalID
	case b.ID == "" || b.OrderID == "":
		why = "it lacks id or order_id"
	case b.Status.Fold() == "":
		why = "it lacks status"
	case !fulfilmentName.MatchString(string(b.Name)): // payments and carriers' scans have a status, too
		why = "its name is not that of a fulfilment"
	case bool(b.TotalPrice) || bool(b.FinancialStatus):
		why = "it has total_price or financial_status"
	default:
		return nil
	}
	return notA("a fulfilment", why)
}

// wrongShape reports a body that is no refund.
func (b refundBody) wrongShape() error {
	var why string
	switch {
	case otherKind(b.GlobalID, "Refund"):
		why = otherGlobalID
	case b.ID == "" || b.OrderID == "":
		why = "it lacks id or order_id"
	case b.Transactions == nil:
		why = "it lacks transactions"
	default:
		return nil
	}
	return notA("a refund", why)
}

const otherGlobalID = "its admin_graphql_api_id names something else"

// otherKind reports a body that names itself, and names another kind of thing.
func otherKind(id provider.Text, kind string) bool {
	return id != "" && !strings.HasPrefix(string(id), "gid://shopify/"+kind+"/")
}
