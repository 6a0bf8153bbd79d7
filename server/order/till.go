package order

import (
	"fmt"
	"slices"
)

func (p Payment) entry() Entry {
	kind := EntryMovement
	if p.Assertion {
		kind = EntryAssertion
	}
	return Entry{
		Kind: kind, PaymentID: p.PaymentID, State: string(p.State), Amount: p.Amount, CashOnDelivery: p.CashOnDelivery,
	}
}

func (r Refund) entry() Entry {
	return Entry{
		Kind: EntryRefund, PaymentID: r.PaymentID, Ref: r.RefundID, Amount: &r.Amount, RunningTotal: r.RunningTotal,
	}
}

func (t Dispute) entry() Entry {
	return Entry{
		Kind: EntryDispute, PaymentID: t.PaymentID, Ref: t.DisputeID, State: string(t.State), Amount: t.Amount,
	}
}

// book rules a money fact: it is added to the ledger, and the ledger is folded.
func (d *docket) book(m moment, e Entry) Decision {
	o := d.order
	e.FactID, e.At = m.FactID, m.at
	before := d.balance
	decision := m.says(Unchanged, knownAlready)
	decision.From, decision.To = string(before.Status), string(before.Status)
	if slices.ContainsFunc(o.Ledger, func(known Entry) bool { return known.FactID == e.FactID }) {
		return decision
	}

	repeated := slices.ContainsFunc(o.Ledger, e.saysTheSame)
	outdated := slices.ContainsFunc(o.Ledger, func(known Entry) bool { return e.isAbout(known) && known.newerThan(e) })
	o.Ledger = append(o.Ledger, e)
	d.changed = true
	d.balance = o.Balance()
	after := d.balance
	decision.To = string(after.Status)
	switch {
	case after.foreign(e.FactID):
		decision.To, decision.Outcome = e.State, Illegal
		decision.Reason = fmt.Sprintf("%s does not count: the order is in %s", e.Amount, after.Currency)
		d.flagBalance(after)
	case after.differs(before):
		decision.Outcome, decision.Reason = Applied, e.words(after)
		d.moneyCause = m
		d.moves(m)
	case repeated:
		decision.Reason = saidBefore
	case outdated:
		decision.Outcome, decision.Reason = Stale, "older than what is known"
	case d.falls(e):
		decision.Outcome, decision.Reason = Stale, "the payment is paid and stays so"
	default:
		decision.Reason = "known already: the money is " + string(after.Status)
	}
	return decision
}

// falls says whether an entry says less of a payment than that it is paid, which it is.
func (d *docket) falls(e Entry) bool {
	return e.Kind == EntryMovement && !isPaid(e) && slices.ContainsFunc(d.order.Ledger, func(known Entry) bool {
		return known.isAbout(e) && isPaid(known)
	})
}

// words say what an entry did.
func (e Entry) words(after Balance) string {
	amount := ""
	if e.Amount != nil {
		amount = ": " + e.Amount.String()
	}
	switch e.Kind {
	case EntryRefund:
		return "refunded" + amount
	case EntryDispute:
		return "dispute " + e.State + amount
	case EntryMovement, EntryAssertion:
	}
	return "the money is " + string(after.Status) + amount
}

// saysTheSame says whether two entries differ in their origin only.
func (e Entry) saysTheSame(other Entry) bool {
	return e.Kind == other.Kind && e.PaymentID == other.PaymentID && e.Ref == other.Ref && e.State == other.State &&
		sameMoney(e.Amount, other.Amount) && e.RunningTotal == other.RunningTotal && e.At.Equal(other.At)
}

// isAbout says whether two entries are about one thing, of which the newer counts.
func (e Entry) isAbout(other Entry) bool {
	if e.Kind != other.Kind {
		return false
	}
	switch e.Kind {
	case EntryAssertion:
		return true
	case EntryMovement:
		return e.PaymentID == other.PaymentID
	case EntryRefund:
		if e.RunningTotal || other.RunningTotal {
			return e.RunningTotal == other.RunningTotal && e.PaymentID == other.PaymentID
		}
	case EntryDispute:
	}
	return refKey(e) == refKey(other)
}

