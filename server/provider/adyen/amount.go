package adyen

import (
	"errors"
	"math"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// Adyen writes amounts in minor units of its own: ISO 4217's but for these.
var (
	twoDecimalsTooMany = map[string]bool{"CLP": true, "ISK": true}
	twoDecimalsMissing = map[string]bool{"CVE": true, "IDR": true}
	// undocumented are currencies of ISO 4217 without two or three decimals that Adyen's list doesn't name.
	undocumented = map[string]bool{"BIF": true, "UYI": true, "CLF": true, "UYW": true}
)

// money reads an amount. The error quotes nothing.
func money(amount amountBody) (*waybillv1.Money, error) {
	read, err := provider.Minor("amount.value", amount.Value, string(amount.Currency))
	if err != nil {
		return nil, err
	}
	units := read.GetMinorUnits()
	switch code := read.GetCurrency(); {
	case undocumented[code]:
		return nil, errors.New("amount.value: nobody knows how many decimals Adyen counts in " + code)
	case twoDecimalsTooMany[code] && units%100 != 0:
		return nil, errors.New("amount.value has decimals that " + code + " does not have")
	case twoDecimalsTooMany[code]:
		read.MinorUnits = units / 100
	case twoDecimalsMissing[code] && units > math.MaxInt64/100:
		return nil, errors.New("amount.value is too large")
	case twoDecimalsMissing[code]:
		read.MinorUnits = units * 100
	}
	return read, nil
}
