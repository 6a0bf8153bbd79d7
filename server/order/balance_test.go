package order_test

import (
	"math"
	"testing"

	"github.com/waybillhq/waybill/server/order"
)

// entries make ledgers readable: what was said, and when.
func entry(kind order.EntryKind, payment, ref, state string, amount *order.Money, at int) order.Entry {
	id := string(kind) + payment + ref + state + minute(at).String()
	if amount != nil {
		id += amount.String()
	}
	return order.Entry{
		FactID: order.FactID{EventID: id, Identity: id, Provider: "stripe"},
		Kind:   kind, PaymentID: payment, Ref: ref, State: state, Amount: amount, At: minute(at),
	}
}

func movement(payment string, state order.PaymentState, amount *order.Money, at int) order.Entry {
	return entry(order.EntryMovement, payment, "", string(state), amount, at)
}

func assertion(state order.PaymentState, amount *order.Money, at int) order.Entry {
	return entry(order.EntryAssertion, "order:77", "", string(state), amount, at)
}

func refundStep(payment, ref string, amount *order.Money, at int) order.Entry {
	return entry(order.EntryRefund, payment, ref, "", amount, at)
}

func refundTotal(payment string, amount *order.Money, at int) order.Entry {
	e := entry(order.EntryRefund, payment, "", "", amount, at)
	e.RunningTotal = true
	return e
}

func dispute(ref, payment string, state order.DisputeState, amount *order.Money, at int) order.Entry {
	return entry(order.EntryDispute, payment, ref, string(state), amount, at)
}

func money(currency string, units int64) *order.Money {
	return &order.Money{Currency: currency, MinorUnits: units}
}

const (
	pending    = order.StatePaymentPending
	authorized = order.StatePaymentAuthorized
	paid       = order.StatePaymentPaid
	failed     = order.StatePaymentFailed
	voided     = order.StatePaymentVoided
)

