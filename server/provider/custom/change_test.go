package custom_test

import (
	"embed"
	"slices"
	"testing"
	"time"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/providertest"
)

//go:embed testdata/form-*.http
var formSamples embed.FS

const formSettings = `custom:
  format: form
  identity: [item.tran_id, item.status]
  type: item.status
  time: item.when
  references: {order_number: item.order, payment_id: item.tran_id}
  changes:
    - kind: payment_reported
      state: item.status
      state_map: {VALID: paid, FAILED: failed}
      amount: item.value
      currency: item.currency
`

func form(status string) string {
	return "tran_id=p-1&value=10.50&status=" + status + "&order=SYN-1&when=1&currency=BDT"
}

func TestAFormKeepsTheContract(t *testing.T) {
	t.Parallel()
	set := settings(t, proven+formSettings)
	kind := described(t, set)
	kind.Samples = provider.SamplesIn(formSamples)
	providertest.Run(t, kind, providertest.Options{
		Sample: "form-valid", Settings: set, ProofHeader: "X-Sig", SignsBody: true, Form: true,
		Words: []providertest.Word{
			{Name: "VALID", Body: form("VALID"), Says: []string{"movement paid"}},
			{Name: "FAILED", Body: form("FAILED"), Says: []string{"movement failed"}},
		},
		UnknownWord: providertest.Word{Body: form("ODD"), Says: []string{"unrecognised status"}},
	})
}

// paying is a description of payments.
func paying(more string) string {
	return proven + "currency: BDT\n" + more + `custom:
  id: item.id
  references: {payment_id: item.p, order_number: item.o}
  changes:
    - kind: payment_reported
      state: paid
      amount: item.amount
      currency: item.?currency
`
}

func TestMoneyIsReadToItsLastDigit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		minor          bool
		amount         string
		currency, want string
		units          int64
	}{
		"a number":                       {false, `10.50`, "", "BDT", 1050},
		"text":                           {false, `"10.50"`, "", "BDT", 1050},
		"a whole number":                 {false, `7`, "EUR", "EUR", 700},
		"no decimals":                    {false, `"1200"`, "jpy", "JPY", 1200},
		"three decimals":                 {false, `1.234`, "KWD", "KWD", 1234},
		"beyond what a float keeps":      {false, `90071992547409.93`, "", "BDT", 9007199254740993},
		"smallest units":                 {true, `1050`, "", "BDT", 1050},
		"smallest units beyond a float":  {true, `9007199254740993`, "", "BDT", 9007199254740993},
		"more decimals than there are":   {false, `1.005`, "", "", 0},
		"a comma":                        {false, `"1,50"`, "", "", 0},
		"less than nothing":              {false, `-1`, "", "", 0},
		"an exponent":                    {false, `1e3`, "", "", 0},
		"no amount":                      {false, `null`, "", "", 0},
		"no such currency":               {false, `1`, "XQZ", "", 0},
		"a fraction of a smallest unit":  {true, `1.5`, "", "", 0},
		"more than 64 bits of the units": {true, `92233720368547758070`, "", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			more := ""
			if c.minor {
				more = "minor_units: true\n"
			}
			event := translateAll(t, made(t, paying(more)),
				`{"id":1,"p":"p-1","o":"SYN-1","amount":`+c.amount+`,"currency":"`+c.currency+`"}`)[0]
			money := event.GetChanges()[0].GetPaymentReported().GetAmount()
			if money.GetCurrency() != c.want || money.GetMinorUnits() != c.units ||
				(c.want == "") != (event.GetChanges()[0].GetUndecoded() != nil) {
				t.Errorf("%s %s is %v of %v", c.amount, c.currency, money, event.GetChanges()[0])
			}
		})
	}
}

func TestCashAtTheDoorIsOnePaymentOfItsParcel(t *testing.T) {
	t.Parallel()
	opened := made(t, proven+`currency: BDT
custom:
  id: item.id
  references:
    consignment_id: item.?parcel
    tracking_number: item.?awb
    payment_id: item.?ref
  changes: [{kind: payment_reported, state: paid, amount: item.collected, cash_on_delivery: true}]
`)
	for body, want := range map[string]string{
		`{"id":1,"parcel":"C1","awb":"A1","ref":"x","collected":10}`: "cod:C1",
		`{"id":2,"awb":"A1","collected":10}`:                         "cod:A1",
	} {
		payment := translateAll(t, opened, body)[0].GetChanges()[0].GetPaymentReported()
		if payment.GetPaymentId() != want || !payment.GetCashOnDelivery() {
			t.Errorf("%s is %v, want %s", body, payment, want)
		}
	}
	if got := says(translateAll(t, opened, `{"id":3,"collected":10}`)); !slices.Equal(got, []string{"undecoded"}) {
		t.Errorf("cash for no parcel says %q", got)
	}
}

