package webhook

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/waybillhq/waybill/server/provider"
)

// prove finds the rendering of the body that its sender has proven. What is kept and read from then on is exactly that.
func (x *exchange) prove(ctx context.Context, renderings []rendering) *ending {
	within := x.route.Kind.ProofWithin
	if within == 0 {
		within = time.Until(x.due)
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()

	end := x.firstProven(ctx, renderings)
	if x.route.Kind.ProofWithin > 0 {
		// What was asked elsewhere had its own time: an answer from there may take longer than ours may, and a sender
		// that is refused for it may never try again.
		x.due = time.Now().Add(x.h.limits.Answer)
	}
	return end
}

func (x *exchange) firstProven(ctx context.Context, renderings []rendering) *ending {
	var refused error
	for _, tried := range renderings {
		request := x.request(tried)
		err := x.verify(ctx, request)
		switch {
		case err == nil:
			x.raw = stored(x.r.Header, x.route.Kind.KeptHeaders, tried)
			x.text = readable(x.raw)
			return x.confirmed(ctx, request)
		case errors.Is(err, provider.ErrUnreachable):
			return x.unreachable(err)
		case refused == nil:
			refused = err
		}
	}
	return &ending{verdict: provider.Unproven, message: refused.Error() + codingHint(renderings)}
}

// codingHint says what else than the secret may be wrong with the proof of a compressed body.
func codingHint(renderings []rendering) string {
	switch coding := renderings[len(renderings)-1].coding; {
	case coding == "":
		return ""
	case len(renderings) == 1:
		return "; the body says Content-Encoding " + coding + " and is not that, and as it came it is not proven"
	default:
		return "; the body came with Content-Encoding " + coding +
			", and is proven neither uncompressed nor as it came"
	}
}

// confirmed makes the call that a proven set-up request asks for. Such a request becomes no event.
func (x *exchange) confirmed(ctx context.Context, r *provider.Request) *ending {
	confirmed, err := x.confirm(ctx, r)
	switch {
	case err != nil:
		return x.unreachable(err)
	case confirmed:
		return &ending{verdict: provider.Handshaken, message: "confirmed"}
	default:
		return nil
	}
}

// unreachable is the end of a request that can't be judged because nobody could be asked. The fetcher's error names
// no more than a host; the sender is told nothing of it.
func (x *exchange) unreachable(err error) *ending {
	x.complain("the provider's own side can't be asked", slog.String("error", err.Error()))
	return &ending{verdict: provider.Unavailable, message: provider.ErrUnreachable.Error() + "; send it again"}
}
