package storetest

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/waybillhq/waybill/server/order"
	"github.com/waybillhq/waybill/server/store"
)

var reprocessChecks = []check{
	{"a parked event is decided again, with an audit entry", decidedAgain},
	{"the same request gets the same answer and changes nothing", sameRequest},
	{"the same request made twice at once has one effect", sameRequestAtOnce},
	{"a request id that was used for another request is refused", reusedRequest},
	{"a dry run says what would happen and changes nothing", dryRun},
	{"a finished event is not changed", finishedEvent},
	{"an abandoned event ends, and what was decided stays", abandoned},
	{"a decision that comes to the same adds no revision", sameDecision},
	{"a failed event is decided again", failedAgain},
	{"an undecoded event is read again as the events it holds", undecodedAgain},
	{"events that were known already are not made twice", knownChildren},
	{"what is still undecoded stays parked, with the newer reason", stillUndecoded},
	{"bytes that are gone can't be read again", payloadGone},
	{"a translator that gives up changes nothing", translatorGivesUp},
	{"an unrecognised word is read again by a newer translator", unrecognisedAgain},
	{"a newer reading can't contradict what was decided", contradiction},
	{"a worker that has the event loses it", workerLoses},
	{"a request must say who and why", incompleteRequest},
}

func request(eventID string) store.ReprocessRequest {
	return store.ReprocessRequest{
		Account: shop, EventID: eventID, Operator: "nadia", Reason: "the order exists by now", RequestID: "request-1",
		Resolution: store.Retry,
	}
}

func (b *bench) reprocess(req store.ReprocessRequest) store.Reprocessed {
	b.Helper()
	done, err := b.store.Reprocess(b.ctx, req, lenient)
	if err != nil {
		b.Fatalf("reprocess: %v", err)
	}
	return done
}

// parkedEvent is a payment whose order was unknown when its wait was over. Policies that create unknown orders can
// decide it.
func (b *bench) parkedEvent() string {
	b.Helper()
	b.clock.advance(49 * time.Hour)
	id := b.accept(paid("1", "pay-1", 125000)).Event.ID
	b.settle()
	b.stands(id, order.StateParked, order.Parked)
	return id
}

func creating(string) order.Policy { return order.Policy{CreateUnknown: true} }

func decidedAgain(b *bench) {
	id := b.parkedEvent()

	done, err := b.store.Reprocess(b.ctx, request(id), creating)
	if err != nil {
		b.Fatal(err)
	}

	if done.Before.State != order.StateParked || done.After.State != order.StateCompleted || done.After.Outcome != order.Applied {
		b.Errorf("from %s to %s, %s", done.Before.State, done.After.State, done.After.Outcome)
	}
	audit := done.Audit
	if audit.ID == "" || audit.Operator != "nadia" || audit.Action != "retry" || audit.RequestID != "request-1" ||
		audit.WorkID != id || audit.Reason != "the order exists by now" || !audit.At.Equal(b.clock.Now()) ||
		audit.Before == audit.After || audit.Before == "" {
		b.Errorf("audit: %+v", audit)
	}
	b.stands(id, order.StateCompleted, order.Applied)
	b.wantCount(1, "SELECT count(*) FROM audit_entries")
	b.order(number("1"))
}

func sameRequest(b *bench) {
	id := b.parkedEvent()
	first := b.reprocess(request(id))

	b.unchanged("the same request", func() {
		second, err := b.store.Reprocess(b.ctx, request(id), creating)
		if err != nil || !reflect.DeepEqual(second, first) {
			b.Errorf("the second answer is\n%+v, %v, the first was\n%+v", second, err, first)
		}
	})
	b.unchanged("a dry run under the same id", func() {
		req := request(id)
		req.DryRun = true
		if shown := b.reprocess(req); shown.Audit.ID != "" {
			b.Errorf("a dry run is answered with what was really done: %+v", shown.Audit)
		}
	})
	// And when the event has moved on meanwhile.
	b.accept(placed("1"))
	b.settle()
	if third := b.reprocess(request(id)); !reflect.DeepEqual(third, first) {
		b.Errorf("the third answer is %+v", third)
	}
}

func sameRequestAtOnce(b *bench) {
	id := b.parkedEvent()
	stores := []*store.Store{b.store, b.rival()}
	answers := make([]store.Reprocessed, 8)
	together(len(answers), func(i int) {
		var err error
		if answers[i], err = stores[i%2].Reprocess(b.ctx, request(id), creating); err != nil {
			b.Errorf("request %d: %v", i, err)
		}
	})
	for i, answer := range answers {
		if !reflect.DeepEqual(answer, answers[0]) {
			b.Errorf("answer %d differs", i)
		}
	}
	b.wantCount(1, "SELECT count(*) FROM audit_entries")
	b.wantCount(2, "SELECT count(*) FROM outcomes")
}

