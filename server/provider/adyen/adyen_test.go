package adyen_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/adyen"
	"github.com/waybillhq/waybill/server/provider/providertest"
)

// The key of the tests of Adyen's own Go library.
const publishedKey = "DFB1EB5485895CFA84146406857104ABB4CBCABDC8AAF103A624C8F6A3EAAB00"

// publishedBody holds the item that those tests sign.
const publishedBody = `{"live":"true","notificationItems":[{"NotificationRequestItem":{` +
	`"pspReference":"pspReference","originalReference":"originalReference","merchantAccountCode":"merchantAccount",` +
	`"merchantReference":"reference","amount":{"value":1000,"currency":"EUR"},"eventCode":"EVENT","success":"true",` +
	`"additionalData":{"hmacSignature":"ipnxGCaUZ4l8TUW75a71/ghd2Fe5ffvX0pV4TLTntIc="}}}]}`

var member = regexp.MustCompile(`"hmacSignature":"[^"]*"`)

// place is where an item carries its signature.
var place = &providertest.Place{
	Get: func(r *provider.Request) string {
		return strings.TrimSuffix(strings.TrimPrefix(member.FindString(string(r.Body)), `"hmacSignature":"`), `"`)
	},
	Set: func(r *provider.Request, proofs ...string) {
		var members []string
		for _, proof := range proofs {
			text, err := json.Marshal(proof)
			if err != nil {
				panic(err)
			}
			members = append(members, `"hmacSignature":`+string(text))
		}
		if len(members) == 0 {
			members = []string{`"none":""`}
		}
		r.Body = []byte(member.ReplaceAllLiteralString(string(r.Body), strings.Join(members, ",")))
	},
}

func options() providertest.Options {
	vector := func(name, key, body string, refused bool) providertest.Vector {
		return providertest.Vector{Name: name, Secret: key, Header: http.Header{}, Body: body, At: providertest.Now(), Refused: refused}
	}
	return providertest.Options{
		Sample: "authorisation",
		Place:  place,
		Vectors: []providertest.Vector{
			vector("as published", publishedKey, publishedBody, false),
			vector("the key in small letters", strings.ToLower(publishedKey), publishedBody, false),
			vector("another key", strings.Replace(publishedKey, "D", "E", 1), publishedBody, true),
			vector("another amount", publishedKey, strings.Replace(publishedBody, "1000", "1001", 1), true),
			vector("no signature", publishedKey, strings.Replace(publishedBody, "hmacSignature", "hmac", 1), true),
			vector("no items", publishedKey, `{"live":"true","notificationItems":[]}`, true),
			vector("an item of another shape", publishedKey, `{"live":"true","notificationItems":[{}]}`, true),
			vector("a second item without a signature", publishedKey, strings.Replace(publishedBody, `}}]}`,
				`}},{"NotificationRequestItem":{"pspReference":"P","eventCode":"AUTHORISATION","success":"true"}}]}`, 1), true),
		},
		Words:       words(),
		UnknownWord: word("TELEPORTATION", "true", "", "unrecognised eventCode"),
	}
}

func body(code, success, more string) string {
	return `{"live":"true","notificationItems":[{"NotificationRequestItem":{"eventCode":"` + code + `","success":"` + success +
		`","pspReference":"PSP2","originalReference":"PSP1","merchantAccountCode":"SynthAcc","merchantReference":"SYN-1",` +
		`"eventDate":"2026-01-15T18:30:05+06:00","amount":{"value":1050,"currency":"EUR"}` + more + `}}]}`
}

func word(code, success, more string, says ...string) providertest.Word {
	return providertest.Word{Name: code + " " + success + " " + more, Body: body(code, success, more), Says: says}
}

