package provider

import (
	"errors"
	"strconv"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/order"
)

// Minor reads an amount in the currency's smallest unit. The error names the member and quotes nothing.
func Minor(member string, amount Number, currency string) (*waybillv1.Money, error) {
	probe, err := order.ParseMoney("0", currency)
	if err != nil {
		return nil, &moneyError{member: member, cause: err}
	}
	units, err := strconv.ParseInt(string(amount), 10, 64)
	switch {
	case err != nil:
		return nil, &moneyError{member: member, cause: errors.New("amount is not a whole number of 64 bits")}
	case units < 0:
		return nil, &moneyError{member: member, cause: errors.New("amount is negative")}
	}
	return &waybillv1.Money{Currency: probe.Currency, MinorUnits: units}, nil
}
