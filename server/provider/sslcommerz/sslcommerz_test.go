package sslcommerz_test

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/providertest"
	"github.com/waybillhq/waybill/server/provider/sslcommerz"
)

// What the algorithm of SSLCOMMERZ's own libraries makes of these fields; the gateway publishes no vector.
const (
	password  = "synthpass"
	signature = "9c12c066d26820c31fbaa35f61fb9e73"
	vector    = "tran_id=SYN-TX-1&val_id=2401011200SYNTH&amount=1050.00&status=VALID&currency=BDT&store_id=synthstore" +
		"&verify_key=amount,currency,status,store_id,tran_id,val_id&verify_sign=" + signature
)

var field = regexp.MustCompile(`&verify_sign=[^&]*`)

var place = &providertest.Place{
	Get: func(r *provider.Request) string {
		text, err := url.QueryUnescape(strings.TrimPrefix(field.FindString(string(r.Body)), "&verify_sign="))
		if err != nil {
			panic(err)
		}
		return text
	},
	Set: func(r *provider.Request, proofs ...string) {
		body := field.ReplaceAllLiteralString(string(r.Body), "")
		for _, proof := range proofs {
			body += "&verify_sign=" + url.QueryEscape(proof)
		}
		r.Body = []byte(body)
	},
}

// body is a form whose verify_key lists every field.
func body(pairs ...string) string {
	form := url.Values{}
	for at := 0; at < len(pairs); at += 2 {
		form.Set(pairs[at], pairs[at+1])
	}
	keys := slices.Sorted(maps.Keys(form))
	return form.Encode() + "&verify_key=" + url.QueryEscape(strings.Join(keys, ","))
}

// payment is a body of a payment, with some fields in another way. An empty value leaves its field out.
func payment(pairs ...string) string {
	fields := map[string]string{
		"status": "VALID", "tran_id": "SYN-1", "val_id": "SYN-1~1050.00~BDT~0~x", "amount": "1050.00", "currency": "BDT",
		"store_id": "synthstore", "risk_level": "0", "tran_date": "2026-01-15 18:30:05",
	}
	for at := 0; at < len(pairs); at += 2 {
		fields[pairs[at]] = pairs[at+1]
	}
	var all []string
	for name, value := range fields {
		if value != "" {
			all = append(all, name, value)
		}
	}
	return body(all...)
}

func options() providertest.Options {
	word := func(text string, says ...string) providertest.Word {
		return providertest.Word{Name: text, Body: text, Says: says}
	}
	return providertest.Options{
		Sample:    "valid",
		Place:     place,
		Form:      true,
		Malformed: []string{signature, strings.ToUpper(signature)},
		Words: []providertest.Word{
			word(payment(), "movement paid"),
			word(payment("status", "VALIDATED"), "movement paid"),
			word(payment("risk_level", "1"), "movement authorized", "fact payment_at_risk!"),
			word(payment("risk_level", ""), "movement paid"),
			word(body("status", "FAILED", "tran_id", "SYN-1"), "movement failed"),
			word(body("status", "FAILED", "tran_id", "SYN-1", "amount", "10", "currency", "BDT"), "movement failed"),
			word(body("status", "CANCELLED", "tran_id", "SYN-1"), "movement voided"),
			word(body("status", "EXPIRED", "tran_id", "SYN-1"), "movement voided"),
			word(body("status", "UNATTEMPTED", "tran_id", "SYN-1"), "movement pending"),
			word(payment("amount", ""), "undecoded"),
			word(payment("currency", ""), "undecoded"),
			word(payment("amount", "-1"), "undecoded"),
			word(payment("tran_id", ""), "undecoded"),
			word(payment("status", ""), "undecoded"),
			word(payment("tran_id", "A&status=VALID"), "undecoded"),
			word(strings.Replace(payment(), "%2Cstatus%2C", "%2C", 1), "undecoded"),
			word(strings.Replace(payment(), "verify_key", "other_key", 1), "undecoded"),
		},
		UnknownWord: word(payment("status", "TELEPORTED"), "unrecognised status"),
	}
}

func TestSSLCOMMERZKeepsTheContract(t *testing.T) {
	t.Parallel()
	providertest.Run(t, sslcommerz.Kind(), options())
}

func FuzzTranslate(f *testing.F) { providertest.FuzzTranslate(f, sslcommerz.Kind(), options()) }

