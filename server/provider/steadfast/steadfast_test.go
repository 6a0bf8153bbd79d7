package steadfast_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/providertest"
	"github.com/waybillhq/waybill/server/provider/steadfast"
)

func options() providertest.Options {
	return providertest.Options{
		Sample:      "delivered",
		ProofHeader: "Authorization",
		ProofPrefix: "Bearer ",
		Malformed:   []string{"Bearer current-synthetic-secret", "Bearer  current-synthetic-secret-4f1d", "Bearer"},
		Words:       words(),
		UnknownWord: providertest.Word{Body: body("teleported", "1050.0"), Says: []string{"unrecognised status"}},
	}
}

func body(status, amount string) string {
	return `{"notification_type":"delivery_status","consignment_id":990001,"invoice":"SYN-1","cod_amount":` + amount +
		`,"status":"` + status + `","delivery_charge":110.0,"tracking_message":"synthetic",` +
		`"updated_at":"2026-01-15 18:30:05"}`
}

// words are every status and notification type.
func words() []providertest.Word {
	var all []providertest.Word
	add := func(status string, says ...string) {
		all = append(all, providertest.Word{Name: status, Body: body(status, "1050.0"), Says: says})
	}
	add("pending", "shipment_announced")
	add("in_review", "shipment_announced")
	add("delivered", "status_changed delivered", "movement paid")
	add("partial_delivered", "status_changed delivered", "fact partial_delivery!")
	add("cancelled", "status_changed returned")
	add("unknown", "fact unknown_at_courier!")
	add("hold", "fact on_hold!")
	add("delivered_approval_pending", "fact delivered_approval_pending")
	add("partial_delivered_approval_pending", "fact partial_delivered_approval_pending")
	add("cancelled_approval_pending", "fact cancelled_approval_pending")
	add("unknown_approval_pending", "fact unknown_approval_pending")
	return append(all, providertest.Word{Name: "tracking_update", Body: update("at the hub"), Says: []string{"checkpoint"}})
}

func update(message string) string {
	return `{"notification_type":"tracking_update","consignment_id":990001,"invoice":"SYN-1","tracking_message":"` +
		message + `","updated_at":"2026-01-15 18:30:05"}`
}

func TestSteadfastKeepsTheContract(t *testing.T) {
	t.Parallel()
	providertest.Run(t, steadfast.Kind(), options())
}

func TestTheReadmeHasTheMapping(t *testing.T) {
	t.Parallel()
	providertest.InReadme(t, words())
}

func FuzzVerify(f *testing.F)    { providertest.FuzzVerify(f, steadfast.Kind(), options()) }
func FuzzTranslate(f *testing.F) { providertest.FuzzTranslate(f, steadfast.Kind(), options()) }

func open(t *testing.T, settings *configv1.Provider) provider.Provider {
	t.Helper()
	opened, err := steadfast.Kind().New(settings)
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

func translate(t *testing.T, settings *configv1.Provider, body string) *waybillv1.IngestEventRequest {
	t.Helper()
	r := &provider.Request{Body: []byte(body), ReceivedAt: providertest.Now()}
	events, err := providertest.Translate(t, open(t, settings), r)
	if err != nil || len(events) != 1 {
		t.Fatalf("%d events, %v, want one", len(events), err)
	}
	return events[0]
}

func TestStatusWordsAreReadInAnyWriting(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"Partial Delivered", "PARTIAL_DELIVERED", " partial  delivered ", "partial-delivered"} {
		says := providertest.Summary(translate(t, &configv1.Provider{}, body(status, "1050.0")))
		if !slices.Equal(says, []string{"status_changed delivered", "fact partial_delivery!"}) {
			t.Errorf("%q says %q", status, says)
		}
	}
}

func TestAnIntegerConsignmentIsKeptDigitByDigit(t *testing.T) {
	t.Parallel()
	big := strings.Replace(body("delivered", "1050.0"), "990001", "9007199254740993", 1)
	text := strings.Replace(big, "9007199254740993", `"9007199254740993"`, 1)

	event := translate(t, &configv1.Provider{}, big)
	if got := event.GetChanges()[0].GetStatusChanged().GetShipment().GetConsignmentId(); got != "9007199254740993" {
		t.Errorf("consignment %s", got)
	}
	if again := translate(t, &configv1.Provider{}, text); again.GetEventId() != event.GetEventId() {
		t.Error("the same consignment as text is another event")
	}
}

func TestATimeWithoutAZoneIsReadInDhakaUnlessConfigured(t *testing.T) {
	t.Parallel()
	for zone, want := range map[string]time.Time{
		"":              time.Date(2026, 1, 15, 12, 30, 5, 0, time.UTC),
		"UTC":           time.Date(2026, 1, 15, 18, 30, 5, 0, time.UTC),
		"Europe/Berlin": time.Date(2026, 1, 15, 17, 30, 5, 0, time.UTC),
	} {
		event := translate(t, &configv1.Provider{TimeZone: zone}, body("delivered", "1050.0"))
		if got := event.GetOccurredAt().AsTime(); !got.Equal(want) {
			t.Errorf("in %q it is %s, want %s", zone, got, want)
		}
		if event.GetOccurredAtCertainty() != waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_ZONE_ASSUMED {
			t.Errorf("in %q it is %s", zone, event.GetOccurredAtCertainty())
		}
	}
}

