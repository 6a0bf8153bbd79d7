package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	waybill "github.com/waybillhq/waybill/clients/go"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// The stories here are failures that really happened to somebody, told against the real binary.

func TestThreeTypesThatReportOnePaymentPayOnceInEveryOrder(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	reports := []string{"checkout.session.completed", "payment_intent.succeeded", "charge.succeeded"}
	orders := [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}
	for i, permutation := range orders {
		number := fmt.Sprintf("501%d", i)
		s.place(number, 4200, "EUR")
		outcomes := make(map[string]int)
		for _, report := range permutation {
			values := payment(number)
			values.ID = fmt.Sprintf("%s-%d", number, report)
			event := s.settled("stripe", reports[report], values)
			outcomes[waybill.Word(event.GetOutcome())]++
		}
		order := s.order(number)
		if !isPaid(order) || paidSteps(order) != 1 || order.GetPaid().GetMinorUnits() != 4200 {
			t.Errorf("in the order %v the order became paid %d times with %v", permutation, paidSteps(order), order.GetPaid())
		}
		if outcomes["applied"] != 1 || outcomes["unchanged"] != 2 {
			t.Errorf("in the order %v the outcomes are %v", permutation, outcomes)
		}
	}
}

func TestACheckoutThatCompletesUnpaidPaysOnlyWhenTheMoneyComes(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	s.place("5020", 4200, "EUR")
	unpaid, paid := payment("5020"), payment("5020")
	unpaid.ID, paid.ID = "a", "b"

	s.settled("stripe", "checkout.session.completed-unpaid", unpaid)
	if isPaid(s.order("5020")) {
		t.Fatal("an unpaid session paid the order")
	}
	s.settled("stripe", "checkout.session.async_payment_succeeded", paid)
	if order := s.order("5020"); !isPaid(order) || paidSteps(order) != 1 {
		t.Errorf("order is %s", order.GetPaymentStatus())
	}
}

func TestARedeliveryThatIsSignedAnewIsADuplicate(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	s.place("5050", 4200, "EUR")
	values := payment("5050")
	values.At = time.Now().Add(-10 * 24 * time.Hour).Truncate(time.Second)
	first := s.send("stripe", "payment_intent.succeeded", values)

	again := s.send("stripe", "payment_intent.succeeded", values)

	if again.status != 200 || again.outcome != "duplicate" || again.first || again.eventID != first.eventID {
		t.Errorf("answered %d %s", again.status, again.body)
	}
	if order := s.awaitOrder("5050", isPaid); paidSteps(order) != 1 {
		t.Errorf("order became paid %d times", paidSteps(order))
	}
}

func TestAPaymentThatFailedFirstPaysWhenItSucceeds(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	for i, backwards := range []bool{false, true} {
		number := fmt.Sprintf("508%d", i)
		s.place(number, 4200, "EUR")
		failed, succeeded := payment(number), payment(number)
		failed.ID, succeeded.ID = number+"f", number+"s"
		failed.At = time.Now().Add(-2 * time.Minute).Truncate(time.Second)
		sends := []func(){
			func() { s.settled("stripe", "payment_intent.payment_failed", failed) },
			func() { s.settled("stripe", "payment_intent.succeeded", succeeded) },
		}
		if backwards {
			slices.Reverse(sends)
		}
		for _, send := range sends {
			send()
		}
		if order := s.order(number); !isPaid(order) {
			t.Errorf("backwards %t: order is %s", backwards, order.GetPaymentStatus())
		}
	}
}

func TestAPaymentBeforeItsOrderWaitsInSightAndIsWoken(t *testing.T) {
	t.Parallel()
	s := openShop(t)

	event := s.settled("stripe", "payment_intent.succeeded", payment("5100"))
	if event.GetState() != waybillv1.EventState_EVENT_STATE_WAITING || !strings.Contains(event.GetReason(), "5100") {
		t.Fatalf("event is %s: %s", event.GetState(), event.GetReason())
	}
	page, err := s.client.ListPendingWork(t.Context(), &waybill.ListPendingWorkRequest{Account: testAccount})
	if err != nil || len(page.GetItems()) != 1 || page.GetItems()[0].GetWorkId() != event.GetId() {
		t.Fatalf("unfinished work is %v, %v", page, err)
	}

	s.place("5100", 4200, "EUR")
	s.awaitOrder("5100", isPaid)
	page, err = s.client.ListPendingWork(t.Context(), &waybill.ListPendingWorkRequest{Account: testAccount})
	if err != nil || len(page.GetItems()) != 0 || page.GetSummary().GetOldestWaitingAt() != nil {
		t.Errorf("unfinished work is %v, %v", page, err)
	}
}