// FuzzVerify takes nothing that it did not sign, and what it did sign only with a validation that agrees.
func FuzzVerify(f *testing.F) {
	opened := open(f, nil)
	inquirer := opened.(provider.Inquirer)
	f.Add([]byte(vector), "SYN-1", "1050.00")
	f.Add([]byte(payment()), "A&B", "x")
	f.Fuzz(func(t *testing.T, raw []byte, transaction, amount string) {
		r := &provider.Request{Body: raw, ReceivedAt: providertest.Now()}
		if calls, err := inquirer.Inquire(r); err == nil && !strings.Contains(string(raw), signature) {
			t.Fatalf("asks %d questions for what nobody has signed", len(calls))
		}
		if opened.Verify(r) == nil && !strings.Contains(string(raw), signature) {
			t.Fatal("taken although nobody has signed it")
		}

		made := signed(payment("tran_id", transaction, "amount", amount))
		_, err := inquirer.Inquire(made)
		sound := transaction != "" && utf8.ValidString(transaction) && utf8.ValidString(amount) &&
			!strings.ContainsAny(transaction+amount, "&=\x00")
		if sound != (err == nil) {
			t.Fatalf("signed %q and %q: %v", transaction, amount, err)
		}
		if opened.Verify(made) == nil {
			t.Fatal("taken although SSLCOMMERZ was not asked")
		}
	})
}

