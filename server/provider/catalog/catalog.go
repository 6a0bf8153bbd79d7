// Package catalog is the one list of the kinds of providers. No other package names one.
package catalog

import (
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/adyen"
	"github.com/waybillhq/waybill/server/provider/aftership"
	"github.com/waybillhq/waybill/server/provider/bkash"
	"github.com/waybillhq/waybill/server/provider/courier"
	"github.com/waybillhq/waybill/server/provider/custom"
	"github.com/waybillhq/waybill/server/provider/delhivery"
	"github.com/waybillhq/waybill/server/provider/easypost"
	"github.com/waybillhq/waybill/server/provider/github"
	"github.com/waybillhq/waybill/server/provider/pathao"
	"github.com/waybillhq/waybill/server/provider/payments"
	"github.com/waybillhq/waybill/server/provider/paypal"
	"github.com/waybillhq/waybill/server/provider/redx"
	"github.com/waybillhq/waybill/server/provider/shippo"
	"github.com/waybillhq/waybill/server/provider/shiprocket"
	"github.com/waybillhq/waybill/server/provider/shopify"
	"github.com/waybillhq/waybill/server/provider/sslcommerz"
	"github.com/waybillhq/waybill/server/provider/standardwebhooks"
	"github.com/waybillhq/waybill/server/provider/steadfast"
	"github.com/waybillhq/waybill/server/provider/stripe"
	"github.com/waybillhq/waybill/server/provider/woocommerce"
)

// Kinds gives every kind, by name. A new provider is a folder beside this one, and a line here.
func Kinds() []provider.Kind {
	return []provider.Kind{
		adyen.Kind(),
		aftership.Kind(),
		bkash.Kind(),
		courier.Kind(),
		custom.Kind(),
		delhivery.Kind(),
		easypost.Kind(),
		github.Kind(),
		pathao.Kind(),
		payments.Kind(),
		paypal.Kind(),
		redx.Kind(),
		shippo.Kind(),
		shiprocket.Kind(),
		shopify.Kind(),
		sslcommerz.Kind(),
		standardwebhooks.Kind(),
		steadfast.Kind(),
		stripe.Kind(),
		woocommerce.Kind(),
	}
}
