package main

import (
	"sync"
	"testing"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

func payment(number string) provider.SampleValues {
	return provider.SampleValues{
		ID: "pay-" + number, OrderNumber: number, PaymentID: "pi_" + number, Currency: "EUR", MinorUnits: 4200,
	}
}

func TestFiftyCopiesAtOnceAreOneEventWithOneEffect(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	s.place("5001", 4200, "EUR")
	request := s.sign("stripe", "payment_intent.succeeded", payment("5001"))

	const copies = 50
	answers := make(chan delivery, copies)
	var senders sync.WaitGroup
	for range copies {
		senders.Go(func() {
			got, err := s.tryPost(t.Context(), "/webhooks/"+testAccount+"/stripe", request)
			if err != nil {
				t.Error(err)
			}
			answers <- got
		})
	}
	senders.Wait()
	close(answers)

	first, ids := 0, make(map[string]bool)
	for got := range answers {
		if got.status != 200 {
			t.Errorf("a copy was answered %d: %s", got.status, got.body)
		}
		if got.first {
			first++
		}
		ids[got.eventID] = true
	}
	if first != 1 || len(ids) != 1 {
		t.Fatalf("%d copies were the first delivery of %d events; want 1 of 1", first, len(ids))
	}
	order := s.awaitOrder("5001", isPaid)
	if paidSteps(order) != 1 || order.GetPaid().GetMinorUnits() != 4200 {
		t.Errorf("order became paid %d times with %d", paidSteps(order), order.GetPaid().GetMinorUnits())
	}
	for id := range ids {
		event := s.awaitEvent(id)
		seen := int64(0)
		for _, arrival := range event.GetDeliveries() {
			seen += 1 + arrival.GetFurther()
		}
		if seen != copies {
			t.Errorf("%d deliveries are on record, want %d", seen, copies)
		}
	}
}

func TestTheSameIdentityWithAnotherAmountIsKeptAndNeverApplied(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	s.place("5070", 4200, "EUR")
	first := s.settled("stripe", "payment_intent.succeeded", payment("5070"))
	lie := payment("5070")
	lie.MinorUnits = 1

	got := s.send("stripe", "payment_intent.succeeded", lie)

	if got.status != 200 || got.outcome != "conflicting" || got.eventID != first.GetId() {
		t.Fatalf("answered %d %s", got.status, got.body)
	}
	order := s.order("5070")
	if !isPaid(order) || order.GetPaid().GetMinorUnits() != 4200 {
		t.Errorf("order is %s with %d paid", order.GetPaymentStatus(), order.GetPaid().GetMinorUnits())
	}
	if reasons := attention(order); len(reasons) != 1 || reasons[0] != "conflicting" {
		t.Errorf("attention is %v", reasons)
	}
	event := s.awaitEvent(first.GetId())
	if string(event.GetRaw().GetBody()) != string(first.GetRaw().GetBody()) {
		t.Error("the first delivery's bytes were overwritten")
	}
	if n := len(event.GetDeliveries()); n != 2 ||
		event.GetDeliveries()[1].GetReceipt() != waybillv1.Receipt_RECEIPT_CONFLICTING {
		t.Errorf("%d deliveries are on record: %v", n, event.GetDeliveries())
	}
}
