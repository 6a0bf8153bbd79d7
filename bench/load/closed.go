package load

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// Target is who gets what.
type Target struct {
	Address  string
	Workload *Workload
}

// Span is how long a run takes.
type Span struct {
	WarmUp, Measure time.Duration
}

// patience is how long the last answers of a run may take.
const patience = 20 * time.Second

// Edges are called when measuring begins and ends.
type Edges struct {
	Begin, End func()
}

// Closed sends on so many connections, on each as soon as it is answered.
type Closed struct {
	Connections int
	Span        Span
	// Next gives the number of the next event.
	Next func() int64
}

// Run sends and measures. An answer that is neither an acknowledgement nor a refusal to be repeated ends it.
func (c Closed) Run(ctx context.Context, target Target, edges Edges) (*Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	opened, err := lines(ctx, target, c.Connections, time.Now().Add(c.Span.WarmUp+c.Span.Measure+patience))
	if err != nil {
		return nil, err
	}
	defer hangUp(opened)

	var measuring, over atomic.Bool
	parts, failures := make([]*Result, len(opened)), make([]error, len(opened))
	var senders sync.WaitGroup
	for i, l := range opened {
		parts[i] = newResult()
		senders.Go(func() {
			for !over.Load() && failures[i] == nil {
				if failures[i] = c.once(l, parts[i], &measuring); failures[i] != nil {
					cancel()
				}
			}
		})
	}

	pause(ctx, c.Span.WarmUp)
	edges.Begin()
	began := time.Now()
	measuring.Store(true)
	pause(ctx, c.Span.Measure)
	measuring.Store(false)
	elapsed := time.Since(began)
	edges.End()
	over.Store(true)
	senders.Wait()

	result := merge(parts)
	result.Elapsed = elapsed
	return result, errors.Join(errors.Join(failures...), context.Cause(ctx))
}

// once sends one delivery. It counts where it is answered, for a window that counts only what began in it would leave
// out the slow ones.
func (c Closed) once(l *line, part *Result, measuring *atomic.Bool) error {
	began := time.Now()
	answer, err := l.send(c.Next())
	if err == nil && measuring.Load() {
		part.record(answer, time.Since(began))
	}
	return err
}

// pause waits for a time, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
