package stripe

import (
	"errors"
	"math"
	"strconv"
	"strings"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// Stripe writes amounts in ISO 4217's minor units, zero- and three-decimal currencies included, but for three: ISK and
// UGX come with two decimals that they no longer have, MGA without the two that it has.
var (
	twoDecimalsTooMany = map[string]bool{"ISK": true, "UGX": true}
	twoDecimalsMissing = map[string]bool{"MGA": true}
)

// money reads an amount. The error names the member and quotes nothing.
func money(member string, amount provider.Number, currency provider.Word) (*waybillv1.Money, error) {
	if amount == "" {
		return nil, errors.New(member + " is missing")
	}
	code, ok := currencyCode(currency)
	if !ok {
		return nil, errors.New("currency is not an ISO 4217 code")
	}
	units, err := strconv.ParseInt(string(amount), 10, 64)
	switch {
	case err != nil:
		return nil, errors.New(member + " is not a whole number of 64 bits")
	case units < 0:
		return nil, errors.New(member + " is negative")
	case twoDecimalsTooMany[code] && units%100 != 0:
		return nil, errors.New(member + " has decimals that " + code + " does not have")
	case twoDecimalsTooMany[code]:
		units /= 100
	case twoDecimalsMissing[code] && units > math.MaxInt64/100:
		return nil, errors.New(member + " is too large")
	case twoDecimalsMissing[code]:
		units *= 100
	}
	return &waybillv1.Money{Currency: code, MinorUnits: units}, nil
}

func currencyCode(currency provider.Word) (string, bool) {
	code := strings.ToUpper(strings.TrimSpace(string(currency)))
	if len(code) != 3 || strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return "", false
	}
	return code, true
}
