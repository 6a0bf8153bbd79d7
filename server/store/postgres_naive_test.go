package store

import (
	"context"
	"errors"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/waybillhq/waybill/server/order"
	"github.com/waybillhq/waybill/server/store/storetest/pgtest"
)

// BenchmarkPostgreSQLShared is receipts that share commits, beside the same rows with a commit for each, by as many
// connections as there are senders: on every disk the first must not be slower.
//
//	PGOPTIONS_EXTRA='-c fsync=on' .ci/with-servers go test ./server/store -run - -bench Shared
//	PGOPTIONS_EXTRA='-c fsync=on -c commit_delay=2000 -c commit_siblings=0' …   as on a slow disk
func BenchmarkPostgreSQLShared(b *testing.B) {
	for _, senders := range []int{1, 8, 64} {
		b.Run(strconv.Itoa(senders)+"/shared", func(b *testing.B) {
			s := openPostgresBench(b)
			sendReceipts(b, senders, func(n int) error {
				_, err := s.Accept(context.Background(), kilobyte(n))
				return err
			})
		})
		b.Run(strconv.Itoa(senders)+"/alone", func(b *testing.B) {
			s := openPostgresBench(b)
			s.db.writer.SetMaxOpenConns(senders)
			s.db.writer.SetMaxIdleConns(senders)
			sendReceipts(b, senders, func(n int) error {
				en, err := s.newEntry(settled(kilobyte(n), s.now()))
				if err != nil {
					return err
				}
				return s.insertReceipts(context.Background(), []*entry{en})
			})
		})
	}
}

func openPostgresBench(b *testing.B) *Store {
	b.Helper()
	where := pgtest.Fresh(b, func(ctx context.Context, url string) error {
		s, err := Open(ctx, url, quiet())
		if err != nil {
			return err
		}
		return errors.Join(s.Migrate(ctx), s.Close())
	})
	s, err := Open(context.Background(), where, quiet())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	})
	return s
}

func sendReceipts(b *testing.B, senders int, send func(n int) error) {
	b.Helper()
	var left atomic.Int64
	left.Store(int64(b.N))
	done := make(chan error, senders)
	b.ResetTimer()
	for range senders {
		go func() {
			for {
				n := left.Add(-1)
				if n < 0 {
					done <- nil
					return
				}
				if err := send(int(n)); err != nil {
					done <- err
					return
				}
			}
		}()
	}
	for range senders {
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "receipts/s")
}

// kilobyte is an event with a body of about 1 KB.
func kilobyte(n int) order.Event {
	e := anEvent(n)
	e.Raw.Body = e.Raw.Body[:min(len(e.Raw.Body), 1024)]
	return e
}
