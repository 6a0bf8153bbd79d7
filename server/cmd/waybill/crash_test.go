package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
)

// reborn starts a killed server again, without its faults, on the same data.
func (s *shop) reborn() {
	s.t.Helper()
	_ = s.process.Wait() // it has killed itself
	s.env = s.database.env()
	s.open()
}

func TestAServerThatDiesAroundAReceipt(t *testing.T) {
	t.Parallel()
	// The order is the first receipt and the first decision, its payment the second of each.
	cases := []struct {
		name   string
		faults string
		// unanswered: the sender can't have got its 2xx. Once the receipt is committed, the answer and the worker race.
		unanswered bool
		// recorded: the event is there after the restart.
		recorded bool
	}{
		{"before the receipt is durable", "accept 2 before kill", true, false},
		{"after the commit and before the answer", "accept 2 after kill", true, true},
		{"after the receipt and before the decision", "decide 2 before kill", false, true},
		{"after the decision is committed", "decide 2 after kill", false, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := openShop(t, faultsVariable+"="+c.faults)
			s.place("5080", 4200, "EUR")
			request := s.sign("stripe", "payment_intent.succeeded", payment("5080"))

			got, err := s.tryPost(t.Context(), "/webhooks/"+testAccount+"/stripe", request)
			if answered := err == nil; answered && (c.unanswered || got.status != 200) {
				t.Fatalf("the sender was answered %d", got.status)
			}
			s.reborn()
			if recorded := len(s.events()) == 2; recorded != c.recorded {
				t.Fatalf("the event is recorded: %t, want %t", recorded, c.recorded)
			}

			again := s.post("stripe", request)
			if again.status != 200 || again.first == c.recorded {
				t.Errorf("the sender's retry was answered %d %s", again.status, again.body)
			}
			order := s.awaitOrder("5080", isPaid)
			if paidSteps(order) != 1 || order.GetPaid().GetMinorUnits() != 4200 {
				t.Errorf("order became paid %d times, with %d", paidSteps(order), order.GetPaid().GetMinorUnits())
			}
		})
	}
}

func TestAFailingStoreIsARefusalThatTheSenderMayRepeat(t *testing.T) {
	t.Parallel()
	for name, faults := range map[string]string{
		"nothing was written":    "accept 2 before error",
		"the commit's word lost": "accept 2 after error",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openShop(t, faultsVariable+"="+faults)
			s.place("5370", 4200, "EUR")
			request := s.sign("stripe", "payment_intent.succeeded", payment("5370"))

			refused := s.post("stripe", request)
			if refused.status != 503 || refused.header.Get("Retry-After") == "" {
				t.Fatalf("answered %d with Retry-After %q", refused.status, refused.header.Get("Retry-After"))
			}
			if again := s.post("stripe", request); again.status != 200 {
				t.Fatalf("the retry was answered %d: %s", again.status, again.body)
			}
			if order := s.awaitOrder("5370", isPaid); paidSteps(order) != 1 {
				t.Errorf("order became paid %d times", paidSteps(order))
			}
		})
	}
}

func TestADecisionThatFailsOnceIsTakenAgain(t *testing.T) {
	t.Parallel()
	for name, faults := range map[string]string{
		"rolled back":            "decide 2 before error",
		"the commit's word lost": "decide 2 after error",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openShop(t, faultsVariable+"="+faults)
			s.place("5240", 4200, "EUR")

			s.send("stripe", "payment_intent.succeeded", payment("5240"))

			if order := s.awaitOrder("5240", isPaid); paidSteps(order) != 1 {
				t.Errorf("order became paid %d times", paidSteps(order))
			}
		})
	}
}

// TestTwentyKillsUnderLoad kills the server in each round after a seeded number of acknowledged payments, while senders
// are busy. Whatever was acknowledged must be there, once, with its effect.
func TestTwentyKillsUnderLoad(t *testing.T) {
	t.Parallel()
	const rounds, senders = 20, 4
	seed := rand.New(rand.NewPCG(2026, 11))
	s := openShop(t)

	var acked sync.Map // order number → event id of its payment
	for round := range rounds {
		s.round(round, senders, 1+seed.IntN(8), &acked)
	}

	count := 0
	acked.Range(func(number, id any) bool {
		count++
		event := s.awaitEvent(id.(string))
		order := s.awaitOrder(number.(string), isPaid)
		if paidSteps(order) != 1 || order.GetPaid().GetMinorUnits() != 4200 {
			t.Errorf("order %s became paid %d times with %d, by event %s",
				number, paidSteps(order), order.GetPaid().GetMinorUnits(), event.GetId())
		}
		return !t.Failed()
	})
	if count < rounds {
		t.Fatalf("only %d payments were acknowledged in %d rounds: there was no load", count, rounds)
	}
	byIdentity := make(map[string]bool)
	for _, event := range s.events() {
		if byIdentity[event.GetEventId()] {
			t.Errorf("identity %s is recorded twice", event.GetEventId())
		}
		byIdentity[event.GetEventId()] = true
	}
}

// round lets senders place orders and pay them until the server is killed, after so many payments, then starts it again.
func (s *shop) round(round, senders, payments int, acked *sync.Map) {
	s.t.Helper()
	ctx, stop := context.WithCancel(s.t.Context())
	defer stop()
	paid := make(chan struct{}, payments)
	var busy sync.WaitGroup
	for sender := range senders {
		busy.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				if !s.placeAndPay(ctx, fmt.Sprintf("%d-%d-%d", round, sender, n), acked) {
					continue
				}
				select {
				case paid <- struct{}{}:
				case <-ctx.Done():
				}
			}
		})
	}
	for range payments {
		<-paid
	}
	if err := s.kill(); err != nil {
		s.t.Error(err)
	}
	stop()
	busy.Wait()
	s.open()
}

// placeAndPay sends an order and its payment, and says whether both were acknowledged. A request that the kill cut off
// tells nothing.
func (s *shop) placeAndPay(ctx context.Context, number string, acked *sync.Map) bool {
	values := payment(number)
	values.OrderID = fmt.Sprint(rand.Uint32())
	values.ID = number
	placed, err := s.tryPost(ctx, "/webhooks/"+testAccount+"/shopify", s.sign("shopify", "orders-create", values))
	if err != nil || placed.status != 200 {
		return false
	}
	paid, err := s.tryPost(ctx, "/webhooks/"+testAccount+"/stripe", s.sign("stripe", "payment_intent.succeeded", values))
	if err != nil || paid.status != 200 {
		return false
	}
	acked.Store(number, paid.eventID)
	return true
}