// differs says whether money moved between two balances.
func (b Balance) differs(other Balance) bool {
	return b.Status != other.Status || b.Taken != other.Taken || b.Refunded != other.Refunded ||
		b.Covered != other.Covered
}

// foreign says whether an entry does not count, for it is in another currency than the order.
func (b Balance) foreign(id FactID) bool {
	return slices.ContainsFunc(slices.Concat(b.Foreign, b.ForeignRefunds), func(reports []Entry) bool {
		return slices.ContainsFunc(reports, func(e Entry) bool {
			return e.FactID == id && e.Amount != nil && e.Amount.Currency != b.Currency
		})
	})
}

// closeMoney moves the order's payment status to where its ledger says, and flags what a person must see.
func (d *docket) closeMoney() {
	d.balance = d.order.Balance()
	b, before := d.balance, d.before.balance
	d.order.Payment = b.Status
	if b.Status != d.before.payment {
		d.step(StepPaymentStatus, d.moneyMoment(), Step{From: string(d.before.payment), To: string(b.Status)})
	}

	d.flagBalance(b)
	if b.Excess > before.Excess {
		excess := Money{Currency: b.Currency, MinorUnits: b.Excess}
		d.flag(AttentionOverpaid, excess.String()+" more than the order costs", d.event.ID)
	}
	if b.Taken > 0 && b.Refunded > b.Taken && b.Refunded > before.Refunded {
		excess := Money{Currency: b.Currency, MinorUnits: b.Refunded - b.Taken}
		d.flag(AttentionRefundedMoreThanPaid, excess.String()+" more than was taken", d.event.ID)
	}
}

// flagBalance flags the payments, refunds and disputes that a person must see.
func (d *docket) flagBalance(b Balance) {
	foreign := func(e Entry) bool { return e.Amount != nil && e.Amount.Currency != b.Currency }
	for _, reports := range b.Foreign {
		d.flagReports(AttentionPaidInAnotherCurrency, "the order is in "+b.Currency, only(reports, foreign))
	}
	for _, reports := range b.ForeignRefunds {
		d.flagReports(AttentionRefundedInAnotherCurrency, "the order is in "+b.Currency, only(reports, foreign))
	}
	open := func(e Entry) bool { return e.State == string(DisputeOpen) }
	for _, reports := range b.Disputes {
		d.flagReports(AttentionDisputed, "the bank waits for an answer", only(reports, open))
	}
}

func only(reports []Entry, wanted func(Entry) bool) []Entry {
	return slices.DeleteFunc(slices.Clone(reports), func(e Entry) bool { return !wanted(e) })
}

// moneyMoment is when the money moved.
func (d *docket) moneyMoment() moment {
	if d.moneyCause == (moment{}) {
		return d.cause
	}
	return d.moneyCause
}

// flagReports flags a payment, refund or dispute once, however many reports there are of it.
func (d *docket) flagReports(reason, detail string, reports []Entry) {
	for _, a := range d.order.Attention {
		if a.Reason == reason && slices.ContainsFunc(reports, func(e Entry) bool { return e.EventID == a.EventID }) {
			return
		}
	}
	latest := reports[len(reports)-1]
	if latest.Amount != nil {
		detail = latest.Amount.String() + ": " + detail
	}
	d.flag(reason, detail, latest.EventID)
}

// watchCancelled flags money that came in for a cancelled order: when the cancellation was shown already, or at or after
// the time of the cancellation.
func (d *docket) watchCancelled() {
	b := d.balance
	if d.order.Status != Cancelled || b.Paid() == nil {
		return
	}
	detail := b.Paid().String() + " was taken for a cancelled order"
	if d.before.status == Cancelled {
		if b.Taken > d.before.balance.Taken {
			d.flag(AttentionPaidAfterCancellation, detail, d.event.ID)
		}
		return
	}
	late := slices.ContainsFunc(d.order.Ledger, func(e Entry) bool {
		return e.Kind == EntryMovement && isPaid(e) && !e.At.Before(d.order.Cancellation.At)
	})
	if late {
		d.flag(AttentionPaidAfterCancellation, detail, d.event.ID)
	}
}
