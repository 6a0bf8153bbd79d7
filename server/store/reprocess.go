package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"github.com/waybillhq/waybill/ent"
	"github.com/waybillhq/waybill/ent/auditentry"
	"github.com/waybillhq/waybill/ent/pendingitem"
	"github.com/waybillhq/waybill/server/order"
)

// Resolution is what a reprocess should do.
type Resolution string

// The resolutions.
const (
	// Retry decides the event again, after reading its bytes again where they were not understood.
	Retry Resolution = "retry"
	// Abandon gives up what is not decided, for good.
	Abandon Resolution = "abandon"
)

// TranslateFunc reads the kept bytes of an event again, as its provider's translator does now. The events carry no
// account, provider and bytes of their own. Its error says what is wrong, without quoting the bytes.
type TranslateFunc func(e order.Event) (events []order.Event, version string, err error)

// ReprocessRequest is what to reprocess, who wants it and why.
type ReprocessRequest struct {
	Account string
	EventID string
	// Operator is the name of the key that acts.
	Operator string
	// Reason is why, in the operator's words.
	Reason string
	// RequestID is the caller's id of this request: the same id gets the same answer, however often.
	RequestID string
	// DryRun only says what would happen.
	DryRun     bool
	Resolution Resolution
	// Translate reads bytes again that were not understood. Nil: nobody can.
	Translate TranslateFunc
}

// Reprocessed is what a reprocess did, or would do.
type Reprocessed struct {
	Before EventView
	After  EventView
	// Children are the events that an undecoded event became, as they stand now.
	Children []EventView
	// Audit is the entry that was written with it. Zero: it was a dry run.
	Audit AuditEntry
}

// maxOvertaken is how often a reprocess begins anew because a worker was deciding the same event.
const maxOvertaken = 5

// Reprocess deals again with an event that is not finished: decides it anew, as far as it is undecided, or gives it up.
// The effect and its audit entry are one transaction. On a finished event it changes nothing and still writes the
// entry, which says so: the request was made, and its repeats must get the same answer. A dry run does everything and
// undoes it.
//
// Errors: ErrNotFound; ErrPayloadGone, where the event must be translated again and its bytes are gone;
// ErrPrecondition, where that can't be done for another reason; ErrRequestReused.
func (s *Store) Reprocess(ctx context.Context, req ReprocessRequest, policy PolicyFunc) (Reprocessed, error) {
	if err := req.check(); err != nil {
		return Reprocessed{}, err
	}
	// Outside the transaction: others would wait for the translator.
	again, err := s.readingOf(ctx, req)
	if err != nil {
		return Reprocessed{}, fmt.Errorf("event %s: reprocess: %w", plain(req.EventID), err)
	}
	job := &reprocessing{store: s, req: req, policy: policy, again: again}
	if err := job.run(ctx); err != nil {
		return Reprocessed{}, fmt.Errorf("event %s: reprocess: %w", plain(req.EventID), err)
	}
	s.hintAll(req.Account)
	return job.result, nil
}

func (r ReprocessRequest) check() error {
	if r.Operator == "" || r.Reason == "" || r.RequestID == "" {
		return fmt.Errorf("reprocess: %w: needs an operator, a reason and a request id", ErrInvalid)
	}
	if r.Resolution != Retry && r.Resolution != Abandon {
		return fmt.Errorf("reprocess: %w: resolution %q", ErrInvalid, r.Resolution)
	}
	return nil
}

// digest is what was asked for, to tell a repeat from another request under the same id.
func (r ReprocessRequest) digest() []byte {
	digest := sha256.New()
	for _, part := range []string{r.EventID, r.Operator, r.Reason, string(r.Resolution)} {
		digest.Write(fmt.Appendf(nil, "%d:%s,", len(part), part))
	}
	return digest.Sum(nil)
}

// reprocessing is a reprocess under way.
type reprocessing struct {
	store  *Store
	req    ReprocessRequest
	policy PolicyFunc
	again  *readingAgain
	// also are subjects that turned out to be needed.
	also   []subjectKey
	result Reprocessed
}

// errOvertaken ends a transaction whose event a worker has decided meanwhile.
var errOvertaken = errors.New("a worker is deciding it")

func (j *reprocessing) run(ctx context.Context) error {
	for overtaken := 0; ; {
		err := j.store.write(ctx, func(tx *ent.Tx) error { return j.once(ctx, tx) })
		var more *needsMore
		switch {
		case errors.As(err, &more):
			j.also = append(j.also, more.keys...)
		case errors.Is(err, errOvertaken) && overtaken < maxOvertaken:
			overtaken++
		case errors.Is(err, errOvertaken):
			return fmt.Errorf("%w: %w", ErrPrecondition, err)
		case errors.Is(err, errUndo):
			return nil
		default:
			return err
		}
	}
}

