package payments_test

import (
	"net/http"
	"strings"
	"testing"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/payments"
	"github.com/waybillhq/waybill/server/provider/providertest"
)

func options() providertest.Options {
	return providertest.Options{
		Sample:      "payment.succeeded",
		Settings:    &configv1.Provider{Currency: "BDT"},
		ProofHeader: "Authorization",
		ProofPrefix: "Bearer ",
		Malformed:   []string{"Bearer", "Bearer  ", "Bearercurrent-synthetic-secret-4f1d", "Token current-synthetic-secret-4f1d"},
		Refuses:     true,
		Words:       words(),
		UnknownWord: providertest.Word{Body: body("payment.teleported"), Says: []string{"unrecognised type"}},
	}
}

func body(eventType string) string {
	return `{"eventId":"e-1","type":"` + eventType + `","paymentId":"p-1","orderId":"SYN-1","amount":10.50}`
}

func words() []providertest.Word {
	all := make([]providertest.Word, 0, 16)
	for word, says := range map[string]string{
		"payment.created": "movement pending", "payment.pending": "movement pending", "payment.processing": "movement pending",
		"payment.authorized": "movement authorized", "payment.authorised": "movement authorized",
		"payment.succeeded": "movement paid", "payment.paid": "movement paid", "payment.captured": "movement paid",
		"payment.completed": "movement paid", "payment.failed": "movement failed", "payment.voided": "movement voided",
		"payment.cancelled": "movement voided", "payment.canceled": "movement voided", "payment.refunded": "refund_total",
	} {
		all = append(all, providertest.Word{Name: word, Body: body(word), Says: []string{says}})
	}
	return append(all, providertest.Word{
		Name: "spaces and capitals", Body: body(` PAYMENT.Succeeded\n`), Says: []string{"movement paid"},
	})
}

func TestPaymentsKeepsTheContract(t *testing.T) {
	t.Parallel()
	providertest.Run(t, payments.Kind(), options())
}

func FuzzVerify(f *testing.F)    { providertest.FuzzVerify(f, payments.Kind(), options()) }
func FuzzTranslate(f *testing.F) { providertest.FuzzTranslate(f, payments.Kind(), options()) }

