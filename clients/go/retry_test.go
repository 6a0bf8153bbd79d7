package waybill_test

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connectproto"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/types/known/durationpb"

	waybill "github.com/waybillhq/waybill/clients/go"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
)

var anOrder = waybill.OrderNumber("dhaka-shop", "1001")

// failing answers with code until it was called times times, then with an order.
func failing(times int, code connect.Code, header map[string]string) http.Handler {
	calls := 0
	return handler(&service{getOrder: func(ctx context.Context, _ *waybillv1.GetOrderStatusRequest) (*waybillv1.Order, error) {
		calls++
		if calls > times {
			return &waybillv1.Order{OrderNumber: "1001"}, nil
		}
		info, _ := connect.CallInfoForServerContext(ctx)
		for name, value := range header {
			info.ResponseHeader().Set(name, value)
		}
		return nil, connect.NewError(code, "attempt "+strconv.Itoa(calls))
	}})
}

func TestFaultsThatPassAreTriedAgainUntilTheyHavePassed(t *testing.T) {
	t.Parallel()
	for _, code := range []connect.Code{
		connect.CodeUnavailable, connect.CodeDeadlineExceeded, connect.CodeResourceExhausted, connect.CodeAborted,
	} {
		synctest.Test(t, func(t *testing.T) {
			wire := &wire{handler: failing(3, code, nil)}
			began := time.Now()

			order, err := newClient(t, "http://host", waybill.HTTPClient(wire)).GetOrder(t.Context(), anOrder)

			if err != nil || order.GetOrderNumber() != "1001" || wire.sent.Load() != 4 {
				t.Errorf("%s: %v, %v after %d attempts, want the order after 4", code, order, err, wire.sent.Load())
			}
			if took := time.Since(began); took < 300*time.Millisecond || took > 2*time.Second {
				t.Errorf("%s: four attempts took %s, want growing waits between them", code, took)
			}
		})
	}
}

func TestFaultsThatStayAreNotTriedAgain(t *testing.T) {
	t.Parallel()
	for _, code := range []connect.Code{
		connect.CodeNotFound, connect.CodeInvalidArgument, connect.CodeUnauthenticated, connect.CodePermissionDenied,
		connect.CodeFailedPrecondition, connect.CodeAlreadyExists, connect.CodeUnimplemented, connect.CodeInternal,
	} {
		synctest.Test(t, func(t *testing.T) {
			wire := &wire{handler: failing(1, code, nil)}
			if _, err := newClient(t, "http://host", waybill.HTTPClient(wire)).GetOrder(t.Context(), anOrder); err == nil {
				t.Errorf("%s: no error", code)
			}
			if sent := wire.sent.Load(); sent != 1 {
				t.Errorf("%s: sent %d times, want once", code, sent)
			}
		})
	}
}

func TestTheLastErrorComesBackWhenTheAttemptsAreUsedUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		wire := &wire{handler: failing(99, connect.CodeUnavailable, map[string]string{"X-Request-Id": "req-9"})}
		client := newClient(t, "http://host", waybill.HTTPClient(wire), waybill.Attempts(3))

		_, err := client.GetOrder(t.Context(), anOrder)

		var failure *waybill.Error
		if !errors.As(err, &failure) || failure.Message != "attempt 3" || failure.RequestID != "req-9" || !failure.Retryable {
			t.Errorf("error is %+v, want that of attempt 3", err)
		}
		if sent := wire.sent.Load(); sent != 3 {
			t.Errorf("sent %d times, want 3", sent)
		}
	})
}

func TestRetryAfterIsWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		dates := map[string]string{
			"seconds": "7",
			"a date":  began.Add(7 * time.Second).UTC().Format(http.TimeFormat),
		}
		for name, retryAfter := range dates {
			wire := &wire{handler: failing(1, connect.CodeResourceExhausted, map[string]string{"Retry-After": retryAfter})}
			began := time.Now()
			_, err := newClient(t, "http://host", waybill.HTTPClient(wire)).GetOrder(t.Context(), anOrder)
			took := time.Since(began)
			if err != nil || wire.sent.Load() != 2 {
				t.Errorf("%s: error %v after %d attempts", name, err, wire.sent.Load())
			}
			if name == "seconds" && took != 7*time.Second {
				t.Errorf("%s: waited %s, want 7s", name, took)
			}
			if took > 7*time.Second {
				t.Errorf("%s: waited %s, want no longer than the server asked for", name, took)
			}
		}
	})
}

func TestADelayThatTheErrorCarriesIsWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		wire := &wire{handler: handler(&service{getOrder: func(context.Context, *waybillv1.GetOrderStatusRequest) (*waybillv1.Order, error) {
			calls++
			if calls > 1 {
				return &waybillv1.Order{}, nil
			}
			detail, err := connectproto.NewErrorDetail(&errdetails.RetryInfo{RetryDelay: durationpb.New(1500 * time.Millisecond)})
			if err != nil {
				return nil, err
			}
			return nil, connect.NewError(connect.CodeUnavailable, "storage can't commit").WithDetail(detail)
		}})}
		began := time.Now()

		_, err := newClient(t, "http://host", waybill.HTTPClient(wire)).GetOrder(t.Context(), anOrder)

		if took := time.Since(began); err != nil || took != 1500*time.Millisecond {
			t.Errorf("error is %v after %s, want none after 1.5s", err, took)
		}
	})
}

