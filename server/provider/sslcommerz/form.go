package sslcommerz

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"
)

// The fields that say something. Each counts only where verify_key lists it: the proof covers no others.
const (
	fieldStatus         = "status"
	fieldTransaction    = "tran_id"
	fieldValidation     = "val_id"
	fieldAmount         = "amount"
	fieldCurrency       = "currency"
	fieldCurrencyAmount = "currency_amount"
	fieldCurrencyType   = "currency_type"
	fieldStore          = "store_id"
	fieldRisk           = "risk_level"
	fieldRiskTitle      = "risk_title"
	fieldDate           = "tran_date"
	fieldBank           = "bank_tran_id"
	fieldError          = "error"

	fieldKeys     = "verify_key"
	fieldProof    = "verify_sign"
	fieldPassword = "store_passwd"
)

// tokens are the fields that decide something. In a proof that joins fields with & and =, only texts without either
// have borders that nobody can move.
var tokens = []string{
	fieldStatus, fieldTransaction, fieldValidation, fieldAmount, fieldCurrency, fieldCurrencyAmount, fieldCurrencyType,
	fieldStore, fieldRisk, fieldDate, fieldBank,
}

// fields are those that the proof covers.
type fields map[string]string

// notice is a body, taken apart.
type notice struct {
	covered fields
	proof   string
}

// parse takes a body apart.
func parse(body []byte) (notice, error) {
	form, err := url.ParseQuery(string(body))
	if err != nil || len(form) == 0 {
		return notice{}, errors.New("the body is not a form")
	}
	for _, values := range form {
		if len(values) > 1 {
			return notice{}, fmt.Errorf("a field comes %d times: nobody can say which one was meant", len(values))
		}
	}
	n := notice{covered: make(fields), proof: form.Get(fieldProof)}
	for name := range strings.SplitSeq(form.Get(fieldKeys), ",") {
		if form.Has(name) {
			n.covered[name] = form.Get(name)
		}
	}
	for _, name := range tokens {
		switch value := n.covered[name]; {
		case strings.ContainsAny(value, "&="):
			return notice{}, errors.New(name + " holds & or =, so that nobody can say what was signed")
		case !utf8.ValidString(value) || strings.Contains(value, "\x00"):
			return notice{}, errors.New(name + " holds text that is not proper Unicode")
		}
	}
	for _, name := range []string{fieldStatus, fieldTransaction} {
		if n.covered[name] == "" {
			return notice{}, errors.New(name + " is missing, or verify_key does not list it")
		}
	}
	return n, nil
}
