package order

import (
	"math"
	"strconv"
)

// Balance is where an order's money stands: a fold over its ledger.
type Balance struct {
	Status PaymentStatus
	// Currency is the order's. While the order's total is unknown it is that of the first money.
	Currency string
	// Taken is all that was taken, or what was asserted where nothing moved.
	Taken int64
	// Refunded is all that went back, lost disputes included.
	Refunded int64
	// Covered says that the total, or more, was taken, or asserted.
	Covered bool
	// Excess is what was taken beyond the total.
	Excess int64
	// Foreign are payments in another currency than the order's, ForeignRefunds refunds: none of them counts. Each
	// is all the entries about one payment or refund.
	Foreign, ForeignRefunds [][]Entry
	// Disputes are those that are open: each is all the entries about one.
	Disputes [][]Entry
}

// Paid is what was taken and not given back. Nil: nothing was.
func (b Balance) Paid() *Money {
	if b.Taken <= b.Refunded {
		return nil
	}
	return &Money{Currency: b.Currency, MinorUnits: b.Taken - b.Refunded}
}

// Balance folds the order's ledger.
func (o *Order) Balance() Balance {
	var total *Money
	if o.Placement != nil {
		total = o.Placement.Total
	}
	return BalanceOf(total, o.Ledger)
}

// BalanceOf folds a ledger against an order's total, nil while nobody knows it. It depends on the set of the entries
// alone. What moved and what a platform asserts are never added: an order is paid when movements cover its total, or
// when it is asserted and nothing moved. Nor are the steps and the running totals of refunds: they are two accounts of
// the same money, and the larger counts. While the total is unknown, money that was taken makes an order partially paid.
func BalanceOf(total *Money, ledger []Entry) Balance {
	b := book{total: total, payments: group(ledger, EntryMovement, paymentKey), assertions: ofKind(ledger, EntryAssertion)}
	b.assertion = newestEntry(b.assertions, anyEntry)
	b.refunds = refundsOf(ledger)
	b.disputes = group(ledger, EntryDispute, refKey)
	b.balance.Currency = b.currency(ledger)

	b.take()
	b.giveBack()
	b.balance.Status = b.status()
	return b.balance
}

// book is a ledger, sorted for folding.
type book struct {
	total    *Money
	payments [][]Entry
	// assertions are all of them, assertion the newest, which counts.
	assertions []Entry
	assertion  *Entry
	refunds    []refund
	disputes   [][]Entry
	balance    Balance
}

// currency is the order's currency, or that of the first money.
func (b *book) currency(ledger []Entry) string {
	if b.total != nil {
		return b.total.Currency
	}
	var first *Entry
	for i := range ledger {
		if ledger[i].Amount == nil || (first != nil && !ledger[i].olderThan(*first)) {
			continue
		}
		first = &ledger[i]
	}
	if first == nil {
		return ""
	}
	return first.Amount.Currency
}

// counts says whether an amount is in the order's currency.
func (b *book) counts(amount *Money) bool {
	return amount == nil || amount.Currency == b.balance.Currency
}

// take adds up what was taken.
func (b *book) take() {
	moved := false
	for _, reports := range b.payments {
		amount := takenBy(reports)
		moved = moved || units(amount) > 0
		if b.counts(amount) {
			b.balance.Taken = add(b.balance.Taken, units(amount))
		}
		b.noteForeign(reports)
	}
	b.balance.Covered = b.total != nil && b.balance.Taken >= b.total.MinorUnits
	if b.assertion != nil && !b.counts(b.assertion.Amount) {
		b.noteForeign(b.assertions)
	}
	if !moved && b.assertion != nil && isPaid(*b.assertion) && b.counts(b.assertion.Amount) {
		b.believe(b.assertion.Amount)
	}
	if b.balance.Covered && b.total != nil {
		b.balance.Excess = max(0, b.balance.Taken-max(0, b.total.MinorUnits))
	}
}

// believe takes a platform's word that an order is paid: the amount it names, or else the total.
func (b *book) believe(amount *Money) {
	switch {
	case amount != nil:
		b.balance.Taken = units(amount)
		b.balance.Covered = b.total == nil || b.balance.Taken >= b.total.MinorUnits
	case b.total != nil:
		b.balance.Taken = units(b.total)
		b.balance.Covered = true
	default:
		b.balance.Covered = true
	}
}