// once is the whole reprocess, in one transaction.
func (j *reprocessing) once(ctx context.Context, tx *ent.Tx) error {
	// A dry run uses up no request id and is never answered with what was really done under it.
	if !j.req.DryRun {
		repeated, err := j.repeat(ctx, tx)
		if err != nil || repeated {
			return err
		}
	}
	before, err := j.store.eventWhole(ctx, tx, j.req.Account, j.req.EventID)
	if err != nil {
		return err
	}
	j.result = Reprocessed{Before: before}

	if before.State != order.StateCompleted {
		if err := j.act(ctx, tx, before); err != nil {
			return err
		}
	}

	if j.result.After, err = j.store.eventWhole(ctx, tx, j.req.Account, before.Event.ID); err != nil {
		return err
	}
	j.result.Children, err = j.store.eventViews(ctx, tx, j.req.Account, j.result.After.ChildIDs)
	if err != nil {
		return err
	}
	if j.req.DryRun {
		return errUndo
	}
	return j.audit(ctx, tx)
}

func (j *reprocessing) act(ctx context.Context, tx *ent.Tx, before EventView) error {
	if j.req.Resolution == Abandon {
		return j.endWith(ctx, tx, order.Abandoned, "given up by "+j.req.Operator+": "+j.req.Reason)
	}
	if j.again != nil {
		translated, err := j.readAgain(ctx, tx, before.Event)
		if err != nil || translated {
			return err
		}
	}
	return j.decide(ctx, tx)
}

// decide decides the event as a worker would.
func (j *reprocessing) decide(ctx context.Context, tx *ent.Tx) error {
	row, err := tx.PendingItem.Query().
		Where(pendingitem.ID(j.req.EventID), pendingitem.Account(j.req.Account)).Only(ctx)
	if ent.IsNotFound(err) {
		return errOvertaken
	}
	if err != nil {
		return err
	}
	claim := Claim{ID: row.ID, EventID: row.ID, Account: row.Account, Kind: row.Kind, Fence: row.Fence}
	decided, err := j.store.newBatch(tx, j.policy).run(ctx, []Claim{claim}, j.also)
	if err == nil && len(decided) == 0 {
		return errOvertaken
	}
	return err
}

// endWith gives every undecided change the same end. The fence moves on, so a worker that has the event loses it.
func (j *reprocessing) endWith(ctx context.Context, tx *ent.Tx, outcome order.Outcome, reason string) error {
	taken, err := tx.PendingItem.Update().
		Where(pendingitem.ID(j.req.EventID), pendingitem.Account(j.req.Account)).AddFence(1).Save(ctx)
	if err != nil {
		return err
	}
	if taken == 0 {
		return errOvertaken
	}
	b := j.store.newBatch(tx, j.policy)
	events, err := j.store.loadEvents(ctx, tx, []Claim{{EventID: j.req.EventID}})
	if err != nil {
		return err
	}
	if err := b.addEvents(ctx, events); err != nil {
		return err
	}
	e := b.events[j.req.EventID]
	for i := range e.Changes {
		if ruled, ok := e.newest[i]; !ok || ruled.Outcome == order.Parked {
			e.take(order.Decision{ChangeIndex: i, Outcome: outcome, Reason: reason}, ruled.orderID)
		}
	}
	if err := b.saveOutcomes(ctx); err != nil {
		return err
	}
	return j.store.endEvents(ctx, tx, []*decidedEvent{e})
}

// repeat answers a request that was made before as it was answered then.
func (j *reprocessing) repeat(ctx context.Context, tx *ent.Tx) (bool, error) {
	row, err := tx.AuditEntry.Query().
		Where(auditentry.Account(j.req.Account), auditentry.RequestID(j.req.RequestID)).Only(ctx)
	if ent.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if !slices.Equal(row.RequestDigest, j.req.digest()) {
		return false, ErrRequestReused
	}
	if err := fill(row.Answer, &j.result); err != nil {
		return false, fmt.Errorf("audit entry %s: answer: %w", row.ID, err)
	}
	return true, nil
}

// audit writes what was done.
func (j *reprocessing) audit(ctx context.Context, tx *ent.Tx) error {
	now := j.store.now()
	j.result.Audit = AuditEntry{
		ID: j.store.ids.next(auditID, now), Account: j.req.Account, RequestID: j.req.RequestID,
		Operator: j.req.Operator, Action: string(j.req.Resolution), Reason: plain(j.req.Reason),
		WorkID: j.result.Before.Event.ID, Before: standingOf(j.result.Before), After: standingOf(j.result.After), At: now,
	}
	if j.result.Before.State == order.StateCompleted {
		j.result.Audit.After = j.result.Audit.Before + "; nothing to do"
	}
	// The names in this text are those of the structs: renaming one loses part of old answers to repeated requests,
	// and nothing else.
	answer := []byte(jsonOf(j.result, 1))
	entry := j.result.Audit
	err := tx.AuditEntry.Create().SetID(entry.ID).SetAccount(entry.Account).SetRequestID(entry.RequestID).
		SetRequestDigest(j.req.digest()).SetOperator(entry.Operator).SetAction(entry.Action).SetReason(entry.Reason).
		SetWorkID(entry.WorkID).SetBefore(entry.Before).SetAfter(entry.After).SetAnswer(answer).
		SetActedAt(micros(now)).Exec(ctx)
	if ent.IsConstraintError(err) {
		// The same request, made twice at once: the other one's answer counts.
		return errOvertaken
	}
	return err
}

// standingOf is where an event stands, in a few words.
func standingOf(view EventView) string {
	words := string(view.State)
	if view.Outcome != "" {
		words += ", " + string(view.Outcome)
	}
	if view.Reason != "" {
		words += ": " + view.Reason
	}
	return words
}
