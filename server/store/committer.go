package store

import (
	"errors"
	"sync"
	"sync/atomic"
)

// The bounds of a group commit. A batch may hold the writer for some fifty milliseconds at most, and what waits must
// fit into memory.
const (
	maxBatch      = 128
	maxBatchBytes = 4 << 20
	maxQueue      = 8192
	maxQueueBytes = 128 << 20
)

// committer lets deliveries that arrive together share one commit. The first that waits is committed at once; those
// that arrive meanwhile share the next commit. There is no timer: alone, a delivery waits for nobody.
type committer struct {
	queue  chan *entry
	bytes  atomic.Int64
	commit func(batch []*entry) error
	// lanes says how many commits may be in flight. Nil: one.
	lanes *lanes

	mu     sync.RWMutex
	closed bool
	ended  chan struct{}
}

func newCommitter(commit func(batch []*entry) error) *committer {
	return startCommitter(commit, nil)
}

// newSharedCommitter makes a committer for a database that commits several transactions at a time.
func newSharedCommitter(commit func(batch []*entry) error) *committer {
	return startCommitter(commit, newLanes())
}

func startCommitter(commit func(batch []*entry) error, lanes *lanes) *committer {
	c := &committer{queue: make(chan *entry, maxQueue), commit: commit, lanes: lanes, ended: make(chan struct{})}
	go c.run()
	return c
}

// enqueue never blocks: who finds too many waiting is told so, and its sender tries again.
func (c *committer) enqueue(en *entry) error {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.closed {
		return ErrClosed
	}
	if c.bytes.Add(en.size()) > maxQueueBytes {
		c.bytes.Add(-en.size())
		return ErrBusy
	}
	select {
	case c.queue <- en:
		return nil
	default:
		c.bytes.Add(-en.size())
		return ErrBusy
	}
}

// close lets nobody in any more and returns when all that waited are answered.
func (c *committer) close() {
	c.mu.Lock()
	if !c.closed {
		c.closed = true
		close(c.queue)
	}
	c.mu.Unlock()
	<-c.ended
}

func (c *committer) run() {
	defer close(c.ended)
	defer c.lanes.empty()
	for first := range c.queue {
		c.lanes.run(func() []*entry { return c.gather(first) }, c.flush)
	}
}

// gather takes whoever waits by now.
func (c *committer) gather(first *entry) []*entry {
	batch, size := []*entry{first}, first.size()
	for len(batch) < maxBatch && size < maxBatchBytes {
		select {
		case en, open := <-c.queue:
			if !open {
				return batch
			}
			batch, size = append(batch, en), size+en.size()
		default:
			return batch
		}
	}
	return batch
}

func (c *committer) flush(batch []*entry) {
	for _, en := range batch {
		c.bytes.Add(-en.size())
	}
	// Whose caller has gone gets no answer: its sender will come again.
	waiting := batch[:0]
	for _, en := range batch {
		if err := en.ctx.Err(); err != nil {
			en.finish(err)
			continue
		}
		waiting = append(waiting, en)
	}
	if len(waiting) > 0 {
		c.halve(waiting)
	}
}

// halve commits a batch. One bad row fails the whole transaction, so on an error that a row may be guilty of the batch
// is split until the guilty one stands alone: it gets the error, everybody else a commit.
func (c *committer) halve(batch []*entry) {
	err := c.commit(batch)
	if err == nil || len(batch) == 1 || errors.Is(err, ErrUnavailable) {
		for _, en := range batch {
			en.finish(err)
		}
		return
	}
	middle := len(batch) / 2
	c.halve(batch[:middle])
	c.halve(batch[middle:])
}
