package webhook

import (
	"time"

	"golang.org/x/time/rate"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
)

// defaultConcurrent bounds what a provider without a limit of its own can hold of us at once.
const defaultConcurrent = 1024

// The limits by the words that config files and metrics use.
const (
	limitRate       = "rate_per_minute"
	limitConcurrent = "concurrent"
)

// gate keeps a provider's sender to its limits. A place is held from a body's last byte to its answer, so that slow
// bodies take none. The rate counts proven requests only, so that no stranger can use up what the sender may send.
type gate struct {
	places chan struct{}
	// rate is nil where the sender may send any number.
	rate *rate.Limiter
}

func newGate(limits *configv1.Limits) *gate {
	made := &gate{places: make(chan struct{}, defaultConcurrent)}
	if most := limits.GetConcurrent(); most > 0 {
		made.places = make(chan struct{}, most)
	}
	if most := limits.GetRatePerMinute(); most > 0 {
		made.rate = rate.NewLimiter(rate.Limit(float64(most)/time.Minute.Seconds()), int(most))
	}
	return made
}

// enter takes a place. It reports false where all are taken; nobody waits for one, because the sender waits too.
func (g *gate) enter() bool {
	select {
	case g.places <- struct{}{}:
		return true
	default:
		return false
	}
}

// leave gives the place back.
func (g *gate) leave() { <-g.places }

// admit counts a request, and gives how long its sender must wait instead where there were too many.
func (g *gate) admit(now time.Time) time.Duration {
	if g.rate == nil {
		return 0
	}
	turn := g.rate.ReserveN(now, 1)
	wait := turn.DelayFrom(now)
	if wait > 0 {
		turn.CancelAt(now)
	}
	return wait
}
