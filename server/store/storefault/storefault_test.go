package storefault_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/waybillhq/waybill/server/order"
	"github.com/waybillhq/waybill/server/store"
	"github.com/waybillhq/waybill/server/store/storefault"
)

func open(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "waybill.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

func placed() order.Event {
	return order.Event{
		Account: "shop", Provider: "shopify", Identity: "orders/create:1", Type: "orders/create",
		Changes: []order.Change{{Placed: &order.Placed{OrderID: "1", Number: "1001"}}},
	}
}

func policy(string) order.Policy { return order.Policy{} }

func TestAFaultBeforeTheCallLeavesNothing(t *testing.T) {
	t.Parallel()
	s := storefault.New(open(t), storefault.Fault{Op: storefault.Accept, Call: 2})

	for call, want := range []error{nil, storefault.ErrScripted, nil} {
		e := placed()
		e.Identity += string(rune('a' + call))
		_, err := s.Accept(t.Context(), e)
		if !errors.Is(err, want) || (want != nil && !errors.Is(err, store.ErrUnavailable)) {
			t.Errorf("call %d: %v, want %v", call+1, err, want)
		}
	}

	claims, err := s.Claim(t.Context(), 10, time.Minute)
	if err != nil || len(claims) != 2 {
		t.Errorf("%d events are recorded, %v; want 2", len(claims), err)
	}
	if s.Calls(storefault.Accept) != 3 || len(s.Struck()) != 1 {
		t.Errorf("%d calls, struck %+v", s.Calls(storefault.Accept), s.Struck())
	}
}

func TestAnAnswerLostAfterTheCommitIsHarmless(t *testing.T) {
	t.Parallel()
	inner := open(t)
	s := storefault.New(inner,
		storefault.Fault{Op: storefault.Accept, Call: 1, When: storefault.After},
		storefault.Fault{Op: storefault.Decide, Call: 1, When: storefault.After},
	)

	if _, err := s.Accept(t.Context(), placed()); !errors.Is(err, storefault.ErrScripted) {
		t.Fatalf("first accept: %v", err)
	}
	receipt, err := s.Accept(t.Context(), placed())
	if err != nil || receipt.Verdict != store.Duplicate {
		t.Fatalf("the sender's retry is %s, %v", receipt.Verdict, err)
	}

	claims, err := s.Claim(t.Context(), 10, time.Minute)
	if err != nil || len(claims) != 1 {
		t.Fatalf("claims: %+v, %v", claims, err)
	}
	if _, err := s.Decide(t.Context(), claims, policy); !errors.Is(err, storefault.ErrScripted) {
		t.Fatalf("first decide: %v", err)
	}
	decided, err := s.Decide(t.Context(), claims, policy)
	if err != nil || len(decided) != 0 {
		t.Errorf("deciding again: %+v, %v", decided, err)
	}
	view, err := inner.OrderByNumber(t.Context(), "shop", "1001")
	if err != nil || view.Order.Version != 1 {
		t.Errorf("order: %+v, %v", view.Order, err)
	}
}

func TestEveryCallCanFailOnEitherSide(t *testing.T) {
	t.Parallel()
	lost := errors.New("the answer is lost")
	calls := map[storefault.Op]func(s *storefault.Faulty, ctx context.Context) error{
		storefault.Accept: func(s *storefault.Faulty, ctx context.Context) error {
			_, err := s.Accept(ctx, placed())
			return err
		},
		storefault.Claim: func(s *storefault.Faulty, ctx context.Context) error {
			_, err := s.Claim(ctx, 1, time.Minute)
			return err
		},
		storefault.Decide: func(s *storefault.Faulty, ctx context.Context) error {
			_, err := s.Decide(ctx, nil, policy)
			return err
		},
		storefault.Retry: func(s *storefault.Faulty, ctx context.Context) error {
			return s.Retry(ctx, claimed(ctx, s), time.Now(), "again")
		},
		storefault.Fail: func(s *storefault.Faulty, ctx context.Context) error {
			return s.Fail(ctx, claimed(ctx, s), "for good")
		},
		storefault.Reprocess: func(s *storefault.Faulty, ctx context.Context) error {
			_, err := s.Reprocess(ctx, store.ReprocessRequest{
				Account: "shop", EventID: claimed(ctx, s).EventID, Operator: "nadia", Reason: "because",
				RequestID: "request-1", Resolution: store.Abandon,
			}, policy)
			return err
		},
		storefault.ExpirePayloads: func(s *storefault.Faulty, ctx context.Context) error {
			_, err := s.ExpirePayloads(ctx, time.Now(), 1)
			return err
		},
	}
	for op, call := range calls {
		for _, when := range []storefault.When{storefault.Before, storefault.After} {
			hooked := false
			s := storefault.New(open(t))
			s.Add(storefault.Fault{Op: op, When: when, Err: lost, Hook: func() { hooked = true }})
			if err := call(s, t.Context()); !errors.Is(err, lost) || !hooked {
				t.Errorf("%s, moment %d: %v, hook ran %t", op, when, err, hooked)
			}
		}
	}
}

// claimed is a claim of an event of its own.
func claimed(ctx context.Context, s *storefault.Faulty) store.Claim {
	if _, err := s.Accept(ctx, placed()); err != nil {
		return store.Claim{}
	}
	claims, err := s.Claim(ctx, 1, time.Minute)
	if err != nil || len(claims) == 0 {
		return store.Claim{}
	}
	return claims[0]
}
