package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/waybillhq/waybill/server/order"
)

// scripted is a committer whose commits a test holds and answers.
type scripted struct {
	*committer
	begun chan []*entry
	end   chan error
}

func newScripted(t *testing.T) *scripted {
	t.Helper()
	s := &scripted{begun: make(chan []*entry, 100), end: make(chan error, 100)}
	s.committer = newCommitter(func(batch []*entry) error {
		s.begun <- slices.Clone(batch)
		return <-s.end
	})
	t.Cleanup(func() {
		close(s.end)
		s.close()
	})
	return s
}

func anEntry(n int) *entry {
	return &entry{ctx: context.Background(), event: order.Event{Identity: fmt.Sprint(n)}, done: make(chan struct{})}
}

func (s *scripted) enqueueAll(t *testing.T, entries ...*entry) {
	t.Helper()
	for _, en := range entries {
		if err := s.enqueue(en); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTheFirstIsCommittedAtOnceAndTheNextCommitIsShared(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	one, two, three := anEntry(1), anEntry(2), anEntry(3)
	s.enqueueAll(t, one)
	if batch := <-s.begun; len(batch) != 1 || batch[0] != one {
		t.Errorf("first commit: %d entries", len(batch))
	}
	s.enqueueAll(t, two, three)
	s.end <- nil
	<-one.done
	if batch := <-s.begun; !slices.Equal(batch, []*entry{two, three}) {
		t.Errorf("second commit: %d entries", len(batch))
	}
	select {
	case <-two.done:
		t.Error("answered before the commit")
	default:
	}
	s.end <- nil
	<-two.done
	<-three.done
	if one.err != nil || two.err != nil || three.err != nil {
		t.Errorf("errors: %v, %v, %v", one.err, two.err, three.err)
	}
}

func TestABatchIsBoundedInRowsAndBytes(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	s.enqueueAll(t, anEntry(0))
	<-s.begun
	var all []*entry
	for n := range maxBatch + 10 {
		all = append(all, anEntry(n))
	}
	large := anEntry(-1)
	large.event.Raw.Body = make([]byte, maxBatchBytes)
	after := anEntry(-2)
	s.enqueueAll(t, append(all, large, after)...)
	for range 3 {
		s.end <- nil
	}
	if batch := <-s.begun; len(batch) != maxBatch {
		t.Errorf("%d rows in a batch", len(batch))
	}
	if batch := <-s.begun; len(batch) != 11 || batch[10] != large {
		t.Errorf("%d rows up to the large one", len(batch))
	}
	s.end <- nil
	if batch := <-s.begun; len(batch) != 1 || batch[0] != after {
		t.Errorf("%d rows after the large one", len(batch))
	}
}

func TestTooManyThatWaitAreRefused(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	s.enqueueAll(t, anEntry(0))
	<-s.begun
	for n := range maxQueue {
		s.enqueueAll(t, anEntry(n))
	}
	if err := s.enqueue(anEntry(-1)); !errors.Is(err, ErrBusy) || !errors.Is(err, ErrUnavailable) {
		t.Errorf("one too many: %v", err)
	}
	for range maxQueue/maxBatch + 2 {
		s.end <- nil
	}
	waitFor(t, func() bool { return s.bytes.Load() == 0 })

	huge := anEntry(-2)
	huge.event.Raw.Body = make([]byte, maxQueueBytes)
	if err := s.enqueue(huge); !errors.Is(err, ErrBusy) {
		t.Errorf("too many bytes: %v", err)
	}
	if s.bytes.Load() != 0 {
		t.Errorf("%d bytes are counted of nothing", s.bytes.Load())
	}
}

func TestABadRowIsFoundByHalvingAndFailsAlone(t *testing.T) {
	t.Parallel()
	bad := errors.New("a broken rule")
	var mu sync.Mutex
	var sizes []int
	c := newCommitter(func(batch []*entry) error {
		mu.Lock()
		defer mu.Unlock()
		sizes = append(sizes, len(batch))
		if slices.ContainsFunc(batch, func(en *entry) bool { return en.event.Identity == "5" || en.event.Identity == "40" }) {
			return bad
		}
		return nil
	})
	defer c.close()
	var batch []*entry
	for n := range 64 {
		batch = append(batch, anEntry(n))
	}
	c.flush(batch)
	for n, en := range batch {
		if want := n == 5 || n == 40; (en.err != nil) != want {
			t.Errorf("entry %d: %v", n, en.err)
		}
	}
	if len(sizes) > 2*2*7 {
		t.Errorf("%d commits to find two bad rows of 64: %v", len(sizes), sizes)
	}
}

func TestAStoreThatIsAwayIsNotAskedAgainForEveryRow(t *testing.T) {
	t.Parallel()
	commits := 0
	c := newCommitter(func([]*entry) error {
		commits++
		return ErrUnavailable
	})
	defer c.close()
	batch := []*entry{anEntry(1), anEntry(2), anEntry(3)}
	c.flush(batch)
	for _, en := range batch {
		if !errors.Is(en.err, ErrUnavailable) {
			t.Errorf("got %v", en.err)
		}
	}
	if commits != 1 {
		t.Errorf("%d commits", commits)
	}
}

func TestWhoHasGivenUpIsLeftOutOfTheBatch(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	gone, giveUp := context.WithCancel(t.Context())
	giveUp()
	left, stayed := anEntry(1), anEntry(2)
	left.ctx = gone
	s.end <- nil
	s.flush([]*entry{left, stayed})
	if batch := <-s.begun; len(batch) != 1 || batch[0] != stayed {
		t.Errorf("%d entries were committed", len(batch))
	}
	if !errors.Is(left.err, context.Canceled) || stayed.err != nil {
		t.Errorf("errors: %v, %v", left.err, stayed.err)
	}
}

func TestClosingAnswersWhoWaits(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	one, two := anEntry(1), anEntry(2)
	s.enqueueAll(t, one)
	<-s.begun
	s.enqueueAll(t, two)
	closed := make(chan struct{})
	go func() {
		s.close()
		close(closed)
	}()
	waitFor(t, func() bool { return errors.Is(s.enqueue(anEntry(3)), ErrClosed) })
	s.end <- nil
	s.end <- nil
	<-closed
	<-one.done
	<-two.done
}