func TestMoneyStandsWhereItsLedgerSays(t *testing.T) {
	t.Parallel()
	tests := []struct {
		rule     string
		total    *order.Money
		ledger   []order.Entry
		want     order.PaymentStatus
		taken    int64
		refunded int64
	}{
		{"nothing said is pending", eur(4200), nil, order.PaymentPending, 0, 0},
		{"a payment that covers the total pays", eur(4200), []order.Entry{
			movement("pi", paid, eur(4200), 1),
		}, order.PaymentPaid, 4200, 0},
		{"one payment reported by three types counts once", eur(4200), []order.Entry{
			movement("pi", paid, eur(4200), 1), movement("pi", paid, eur(4200), 2), movement("pi", paid, eur(4200), 3),
		}, order.PaymentPaid, 4200, 0},
		{"two payments add up", eur(4200), []order.Entry{
			movement("pi1", paid, eur(2000), 1), movement("pi2", paid, eur(2200), 2),
		}, order.PaymentPaid, 4200, 0},
		{"less than the total is partially paid", eur(4200), []order.Entry{
			movement("pi", paid, eur(4199), 1),
		}, order.PaymentPartiallyPaid, 4199, 0},
		{"a payment's newest amount is its whole amount", eur(4200), []order.Entry{
			movement("pi", paid, eur(2000), 1), movement("pi", paid, eur(4200), 2),
		}, order.PaymentPaid, 4200, 0},
		{"more than the total is paid", eur(4200), []order.Entry{
			movement("pi", paid, eur(5000), 1),
		}, order.PaymentPaid, 5000, 0},
		{"failed, then succeeded under the same reference", eur(4200), []order.Entry{
			movement("pi", failed, eur(4200), 1), movement("pi", paid, eur(4200), 2),
		}, order.PaymentPaid, 4200, 0},
		{"paid stays paid, whatever is reported later", eur(4200), []order.Entry{
			movement("pi", paid, eur(4200), 1), movement("pi", failed, nil, 2),
			movement("pi", pending, nil, 3), movement("pi", voided, nil, 4),
		}, order.PaymentPaid, 4200, 0},
		{"authorized is not taken", eur(4200), []order.Entry{
			movement("pi", pending, nil, 1), movement("pi", authorized, eur(4200), 2),
		}, order.PaymentAuthorized, 0, 0},
		{"an authorization stands beside another attempt that failed", eur(4200), []order.Entry{
			movement("pi1", authorized, eur(4200), 1), movement("pi2", failed, nil, 2),
		}, order.PaymentAuthorized, 0, 0},
		{"an authorization that was given up is void", eur(4200), []order.Entry{
			movement("pi", authorized, eur(4200), 1), movement("pi", voided, nil, 2),
		}, order.PaymentVoided, 0, 0},
		{"the last attempt failed", eur(4200), []order.Entry{
			movement("pi1", pending, nil, 1), movement("pi2", failed, nil, 2),
		}, order.PaymentFailed, 0, 0},
		{"a new attempt is pending", eur(4200), []order.Entry{
			movement("pi1", failed, nil, 1), movement("pi2", pending, nil, 2),
		}, order.PaymentPending, 0, 0},
		{"within one second a retry comes after the refusal", eur(4200), []order.Entry{
			movement("pi", failed, nil, 1), movement("pi", authorized, eur(4200), 1),
		}, order.PaymentAuthorized, 0, 0},
		{"another currency does not pay", eur(4200), []order.Entry{
			movement("pi", paid, money("VND", 4200), 1),
		}, order.PaymentPending, 0, 0},
		{"nor does its authorization count", eur(4200), []order.Entry{
			movement("pi", authorized, money("VND", 4200), 1),
		}, order.PaymentPending, 0, 0},
		{"500 yen are 500 yen", money("JPY", 500), []order.Entry{
			movement("pi", paid, money("JPY", 500), 1),
		}, order.PaymentPaid, 500, 0},
		{"a negative amount takes nothing away", eur(4200), []order.Entry{
			movement("pi1", paid, eur(4200), 1), movement("pi2", paid, eur(-4200), 2),
		}, order.PaymentPaid, 4200, 0},
		{"amounts that together don't fit stay at the largest", eur(4200), []order.Entry{
			movement("pi1", paid, eur(math.MaxInt64), 1), movement("pi2", paid, eur(math.MaxInt64), 2),
		}, order.PaymentPaid, math.MaxInt64, 0},
		{"an order that costs nothing is paid", eur(0), nil, order.PaymentPaid, 0, 0},

		{"an assertion pays where nothing moved", eur(4200), []order.Entry{
			assertion(paid, nil, 1),
		}, order.PaymentPaid, 4200, 0},
		{"assertion and movement are never added", eur(4200), []order.Entry{
			assertion(paid, eur(4200), 1), movement("pi", paid, eur(4200), 2),
		}, order.PaymentPaid, 4200, 0},
		{"where money moved the movements decide", eur(4200), []order.Entry{
			assertion(paid, eur(4200), 1), movement("pi", paid, eur(1000), 2),
		}, order.PaymentPartiallyPaid, 1000, 0},
		{"the newest assertion counts", eur(4200), []order.Entry{
			assertion(paid, nil, 2), assertion(pending, nil, 1),
		}, order.PaymentPaid, 4200, 0},
		{"and takes back an older one", eur(4200), []order.Entry{
			assertion(paid, nil, 1), assertion(voided, nil, 2),
		}, order.PaymentVoided, 0, 0},
		{"an assertion of part of the total is part", eur(4200), []order.Entry{
			assertion(paid, eur(1000), 1),
		}, order.PaymentPartiallyPaid, 1000, 0},
		{"an assertion in another currency does not pay", eur(4200), []order.Entry{
			assertion(paid, money("USD", 4200), 1),
		}, order.PaymentPending, 0, 0},
		{"what a payment provider says goes before an assertion", eur(4200), []order.Entry{
			assertion(pending, nil, 2), movement("pi", failed, nil, 1),
		}, order.PaymentFailed, 0, 0},
		{"an attempt that failed leaves an assertion standing", eur(4200), []order.Entry{
			assertion(paid, nil, 1), movement("pi", failed, nil, 2),
		}, order.PaymentPaid, 4200, 0},
		{"a movement of nothing has not moved", eur(4200), []order.Entry{
			assertion(paid, nil, 1), movement("cod:DA1", paid, eur(0), 2),
		}, order.PaymentPaid, 4200, 0},

		{"of an unknown total money that was taken is a part", nil, []order.Entry{
			movement("pi", paid, eur(4200), 1),
		}, order.PaymentPartiallyPaid, 4200, 0},
		{"of an unknown total an assertion is believed", nil, []order.Entry{
			assertion(paid, nil, 1),
		}, order.PaymentPaid, 0, 0},

		{"a running total is the newest, not a sum", eur(4200), []order.Entry{
			movement("pi", paid, eur(4200), 0), refundTotal("pi", eur(1000), 1), refundTotal("pi", eur(2500), 2),
		}, order.PaymentPartiallyRefunded, 4200, 2500},
		{"within one second the larger running total is the newer", eur(4200), []order.Entry{
			movement("pi", paid, eur(4200), 0), refundTotal("pi", eur(1000), 1), refundTotal("pi", eur(2500), 1),
		}, order.PaymentPartiallyRefunded, 4200, 2500},
		{"a running total that covers what was taken refunds it", eur(4200), []order.Entry{
			movement("pi", paid, eur(4200), 0), refundTotal("pi", eur(4200), 1),
		}, order.PaymentRefunded, 4200, 4200},
		{"steps are summed by their ids", eur(4200), []order.Entry{
			assertion(paid, nil, 0), refundStep("", "r1", eur(1000), 1), refundStep("", "r2", eur(1500), 2),
		}, order.PaymentPartiallyRefunded, 4200, 2500},
		{"one refund named twice counts once", eur(4200), []order.Entry{
			movement("pi", paid, eur(4200), 0), refundStep("", "r1", eur(1000), 1), refundStep("pi", "r1", eur(1000), 2),
		}, order.PaymentPartiallyRefunded, 4200, 1000},
		{"our refund and the running total about it are one", eur(4200), []order.Entry{
			movement("pi", paid, eur(4200), 0), refundStep("pi", "rf-1", eur(1000), 2), refundTotal("pi", eur(1000), 1),
		}, order.PaymentPartiallyRefunded, 4200, 1000},
		{"a platform's steps and a provider's running total are one", eur(4200), []order.Entry{
			movement("pi", paid, eur(4200), 0), refundStep("", "r1", eur(1000), 2), refundTotal("pi", eur(1000), 1),
		}, order.PaymentPartiallyRefunded, 4200, 1000},
		{"running totals of two payments add up", eur(4200), []order.Entry{
			movement("pi1", paid, eur(2000), 0), movement("pi2", paid, eur(2200), 0),
			refundTotal("pi1", eur(500), 1), refundTotal("pi2", eur(700), 2),
		}, order.PaymentPartiallyRefunded, 4200, 1200},
		{"a refund can come in before its payment", eur(4200), []order.Entry{
			refundTotal("pi", eur(1000), 1),
		}, order.PaymentPartiallyRefunded, 0, 1000},
		{"a refund of all of it likewise", eur(4200), []order.Entry{
			refundTotal("pi", eur(4200), 1),
		}, order.PaymentRefunded, 0, 4200},
		{"a refund in another currency does not count", eur(4200), []order.Entry{
			movement("pi", paid, eur(4200), 0), refundTotal("pi", money("VND", 1000), 1),
		}, order.PaymentPaid, 4200, 0},
		{"a refund that was taken back", eur(4200), []order.Entry{
			movement("pi", paid, eur(4200), 0), refundTotal("pi", eur(1000), 1), refundTotal("pi", eur(0), 2),
		}, order.PaymentPaid, 4200, 0},

		{"an open dispute", eur(4200), []order.Entry{
			movement("pi", paid, eur(4200), 0), dispute("dp", "pi", order.DisputeOpen, eur(4200), 1),
		}, order.PaymentDisputed, 4200, 0},
		{"an open dispute of a payment that nobody reported yet", eur(4200), []order.Entry{
			dispute("dp", "pi", order.DisputeOpen, eur(4200), 1),
		}, order.PaymentDisputed, 0, 0},
		{"a dispute that was won", eur(4200), []order.Entry{
			movement("pi", paid, eur(4200), 0), dispute("dp", "pi", order.DisputeOpen, eur(4200), 1),
			dispute("dp", "pi", order.DisputeWon, eur(4200), 2),
		}, order.PaymentPaid, 4200, 0},
		{"a dispute that was lost", eur(4200), []order.Entry{
			movement("pi", paid, eur(4200), 0), dispute("dp", "pi", order.DisputeOpen, eur(4200), 1),
			dispute("dp", "pi", order.DisputeLost, nil, 2),
		}, order.PaymentRefunded, 4200, 4200},
		{"a dispute lost about a part", eur(4200), []order.Entry{
			movement("pi", paid, eur(4200), 0), dispute("dp", "pi", order.DisputeLost, eur(1200), 2),
		}, order.PaymentPartiallyRefunded, 4200, 1200},
		{"a dispute lost without an amount is about its payment", eur(4200), []order.Entry{
			movement("pi1", paid, eur(2000), 0), movement("pi2", paid, eur(2200), 0),
			dispute("dp", "pi1", order.DisputeLost, nil, 2),
		}, order.PaymentPartiallyRefunded, 4200, 2000},
		{"one of two disputes is still open", eur(4200), []order.Entry{
			movement("pi", paid, eur(4200), 0), dispute("dp1", "pi", order.DisputeWon, nil, 2),
			dispute("dp2", "pi", order.DisputeOpen, nil, 1),
		}, order.PaymentDisputed, 4200, 0},

		{"of cash on delivery the newest word counts", eur(4200), []order.Entry{
			movement("cod:DA1", paid, eur(4000), 1), movement("cod:DA1", paid, eur(4200), 2),
		}, order.PaymentPaid, 4200, 0},
		{"cash for two parcels adds up", eur(4200), []order.Entry{
			movement("cod:DA1", paid, eur(2000), 1), movement("cod:DA2", paid, eur(2200), 2),
		}, order.PaymentPaid, 4200, 0},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			t.Parallel()
			for _, ledger := range permutations(test.ledger) {
				got := order.BalanceOf(test.total, ledger)
				if got.Status != test.want || got.Taken != test.taken || got.Refunded != test.refunded {
					t.Errorf("%s, taken %d, refunded %d", got.Status, got.Taken, got.Refunded)
				}
			}
		})
	}
}