func (b *book) noteForeign(reports []Entry) {
	if b.total == nil {
		return
	}
	foreign := newestEntry(reports, func(e Entry) bool {
		return !b.counts(e.Amount) && (isPaid(e) || e.State == string(StatePaymentAuthorized))
	})
	if foreign != nil {
		b.balance.Foreign = append(b.balance.Foreign, reports)
	}
}

// giveBack adds up what went back: refunds, and the amounts of lost disputes.
func (b *book) giveBack() {
	moved, asserted := b.refunded()
	b.balance.Refunded = max(moved, asserted)
	for _, reports := range b.disputes {
		switch newest := newestEntry(reports, anyEntry); DisputeState(newest.State) {
		case DisputeLost:
			b.balance.Refunded = add(b.balance.Refunded, b.lost(reports))
		case DisputeOpen:
			b.balance.Disputes = append(b.balance.Disputes, reports)
		case DisputeWon:
		}
	}
}

// lost is the amount of a lost dispute. Where nobody said it, it is the payment, or all that was taken.
func (b *book) lost(reports []Entry) int64 {
	said := newestEntry(reports, func(e Entry) bool { return e.Amount != nil })
	if said != nil && b.counts(said.Amount) {
		return units(said.Amount)
	}
	if said != nil {
		b.noteForeignRefund(reports)
		return 0
	}
	disputed := paymentOf(reports)
	for _, payment := range b.payments {
		if amount := takenBy(payment); payment[0].PaymentID == disputed && b.counts(amount) {
			return units(amount)
		}
	}
	return b.balance.Taken
}

func (b *book) status() PaymentStatus {
	switch {
	case len(b.balance.Disputes) > 0:
		return PaymentDisputed
	case b.balance.Refunded > 0 && b.wholly():
		return PaymentRefunded
	case b.balance.Refunded > 0:
		return PaymentPartiallyRefunded
	case b.balance.Covered:
		return PaymentPaid
	case b.balance.Taken > 0:
		return PaymentPartiallyPaid
	}
	return b.unpaid()
}

// wholly says whether all that was taken went back. A refund can come in before its payment; then it is the total that
// must have been taken.
func (b *book) wholly() bool {
	taken := b.balance.Taken
	if taken == 0 && b.total != nil {
		taken = b.total.MinorUnits
	}
	return taken > 0 && b.balance.Refunded >= taken
}

// unpaid is where money stands of which nothing was taken. What a payment provider reports goes before what a platform
// asserts, and an authorization before newer attempts that came to nothing.
func (b *book) unpaid() PaymentStatus {
	var newest *Entry
	for _, reports := range b.payments {
		if newestEntry(reports, isPaid) != nil {
			continue
		}
		report := newestEntry(reports, anyEntry)
		if report.State == string(StatePaymentAuthorized) && b.counts(report.Amount) {
			return PaymentAuthorized
		}
		if newest == nil || report.newerThan(*newest) {
			newest = report
		}
	}
	if newest == nil {
		newest = b.assertion
	}
	if newest == nil || isPaid(*newest) || !b.counts(newest.Amount) {
		return PaymentPending
	}
	return PaymentStatus(newest.State)
}

// takenBy is what a payment took: its newest report of being paid that names an amount. A payment that is paid stays
// so, whatever else is reported of it. Nil: nothing was taken.
func takenBy(reports []Entry) *Money {
	paid := newestEntry(reports, func(e Entry) bool { return isPaid(e) && e.Amount != nil })
	if paid == nil {
		return nil
	}
	return paid.Amount
}

// units are the minor units of an amount that can't be negative.
func units(amount *Money) int64 {
	if amount == nil {
		return 0
	}
	return max(0, amount.MinorUnits)
}

// add adds amounts that are not negative, and stops at the largest.
func add(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func paymentKey(e Entry) string { return e.PaymentID }

// refKey is what tells one refund or dispute from another: its own id, whoever names it. One without an id is only what
// its event says.
func refKey(e Entry) string {
	if e.Ref == "" {
		return "\x00" + e.Provider + "\x00" + e.Identity + "\x00" + strconv.Itoa(e.ChangeIndex)
	}
	return e.Ref
}