func reusedRequest(b *bench) {
	id := b.parkedEvent()
	b.reprocess(request(id))
	for what, change := range map[string]func(r *store.ReprocessRequest){
		"event":      func(r *store.ReprocessRequest) { r.EventID = b.accept(placed("9")).Event.ID },
		"reason":     func(r *store.ReprocessRequest) { r.Reason = "another" },
		"operator":   func(r *store.ReprocessRequest) { r.Operator = "tom" },
		"resolution": func(r *store.ReprocessRequest) { r.Resolution = store.Abandon },
	} {
		req := request(id)
		change(&req)
		if _, err := b.store.Reprocess(b.ctx, req, lenient); !errors.Is(err, store.ErrRequestReused) {
			b.Errorf("another %s under the same id: %v", what, err)
		}
	}
	b.wantCount(1, "SELECT count(*) FROM audit_entries")
}

func dryRun(b *bench) {
	id := b.parkedEvent()
	fresh := undecoded("C1")
	fresh.ReceivedAt = b.clock.Now()
	other := b.accept(fresh).Event.ID
	b.settle()
	for _, req := range []store.ReprocessRequest{request(id), request(other)} {
		req.DryRun = true
		req.Translate = translated(scanned("C1", order.InTransit, 0))
		b.unchanged("a dry run", func() {
			done, err := b.store.Reprocess(b.ctx, req, creating)
			if err != nil {
				b.Fatal(err)
			}
			if done.Before.State != order.StateParked || done.After.State != order.StateCompleted || done.Audit.ID != "" {
				b.Errorf("dry run: from %s to %s, audit %+v", done.Before.State, done.After.State, done.Audit)
			}
			if req.EventID == other && (len(done.Children) != 1 || done.Children[0].State != order.StateWaiting) {
				b.Errorf("children: %+v", done.Children)
			}
		})
	}
	// Its request id is still free.
	req := request(id)
	req.Resolution = store.Abandon
	b.reprocess(req)
}

func finishedEvent(b *bench) {
	id := b.accept(placed("1")).Event.ID
	b.settle()
	for i, resolution := range []store.Resolution{store.Retry, store.Abandon} {
		req := request(id)
		req.RequestID, req.Resolution, req.Translate = fmt.Sprint("request-", i), resolution, translated(placed("1"))
		b.unchanged("reprocessing a finished event", func() {
			done := b.reprocess(req)
			if !reflect.DeepEqual(done.Before, done.After) || done.Audit.ID == "" {
				b.Errorf("answer: %+v", done)
			}
		}, "audit_entries")
	}
	b.wantCount(2, "SELECT count(*) FROM audit_entries")
}

func abandoned(b *bench) {
	e := unrecognised("1", "invoice.odd")
	e.Changes = append(e.Changes, order.Change{IgnoredReason: "nobody needs it"})
	id := b.accept(e).Event.ID
	b.settle()
	b.stands(id, order.StateParked, order.Parked)
	req := request(id)
	req.Resolution = store.Abandon

	done := b.reprocess(req)

	view := b.stands(id, order.StateCompleted, order.Abandoned)
	if view.Decisions[1].Outcome != order.Ignored || view.Decisions[1].Revision != 1 || view.Decisions[0].Revision != 2 {
		b.Errorf("decisions: %+v", view.Decisions)
	}
	if done.After.Outcome != order.Abandoned {
		b.Errorf("after: %+v", done.After)
	}
	b.wantCount(0, "SELECT count(*) FROM pending_items")
	b.wantCount(0, "SELECT count(*) FROM waits")
	b.wantCount(0, "SELECT count(*) FROM payloads WHERE expires_at IS NULL")
}

func sameDecision(b *bench) {
	id := b.parkedEvent()
	before := b.event(id)

	done := b.reprocess(request(id))

	if !reflect.DeepEqual(done.Before.Decisions, done.After.Decisions) || done.After.Decisions[0].Revision != 1 {
		b.Errorf("decisions: %+v, then %+v", done.Before.Decisions, done.After.Decisions)
	}
	if after := b.event(id); !reflect.DeepEqual(after, before) {
		b.Errorf("event: %+v, then %+v", before, after)
	}
	b.wantCount(1, "SELECT count(*) FROM outcomes")
}