func open(t *testing.T, settings *configv1.Provider) provider.Provider {
	t.Helper()
	opened, err := payments.Kind().New(settings)
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

func translate(t *testing.T, settings *configv1.Provider, text string) (*waybillv1.IngestEventRequest, error) {
	t.Helper()
	events, err := providertest.Translate(t, open(t, settings), &provider.Request{Body: []byte(text)})
	if err != nil {
		return nil, err
	}
	return events[0], nil
}

func TestAFaultOfTheSchemaIsRefusedByName(t *testing.T) {
	t.Parallel()
	settings := &configv1.Provider{Currency: "EUR"}
	for text, message := range map[string]string{
		`{"type":"t","paymentId":"p","orderId":"o","amount":1}`:                                  "eventId is missing or empty",
		`{"eventId":null,"type":"t","paymentId":"p","orderId":"o","amount":1}`:                   "eventId is missing or empty",
		`{"eventId":" ","type":"t","paymentId":"p","orderId":"o","amount":1}`:                    "eventId is missing or empty",
		`{"eventId":7,"type":"t","paymentId":"p","orderId":"o","amount":1}`:                      "eventId has the wrong type",
		`{"eventId":"e","paymentId":"p","orderId":"o","amount":1}`:                               "type is missing or empty",
		`{"eventId":"e","type":"t","orderId":"o","amount":1}`:                                    "paymentId is missing or empty",
		`{"eventId":"e","type":"t","paymentId":"p","orderId":"#","amount":1}`:                    "orderId is missing or empty",
		`{"eventId":"e","type":"t","paymentId":"p","orderId":"o"}`:                               "amount is missing or not a number",
		`{"eventId":"e","type":"t","paymentId":"p","orderId":"o","amount":null}`:                 "amount is missing or not a number",
		`{"eventId":"e","type":"t","paymentId":"p","orderId":"o","amount":"1"}`:                  "amount is missing or not a number",
		`{"eventId":"e","type":"t","paymentId":"p","orderId":"o","amount":-1}`:                   "amount: amount is negative",
		`{"eventId":"e","type":"t","paymentId":"p","orderId":"o","amount":-0.01}`:                "amount: amount is negative",
		`{"eventId":"e","type":"t","paymentId":"p","orderId":"o","amount":1.005}`:                "amount: amount has more than the 2 decimals of EUR",
		`{"eventId":"e","type":"t","paymentId":"p","orderId":"o","amount":1e2}`:                  "amount: amount is not a plain decimal",
		`{"eventId":"e","type":"t","paymentId":"p","orderId":"o","amount":1e999999999}`:          "amount: amount is not a plain decimal",
		`{"eventId":"e","type":"t","paymentId":"p","orderId":"o","amount":99999999999999999999}`: "amount: amount is too large",
		`{"eventId":"e","type":"t","paymentId":"p","orderId":"o","amount":1,"currency":"EUR"}`:   "currency is not a member of this body",
		`{"EventId":"e","type":"t","paymentId":"p","orderId":"o","amount":1}`:                    "EventId is not a member of this body",
		`{"eventId":"e","eventId":"f","type":"t","paymentId":"p","orderId":"o","amount":1}`:      "the body has a member twice, at byte 15",
		`{"eventId":"e\u0000","type":"t","paymentId":"p","orderId":"o","amount":1}`:              "eventId holds U+0000",
		`[]`: "the body is not a JSON object",
		`{"eventId":"` + strings.Repeat("e", 256) + `","type":"t","paymentId":"p","orderId":"o","amount":1}`: "eventId is longer than 255 characters",
	} {
		_, err := translate(t, settings, text)
		if err == nil || err.Error() != message {
			t.Errorf("%s: %v, want %s", text, err, message)
		}
	}
	for _, text := range []string{
		``, `{`, `null`, `{"eventId":"\ud83d","type":"t","paymentId":"p","orderId":"o","amount":1}`,
		"{\"eventId\":\"\xe9\",\"type\":\"t\",\"paymentId\":\"p\",\"orderId\":\"o\",\"amount\":1}",
	} {
		if _, err := translate(t, settings, text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

func TestAmountsAreMajorUnitsUnlessConfigured(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		currency string
		minor    bool
		amount   string
		units    int64
	}{
		{"EUR", false, "42", 4200},
		{"EUR", false, "42.5", 4250},
		{"EUR", false, "42.00", 4200},
		{"EUR", false, "0", 0},
		{"EUR", false, "-0", 0},
		{"JPY", false, "500", 500},
		{"KWD", false, "1.05", 1050},
		{"EUR", true, "4200", 4200},
		{"EUR", true, "4200.0", 4200},
		{"KWD", true, "1050", 1050},
		{"BDT", false, "90071992547409.93", 9007199254740993},
	} {
		event, err := translate(t, &configv1.Provider{Currency: test.currency, MinorUnits: test.minor},
			`{"eventId":"e","type":"payment.paid","paymentId":"p","orderId":"o","amount":`+test.amount+`}`)
		if err != nil {
			t.Errorf("%s %s: %v", test.amount, test.currency, err)
			continue
		}
		amount := event.GetChanges()[0].GetPaymentReported().GetAmount()
		if amount.GetMinorUnits() != test.units || amount.GetCurrency() != test.currency {
			t.Errorf("%s %s became %v, want %d", test.amount, test.currency, amount, test.units)
		}
	}
	for _, amount := range []string{"42.5", "-1"} {
		if _, err := translate(t, &configv1.Provider{Currency: "EUR", MinorUnits: true},
			`{"eventId":"e","type":"t","paymentId":"p","orderId":"o","amount":`+amount+`}`); err == nil {
			t.Errorf("%s minor units were taken", amount)
		}
	}
}

func TestTheEventNamesItsOrderAndItsPayment(t *testing.T) {
	t.Parallel()
	event, err := translate(t, &configv1.Provider{Currency: "EUR"},
		`{"eventId":" e-1 ","type":" Payment.Paid ","paymentId":"p-1","orderId":"#1001","amount":1}`)
	if err != nil {
		t.Fatal(err)
	}
	if event.GetEventId() != "e-1" || event.GetEventType() != "payment.paid" {
		t.Errorf("identity %q, type %q", event.GetEventId(), event.GetEventType())
	}
	names := event.GetReferences()
	if len(names) != 2 || names[0].GetValue() != "1001" || names[1].GetValue() != "p-1" {
		t.Errorf("references %v", names)
	}
	if event.GetOccurredAt() != nil {
		t.Errorf("the body has no time, and yet it happened at %v", event.GetOccurredAt())
	}
}

func TestAnswersAreWordedAsTheContractSays(t *testing.T) {
	t.Parallel()
	opened := open(t, &configv1.Provider{Currency: "EUR"})
	answer := opened.Answer(provider.Result{Verdict: provider.Accepted, Responses: []*waybillv1.IngestEventResponse{{
		Event: &waybillv1.Event{Id: "evt_1", EventId: "e-1"}, FirstDelivery: true, Receipt: waybillv1.Receipt_RECEIPT_ACCEPTED,
	}}})
	if got := strings.TrimSpace(string(answer.Body)); answer.Status != 200 ||
		got != `{"eventId":"e-1","firstDelivery":true,"outcome":"accepted"}` {
		t.Errorf("answer %d %s", answer.Status, got)
	}
	refused := opened.Answer(provider.Result{Verdict: provider.Refused, Message: "amount is missing or not a number"})
	if refused.Status != 400 || !strings.Contains(string(refused.Body), "amount is missing") {
		t.Errorf("answer %d %s", refused.Status, refused.Body)
	}
}

func TestACurrencyMustBeConfigured(t *testing.T) {
	t.Parallel()
	for _, currency := range []string{"", "XYZ"} {
		if _, err := payments.Kind().New(&configv1.Provider{Currency: currency}); err == nil {
			t.Errorf("opened with the currency %q", currency)
		}
		problems := payments.Kind().Check(&configv1.Provider{Secrets: []*configv1.Secret{{Value: "s"}}, Currency: currency})
		if len(problems) != 1 || problems[0].Field != "currency" {
			t.Errorf("currency %q: problems %v", currency, problems)
		}
	}
}

func TestTheWordBearerReadsTheSameInEitherCase(t *testing.T) {
	t.Parallel()
	opened := open(t, &configv1.Provider{Currency: "EUR", Secrets: []*configv1.Secret{{Value: "token"}}})
	for _, value := range []string{"Bearer token", "bearer token", "BEARER token"} {
		r := &provider.Request{Header: http.Header{"Authorization": {value}}, ReceivedAt: providertest.Now()}
		if err := opened.Verify(r); err != nil {
			t.Errorf("%s: %v", value, err)
		}
	}
}