func TestDuplicatesOfMoneyNeverCountTwice(t *testing.T) {
	t.Parallel()
	ledger := []order.Entry{
		movement("pi1", paid, eur(2000), 1), movement("pi2", paid, eur(2200), 2), refundStep("pi1", "r1", eur(300), 3),
		refundTotal("pi2", eur(700), 4), dispute("dp", "pi1", order.DisputeLost, eur(100), 5),
	}
	want := order.BalanceOf(eur(4200), ledger)
	for i, e := range ledger {
		e.EventID, e.Identity = e.EventID+" again", e.Identity+" again"
		got := order.BalanceOf(eur(4200), append([]order.Entry{e}, ledger...))
		if got.Status != want.Status || got.Taken != want.Taken || got.Refunded != want.Refunded {
			t.Errorf("entry %d twice: %+v, once: %+v", i, got, want)
		}
	}
}

func TestWhatWasPaidIsWhatWasTakenAndNotGivenBack(t *testing.T) {
	t.Parallel()
	balance := order.BalanceOf(eur(4200), []order.Entry{
		movement("pi", paid, eur(4200), 1), refundTotal("pi", eur(1000), 2),
	})
	if got := balance.Paid(); got == nil || *got != *eur(3200) {
		t.Errorf("paid %v", got)
	}
	if got := order.BalanceOf(eur(4200), nil).Paid(); got != nil {
		t.Errorf("of nothing, paid %v", got)
	}
}

func TestExcessAndForeignMoneyAreTold(t *testing.T) {
	t.Parallel()
	balance := order.BalanceOf(eur(4200), []order.Entry{
		movement("pi1", paid, eur(5000), 1), movement("pi2", paid, money("VND", 4200), 2),
		refundStep("pi1", "r1", money("USD", 5), 3), dispute("dp", "pi1", order.DisputeOpen, nil, 4),
	})
	if balance.Excess != 800 || len(balance.Foreign) != 1 || len(balance.ForeignRefunds) != 1 || len(balance.Disputes) != 1 {
		t.Errorf("%+v", balance)
	}
	if balance.Foreign[0][0].PaymentID != "pi2" || balance.Currency != "EUR" || !balance.Covered {
		t.Errorf("%+v", balance)
	}
}
