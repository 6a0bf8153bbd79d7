package sslcommerz

import (
	"crypto/md5"
	"encoding/hex"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/waybillhq/waybill/server/provider"
)

var (
	errProof       = errors.New(fieldProof + " is not the signature of the listed fields")
	errUnvalidated = errors.New("the payment has not been validated at SSLCOMMERZ")
)

// Inquire asks SSLCOMMERZ to validate a payment, once the fields are proven. What is no payment needs no validation.
func (g *gateway) Inquire(r *provider.Request) ([]provider.Call, error) {
	n, password, err := g.proven(r)
	if err != nil || !n.isPayment() {
		return nil, err
	}
	store := n.covered[fieldStore]
	if store == "" {
		store = g.store
	}
	if store == "" || n.covered[fieldValidation] == "" {
		return nil, errors.New(fieldStore + " or " + fieldValidation + " is missing, or verify_key does not list it")
	}
	return []provider.Call{g.validation(store, password, n.covered[fieldValidation])}, nil
}

// Verify checks the signature over the fields that verify_key lists, and of a payment what the validation says: MD5 is
// no proof to rely on.
func (g *gateway) Verify(r *provider.Request) error {
	n, _, err := g.proven(r)
	if err != nil || !n.isPayment() {
		return err
	}
	if len(r.Evidence) != 1 {
		return errUnvalidated
	}
	return n.validated(r.Evidence[0])
}

// proven is the body with the password that proves it.
func (g *gateway) proven(r *provider.Request) (notice, string, error) {
	n, err := parse(r.Body)
	if err != nil {
		return notice{}, "", g.keys.Prove(r.ReceivedAt, func(string) bool { return false }, err)
	}
	var password string
	err = g.keys.Prove(r.ReceivedAt, func(secret string) bool {
		if !provider.SameText(n.proof, signature(n.covered, secret)) {
			return false
		}
		password = secret
		return true
	}, errProof)
	return n, password, err
}

// signature is MD5 over the fields, sorted by name, with the MD5 of the password among them.
func signature(covered fields, password string) string {
	all := maps.Clone(covered)
	all[fieldPassword] = digest(password)
	parts := make([]string, 0, len(all))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		parts = append(parts, name+"="+all[name])
	}
	return digest(strings.Join(parts, "&"))
}

func digest(text string) string {
	sum := md5.Sum([]byte(text))
	return hex.EncodeToString(sum[:])
}

// validation is what SSLCOMMERZ says of a payment.
type validation struct {
	Status         provider.Word   `json:"status"`
	Transaction    provider.ID     `json:"tran_id"`
	Validation     provider.ID     `json:"val_id"`
	Amount         provider.Number `json:"amount"`
	Currency       provider.Word   `json:"currency"`
	CurrencyAmount provider.Number `json:"currency_amount"`
	CurrencyType   provider.Word   `json:"currency_type"`
	Risk           provider.ID     `json:"risk_level"`
}

// validated compares what the body says with what SSLCOMMERZ says.
func (n notice) validated(reply provider.Reply) error {
	var v validation
	if reply.Status != 200 || provider.Decode(reply.Body, &v) != nil {
		return errUnvalidated
	}
	if !payments[string(v.Status)] {
		return errors.New("SSLCOMMERZ calls the payment by another status than paid")
	}
	for _, pair := range []struct{ field, said string }{
		{fieldTransaction, string(v.Transaction)}, {fieldValidation, string(v.Validation)},
	} {
		if pair.said != n.covered[pair.field] {
			return errors.New("SSLCOMMERZ names another " + pair.field)
		}
	}
	if !sameAmount(n.covered[fieldAmount], v.Amount) {
		return errors.New("SSLCOMMERZ names another " + fieldAmount)
	}
	return n.agrees(v)
}

// agrees compares what either side may leave out.
func (n notice) agrees(v validation) error {
	for _, pair := range []struct{ field, said string }{
		{fieldCurrency, string(v.Currency)}, {fieldCurrencyType, string(v.CurrencyType)},
	} {
		if own := n.covered[pair.field]; own != "" && pair.said != "" && own != pair.said {
			return errors.New("SSLCOMMERZ names another " + pair.field)
		}
	}
	if own := n.covered[fieldCurrencyAmount]; own != "" && v.CurrencyAmount != "" && !sameAmount(own, v.CurrencyAmount) {
		return errors.New("SSLCOMMERZ names another " + fieldCurrencyAmount)
	}
	if v.Risk != "" && string(v.Risk) != n.covered[fieldRisk] && (string(v.Risk) == risky || n.covered[fieldRisk] != "") {
		return errors.New("SSLCOMMERZ names another " + fieldRisk)
	}
	return nil
}

// sameAmount compares decimals: 1050, 1050.0 and 1050.00 are the same.
func sameAmount(a string, b provider.Number) bool {
	return a != "" && plain(a) == plain(string(b))
}

func plain(amount string) string {
	whole, fraction, _ := strings.Cut(amount, ".")
	fraction = strings.TrimRight(fraction, "0")
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	if fraction == "" {
		return whole
	}
	return whole + "." + fraction
}

// sign adds the proof to a form. A body without verify_key gets one that lists every field.
func sign(r *provider.Request, secret string, _ time.Time) {
	form, err := url.ParseQuery(string(r.Body))
	if err != nil || len(form) == 0 {
		return
	}
	body := string(r.Body)
	if !form.Has(fieldKeys) {
		keys := slices.Sorted(maps.Keys(form))
		form.Set(fieldKeys, strings.Join(keys, ","))
		body += "&" + fieldKeys + "=" + url.QueryEscape(strings.Join(keys, ","))
	}
	covered := make(fields)
	for name := range strings.SplitSeq(form.Get(fieldKeys), ",") {
		if form.Has(name) {
			covered[name] = form.Get(name)
		}
	}
	r.Body = []byte(body + "&" + fieldProof + "=" + signature(covered, secret))
}