func TestARetryAfterBeyondThePatienceComesBackAtOnceWithItsTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		wire := &wire{handler: failing(1, connect.CodeResourceExhausted, map[string]string{"Retry-After": "3600"})}
		began := time.Now()

		_, err := newClient(t, "http://host", waybill.HTTPClient(wire)).GetOrder(t.Context(), anOrder)

		var failure *waybill.Error
		if !errors.As(err, &failure) || failure.Kind != waybill.KindRateLimited {
			t.Fatalf("error is %v, want rate limited", err)
		}
		if want := began.Add(time.Hour); !failure.RetryAt.Equal(want) || time.Since(began) != 0 {
			t.Errorf("RetryAt is %s after %s, want %s at once", failure.RetryAt, time.Since(began), want)
		}
	})
}

func TestAWaitEndsWithTheCallersContext(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		context  func(context.Context) (context.Context, context.CancelFunc)
		sentinel error
		cause    error
	}{
		"its deadline": {
			func(ctx context.Context) (context.Context, context.CancelFunc) {
				return context.WithTimeout(ctx, 2*time.Second)
			},
			waybill.ErrTimeout, context.DeadlineExceeded,
		},
		"its end": {
			func(ctx context.Context) (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancel(ctx)
				time.AfterFunc(2*time.Second, cancel)
				return ctx, cancel
			},
			waybill.ErrCanceled, context.Canceled,
		},
	}
	for name, want := range cases {
		synctest.Test(t, func(t *testing.T) {
			wire := &wire{handler: failing(9, connect.CodeUnavailable, map[string]string{"Retry-After": "10"})}
			ctx, cancel := want.context(t.Context())
			defer cancel()
			began := time.Now()

			_, err := newClient(t, "http://host", waybill.HTTPClient(wire)).GetOrder(ctx, anOrder)

			if !errors.Is(err, want.sentinel) || !errors.Is(err, want.cause) {
				t.Errorf("%s: error is %v, want %v and %v", name, err, want.sentinel, want.cause)
			}
			if took := time.Since(began); took != 2*time.Second {
				t.Errorf("%s: the call ended after %s, want 2s", name, took)
			}
		})
	}
}

func TestAnAttemptThatHangsIsGivenUpAndSentAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		wire := &wire{handler: handler(&service{getOrder: func(ctx context.Context, _ *waybillv1.GetOrderStatusRequest) (*waybillv1.Order, error) {
			calls++
			if calls == 1 {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return &waybillv1.Order{OrderNumber: "1001"}, nil
		}})}
		client := newClient(t, "http://host", waybill.HTTPClient(wire), waybill.Timeout(3*time.Second))

		order, err := client.GetOrder(t.Context(), anOrder)

		if err != nil || order.GetOrderNumber() != "1001" || wire.sent.Load() != 2 {
			t.Errorf("%v, %v after %d attempts, want the order after 2", order, err, wire.sent.Load())
		}
	})
}

func TestAConnectionThatBreaksUnderWayIsTriedAgain(t *testing.T) {
	t.Parallel()
	answer := handler(&service{getOrder: func(context.Context, *waybillv1.GetOrderStatusRequest) (*waybillv1.Order, error) {
		return &waybillv1.Order{OrderNumber: "1001"}, nil
	}})
	breaks := map[string]func(http.ResponseWriter){
		"before the answer": func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
		"inside the answer": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/proto")
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("half"))
			panic(http.ErrAbortHandler)
		},
	}
	for name, breakUp := range breaks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			broken := make(chan struct{}, 1)
			broken <- struct{}{}
			url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				select {
				case <-broken:
					breakUp(w)
				default:
					answer.ServeHTTP(w, r)
				}
			}))
			order, err := newClient(t, url).GetOrder(t.Context(), anOrder)
			if err != nil || order.GetOrderNumber() != "1001" {
				t.Errorf("%v, %v, want the order", order, err)
			}
		})
	}
}

func TestEveryAttemptOfAReprocessCarriesTheSameRequestID(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ids := map[string]int{}
		wire := &wire{handler: handler(&service{reprocess: func(req *waybillv1.ReprocessRequest) (*waybillv1.ReprocessResponse, error) {
			ids[req.GetRequestId()]++
			return nil, connect.NewError(connect.CodeUnavailable, "")
		}})}
		client := newClient(t, "http://host", waybill.HTTPClient(wire), waybill.Attempts(3))

		if _, err := client.Reprocess(t.Context(), &waybill.ReprocessRequest{Reason: "new word"}); err == nil {
			t.Fatal("no error")
		}

		if len(ids) != 1 {
			t.Errorf("three attempts carried %d ids: %v", len(ids), ids)
		}
	})
}