func TestCashIsOneMovementPerConsignmentAndNoneWhereNothingWasCollected(t *testing.T) {
	t.Parallel()
	for amount, want := range map[string]int64{
		"1050.0": 105000, `"1050.00"`: 105000, "1050": 105000, "0": 0, `"0.00"`: 0, "null": 0,
	} {
		event := translate(t, &configv1.Provider{}, body("delivered", amount))
		if want == 0 {
			if len(event.GetChanges()) != 1 {
				t.Errorf("%s makes %q", amount, providertest.Summary(event))
			}
			continue
		}
		payment := event.GetChanges()[1].GetPaymentReported()
		if payment.GetPaymentId() != "cod:990001" || !payment.GetCashOnDelivery() ||
			payment.GetAmount().GetMinorUnits() != want || payment.GetAmount().GetCurrency() != "BDT" {
			t.Errorf("%s makes %v", amount, payment)
		}
	}
	event := translate(t, &configv1.Provider{Currency: "INR"}, body("delivered", "1050.0"))
	if got := event.GetChanges()[1].GetPaymentReported().GetAmount().GetCurrency(); got != "INR" {
		t.Errorf("currency %s, want the configured one", got)
	}
}

func TestAPartlyDeliveredParcelPaysNothingByItself(t *testing.T) {
	t.Parallel()
	event := translate(t, &configv1.Provider{}, body("partial_delivered", "1050.0"))
	fact := event.GetChanges()[1].GetFact()
	if fact.GetAmount().GetMinorUnits() != 105000 || !fact.GetNeedsAttention() {
		t.Errorf("fact %v, want the amount shown to a person", fact)
	}
}

func TestTwoTrackingUpdatesOfOneSecondAreTwoEvents(t *testing.T) {
	t.Parallel()
	first, second := translate(t, &configv1.Provider{}, update("at the hub")), translate(t, &configv1.Provider{}, update("with a rider"))
	again := translate(t, &configv1.Provider{}, update("at the hub"))
	if first.GetEventId() == second.GetEventId() || first.GetEventId() != again.GetEventId() {
		t.Errorf("%s, %s, %s", first.GetEventId(), second.GetEventId(), again.GetEventId())
	}
	if got := first.GetChanges()[0].GetCheckpoint().GetDescription(); got != "at the hub" {
		t.Errorf("description %q", got)
	}
}

func TestAnotherMessageWithAStatusIsTheSameEvent(t *testing.T) {
	t.Parallel()
	first := translate(t, &configv1.Provider{}, body("delivered", "1050.0"))
	second := translate(t, &configv1.Provider{}, strings.Replace(body("delivered", "1050.0"), "synthetic", "otherwise", 1))
	if first.GetEventId() != second.GetEventId() || !first.GetEventIdDerived() {
		t.Errorf("%s and %s", first.GetEventId(), second.GetEventId())
	}
}

func TestAnUnknownNotificationTypeParks(t *testing.T) {
	t.Parallel()
	event := translate(t, &configv1.Provider{}, strings.Replace(update("x"), "tracking_update", "rider_changed", 1))
	if says := providertest.Summary(event); !slices.Equal(says, []string{"unrecognised notification_type"}) {
		t.Errorf("says %q", says)
	}
}

func TestABodyThatLacksWhatItNeedsIsKeptUndecoded(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"consignment_id":1,"status":"delivered"}`,
		`{"notification_type":"delivery_status","status":"delivered"}`,
		`{"notification_type":"delivery_status","consignment_id":1}`,
		`{"notification_type":"delivery_status","consignment_id":1.5,"status":"delivered"}`,
		`{"notification_type":"tracking_update","consignment_id":1}`,
		body("delivered", "-5"),
		body("delivered", `"a lot"`),
		body("delivered", "1e3"),
	} {
		if says := providertest.Summary(translate(t, &configv1.Provider{}, body)); says[0] != "undecoded" {
			t.Errorf("%s says %q", body, says)
		}
	}
}

func TestAnAmountThatNothingDependsOnStopsNothing(t *testing.T) {
	t.Parallel()
	says := providertest.Summary(translate(t, &configv1.Provider{}, body("pending", `"to be asked"`)))
	if !slices.Equal(says, []string{"shipment_announced"}) {
		t.Errorf("says %q", says)
	}
}

func TestTheAnswerHasWhatThePanelShowsBesideOurOwn(t *testing.T) {
	t.Parallel()
	opened := open(t, &configv1.Provider{})
	accepted := opened.Answer(provider.Result{Verdict: provider.Accepted, Responses: []*waybillv1.IngestEventResponse{{
		Event: &waybillv1.Event{Id: "evt_1", State: waybillv1.EventState_EVENT_STATE_RECEIVED}, FirstDelivery: true,
		Receipt: waybillv1.Receipt_RECEIPT_ACCEPTED,
	}}})
	refused := opened.Answer(provider.Result{Verdict: provider.Unproven, Message: "header Authorization is missing"})

	var got struct {
		Status        string `json:"status"`
		Message       string `json:"message"`
		FirstDelivery bool   `json:"first_delivery"`
		Event         struct {
			ID string `json:"id"`
		} `json:"event"`
	}
	if err := json.Unmarshal(accepted.Body, &got); err != nil {
		t.Fatal(err)
	}
	if got.Status != "success" || got.Message == "" || got.Event.ID != "evt_1" || !got.FirstDelivery || accepted.Status != 200 {
		t.Errorf("accepted: %d %s", accepted.Status, accepted.Body)
	}
	if err := json.Unmarshal(refused.Body, &got); err != nil {
		t.Fatal(err)
	}
	if got.Status != "error" || got.Message != "header Authorization is missing" || refused.Status != 401 {
		t.Errorf("refused: %d %s", refused.Status, refused.Body)
	}
}
