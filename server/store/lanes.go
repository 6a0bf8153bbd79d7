package store

import (
	"slices"
	"sync"
	"time"
)

// What a commit takes where the disk is fast: so much by itself, and so much for each row.
const (
	quickCommit = time.Millisecond
	quickRow    = 40 * time.Microsecond
)

// slowLanes is how many commits may be in flight on a slow disk, and every so many commits one is alone to be measured.
const (
	slowLanes = 8
	measured  = 32
)

// lanes let further commits begin while one is in flight, where that helps. On a fast disk it doesn't: two halves cost
// more than a whole. On a slow one a commit mostly waits for the disk, and who comes just too late for it would wait
// twice; PostgreSQL syncs those together that are waiting by then.
type lanes struct {
	mu       sync.Mutex
	free     *sync.Cond
	inFlight int
	entered  int
	// alone says that the commit in flight has been the only one since it began: what it takes says something about the
	// disk. exclusive, that it is to remain so.
	alone, exclusive bool
	// waits is how much longer than on a fast disk the last commits took. A busy processor makes some of them slow, a
	// slow disk all of them: the shortest counts.
	waits [16]time.Duration
	next  int
}

func newLanes() *lanes {
	l := &lanes{}
	l.free = sync.NewCond(&l.mu)
	return l
}

// run waits for a lane, gathers what has come by then and flushes it there. It returns when the next may try.
func (l *lanes) run(gather func() []*entry, flush func([]*entry)) {
	if l == nil {
		flush(gather())
		return
	}
	l.enter()
	batch := gather()
	go func() {
		defer l.leave()
		flush(batch)
	}()
}

func (l *lanes) enter() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entered++
	measure := l.entered%measured == 0
	for l.inFlight > 0 && (measure || l.exclusive || l.inFlight >= l.open()) {
		l.free.Wait()
	}
	l.inFlight++
	l.alone, l.exclusive = l.inFlight == 1, measure
}

// open is how many commits may be in flight.
func (l *lanes) open() int {
	if slices.Min(l.waits[:]) > 0 {
		return slowLanes
	}
	return 1
}

func (l *lanes) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inFlight--
	l.exclusive = false
	l.free.Broadcast()
}

// took says how long a commit of so many rows has taken.
func (l *lanes) took(all time.Duration, rows int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.alone {
		return
	}
	l.waits[l.next%len(l.waits)] = all - quickCommit - time.Duration(rows)*quickRow
	l.next++
}

// empty waits until nothing is in flight.
func (l *lanes) empty() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.inFlight > 0 {
		l.free.Wait()
	}
}
