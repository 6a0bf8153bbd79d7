package waybill

import (
	"context"
	"errors"
	"time"

	"connectrpc.com/connect/v2"
	"github.com/cenkalti/backoff/v5"
)

// call sends a request until it is answered, fails for good, or the client's bounds are reached. Every method of the
// API may be sent again (see the package comment), so it asks only whether the failure passes.
func call[Req, Res any](ctx context.Context, c *Client, method func(context.Context, *Req) (*Res, error), req *Req) (*Res, error) {
	var last *Error
	response, err := backoff.Retry(ctx, func() (*Res, error) {
		var response *Res
		response, last = attempt(ctx, c, method, req)
		return response, again(last)
	},
		backoff.WithBackOff(waits()),
		backoff.WithMaxTries(c.settings.attempts),
		backoff.WithMaxElapsedTime(c.settings.patience),
	)
	if err == nil {
		return response, nil
	}
	if stopped := ctx.Err(); stopped != nil && !errors.Is(last, stopped) {
		return nil, last.stoppedBy(context.Cause(ctx))
	}
	return nil, last
}

// attempt sends a request once.
func attempt[Req, Res any](ctx context.Context, c *Client, method func(context.Context, *Req) (*Res, error), req *Req) (*Res, *Error) {
	once, cancel := context.WithTimeout(ctx, c.settings.timeout)
	defer cancel()
	once, info := connect.NewClientContext(once)
	info.RequestHeader().Set("User-Agent", c.settings.userAgent)
	if c.settings.key != nil {
		key, err := c.settings.key()
		if err != nil {
			return nil, invalid(err)
		}
		info.RequestHeader().Set("Authorization", "Bearer "+key)
	}

	response, err := method(once, req)
	if err != nil {
		return nil, fromConnect(err, info, ctx.Err())
	}
	return response, nil
}

// again words an attempt's error for backoff: nil, try again, try again then, or give up.
func again(err *Error) error {
	if err == nil {
		return nil
	}
	if !err.Retryable {
		return backoff.Permanent(err)
	}
	if !err.RetryAt.IsZero() {
		return &backoff.RetryAfterError{Duration: max(0, time.Until(err.RetryAt))}
	}
	return err
}

func waits() backoff.BackOff {
	waits := backoff.NewExponentialBackOff()
	waits.InitialInterval = 100 * time.Millisecond
	waits.MaxInterval = 5 * time.Second
	waits.Multiplier = 2
	return waits
}