func words() []providertest.Word {
	action := func(name string) string { return `,"additionalData":{"modification.action":"` + name + `"}` }
	all := []providertest.Word{
		word("PENDING", "true", "", "movement pending"),
		word("AUTHORISATION", "true", "", "movement authorized"),
		word("AUTHORISATION", "false", "", "movement failed"),
		word("AUTHORISATION", "", "", "unrecognised success"),
		word("AUTHORISATION", "TRUE", "", "unrecognised success"),
		word("AUTHORISATION_ADJUSTMENT", "true", "", "movement authorized"),
		word("AUTHORISATION_ADJUSTMENT", "false", "", "ignored"),
		word("CAPTURE", "true", "", "movement paid"),
		word("CAPTURE", "false", "", "fact capture_failed!"),
		word("CAPTURE_FAILED", "true", "", "movement paid", "fact capture_failed!"),
		word("CANCELLATION", "true", "", "movement voided"),
		word("CANCELLATION", "false", "", "fact cancellation_failed!"),
		word("TECHNICAL_CANCEL", "true", "", "movement voided"),
		word("TECHNICAL_CANCEL", "false", "", "fact cancellation_failed!"),
		word("EXPIRE", "true", "", "movement voided"),
		word("EXPIRE", "false", "", "ignored"),
		word("CANCEL_OR_REFUND", "true", action("cancel"), "movement voided"),
		word("CANCEL_OR_REFUND", "true", action("refund"), "refund_step"),
		word("CANCEL_OR_REFUND", "true", action("undo"), "unrecognised additionalData.modification.action"),
		word("CANCEL_OR_REFUND", "true", "", "undecoded"),
		word("CANCEL_OR_REFUND", "false", "", "fact cancellation_failed!"),
		word("REFUND", "true", "", "refund_step"),
		word("REFUND", "false", "", "fact refund_failed!"),
		word("REFUND_WITH_DATA", "true", "", "refund_step"),
		word("REFUND_WITH_DATA", "false", "", "fact refund_failed!"),
		word("REFUND_FAILED", "true", "", "refund_step", "fact refund_failed!"),
		word("REFUNDED_REVERSED", "true", "", "refund_step", "fact refund_reversed!"),
		word("NOTIFICATION_OF_CHARGEBACK", "true", "", "dispute open"),
		word("DISPUTE_OPENED_WITH_CHARGEBACK", "true", "", "dispute open"),
		word("CHARGEBACK", "true", "", "dispute lost", "fact chargeback!"),
		word("SECOND_CHARGEBACK", "true", "", "dispute lost"),
		word("PREARBITRATION_LOST", "true", "", "dispute lost"),
		word("DISPUTE_DEFENSE_PERIOD_ENDED", "true", "", "dispute lost"),
		word("CHARGEBACK_REVERSED", "true", "", "dispute won"),
		word("PREARBITRATION_WON", "false", "", "dispute won"),
		word("ISSUER_RESPONSE_TIMEFRAME_EXPIRED", "true", "", "dispute won"),
		word("REQUEST_FOR_INFORMATION", "true", "", "fact dispute_inquiry!"),
		word("NOTIFICATION_OF_FRAUD", "true", "", "fact fraud_notification!"),
		word("", "true", "", "undecoded"),
		{Name: "no amount", Body: strings.Replace(body("CAPTURE", "true", ""), `"value":1050,`, "", 1), Says: []string{"undecoded"}},
		{Name: "a dispute without an amount", Body: strings.Replace(body("CHARGEBACK", "true", ""), `"value":1050,`, "", 1), Says: []string{"dispute lost", "fact chargeback!"}},
		{Name: "a dispute with half an amount", Body: strings.Replace(body("CHARGEBACK", "true", ""), `,"currency":"EUR"`, "", 1), Says: []string{"undecoded"}},
		{Name: "no reference", Body: strings.Replace(body("CAPTURE", "true", ""), `"pspReference":"PSP2",`, "", 1), Says: []string{"undecoded"}},
		{Name: "truth values that are none", Body: strings.Replace(body("AUTHORISATION", "true", ""), `"live":"true"`, `"live":7`, 1), Says: []string{"undecoded"}},
		{Name: "bare truth values", Body: strings.NewReplacer(`"true"`, "true").Replace(body("AUTHORISATION", "true", "")), Says: []string{"movement authorized"}},
		{Name: "bare falsehood", Body: strings.NewReplacer(`"false"`, "false").Replace(body("AUTHORISATION", "false", "")), Says: []string{"movement failed"}},
	}
	for _, code := range []string{
		"REPORT_AVAILABLE", "NOTIFICATIONTEST", "RECURRING_CONTRACT", "ORDER_OPENED", "ORDER_CLOSED", "OFFER_CLOSED",
		"MANUAL_REVIEW_ACCEPT", "MANUAL_REVIEW_REJECT", "PAYOUT_THIRDPARTY", "PAYOUT_DECLINE", "PAYOUT_EXPIRE",
		"PAIDOUT_REVERSED", "INFORMATION_SUPPLIED", "ISSUER_COMMENTS", "AUTORESCUE", "CANCEL_AUTORESCUE", "POSTPONED_REFUND",
	} {
		all = append(all, word(code, "true", "", "ignored"))
	}
	return all
}

func TestAdyenKeepsTheContract(t *testing.T) {
	t.Parallel()
	providertest.Run(t, adyen.Kind(), options())
}