func failedAgain(b *bench) {
	id := b.accept(placed("1")).Event.ID
	if err := b.store.Fail(b.ctx, b.claim(1)[0], "for the test"); err != nil {
		b.Fatal(err)
	}
	done := b.reprocess(request(id))
	if done.Before.State != order.StateFailed || done.After.State != order.StateCompleted {
		b.Errorf("from %s to %s", done.Before.State, done.After.State)
	}
	b.order(number("1"))
}

// translated is a translator that reads certain events, and must be given the bytes.
func translated(events ...order.Event) store.TranslateFunc {
	return func(e order.Event) ([]order.Event, string, error) {
		if len(e.Raw.Body) == 0 || e.Raw.ContentType == "" {
			return nil, "", errors.New("no bytes")
		}
		for i := range events {
			events[i].Account, events[i].Provider, events[i].ReceivedAt = "", "", time.Time{}
			events[i].Raw = order.Raw{}
		}
		return events, "2", nil
	}
}

func undecodedAgain(b *bench) {
	b.accept(placed("1"))
	b.accept(announced("1", "C1"))
	id := b.accept(undecoded("C1 C2")).Event.ID
	b.settle()
	b.clock.advance(time.Hour)
	req := request(id)
	one, two := scanned("C1", order.InTransit, 0), scanned("C2", order.InTransit, 0)
	one.Changes[0].At = start.Add(-time.Hour)
	req.Translate = translated(one, two)

	done := b.reprocess(req)

	view := b.stands(id, order.StateCompleted, order.Translated)
	if len(view.ChildIDs) != 2 || len(done.Children) != 2 {
		b.Fatalf("children: %v, %+v", view.ChildIDs, done.Children)
	}
	for _, child := range done.Children {
		if child.Event.ParentID != id || !child.Event.ReceivedAt.Equal(start) || child.Event.Provider != "pathao" ||
			child.Event.TranslatorVersion != "2" {
			b.Errorf("child: %+v", child.Event)
		}
		if got := b.event(child.Event.ID).Event.Raw.Body; string(got) != "C1 C2" {
			b.Errorf("bytes of the child: %q", got)
		}
	}
	b.settle()
	if o := b.order(number("1")); o.Status != order.InTransit {
		b.Errorf("order is %s", o.Status)
	}
	b.wantCount(1, "SELECT count(*) FROM pending_items")
	b.wantCount(1, "SELECT count(*) FROM payloads WHERE body = "+b.database.Bytes("C1 C2"))
}

func knownChildren(b *bench) {
	known := b.accept(scanned("C1", order.InTransit, 0)).Event.ID
	id := b.accept(undecoded("C1")).Event.ID
	b.settle()
	req := request(id)
	req.Translate = translated(scanned("C1", order.InTransit, 0))

	b.reprocess(req)

	b.stands(id, order.StateCompleted, order.Translated)
	if view := b.event(known); len(view.Deliveries) != 2 || view.Event.ParentID != "" {
		b.Errorf("the known event: %+v", view)
	}
	b.wantCount(2, "SELECT count(*) FROM events")
}

func stillUndecoded(b *bench) {
	id := b.accept(undecoded("x")).Event.ID
	b.settle()
	again := undecoded("x")
	again.Changes[0].Undecoded.Problem = "the event word is a number"
	req := request(id)
	req.Translate = translated(again)

	done := b.reprocess(req)

	view := b.stands(id, order.StateParked, order.Parked)
	if len(view.ChildIDs) != 0 || view.Reason != "undecoded: the event word is a number" || done.After.Reason != view.Reason {
		b.Errorf("reason: %q, children %v", view.Reason, view.ChildIDs)
	}
	b.wantCount(1, "SELECT count(*) FROM payloads WHERE expires_at IS NULL")
}

func payloadGone(b *bench) {
	id := b.accept(undecoded("x")).Event.ID
	bare := undecoded("y")
	bare.Raw.Body = nil
	without := b.accept(bare).Event.ID
	b.settle()
	if _, err := b.database.SQL.ExecContext(b.ctx, "DELETE FROM payloads"); err != nil {
		b.Fatal(err)
	}
	req := request(id)
	req.Translate = translated(placed("1"))
	b.unchanged("reprocessing without bytes", func() {
		if _, err := b.store.Reprocess(b.ctx, req, lenient); !errors.Is(err, store.ErrPayloadGone) {
			b.Errorf("bytes gone: %v", err)
		}
		req.EventID = without
		_, err := b.store.Reprocess(b.ctx, req, lenient)
		if !errors.Is(err, store.ErrPrecondition) || errors.Is(err, store.ErrPayloadGone) {
			b.Errorf("never any bytes: %v", err)
		}
	})
}

