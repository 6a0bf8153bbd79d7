package store_test

import (
	"context"
	"log/slog"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/waybillhq/waybill/server/store"
	"github.com/waybillhq/waybill/server/store/storetest/pgtest"
)

// BenchmarkPostgreSQLAccept is receipts by so many senders at a time, and BenchmarkPostgreSQLDuplicates copies of what is
// recorded already. Run with PGOPTIONS_EXTRA='-c fsync=on' .ci/with-servers.
func BenchmarkPostgreSQLAccept(b *testing.B) {
	for _, senders := range []int{1, 8, 64} {
		b.Run(strconv.Itoa(senders), func(b *testing.B) {
			var n atomic.Int64
			benchReceipts(b, senders, func() int { return int(n.Add(1)) })
		})
	}
}

func BenchmarkPostgreSQLDuplicates(b *testing.B) {
	var n atomic.Int64
	benchReceipts(b, 64, func() int { return int(n.Add(1) % 10) })
}

func benchReceipts(b *testing.B, senders int, next func() int) {
	b.Helper()
	ctx := context.Background()
	s, err := store.Open(ctx, pgtest.Fresh(b, migrated), store.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	})
	var left atomic.Int64
	left.Store(int64(b.N))
	done := make(chan error, senders)
	b.ResetTimer()
	for range senders {
		go func() {
			for left.Add(-1) >= 0 {
				if _, err := s.Accept(ctx, placed(int64(next()))); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range senders {
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "receipts/s")
}
