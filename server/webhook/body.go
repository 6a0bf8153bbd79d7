package webhook

import (
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/waybillhq/waybill/server/provider"
)

// ending is how a request ends before anything is recorded.
type ending struct {
	verdict provider.Verdict
	message string
	// retryAfter is when the sender should try again. 0: when the limits say.
	retryAfter time.Duration
}

// rendering is a form of the body that its sender may have proven: some compress what they have signed, some sign what
// they have compressed.
type rendering struct {
	bytes []byte
	// coding is what the bytes are still compressed with. Empty: with nothing.
	coding string
}

// receive reads the whole body, within its limits of size and time.
func (x *exchange) receive() ([]byte, *ending) {
	if _, err := codingOf(x.r.Header); err != nil {
		x.w.Header().Set("Accept-Encoding", codingsTaken)
		return nil, &ending{verdict: provider.Unsupported, message: err.Error()}
	}
	limit := x.limit()
	if x.r.ContentLength > limit {
		x.w.Header().Set("Connection", "close") // nobody will read the rest
		return nil, &ending{verdict: provider.TooLarge, message: "the body is too large"}
	}

	body, err := io.ReadAll(http.MaxBytesReader(x.w, x.r.Body, limit))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, &ending{verdict: provider.TooLarge, message: "the body is too large"}
	}
	if err != nil {
		x.w.Header().Set("Connection", "close")
		return nil, &ending{verdict: provider.Incomplete, message: "the body did not arrive whole in time"}
	}
	_ = http.NewResponseController(x.w).SetReadDeadline(time.Time{}) // it has come
	return body, nil
}

// renderings are what the sender may have proven, in the order in which it is tried. A body that is not what its
// Content-Encoding says, because a proxy has uncompressed it on the way for example, is tried as it came.
func (x *exchange) renderings(sent []byte) ([]rendering, *ending) {
	coding, err := codingOf(x.r.Header)
	if err != nil || coding == "" {
		return []rendering{{bytes: sent}}, nil
	}
	plain, err := inflate(coding, sent, x.limit())
	if errors.Is(err, errTooLarge) {
		return nil, &ending{verdict: provider.TooLarge, message: err.Error()}
	}
	if err != nil {
		return []rendering{{bytes: sent, coding: coding}}, nil
	}
	return []rendering{{bytes: plain}, {bytes: sent, coding: coding}}, nil
}

// limit is the provider's own limit, its kind's, or everybody's.
func (x *exchange) limit() int64 {
	if limit := x.route.Config.GetMaxBodyBytes(); limit > 0 {
		return limit
	}
	if limit := x.route.Kind.MaxBodyBytes; limit > 0 {
		return limit
	}
	return x.h.limits.Body
}
