package order

// refund is all that is known of the refunds of one payment, or of the order as a whole.
type refund struct {
	paymentID string
	// totals are the running totals, steps the single refunds, each with all that was said about it.
	totals []Entry
	steps  [][]Entry
}

// refundsOf sorts a ledger's refunds by payment. A refund that is named twice, once with its payment and once without,
// belongs to the payment.
func refundsOf(ledger []Entry) []refund {
	var refunds []refund
	at := make(map[string]int)
	of := func(paymentID string) *refund {
		if _, known := at[paymentID]; !known {
			at[paymentID] = len(refunds)
			refunds = append(refunds, refund{paymentID: paymentID})
		}
		return &refunds[at[paymentID]]
	}

	var steps []Entry
	for _, e := range ofKind(ledger, EntryRefund) {
		if e.RunningTotal {
			r := of(e.PaymentID)
			r.totals = append(r.totals, e)
			continue
		}
		steps = append(steps, e)
	}
	for _, reports := range group(steps, EntryRefund, refKey) {
		r := of(paymentOf(reports))
		r.steps = append(r.steps, reports)
	}
	return refunds
}

// paymentOf is the payment that the reports of a refund or dispute name, the newest word first.
func paymentOf(reports []Entry) string {
	named := newestEntry(reports, func(e Entry) bool { return e.PaymentID != "" })
	if named == nil {
		return ""
	}
	return named.PaymentID
}

// refunded is what went back by the word of payment providers, and by that of platforms. They are two accounts of the
// same money: the one names payments that moved or running totals, the other the order as a whole.
func (b *book) refunded() (moved, asserted int64) {
	for _, r := range b.refunds {
		amount := b.refundedOf(r)
		if len(r.totals) > 0 || b.hasMoved(r.paymentID) {
			moved = add(moved, amount)
			continue
		}
		asserted = add(asserted, amount)
	}
	return moved, asserted
}

// refundedOf is what went back of one payment: its newest running total, or the sum of its steps, whichever is more.
func (b *book) refundedOf(r refund) int64 {
	var total, sum int64
	if newest := newestEntry(r.totals, anyEntry); newest != nil {
		total = b.refundUnits(*newest, r.totals)
	}
	for _, reports := range r.steps {
		sum = add(sum, b.refundUnits(*newestEntry(reports, anyEntry), reports))
	}
	return max(total, sum)
}

func (b *book) refundUnits(e Entry, reports []Entry) int64 {
	if b.counts(e.Amount) {
		return units(e.Amount)
	}
	b.noteForeignRefund(reports)
	return 0
}

func (b *book) noteForeignRefund(reports []Entry) {
	if b.total != nil {
		b.balance.ForeignRefunds = append(b.balance.ForeignRefunds, reports)
	}
}

func (b *book) hasMoved(paymentID string) bool {
	for _, reports := range b.payments {
		if reports[0].PaymentID == paymentID {
			return true
		}
	}
	return false
}

func ofKind(ledger []Entry, kind EntryKind) []Entry {
	var kept []Entry
	for _, e := range ledger {
		if e.Kind == kind {
			kept = append(kept, e)
		}
	}
	return kept
}

// group puts the entries of a kind that are about one thing together, in the order of their first.
func group(ledger []Entry, kind EntryKind, key func(Entry) string) [][]Entry {
	var groups [][]Entry
	at := make(map[string]int)
	for _, e := range ofKind(ledger, kind) {
		place, known := at[key(e)]
		if !known {
			place = len(groups)
			at[key(e)] = place
			groups = append(groups, nil)
		}
		groups[place] = append(groups[place], e)
	}
	return groups
}

// newestEntry is the newest of the entries that are wanted. Nil: none is.
func newestEntry(entries []Entry, wanted func(Entry) bool) *Entry {
	var newest *Entry
	for i := range entries {
		if wanted(entries[i]) && (newest == nil || entries[i].newerThan(*newest)) {
			newest = &entries[i]
		}
	}
	return newest
}

func anyEntry(Entry) bool { return true }

func isPaid(e Entry) bool { return e.State == string(StatePaymentPaid) }

// newerThan orders what was said about one thing: by time; at the same time the report that is further on, for
// providers give whole seconds; of running totals the larger; then the smaller identity.
func (e Entry) newerThan(other Entry) bool {
	switch {
	case !e.At.Equal(other.At):
		return e.At.After(other.At)
	case progress(e.State) != progress(other.State):
		return progress(e.State) > progress(other.State)
	case e.RunningTotal && other.RunningTotal && units(e.Amount) != units(other.Amount):
		return units(e.Amount) > units(other.Amount)
	}
	return e.before(other.FactID)
}

func (e Entry) olderThan(other Entry) bool {
	if !e.At.Equal(other.At) {
		return e.At.Before(other.At)
	}
	return e.before(other.FactID)
}

// progress tells reports of the same moment apart: a retry that was authorized comes after the refusal, an end after a
// beginning.
func progress(state string) int {
	switch state {
	case string(StatePaymentFailed):
		return 1
	case string(StatePaymentAuthorized):
		return 2
	case string(StatePaymentVoided), string(DisputeWon), string(DisputeLost):
		return 3
	case string(StatePaymentPaid):
		return 4
	}
	return 0
}