func translatorGivesUp(b *bench) {
	id := b.accept(undecoded("x")).Event.ID
	b.settle()
	for what, translate := range map[string]store.TranslateFunc{
		"an error": func(order.Event) ([]order.Event, string, error) { return nil, "", errors.New("no such provider") },
		"nothing":  func(order.Event) ([]order.Event, string, error) { return nil, "2", nil },
	} {
		req := request(id)
		req.Translate = translate
		b.unchanged(what, func() {
			if _, err := b.store.Reprocess(b.ctx, req, lenient); !errors.Is(err, store.ErrPrecondition) {
				b.Errorf("%s: %v", what, err)
			}
		})
	}
}

func unrecognisedAgain(b *bench) {
	b.accept(placed("1"))
	first := unrecognised("1", "payment.settled")
	id := b.accept(first).Event.ID
	b.settle()
	b.stands(id, order.StateParked, order.Parked)
	read := first
	read.Changes = paid("1", "pay-1", 125000).Changes
	req := request(id)
	req.Translate = translated(read)

	done := b.reprocess(req)

	view := b.stands(id, order.StateCompleted, order.Applied)
	if view.Event.Changes[0].Payment == nil || view.Event.TranslatorVersion != "2" || len(view.ChildIDs) != 0 {
		b.Errorf("event: %+v", view.Event)
	}
	if done.Before.Event.Changes[0].Unrecognised == nil || done.After.Event.Changes[0].Payment == nil {
		b.Errorf("before %+v, after %+v", done.Before.Event.Changes, done.After.Event.Changes)
	}
	if o := b.order(number("1")); o.Payment != order.PaymentPaid {
		b.Errorf("payment is %s", o.Payment)
	}
	// The receipt is as it was, and a delivery that is read the new way is a duplicate.
	if len(view.Deliveries) != 1 || view.Deliveries[0].TranslatorVersion != "1" {
		b.Errorf("deliveries: %+v", view.Deliveries)
	}
	newer := first
	newer.Changes, newer.TranslatorVersion = paid("1", "pay-1", 125000).Changes, "2"
	if receipt := b.accept(newer); receipt.Verdict != store.Duplicate {
		b.Errorf("a delivery that is read the new way is %s", receipt.Verdict)
	}
}

func contradiction(b *bench) {
	e := unrecognised("1", "payment.settled")
	e.Changes = append(e.Changes, order.Change{IgnoredReason: "nobody needs it"})
	id := b.accept(e).Event.ID
	b.settle()
	read := e
	read.Changes = []order.Change{{IgnoredReason: "a"}, {IgnoredReason: "another reason"}}
	req := request(id)
	req.Translate = translated(read)
	b.unchanged("a contradicting reading", func() {
		if _, err := b.store.Reprocess(b.ctx, req, lenient); !errors.Is(err, store.ErrPrecondition) {
			b.Errorf("reprocess: %v", err)
		}
	})
}

func workerLoses(b *bench) {
	for i, resolution := range []store.Resolution{store.Retry, store.Abandon} {
		id := b.accept(paid(fmt.Sprint(i), fmt.Sprint("pay-", i), 1)).Event.ID
		claims := b.claim(1)
		req := request(id)
		req.RequestID, req.Resolution = fmt.Sprint("request-", i), resolution
		b.reprocess(req)

		b.unchanged("the worker that had the event", func() {
			if decided := b.decide(claims, creating); len(decided) != 0 {
				b.Errorf("decided: %+v", decided)
			}
		})
	}
}

func incompleteRequest(b *bench) {
	id := b.parkedEvent()
	for what, spoil := range map[string]func(r *store.ReprocessRequest){
		"operator":   func(r *store.ReprocessRequest) { r.Operator = "" },
		"reason":     func(r *store.ReprocessRequest) { r.Reason = "" },
		"request id": func(r *store.ReprocessRequest) { r.RequestID = "" },
		"resolution": func(r *store.ReprocessRequest) { r.Resolution = "confirm_done" },
	} {
		req := request(id)
		spoil(&req)
		if _, err := b.store.Reprocess(b.ctx, req, lenient); !errors.Is(err, store.ErrInvalid) {
			b.Errorf("%s: %v", what, err)
		}
	}
	req := request("evt_nobody")
	if _, err := b.store.Reprocess(b.ctx, req, lenient); !errors.Is(err, store.ErrNotFound) {
		b.Errorf("unknown event: %v", err)
	}
	req = request(id)
	req.Account = "other"
	if _, err := b.store.Reprocess(b.ctx, req, lenient); !errors.Is(err, store.ErrNotFound) {
		b.Errorf("another account's event: %v", err)
	}
}