func FuzzTranslate(f *testing.F) { providertest.FuzzTranslate(f, adyen.Kind(), options()) }

// FuzzVerify takes nothing that it did not sign, and takes back what it did, unless a colon makes the text ambiguous.
func FuzzVerify(f *testing.F) {
	opened := openWith(f, &configv1.Provider{})
	f.Add([]byte(publishedBody), "PSP1", "SYN-1:a")
	f.Add([]byte(strings.Replace(publishedBody, "ipnx", "ipny", 1)), "PSP:1", "")
	f.Fuzz(func(t *testing.T, raw []byte, psp, reference string) {
		if string(raw) != publishedBody && opened.Verify(&provider.Request{Body: raw, ReceivedAt: providertest.Now()}) == nil {
			var same, given any
			if json.Unmarshal(raw, &given) != nil || json.Unmarshal([]byte(publishedBody), &same) != nil || !strings.Contains(fmt.Sprint(given), "ipnxGCaUZ4l8TUW75a71/ghd2Fe5ffvX0pV4TLTntIc=") {
				t.Fatal("taken although nobody has signed it")
			}
		}
		text, err := json.Marshal(map[string]any{"live": "true", "notificationItems": []any{map[string]any{
			"NotificationRequestItem": map[string]any{
				"pspReference": psp, "merchantReference": reference, "eventCode": "AUTHORISATION", "success": "true",
				"amount": map[string]any{"value": 1, "currency": "EUR"},
			},
		}}})
		if err != nil {
			t.Fatal(err)
		}
		r := &provider.Request{Body: text, ReceivedAt: providertest.Now()}
		adyen.Kind().Sign(r, publishedKey, providertest.Now())
		sound := !strings.Contains(psp, ":") && utf8.ValidString(psp+reference)
		if err := opened.Verify(r); sound && err != nil || strings.Contains(psp, ":") && err == nil {
			t.Fatalf("signed %q and %q: %v", psp, reference, err)
		}
	})
}

