package sslcommerz

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/waybillhq/waybill/server/provider"
)

// rehearse validates the payments of the samples. Their val_id holds what SSLCOMMERZ would know: transaction, amount,
// currency and risk, with ~ between them.
func rehearse(address *url.URL) provider.Reply {
	payment := address.Query().Get("val_id")
	parts := strings.Split(payment, "~")
	if len(parts) < 4 {
		return provider.Reply{Status: http.StatusOK, Body: []byte(`{"status":"INVALID_TRANSACTION"}`)}
	}
	body, err := json.Marshal(map[string]string{
		"status": "VALID", "tran_id": parts[0], "val_id": payment, "amount": parts[1], "currency": parts[2],
		"risk_level": parts[3],
	}, json.Deterministic(true))
	if err != nil {
		return provider.Reply{Status: http.StatusInternalServerError}
	}
	return provider.Reply{Status: http.StatusOK, Body: body}
}