func (s *shop) cancel(number string) {
	s.t.Helper()
	response, err := s.client.IngestEvent(s.t.Context(), &waybill.IngestEventRequest{
		Account: testAccount, Provider: "shopify", EventId: "cancelled-" + number, EventType: "cancelled",
		References: []*waybillv1.Reference{
			{Kind: waybillv1.ReferenceKind_REFERENCE_KIND_ORDER_ID, Value: "id-" + number},
		},
		Changes: []*waybillv1.Change{{Change: &waybillv1.Change_OrderCancelled{
			OrderCancelled: &waybillv1.OrderCancelled{Reason: "expired"},
		}}},
		TranslatorVersion: "test",
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.awaitEvent(response.GetEvent().GetId())
}

func TestMoneyForACancelledOrderIsSeenAndWakesNothing(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	s.place("5110", 4200, "EUR")
	s.cancel("5110")

	s.settled("stripe", "payment_intent.succeeded", payment("5110"))

	order := s.order("5110")
	if order.GetStatus() != waybillv1.OrderStatus_ORDER_STATUS_CANCELLED {
		t.Errorf("the cancelled order is now %s", order.GetStatus())
	}
	if order.GetPaid().GetMinorUnits() != 4200 || len(order.GetAttention()) == 0 {
		t.Errorf("%v is paid, attention is %v", order.GetPaid(), attention(order))
	}
}

func TestADisputeOpensOnACancelledAndOnAPaidOrder(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	for _, number := range []string{"5115", "5116"} {
		s.place(number, 4200, "EUR")
		s.settled("stripe", "payment_intent.succeeded", payment(number))
	}
	s.cancel("5115")

	for _, number := range []string{"5115", "5116"} {
		values := payment(number)
		values.ID = "dispute-" + number
		s.settled("stripe", "charge.dispute.created", values)
	}

	if order := s.order("5115"); order.GetStatus() != waybillv1.OrderStatus_ORDER_STATUS_CANCELLED {
		t.Errorf("the cancelled order is now %s", order.GetStatus())
	}
	order := s.order("5116")
	if order.GetPaymentStatus() != waybillv1.PaymentStatus_PAYMENT_STATUS_DISPUTED || len(order.GetAttention()) == 0 {
		t.Errorf("order is %s, attention is %v", order.GetPaymentStatus(), attention(order))
	}
}

func TestRefundsThatAreRunningTotalsAreNotAdded(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	s.place("5320", 4200, "EUR")
	s.settled("stripe", "payment_intent.succeeded", payment("5320"))
	for i, total := range []int64{1000, 2500} {
		values := payment("5320")
		values.ID, values.MinorUnits = fmt.Sprintf("refund%d", i), total
		values.At = time.Now().Add(time.Duration(i-10) * time.Second).Truncate(time.Second)
		s.settled("stripe", "charge.refunded", values)
		order := s.order("5320")
		if order.GetPaymentStatus() != waybillv1.PaymentStatus_PAYMENT_STATUS_PARTIALLY_REFUNDED ||
			order.GetPaid().GetMinorUnits() != 4200-total {
			t.Errorf("after %d back the order is %s with %v", total, order.GetPaymentStatus(), order.GetPaid())
		}
	}
}

func TestAnotherCurrencyDoesNotPay(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	s.place("5200", 4200, "EUR")
	values := payment("5200")
	values.Currency = "VND"

	s.settled("stripe", "payment_intent.succeeded", values)

	if order := s.order("5200"); isPaid(order) || len(order.GetAttention()) == 0 {
		t.Errorf("order is %s, attention is %v", order.GetPaymentStatus(), attention(order))
	}
}

func TestYenHaveNoCents(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	s.place("5190", 4200, "JPY")
	values := payment("5190")
	values.Currency = "JPY"
	s.settled("stripe", "payment_intent.succeeded", values)
	if order := s.order("5190"); !isPaid(order) || order.GetPaid().GetMinorUnits() != 4200 {
		t.Errorf("order is %s with %v", order.GetPaymentStatus(), order.GetPaid())
	}
}

func TestProbesTellNothingAndPathsNeverRedirect(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	for _, method := range []string{http.MethodHead, http.MethodGet, http.MethodOptions} {
		for _, path := range []string{"/webhooks/lantern/stripe", "/webhooks/nobody/nothing", "/webhooks/", "//webhooks//x"} {
			request, err := http.NewRequestWithContext(t.Context(), method, s.url+path, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			response, err := noRedirects.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
			if response.StatusCode != 200 || response.ContentLength > 0 {
				t.Errorf("%s %s was answered %d with %d bytes", method, path, response.StatusCode, response.ContentLength)
			}
		}
	}
	for i, path := range []string{"/webhooks/lantern/stripe/", "//webhooks/lantern//stripe"} {
		number := fmt.Sprintf("522%d", i)
		s.place(number, 4200, "EUR")
		got, err := s.tryPost(t.Context(), path, s.sign("stripe", "payment_intent.succeeded", payment(number)))
		if err != nil || got.status != 200 {
			t.Errorf("POST %s was answered %d, %v", path, got.status, err)
		}
		s.awaitOrder(number, isPaid)
	}
}

func TestWhatNobodyProvesLeavesNoRecord(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	good := s.sign("stripe", "payment_intent.succeeded", payment("5160"))
	forged := *good
	forged.Body = []byte(strings.Replace(string(good.Body), "4200", "4201", 1))
	unsigned := *good
	unsigned.Header = http.Header{"Content-Type": {"application/json"}}
	for name, try := range map[string]struct {
		provider string
		request  *provider.Request
		want     int
	}{
		"another body":            {"stripe", &forged, 401},
		"no signature":            {"stripe", &unsigned, 401},
		"no secret is configured": {"nosecret", good, 401},
		"nobody by this name":     {"nobody", good, 404},
	} {
		if got := s.post(try.provider, try.request); got.status != try.want {
			t.Errorf("%s was answered %d, want %d", name, got.status, try.want)
		}
	}
	if events := s.events(); len(events) != 0 {
		t.Errorf("%d events are on record", len(events))
	}
	if strings.Contains(s.said(), testSecret) || strings.Contains(s.said(), testKey) {
		t.Error("the log holds a secret")
	}
}

func TestTypesThatNobodyNeedsAreRecordedAndIgnored(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	for _, sample := range []string{"customer.created", "test-mode"} {
		values := payment("5234")
		values.ID = sample
		event := s.settled("stripe", sample, values)
		if event.GetOutcome() != waybillv1.Outcome_OUTCOME_IGNORED || event.GetState() != waybillv1.EventState_EVENT_STATE_COMPLETED {
			t.Errorf("%s is %s, %s", sample, event.GetState(), event.GetOutcome())
		}
	}
}

func TestTheBytesThatCameAreTheBytesThatAreKept(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	order := `{"id":%s,"name":"#%s","order_number":%s,"note":%s,"created_at":"2026-01-15T09:59:50Z",` +
		`"updated_at":"2026-01-15T09:59:58Z","currency":"EUR","total_price":"42.00","financial_status":"paid","line_items":[]}`
	for i, note := range []string{
		`"a nul \u0000 inside"`, `"the six letters \\u0000"`, `"🙂 مرحبا é e\u0301"`, `"` + strings.Repeat("long ", 20000) + `"`,
	} {
		number := fmt.Sprintf("400%d", i)
		text := fmt.Sprintf(order, "900719925474099"+number, number, number, note)
		event := s.settled("shopify", "orders-create", provider.SampleValues{ID: number, OrderNumber: number, OrderID: "1"}, body(text))
		if string(event.GetRaw().GetBody()) != text {
			t.Errorf("note %d: the bytes differ", i)
		}
		if got := s.order(number); !isPaid(got) {
			t.Errorf("note %d: the order is %s", i, got.GetPaymentStatus())
		}
	}
}

func TestIdsBeyondFloatsStayApart(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	for i, id := range []string{"9007199254740993", "9007199254740992"} {
		number := fmt.Sprintf("510%d", i)
		s.settled("shopify", "orders-create", provider.SampleValues{
			ID: number, OrderID: id, OrderNumber: number, Currency: "EUR", MinorUnits: 4200,
		})
	}
	if a, b := s.order("5100"), s.order("5101"); a.GetOrderNumber() != "5100" || b.GetOrderNumber() != "5101" {
		t.Errorf("the orders are %s and %s", a.GetOrderNumber(), b.GetOrderNumber())
	}
}

func TestThirtyEventsAtOnceWhileALongReadIsOpen(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	const orders = 30
	for i := range orders {
		s.place(fmt.Sprintf("52%02d", i), 4200, "EUR")
	}
	defer s.readForLong()()

	var senders sync.WaitGroup
	for i := range orders {
		request := s.sign("stripe", "payment_intent.succeeded", payment(fmt.Sprintf("52%02d", i)))
		senders.Go(func() {
			got, err := s.tryPost(t.Context(), "/webhooks/"+testAccount+"/stripe", request)
			if err != nil || got.status != 200 {
				t.Errorf("answered %d %s, %v", got.status, got.body, err)
			}
		})
	}
	senders.Wait()
	for i := range orders {
		s.awaitOrder(fmt.Sprintf("52%02d", i), isPaid)
	}
}

func TestAParcelEndsWhereItsFactsSayWhateverCameFirst(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	now := time.Now().Truncate(time.Second)
	scans := []string{"order.picked", "order.in-transit", "order.assigned-for-delivery", "order.delivered"}
	for i, order := range [][]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 3, 0, 2}} {
		number := fmt.Sprintf("509%d", i)
		s.place(number, 4200, "BDT")
		for _, scan := range order {
			s.settled("pathao", scans[scan], provider.SampleValues{
				ID: number, OrderNumber: number, Consignment: "DC" + number, Currency: "BDT", MinorUnits: 4200,
				At: now.Add(time.Duration(scan-10) * time.Minute),
			})
		}
		got := s.order(number)
		if got.GetStatus() != waybillv1.OrderStatus_ORDER_STATUS_DELIVERED || len(got.GetShipments()) != 1 {
			t.Errorf("arrival %v: order is %s with %d parcels", order, got.GetStatus(), len(got.GetShipments()))
		}
	}
}

func TestAnUpdateOlderThanTheCancellationRevivesNothing(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	now := time.Now().Truncate(time.Second)
	values := func(id string, at time.Duration) provider.SampleValues {
		return provider.SampleValues{
			ID: id, OrderID: "71000001", OrderNumber: "7101", Currency: "EUR", MinorUnits: 4200, At: now.Add(at),
		}
	}
	s.settled("shopify", "orders-create", values("1", -3*time.Hour))
	s.settled("shopify", "orders-cancelled", values("2", -1*time.Hour))
	late := s.settled("shopify", "orders-updated", values("3", -2*time.Hour))

	if order := s.order("7101"); order.GetStatus() != waybillv1.OrderStatus_ORDER_STATUS_CANCELLED {
		t.Errorf("order is %s after the late update, which was %s", order.GetStatus(), late.GetOutcome())
	}
}

func TestReprocessingFinishedWorkChangesNothingAndIsAudited(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	s.place("5310", 4200, "EUR")
	event := s.settled("stripe", "payment_intent.succeeded", payment("5310"))
	before := s.order("5310")
	request := &waybill.ReprocessRequest{
		Account: testAccount, Target: &waybillv1.ReprocessRequest_EventId{EventId: event.GetId()},
		Reason: "customer asked", RequestId: "request-0001",
	}
	var audits []string
	for range 2 {
		response, err := s.client.Reprocess(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		audits = append(audits, response.GetAudit().GetId())
		if response.GetAudit().GetOperator() != "tester" || response.GetAudit().GetReason() != "customer asked" {
			t.Errorf("audit entry is %v", response.GetAudit())
		}
	}
	if audits[0] != audits[1] || audits[0] == "" {
		t.Errorf("the same request was audited as %v", audits)
	}
	if after := s.order("5310"); after.GetCursor() != before.GetCursor() {
		t.Error("the order has changed")
	}
}
