package work

import (
	"context"
	"log/slog"
	"time"
)

// Payloads is where the bytes of finished events wait for their end.
type Payloads interface {
	// ExpirePayloads removes up to limit payloads whose time is over, and says how many.
	ExpirePayloads(ctx context.Context, now time.Time, limit int) (int, error)
}

// Sweeper removes payloads whose time is over. Bytes of unfinished events have no time to be over.
type Sweeper struct {
	Payloads Payloads
	Logger   *slog.Logger
	Now      func() time.Time
	// Every is the pause between two looks.
	Every time.Duration
	// Limit bounds one removal, so that receipts never wait long for it.
	Limit int
}

// Run sweeps until ctx ends.
func (s *Sweeper) Run(ctx context.Context) {
	ticker := time.NewTicker(s.Every)
	defer ticker.Stop()
	for {
		s.runOnce(ctx)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (s *Sweeper) runOnce(ctx context.Context) {
	removed := 0
	for ctx.Err() == nil {
		count, err := s.Payloads.ExpirePayloads(ctx, s.Now(), s.Limit)
		if err != nil {
			s.Logger.Error("work: expire payloads", "error", err)
			return
		}
		removed += count
		if count < s.Limit {
			break
		}
	}
	if removed > 0 {
		s.Logger.Info("work: payloads expired", "removed", removed)
	}
}
