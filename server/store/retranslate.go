package store

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/waybillhq/waybill/ent"
	"github.com/waybillhq/waybill/ent/reading"
	"github.com/waybillhq/waybill/server/order"
)

// readingAgain is what a translator reads now in the kept bytes of an event that was not understood.
type readingAgain struct {
	version string
	// own is the event itself, under the identity that it has. Nil: it is not among what was read.
	own *order.Event
	// children are the events that the bytes hold otherwise.
	children []order.Event
}

// readingOf reads the bytes of an event again, if there is something in it that was not understood. Nil: there is not.
func (s *Store) readingOf(ctx context.Context, req ReprocessRequest) (*readingAgain, error) {
	if req.Resolution != Retry || req.Translate == nil {
		return nil, nil
	}
	var view EventView
	var undecoded bool
	err := s.read(ctx, func(tx *ent.Tx) (err error) {
		if view, err = s.eventWhole(ctx, tx, req.Account, req.EventID); err != nil {
			return err
		}
		var unknown bool
		if undecoded, unknown = notUnderstood(view); !unknown {
			return nil
		}
		view.Event.Raw.Body, err = rawBody(ctx, tx, req.Account, view.Event.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	if view.Event.Raw.Body == nil {
		if undecoded {
			return nil, fmt.Errorf("%w: it came without bytes", ErrPrecondition)
		}
		return nil, nil
	}
	return translateAgain(view.Event, req.Translate)
}

// notUnderstood says of an unfinished event whether its bytes were not decoded, and whether they should be read again
// at all.
func notUnderstood(view EventView) (undecoded, again bool) {
	if view.State == order.StateCompleted {
		return false, false
	}
	for i, change := range view.Event.Changes {
		decided := slices.ContainsFunc(view.Decisions, func(d Decision) bool {
			return d.ChangeIndex == i && d.Outcome != order.Parked
		})
		if decided {
			continue
		}
		undecoded = undecoded || change.Undecoded != nil
		again = again || change.Undecoded != nil || change.Unrecognised != nil
	}
	return undecoded, again
}

func translateAgain(e order.Event, translate TranslateFunc) (*readingAgain, error) {
	events, version, err := translate(e)
	if err != nil {
		return nil, fmt.Errorf("%w: translate again: %w", ErrPrecondition, err)
	}
	if len(events) == 0 {
		return nil, fmt.Errorf("%w: translated again, it says nothing", ErrPrecondition)
	}
	again := &readingAgain{version: version}
	for _, read := range events {
		read.Account, read.Provider, read.Raw = e.Account, e.Provider, e.Raw
		read.ReceivedAt, read.TranslatorVersion = e.ReceivedAt, version
		if read.Identity == e.Identity {
			again.own = &read
			continue
		}
		read.ParentID = e.ID
		again.children = append(again.children, read)
	}
	return again, nil
}

// readAgain records what the bytes say now. It reports whether the event ended by that: everything in it is an event
// of its own now.
func (j *reprocessing) readAgain(ctx context.Context, tx *ent.Tx, e order.Event) (translated bool, err error) {
	if err := j.acceptChildren(ctx, tx); err != nil {
		return false, err
	}
	if j.again.own != nil {
		return false, j.addReading(ctx, tx, e)
	}
	reason := fmt.Sprintf("read again as %d events of their own", len(j.again.children))
	return true, j.endWith(ctx, tx, order.Translated, reason)
}

// acceptChildren records the events that the bytes hold, as Accept would: those known already are duplicates. New ones
// are decided at once, so that a dry run can tell what they would do; one that can't be is left to the worker.
func (j *reprocessing) acceptChildren(ctx context.Context, tx *ent.Tx) error {
	s := j.store
	entries := make([]*entry, 0, len(j.again.children))
	for _, child := range j.again.children {
		en, err := s.newEntry(settled(child, s.now()))
		if err != nil {
			return err
		}
		entries = append(entries, en)
	}
	slices.SortStableFunc(entries, byKey)
	if err := s.record(ctx, tx, entries); err != nil {
		return err
	}
	for _, en := range entries {
		if !en.first {
			continue
		}
		claim := Claim{ID: en.event.ID, EventID: en.event.ID, Account: en.event.Account, Kind: KindEvent}
		_, err := s.newBatch(tx, j.policy).run(ctx, []Claim{claim}, j.also)
		if isPoison(err) {
			s.logger.WarnContext(ctx, "store: child event is left to the worker", "event", en.event.ID, "error", err)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addReading records what a newer translator reads in the event itself. Only what is undecided may be read another
// way: what was decided stands.
func (j *reprocessing) addReading(ctx context.Context, tx *ent.Tx, e order.Event) error {
	row, err := newEventRow(settled(*j.again.own, j.store.now()))
	if err != nil {
		return err
	}
	old, err := newEventRow(e)
	if err != nil || bytes.Equal(old.changesDigest, row.changesDigest) {
		return err
	}
	for _, d := range j.result.Before.Decisions {
		if d.Outcome == order.Parked {
			continue
		}
		if d.ChangeIndex >= len(j.again.own.Changes) || !sameChange(e.Changes[d.ChangeIndex], j.again.own.Changes[d.ChangeIndex]) {
			return fmt.Errorf("%w: read again, it contradicts what was decided about change %d", ErrPrecondition, d.ChangeIndex)
		}
	}
	count, err := tx.Reading.Query().Where(reading.Account(e.Account), reading.EventID(e.ID)).Count(ctx)
	if err != nil {
		return err
	}
	return tx.Reading.Create().SetAccount(e.Account).SetEventID(e.ID).SetRevision(count + 1).SetRefs(row.refs).
		SetChanges(row.changes).SetTranslatorVersion(j.again.version).SetReadAt(micros(j.store.now())).Exec(ctx)
}
