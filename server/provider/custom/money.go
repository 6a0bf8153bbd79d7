package custom

import (
	"cmp"
	"fmt"
	"strings"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// money is how a change's amount is read.
type money struct {
	amount, currency *expression
	// otherwise is the currency where none is said, and minor says that amounts are in the smallest unit.
	otherwise string
	minor     bool
}

// noMoney is what is read where no amount is said.
var noMoney *waybillv1.Money

// read gives the money. noMoney: no amount is said.
func (m money) read(s *scope) (*waybillv1.Money, error) {
	amount, err := m.amount.text(s)
	amount = strings.TrimSpace(amount)
	if err != nil || amount == "" {
		return noMoney, err
	}
	said, err := m.currency.text(s)
	if err != nil {
		return nil, err
	}
	currency := cmp.Or(strings.ToUpper(strings.TrimSpace(said)), m.otherwise)
	if currency == "" {
		return nil, fmt.Errorf("%s has no currency", m.amount.path)
	}
	if m.minor {
		return provider.Minor(m.amount.path, provider.Number(amount), currency)
	}
	return provider.Major(m.amount.path, provider.Number(amount), currency)
}