func openWith(t testing.TB, settings *configv1.Provider) provider.Provider {
	t.Helper()
	settings = proto.CloneOf(settings)
	settings.Secrets = []*configv1.Secret{{Value: publishedKey}}
	opened, err := adyen.Kind().New(settings)
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

func translate(t *testing.T, settings *configv1.Provider, text string) []*waybillv1.IngestEventRequest {
	t.Helper()
	events, err := providertest.Translate(t, openWith(t, settings), &provider.Request{Body: []byte(text), ReceivedAt: providertest.Now()})
	if err != nil {
		t.Fatal(err)
	}
	return events
}

func signed(text string) *provider.Request {
	r := &provider.Request{Header: http.Header{}, Body: []byte(text), ReceivedAt: providertest.Now()}
	adyen.Kind().Sign(r, publishedKey, providertest.Now())
	return r
}

func TestTheSignatureCoversEightFieldsAndNoMore(t *testing.T) {
	t.Parallel()
	opened := openWith(t, &configv1.Provider{})
	honest := string(signed(body("AUTHORISATION", "true", `,"reason":"ok"`)).Body)
	if err := opened.Verify(&provider.Request{Body: []byte(honest)}); err != nil {
		t.Fatalf("verify: %v", err)
	}
	for from, to := range map[string]string{
		"PSP2": "PSP3", "PSP1": "PSP0", "SynthAcc": "SynthAcd", "SYN-1": "SYN-2", ":1050": ":1051", "EUR": "USD",
		"AUTHORISATION": "CAPTURE", `"success":"true"`: `"success":"false"`,
		`"merchantReference":"SYN-1"`:  `"merchantReference":" SYN-1"`,
		`"pspReference":"PSP2"`:        `"pspReference":"PSP2:PSP1"`,
		`"originalReference":"PSP1"`:   `"originalReference":"PSP1","originalReference":"PSP1"`,
		`"merchantReference":"SYN-1",`: "",
	} {
		changed := strings.Replace(honest, from, to, 1)
		if changed == honest {
			t.Fatalf("%s is not in the body", from)
		}
		if err := opened.Verify(&provider.Request{Body: []byte(changed)}); err == nil {
			t.Errorf("%s became %s and was taken", from, to)
		}
	}
	for from, to := range map[string]string{
		`"reason":"ok"`: `"reason":"hm"`, "18:30:05": "18:30:06", `"live":"true"`: `"live":"false"`,
	} {
		changed := strings.Replace(honest, from, to, 1)
		if err := opened.Verify(&provider.Request{Body: []byte(changed)}); changed == honest || err != nil {
			t.Errorf("%s is not signed, and a change of it was refused: %v", from, err)
		}
	}
}

func TestColonsCantMoveTheBordersOfWhatIsSigned(t *testing.T) {
	t.Parallel()
	opened := openWith(t, &configv1.Provider{})
	item := func(psp, original, account, reference string) string {
		return fmt.Sprintf(`{"live":"true","notificationItems":[{"NotificationRequestItem":{"pspReference":%q,"originalReference":%q,`+
			`"merchantAccountCode":%q,"merchantReference":%q,"amount":{"value":1,"currency":"EUR"},"eventCode":"REFUND","success":"true"}}]}`,
			psp, original, account, reference)
	}
	honest := signed(item("P", "O", "A", "x:y"))
	if err := opened.Verify(honest); err != nil {
		t.Fatalf("verify: %v", err)
	}
	for _, moved := range []string{item("P:O", "A", "x", "y"), item("P", "O:A", "x", "y"), item("P", "O", "A:x", "y")} {
		r := &provider.Request{Body: []byte(moved)}
		r.Body = []byte(strings.Replace(moved, `"success":"true"`, `"success":"true","additionalData":{`+member.FindString(string(honest.Body))+"}", 1))
		if err := opened.Verify(r); err == nil {
			t.Errorf("the same signature was good for %s", moved)
		}
	}
}

func TestItemsOfABatchAreReadOneByOne(t *testing.T) {
	t.Parallel()
	broken := strings.Replace(body("CAPTURE", "true", `,"additionalData":{"x":1}`), "EUR", "XYZ", 1)
	items := func(bodies ...string) string {
		var inner []string
		for _, one := range bodies {
			one = strings.TrimPrefix(one, `{"live":"true","notificationItems":[`)
			inner = append(inner, strings.TrimSuffix(one, "]}"))
		}
		return `{"live":"true","notificationItems":[` + strings.Join(inner, ",") + "]}"
	}
	whole := items(body("AUTHORISATION", "true", ""), broken, body("REFUND", "true", ""))
	r := signed(whole)
	if err := openWith(t, &configv1.Provider{}).Verify(r); err != nil {
		t.Fatalf("verify: %v", err)
	}
	var says []string
	for _, event := range translate(t, &configv1.Provider{}, string(r.Body)) {
		says = append(says, strings.Join(providertest.Summary(event), " and "))
	}
	if want := []string{"movement authorized", "undecoded", "refund_step"}; !slices.Equal(says, want) {
		t.Errorf("the batch says %q, want %q", says, want)
	}

	for at := range 3 {
		spoiled := string(r.Body)
		places := member.FindAllStringIndex(spoiled, -1)
		spoiled = spoiled[:places[at][0]] + `"hmacSignature":"AAAA"` + spoiled[places[at][1]:]
		if err := openWith(t, &configv1.Provider{}).Verify(&provider.Request{Body: []byte(spoiled)}); err == nil {
			t.Errorf("item %d is not proven and the body was taken", at)
		}
	}
}

func TestAnItemIsKnownByItsReferenceCodeAndSuccess(t *testing.T) {
	t.Parallel()
	event := translate(t, &configv1.Provider{}, body("REFUND", "true", ""))[0]
	if event.GetEventId() != "PSP2/REFUND/true" || event.GetEventIdDerived() {
		t.Errorf("id %s, derived %t", event.GetEventId(), event.GetEventIdDerived())
	}
	if !event.GetOccurredAt().AsTime().Equal(providertest.Now()) {
		t.Errorf("at %s", event.GetOccurredAt().AsTime())
	}
	var names []string
	for _, reference := range event.GetReferences() {
		names = append(names, reference.GetValue())
	}
	if got := strings.Join(names, " "); got != "SYN-1 PSP1 PSP2" {
		t.Errorf("references %s", got)
	}
	step := event.GetChanges()[0].GetRefundReported()
	if step.GetRefundId() != "PSP2" || step.GetPaymentId() != "PSP1" || step.GetRunningTotal() {
		t.Errorf("refund %v", step)
	}
}

func TestCapturesCountByThemselvesUnlessTheyAreAutomatic(t *testing.T) {
	t.Parallel()
	automatic := &configv1.Provider{Capture: "automatic"}
	for _, test := range []struct {
		settings *configv1.Provider
		code     string
		want     string
	}{
		{&configv1.Provider{}, "AUTHORISATION", "PSP1 authorized 1050"},
		{&configv1.Provider{Capture: "manual"}, "AUTHORISATION", "PSP1 authorized 1050"},
		{&configv1.Provider{}, "CAPTURE", "PSP2 paid 1050"},
		{&configv1.Provider{}, "CAPTURE_FAILED", "PSP2 paid 0"},
		{automatic, "AUTHORISATION", "PSP1 paid 1050"},
		{automatic, "CAPTURE", "PSP1 paid 1050"},
		{automatic, "CAPTURE_FAILED", "PSP1 paid 0"},
		{automatic, "CANCELLATION", "PSP1 voided 0"},
	} {
		report := translate(t, test.settings, body(test.code, "true", ""))[0].GetChanges()[0].GetPaymentReported()
		state := strings.ToLower(strings.TrimPrefix(report.GetState().String(), "PAYMENT_STATE_"))
		if got := fmt.Sprintf("%s %s %d", report.GetPaymentId(), state, report.GetAmount().GetMinorUnits()); got != test.want {
			t.Errorf("%s with capture %q: %s, want %s", test.code, test.settings.GetCapture(), got, test.want)
		}
	}
}

func TestAnItemForAnotherDestinationIsSetAside(t *testing.T) {
	t.Parallel()
	no := false
	for name, test := range map[string]struct {
		expect  *configv1.Expect
		live    string
		ignored bool
	}{
		"live by default":     {nil, `"true"`, false},
		"a test by default":   {nil, `"false"`, true},
		"a test, expected":    {&configv1.Expect{Livemode: &no}, `"false"`, false},
		"live, not expected":  {&configv1.Expect{Livemode: &no}, `"true"`, true},
		"its account":         {&configv1.Expect{AccountId: "SynthAcc"}, `"true"`, false},
		"another account":     {&configv1.Expect{AccountId: "Other"}, `"true"`, true},
		"a bare truth value":  {nil, `true`, false},
		"a bare untrue value": {nil, `false`, true},
	} {
		text := strings.Replace(body("AUTHORISATION", "true", ""), `"live":"true"`, `"live":`+test.live, 1)
		says := providertest.Summary(translate(t, &configv1.Provider{Expect: test.expect}, text)[0])
		if slices.Equal(says, []string{"ignored"}) != test.ignored {
			t.Errorf("%s: says %v", name, says)
		}
	}
}

func TestAmountsBecomeTheMinorUnitsOfISO4217(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		currency string
		value    string
		want     int64
		refused  bool
	}{
		{"EUR", "1050", 1050, false},
		{"JPY", "1050", 1050, false},
		{"KWD", "1050", 1050, false},
		{"BDT", "105000", 105000, false},
		{"CLP", "105000", 1050, false},
		{"CLP", "105001", 0, true},
		{"ISK", "279000", 2790, false},
		{"ISK", "27", 0, true},
		{"CVE", "1050", 105000, false},
		{"IDR", "1050", 105000, false},
		{"IDR", "92233720368547759", 0, true},
		{"BIF", "1050", 0, true},
		{"CLF", "1050", 0, true},
		{"XYZ", "1050", 0, true},
		{"EUR", "10.5", 0, true},
		{"EUR", "-1", 0, true},
		{"EUR", "9223372036854775808", 0, true},
		{"EUR", "0", 0, false},
	} {
		text := strings.NewReplacer("1050", test.value, "EUR", test.currency).Replace(body("CAPTURE", "true", ""))
		event := translate(t, &configv1.Provider{}, text)[0]
		got := event.GetChanges()[0].GetPaymentReported().GetAmount()
		if refused := got == nil; refused != test.refused || got.GetMinorUnits() != test.want {
			t.Errorf("%s %s became %v", test.value, test.currency, got)
		}
	}
}

func TestTheAnswerIsTheOneThatAdyenWaitsFor(t *testing.T) {
	t.Parallel()
	answer := openWith(t, &configv1.Provider{}).Answer(provider.Result{Verdict: provider.Accepted})
	if answer.Status != http.StatusOK || string(answer.Body) != "[accepted]" {
		t.Errorf("answer %d %q", answer.Status, answer.Body)
	}
}

func TestAKeyIsSixtyFourHexadecimalDigits(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]int{
		publishedKey: 0, strings.ToLower(publishedKey): 0, publishedKey[2:]: 1, publishedKey + "00": 1, "plain text": 1,
		"": 1, publishedKey + "\n": 1,
	} {
		problems := adyen.Kind().Check(&configv1.Provider{Secrets: []*configv1.Secret{{Value: value}}})
		if len(problems) != want {
			t.Errorf("%q has problems %v, want %d", value, problems, want)
		}
	}
}
