package load

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Open sends at a rate, whatever the answers do.
type Open struct {
	// Connections is how many deliveries can be under way at once. Those that find none free wait, and their latency
	// counts that they did.
	Connections int
	// PerSecond is the rate, evenly spaced.
	PerSecond float64
	Span      Span
	// Next gives the number of the next event.
	Next func() int64
	// Answered gets the body of every answer that is measured; it must not keep it. Nil: nobody cares.
	Answered func(body []byte)
}

// Run sends and measures. An answer that is neither an acknowledgement nor a refusal to be repeated ends it.
func (o Open) Run(ctx context.Context, target Target, edges Edges) (*Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	opened, err := lines(ctx, target, o.Connections, time.Now().Add(o.Span.WarmUp+o.Span.Measure+patience))
	if err != nil {
		return nil, err
	}
	defer hangUp(opened)

	whole := o.Span.WarmUp + o.Span.Measure
	due := make(chan time.Time, int(o.PerSecond*whole.Seconds())+1)
	began := time.Now()
	measured := began.Add(o.Span.WarmUp)
	parts, failures := make([]*Result, len(opened)), make([]error, len(opened))
	var senders sync.WaitGroup
	for i, l := range opened {
		parts[i] = newResult()
		senders.Go(func() {
			for at := range due {
				if failures[i] != nil {
					parts[i].missed(at, measured)
					continue
				}
				if failures[i] = o.once(l, parts[i], at, measured); failures[i] != nil {
					cancel()
				}
			}
		})
	}

	o.schedule(ctx, began, due, edges.Begin)
	close(due)
	senders.Wait()
	elapsed := time.Since(measured)
	edges.End()

	result := merge(parts)
	result.Elapsed = elapsed
	return result, errors.Join(errors.Join(failures...), context.Cause(ctx))
}

// schedule makes deliveries due, each at its time, and says when the first measured one is.
func (o Open) schedule(ctx context.Context, began time.Time, due chan<- time.Time, begin func()) {
	count := cap(due) - 1
	apart := time.Duration(float64(time.Second) / o.PerSecond)
	measuring := false
	for n := range count {
		at := began.Add(time.Duration(n) * apart)
		if wait := time.Until(at); wait > 0 {
			pause(ctx, wait)
		}
		if ctx.Err() != nil {
			return
		}
		if !measuring && !at.Before(began.Add(o.Span.WarmUp)) {
			measuring = true
			begin()
		}
		due <- at
	}
}

func (o Open) once(l *line, part *Result, at, measured time.Time) error {
	answer, err := l.send(o.Next())
	if err != nil {
		part.missed(at, measured)
		return err
	}
	if at.Before(measured) {
		return nil
	}
	part.record(answer, time.Since(at))
	if o.Answered != nil {
		o.Answered(l.response.Body())
	}
	return nil
}

// missed counts a delivery that was due and will not be answered.
func (r *Result) missed(at, measured time.Time) {
	if at.Before(measured) {
		return
	}
	r.Unanswered++
	r.observe(time.Since(at))
}