func open(t testing.TB, settings *configv1.Provider) provider.Provider {
	t.Helper()
	if settings == nil {
		settings = &configv1.Provider{}
	}
	settings.Secrets = []*configv1.Secret{{Value: password}}
	opened, err := sslcommerz.Kind().New(settings)
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

func signed(text string) *provider.Request {
	r := &provider.Request{Header: http.Header{}, Body: []byte(text), ReceivedAt: providertest.Now()}
	sslcommerz.Kind().Sign(r, password, providertest.Now())
	return r
}

func TestTheSignatureIsThatOfTheGatewaysOwnLibraries(t *testing.T) {
	t.Parallel()
	inquirer := open(t, nil).(provider.Inquirer)
	calls, err := inquirer.Inquire(&provider.Request{Body: []byte(vector), ReceivedAt: providertest.Now()})
	if err != nil || len(calls) != 1 {
		t.Fatalf("inquire: %d calls, %v", len(calls), err)
	}
	want := "https://securepay.sslcommerz.com/validator/api/validationserverAPI.php?format=json&store_id=synthstore" +
		"&store_passwd=synthpass&v=1&val_id=2401011200SYNTH"
	if calls[0].URL != want || calls[0].Named || calls[0].Keep != 0 {
		t.Errorf("asks %+v, want %s", calls[0], want)
	}
	for from, to := range map[string]string{
		"1050.00": "1.00", "SYN-TX-1": "SYN-TX-2", "BDT": "USD", "status=VALID": "status=FAILED", "synthstore": "x",
		"amount,": "", signature: strings.ToUpper(signature), "&verify_sign": "&sign",
		"&currency=BDT": "", "amount=1050.00&": "amount=1050.00%26currency%3DBDT&",
	} {
		changed := strings.Replace(vector, from, to, 1)
		if changed == vector {
			t.Fatalf("%s is not in the body", from)
		}
		if calls, err := inquirer.Inquire(&provider.Request{Body: []byte(changed), ReceivedAt: providertest.Now()}); err == nil {
			t.Errorf("%s became %s and %d questions were asked", from, to, len(calls))
		}
	}
	uncovered := strings.Replace(vector, "&verify_key", "&card_type=VISA&verify_key", 1)
	if _, err := inquirer.Inquire(&provider.Request{Body: []byte(uncovered), ReceivedAt: providertest.Now()}); err != nil {
		t.Errorf("a field that is not listed stood in the way: %v", err)
	}
}

func TestBordersOfFieldsCantBeMoved(t *testing.T) {
	t.Parallel()
	// A customer's own text is signed too. Read with other borders it would name another transaction.
	honest := signed(payment("cus_name", "x&tran_id=SYN-9", "tran_id", ""))
	moved := strings.NewReplacer(
		url.QueryEscape("x&tran_id=SYN-9"), "x&tran_id=SYN-9", "cus_name%2C", "cus_name%2Ctran_id%2C",
	).Replace(string(honest.Body))
	if _, err := open(t, nil).(provider.Inquirer).Inquire(&provider.Request{Body: []byte(moved), ReceivedAt: providertest.Now()}); err == nil {
		t.Error("the same signature was good for another reading")
	}
	for _, name := range []string{"status", "tran_id", "val_id", "amount", "currency", "store_id", "risk_level", "tran_date"} {
		r := signed(payment(name, "a=b"))
		if _, err := open(t, nil).(provider.Inquirer).Inquire(r); err == nil {
			t.Errorf("%s with a border in it was taken", name)
		}
	}
	if _, err := open(t, nil).(provider.Inquirer).Inquire(signed(payment("card_issuer", "Rahman & Sons"))); err != nil {
		t.Errorf("a text that decides nothing was refused: %v", err)
	}
}

func TestAPaymentIsProvenByItsValidationOnly(t *testing.T) {
	t.Parallel()
	const good = `{"status":"VALID","tran_id":"SYN-1","val_id":"SYN-1~1050.00~BDT~0~x","amount":"1050.0","currency":"BDT","risk_level":"0"}`
	opened := open(t, nil)
	verify := func(text, reply string, status int) error {
		r := signed(text)
		r.Evidence = []provider.Reply{{Status: status, Body: []byte(reply)}}
		return opened.Verify(r)
	}
	for name, reply := range map[string]string{
		"as it stands":       good,
		"validated before":   strings.Replace(good, `"VALID"`, `"VALIDATED"`, 1),
		"a number as amount": strings.Replace(good, `"1050.0"`, "1050", 1),
		"no currency":        strings.Replace(good, `"currency":"BDT",`, "", 1),
		"no risk":            strings.Replace(good, `,"risk_level":"0"`, "", 1),
		"more":               strings.Replace(good, "{", `{"card_type":"VISA","element":[],`, 1),
	} {
		if err := verify(payment(), reply, http.StatusOK); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, reply := range map[string]string{
		"no such payment":     `{"status":"INVALID_TRANSACTION"}`,
		"failed":              strings.Replace(good, `"VALID"`, `"FAILED"`, 1),
		"another transaction": strings.Replace(good, `"tran_id":"SYN-1"`, `"tran_id":"SYN-2"`, 1),
		"another validation":  strings.Replace(good, "~x", "~y", 1),
		"another amount":      strings.Replace(good, "1050.0", "105.0", 1),
		"no amount":           strings.Replace(good, `"1050.0"`, "null", 1),
		"another currency":    strings.Replace(good, "BDT\",\"risk", "USD\",\"risk", 1),
		"at risk":             strings.Replace(good, `"risk_level":"0"`, `"risk_level":"1"`, 1),
		"no JSON":             "<html>",
		"nothing":             "",
	} {
		if err := verify(payment(), reply, http.StatusOK); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	if err := verify(payment(), good, http.StatusNotFound); err == nil {
		t.Error("a reply that is no 200 was taken")
	}
	if err := opened.Verify(signed(payment())); err == nil {
		t.Error("taken without a validation")
	}

	foreign := payment("currency_type", "USD", "currency_amount", "10.00")
	agreeing := strings.Replace(good, "{", `{"currency_type":"USD","currency_amount":"10.00",`, 1)
	if err := verify(foreign, agreeing, http.StatusOK); err != nil {
		t.Errorf("a foreign currency: %v", err)
	}
	for _, other := range []string{strings.Replace(agreeing, "USD", "EUR", 1), strings.Replace(agreeing, "10.00", "11.00", 1)} {
		if err := verify(foreign, other, http.StatusOK); err == nil {
			t.Errorf("taken although the validation says %s", other)
		}
	}
	unlisted := payment("risk_level", "")
	if err := verify(unlisted, strings.Replace(good, `"risk_level":"0"`, `"risk_level":"1"`, 1), http.StatusOK); err == nil {
		t.Error("a payment at risk was taken for a safe one")
	}
}

func TestWhatIsNoPaymentNeedsNoValidation(t *testing.T) {
	t.Parallel()
	opened := open(t, nil)
	r := signed(body("status", "FAILED", "tran_id", "SYN-1"))
	if calls, err := opened.(provider.Inquirer).Inquire(r); err != nil || len(calls) != 0 {
		t.Errorf("inquire: %d calls, %v", len(calls), err)
	}
	if err := opened.Verify(r); err != nil {
		t.Errorf("verify: %v", err)
	}
	unnamed := signed(payment("val_id", ""))
	if _, err := opened.(provider.Inquirer).Inquire(unnamed); err == nil {
		t.Error("a payment without val_id can't be validated, and was not refused")
	}
	homeless := signed(payment("store_id", ""))
	if _, err := opened.(provider.Inquirer).Inquire(homeless); err == nil {
		t.Error("a payment without a store can't be validated, and was not refused")
	}
	expected := open(t, &configv1.Provider{Expect: &configv1.Expect{StoreId: "synthstore"}})
	if _, err := expected.(provider.Inquirer).Inquire(homeless); err != nil {
		t.Errorf("the store of the settings: %v", err)
	}
	nobody, err := sslcommerz.Kind().New(&configv1.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := nobody.(provider.Inquirer).Inquire(r); !errors.Is(err, provider.ErrNoSecret) {
		t.Errorf("inquire without a secret: %v", err)
	}
}

func TestTheValidationIsAskedForWhereTheSettingsSay(t *testing.T) {
	t.Parallel()
	no := false
	for name, test := range map[string]struct {
		settings *configv1.Provider
		prefix   string
		named    bool
	}{
		"by default": {&configv1.Provider{}, "https://securepay.sslcommerz.com/validator/api/", false},
		"a sandbox":  {&configv1.Provider{Expect: &configv1.Expect{Livemode: &no}}, "https://sandbox.sslcommerz.com/validator/api/", false},
		"elsewhere":  {&configv1.Provider{ApiUrl: "https://127.0.0.1:9443/gate"}, "https://127.0.0.1:9443/gate/validator/api/", true},
	} {
		calls, err := open(t, test.settings).(provider.Inquirer).Inquire(&provider.Request{Body: []byte(vector)})
		if err != nil || len(calls) != 1 || !strings.HasPrefix(calls[0].URL, test.prefix) || calls[0].Named != test.named {
			t.Errorf("%s: %+v, %v", name, calls, err)
		}
	}
	problems := sslcommerz.Kind().Check(&configv1.Provider{Secrets: []*configv1.Secret{{Value: "x"}}, ApiCa: "none"})
	if len(problems) != 1 || problems[0].Field != "api_ca" {
		t.Errorf("problems %v", problems)
	}
}

func translate(t *testing.T, settings *configv1.Provider, text string) *waybillv1.IngestEventRequest {
	t.Helper()
	events, err := providertest.Translate(t, open(t, settings), &provider.Request{Body: []byte(text), ReceivedAt: providertest.Now()})
	if err != nil || len(events) != 1 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	return events[0]
}

func TestAPaymentIsKnownByItsNamesAndWhatIsSaidAnewAboutIt(t *testing.T) {
	t.Parallel()
	first := translate(t, nil, payment())
	if !strings.HasPrefix(first.GetEventId(), "20260115T183005Z-") || !first.GetEventIdDerived() {
		t.Errorf("id %s, derived %t", first.GetEventId(), first.GetEventIdDerived())
	}
	if at := first.GetOccurredAt().AsTime(); !at.Equal(providertest.Now()) {
		t.Errorf("at %s, want the time of Dhaka", at)
	}
	if again := translate(t, nil, payment("amount", "1.00")); again.GetEventId() != first.GetEventId() {
		t.Error("another amount is another event, so nobody would see the conflict")
	}
	for _, other := range []string{
		payment("status", "VALIDATED"), payment("risk_level", "1"), payment("val_id", "other"), payment("tran_id", "SYN-2"),
	} {
		if translate(t, nil, other).GetEventId() == first.GetEventId() {
			t.Errorf("%s is the same event", other)
		}
	}
}

func TestTheOrdersNumberIsTheTransactionUnlessTheShopPutItElsewhere(t *testing.T) {
	t.Parallel()
	names := func(settings *configv1.Provider, text string) string {
		var all []string
		for _, reference := range translate(t, settings, text).GetReferences() {
			all = append(all, reference.GetValue())
		}
		return strings.Join(all, " ")
	}
	if got := names(nil, payment()); got != "SYN-1 SYN-1" {
		t.Errorf("references %s", got)
	}
	elsewhere := &configv1.Provider{OrderReference: "value_a"}
	if got := names(elsewhere, payment("value_a", "#A-7")); got != "A-7 SYN-1" {
		t.Errorf("references %s", got)
	}
	if got := names(elsewhere, payment()+"&value_a=A-7"); got != "SYN-1" {
		t.Errorf("a field that is not signed was believed: %s", got)
	}
}

func TestTheAmountIsTheOneTheShopAskedFor(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text string
		want *waybillv1.Money
	}{
		{payment(), &waybillv1.Money{Currency: "BDT", MinorUnits: 105000}},
		{payment("currency_type", "BDT", "currency_amount", "1050.00"), &waybillv1.Money{Currency: "BDT", MinorUnits: 105000}},
		{payment("currency_type", "USD", "currency_amount", "10.00"), &waybillv1.Money{Currency: "USD", MinorUnits: 1000}},
		{payment() + "&currency_type=USD&currency_amount=10.00", &waybillv1.Money{Currency: "BDT", MinorUnits: 105000}},
	} {
		got := translate(t, nil, test.text).GetChanges()[0].GetPaymentReported()
		if got.GetAmount().GetCurrency() != test.want.GetCurrency() || got.GetAmount().GetMinorUnits() != test.want.GetMinorUnits() || got.GetPaymentId() != "SYN-1" {
			t.Errorf("%s became %v", test.text, got)
		}
	}
}

func TestANoticeForAnotherStoreIsSetAside(t *testing.T) {
	t.Parallel()
	for store, says := range map[string]string{"synthstore": "movement paid", "other": "ignored"} {
		event := translate(t, &configv1.Provider{Expect: &configv1.Expect{StoreId: store}}, payment())
		if got := providertest.Summary(event); !slices.Equal(got, []string{says}) {
			t.Errorf("expect.store_id %s: says %v", store, got)
		}
	}
}