func TestARefundIsAStepOrATotal(t *testing.T) {
	t.Parallel()
	opened := made(t, proven+`currency: EUR
custom:
  id: item.id
  references: {payment_id: item.p}
  changes:
    - {kind: refund_reported, when: has(item.step), refund_id: item.step, amount: item.amount}
    - {kind: refund_reported, when: has(item.total), amount: item.total, running_total: true}
`)
	step := translateAll(t, opened, `{"id":1,"p":"p-1","step":"r-1","amount":"1.50"}`)[0].GetChanges()[0].GetRefundReported()
	if step.GetRefundId() != "r-1" || step.GetPaymentId() != "p-1" || step.GetAmount().GetMinorUnits() != 150 || step.GetRunningTotal() {
		t.Errorf("a step is %v", step)
	}
	total := translateAll(t, opened, `{"id":1,"p":"p-1","total":"3"}`)[0].GetChanges()[0].GetRefundReported()
	if total.GetPaymentId() != "p-1" || total.GetAmount().GetMinorUnits() != 300 || !total.GetRunningTotal() {
		t.Errorf("a total is %v", total)
	}
	for _, body := range []string{`{"id":1,"p":"p-1","step":"r-1"}`, `{"id":1,"p":"p-1","step":"r-1","amount":""}`} {
		if got := says(translateAll(t, opened, body)); !slices.Equal(got, []string{"undecoded"}) {
			t.Errorf("a refund of nothing says %q", got)
		}
	}
}

func TestAChangeMayHaveItsOwnTimeAndParcel(t *testing.T) {
	t.Parallel()
	opened := made(t, proven+`custom:
  id: item.id
  time: item.at
  references: {consignment_id: item.parcel}
  changes:
    - {kind: status_changed, status: delivered, time: item.at2}
    - kind: status_changed
      status: returning
      consignment_id: item.parcel + '-R'
      return_parcel: "true"
    - {kind: checkpoint, description: item.note}
`)
	event := translateAll(t, opened, `{"id":1,"at":"2026-01-15T12:00:00Z","at2":1768478405123,"parcel":"C1","note":" seen "}`)[0]
	first, second, third := event.GetChanges()[0], event.GetChanges()[1], event.GetChanges()[2]
	if got := first.GetOccurredAt().AsTime(); !got.Equal(time.UnixMilli(1768478405123)) || first.GetStatusChanged().GetShipment().GetConsignmentId() != "C1" {
		t.Errorf("the first is %v", first)
	}
	if shipment := second.GetStatusChanged().GetShipment(); shipment.GetConsignmentId() != "C1-R" || !shipment.GetReturnParcel() || second.GetOccurredAt() != nil {
		t.Errorf("the second is %v", second)
	}
	if third.GetCheckpoint().GetDescription() != "seen" {
		t.Errorf("the third is %v", third)
	}
	var named []string
	for _, reference := range event.GetReferences() {
		named = append(named, reference.GetValue())
	}
	if !slices.Equal(named, []string{"C1", "C1-R"}) {
		t.Errorf("it names %q", named)
	}
	naive := translateAll(t, opened, `{"id":1,"at":"2026-01-15T12:00:00Z","at2":"2026-01-15 12:00","parcel":"C1","note":""}`)[0]
	if naive.GetChanges()[0].GetOccurredAt() != nil || len(naive.GetChanges()) != 2 {
		t.Errorf("a time without a zone counts, or nothing was seen: %v", naive.GetChanges())
	}
}

func TestWhatNothingElseSaysMayBeIgnored(t *testing.T) {
	t.Parallel()
	opened := made(t, proven+`custom:
  id: item.id
  type: item.type
  references:
    order_id: item.order
    order_number: item.?numbers
  changes:
    - {kind: ignored, because: pings say nothing, when: "item.type.startsWith('p')"}
    - {kind: order_cancelled, when: "item.type == 'purge'", reason: "item.?why"}
`)
	for kind, want := range map[string]string{"ping": "ignored", "purge": "order_cancelled", "other": "unrecognised type"} {
		events := translateAll(t, opened, `{"id":1,"order":7,"type":"`+kind+`","numbers":["#1",2,null,"","1"]}`)
		if got := says(events); !slices.Equal(got, []string{want}) {
			t.Errorf("%s says %q, want %s", kind, got, want)
		}
		if names := events[0].GetReferences(); len(names) != 3 || names[0].GetKind() != waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_ID || names[1].GetValue() != "1" {
			t.Errorf("%s names %v", kind, names)
		}
		if kind == "ping" && events[0].GetChanges()[0].GetIgnored().GetReason() != "pings say nothing" {
			t.Errorf("the reason is %s", events[0].GetChanges()[0].GetIgnored().GetReason())
		}
	}
}
