package load

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Deliver sends a run of events, each until it is taken, and measures nothing. All must be first deliveries.
func Deliver(ctx context.Context, target Target, from, count int64) error {
	const connections = 16
	opened, err := lines(ctx, target, int(min(connections, count)), time.Now().Add(patience))
	if err != nil {
		return err
	}
	defer hangUp(opened)

	var next atomic.Int64
	failures := make([]error, len(opened))
	var senders sync.WaitGroup
	for i, l := range opened {
		senders.Go(func() {
			for failures[i] == nil && ctx.Err() == nil {
				n := next.Add(1) - 1
				if n >= count {
					return
				}
				failures[i] = l.deliver(from + n)
			}
		})
	}
	senders.Wait()
	return errors.Join(errors.Join(failures...), ctx.Err())
}

// deliver sends an event again while it is refused. One that was refused may have been recorded all the same.
func (l *line) deliver(n int64) error {
	answer, err := l.send(n)
	if err == nil && answer == Repeated {
		return fmt.Errorf("event %d: somebody has sent it before", n)
	}
	for err == nil && answer == Refused {
		answer, err = l.send(n)
	}
	return err
}
