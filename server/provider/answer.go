package provider

import (
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"time"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
)

// Verdict is what became of a request, before any provider words it.
type Verdict int

// The verdicts.
const (
	Accepted         Verdict = iota // every event is committed
	Handshaken                      // a probe was answered; nothing was recorded
	Unproven                        // the proof is bad or missing
	Refused                         // a schema fault, refused before any record
	TooLarge                        // the body is over the limit
	Unavailable                     // storage can't commit; the sender should try again
	MethodNotAllowed                // the method is neither POST nor a harmless probe
	Incomplete                      // the body did not arrive whole
	Unsupported                     // the body comes in an encoding that we don't take
	Unknown                         // there is no such account or provider
	Limited                         // the sender is over its limit; it should try again later
)

var verdictWords = map[Verdict]string{
	Accepted:         "accepted",
	Handshaken:       "handshake",
	Unproven:         "unproven",
	Refused:          "refused",
	TooLarge:         "too_large",
	Unavailable:      "unavailable",
	MethodNotAllowed: "method_not_allowed",
	Incomplete:       "incomplete",
	Unsupported:      "unsupported",
	Unknown:          "unknown",
	Limited:          "limited",
}

// String is the verdict's word in logs and metrics.
func (v Verdict) String() string { return verdictWords[v] }

// Result is what Answer words.
type Result struct {
	Verdict Verdict
	// Responses are the receipts of an accepted request's events, in the order of Translate.
	Responses []*waybillv1.IngestEventResponse
	// Message says what is wrong, for everything but Accepted. It holds no secret and nothing from the body.
	Message string
	// RetryAfter goes with Unavailable and Limited.
	RetryAfter time.Duration
}

// Answer is what leaves.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// EventAnswer is the default answer's view of an event.
type EventAnswer struct {
	ID      string `json:"id"`
	State   string `json:"state"`
	Outcome string `json:"outcome"`
}

type acceptedBody struct {
	Event         EventAnswer   `json:"event"`
	FirstDelivery bool          `json:"first_delivery"`
	Events        []EventAnswer `json:"events,omitempty"`
}

// DefaultAnswer words a result as most providers are content to read it: the status code, and for an accepted request
// {"event":{"id","state","outcome"},"first_delivery"}; a body that held several events also lists them all.
func DefaultAnswer(res Result) Answer {
	switch res.Verdict {
	case Accepted:
	case Handshaken:
		return JSON(http.StatusOK, map[string]string{"message": res.Message})
	default:
		return errorAnswer(res)
	}
	body := acceptedBody{FirstDelivery: true}
	for _, response := range res.Responses {
		body.Events = append(body.Events, EventAnswer{
			ID:      response.GetEvent().GetId(),
			State:   StateWord(response.GetEvent().GetState()),
			Outcome: ReceiptWord(response.GetReceipt()),
		})
		body.FirstDelivery = body.FirstDelivery && response.GetFirstDelivery()
	}
	if len(body.Events) > 0 {
		body.Event = body.Events[0]
	}
	if len(body.Events) == 1 {
		body.Events = nil
	}
	return JSON(http.StatusOK, body)
}

// JSON makes an answer with a JSON body.
func JSON(status int, body any) Answer {
	text, err := json.Marshal(body)
	if err != nil {
		return Answer{Status: http.StatusInternalServerError}
	}
	return Answer{
		Status: status,
		Header: http.Header{"Content-Type": {"application/json"}},
		Body:   append(text, '\n'),
	}
}

func errorAnswer(res Result) Answer {
	answer := JSON(verdictStatus[res.Verdict], map[string]any{"error": map[string]string{"message": res.Message}})
	if res.Verdict == Unavailable || res.Verdict == Limited {
		seconds := max(1, int(math.Ceil(res.RetryAfter.Seconds())))
		answer.Header.Set("Retry-After", strconv.Itoa(seconds))
	}
	if res.Verdict == MethodNotAllowed {
		answer.Header.Set("Allow", "POST, HEAD, GET, OPTIONS")
	}
	return answer
}

var verdictStatus = map[Verdict]int{
	Accepted:         http.StatusOK,
	Handshaken:       http.StatusOK,
	Unproven:         http.StatusUnauthorized,
	Refused:          http.StatusBadRequest,
	TooLarge:         http.StatusRequestEntityTooLarge,
	Unavailable:      http.StatusServiceUnavailable,
	MethodNotAllowed: http.StatusMethodNotAllowed,
	Incomplete:       http.StatusRequestTimeout,
	Unsupported:      http.StatusUnsupportedMediaType,
	Unknown:          http.StatusNotFound,
	Limited:          http.StatusTooManyRequests,
}

// StateWord is the plain word of an event state: received, waiting, parked, failed, completed.
func StateWord(state waybillv1.EventState) string {
	return plainWord(state.String(), "EVENT_STATE_")
}

// ReceiptWord is the plain word of a receipt: accepted, duplicate, conflicting.
func ReceiptWord(receipt waybillv1.Receipt) string {
	return plainWord(receipt.String(), "RECEIPT_")
}
