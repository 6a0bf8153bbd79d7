package store

import (
	"crypto/rand"
	"io"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"
)

// The prefixes of our ids. What follows is a ULID, so ids of a process sort by time and the indexes on them grow at
// their end.
const (
	eventID    = "evt_"
	orderID    = "ord_"
	shipmentID = "shp_"
	stepID     = "stp_"
	auditID    = "aud_"
)

// ids makes ids. Those of the same millisecond still sort in the order they were made.
type ids struct {
	mu      sync.Mutex
	entropy io.Reader
	last    uint64
}

func newIDs() *ids {
	return &ids{entropy: ulid.Monotonic(rand.Reader, 0)}
}

func (g *ids) next(prefix string, now time.Time) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	// A clock that steps back must not break the order.
	g.last = max(g.last, ulid.Timestamp(now))
	return prefix + ulid.MustNew(g.last, g.entropy).String()
}
