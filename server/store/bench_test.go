package store_test

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/waybillhq/waybill/server/order"
	"github.com/waybillhq/waybill/server/store"
)

func openBench(b *testing.B) *store.Store {
	b.Helper()
	ctx := context.Background()
	s, err := store.Open(ctx, "sqlite:"+filepath.Join(b.TempDir(), "waybill.db"), store.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	})
	if err := s.Migrate(ctx); err != nil {
		b.Fatal(err)
	}
	return s
}

// placed is an order of one line with a body of about 1 KB.
func placed(n int64) order.Event {
	id := strconv.FormatInt(n, 10)
	body := make([]byte, 1024)
	copy(body, id)
	return order.Event{
		Account: "shop", Provider: "shopify", Identity: fmt.Sprintf("orders/create:%012d", n), Type: "orders/create",
		OccurredAt: time.Now().Add(-time.Minute), TranslatorVersion: "1", Raw: order.Raw{Body: body, ContentType: "application/json"},
		References: []order.Reference{{Kind: order.OrderID, Value: id}, {Kind: order.OrderNumber, Value: "#" + id}},
		Changes: []order.Change{{Placed: &order.Placed{
			OrderID: id, Number: "#" + id, Total: &order.Money{Currency: "BDT", MinorUnits: 125000},
			Lines: []order.Line{{ID: "1", SKU: "tea", Quantity: 1}},
		}}},
	}
}

func BenchmarkAccept(b *testing.B) {
	for _, callers := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			s := openBench(b)
			var n atomic.Int64
			b.SetParallelism(max(1, callers/2))
			b.ReportAllocs()
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if _, err := s.Accept(context.Background(), placed(n.Add(1))); err != nil {
						b.Error(err)
						return
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

func BenchmarkDecide(b *testing.B) {
	ctx := context.Background()
	s := openBench(b)
	done := make(chan struct{}, 64)
	for n := range int64(b.N) {
		done <- struct{}{}
		go func() {
			defer func() { <-done }()
			if _, err := s.Accept(ctx, placed(n)); err != nil {
				b.Error(err)
			}
		}()
	}
	for range cap(done) {
		done <- struct{}{}
	}
	b.ReportAllocs()
	b.ResetTimer()
	for decided := 0; decided < b.N; {
		claims, err := s.Claim(ctx, 64, time.Minute)
		if err != nil {
			b.Fatal(err)
		}
		answers, err := s.Decide(ctx, claims, func(string) order.Policy { return order.Policy{} })
		if err != nil {
			b.Fatal(err)
		}
		decided += len(answers)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
}
