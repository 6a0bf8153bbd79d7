package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/waybillhq/waybill/server/order"
)

// digestOf is the digest of what an event says: its changes and what it names. Neither the bytes nor the time of the
// whole event are in it, for senders build a body anew for each delivery.
func digestOf(refs, changes []byte) []byte {
	digest := sha256.New()
	digest.Write(refs)
	digest.Write([]byte{'\n'})
	digest.Write(changes)
	return digest.Sum(nil)
}

// moneyDigestOf is the digest of the money in changes, in whatever order: the kind of each amount, its currency and its
// minor units. Names are left out, for a newer translator may read others.
func moneyDigestOf(changes []order.Change) []byte {
	var amounts []string
	for _, c := range changes {
		if kind, amount := moneyOf(c); amount != nil {
			amounts = append(amounts, fmt.Sprintf("%s %s %d\n", kind, amount.Currency, amount.MinorUnits))
		}
	}
	slices.Sort(amounts)
	digest := sha256.Sum256([]byte(strings.Join(amounts, "")))
	return digest[:]
}

func moneyOf(c order.Change) (kind string, amount *order.Money) {
	switch {
	case c.Placed != nil:
		return "total", c.Placed.Total
	case c.Payment != nil:
		return "payment", c.Payment.Amount
	case c.Refund != nil:
		return "refund", &c.Refund.Amount
	case c.Dispute != nil:
		return "dispute", c.Dispute.Amount
	case c.Fact != nil:
		return "fact", c.Fact.Amount
	}
	return "", nil
}

// sameChange says that two readings of a change say the same.
func sameChange(a, b order.Change) bool {
	first, err := json.Marshal(fromChange(&a))
	if err != nil {
		return false
	}
	second, err := json.Marshal(fromChange(&b))
	return err == nil && bytes.Equal(first, second)
}

// settled is an event as it is kept: times as storage keeps them, none later than the receipt.
func settled(e order.Event, now time.Time) order.Event {
	if e.ReceivedAt.IsZero() {
		e.ReceivedAt = now
	}
	e.ReceivedAt = whole(e.ReceivedAt)
	e.OccurredAt = whole(e.OccurredAt)
	switch {
	case e.OccurredAt.IsZero():
		e.OccurredAt, e.Certainty = e.ReceivedAt, order.Missing
	case e.OccurredAt.After(e.ReceivedAt):
		e.OccurredAt, e.Certainty = e.ReceivedAt, order.Future
	case e.Certainty == "":
		e.Certainty = order.Exact
	}
	e.Changes = slices.Clone(e.Changes)
	for i := range e.Changes {
		e.Changes[i].At = whole(e.Changes[i].At)
	}
	return e
}
