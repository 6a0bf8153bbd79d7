package load

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/waybillhq/waybill/server/provider"
)

// Numbers stand in deliveries with always the same number of digits, so that they can be patched in place.
const (
	firstNumber = 100_000_000_000
	marker      = "123456789012"
)

// Workload is a signed sample that is sent over and over, each time as another event, or as one that was sent before.
type Workload struct {
	sender  Sender
	path    string
	headers http.Header
	body    []byte
	// places are where the event's number stands in the body.
	places []int
}

// NewWorkload makes a workload of one of the sender's samples.
func NewWorkload(sender Sender, sample string) (*Workload, error) {
	samples := sender.Opened.Kind.Samples
	at := slices.IndexFunc(samples, func(s provider.Sample) bool { return s.Name == sample })
	if at < 0 {
		return nil, fmt.Errorf("sample %s: the kind %s has no such sample", sample, sender.Opened.Kind.Name)
	}
	request, err := samples[at].Request(provider.SampleValues{
		ID: marker, OrderID: marker, OrderNumber: marker, Consignment: marker, PaymentID: marker,
		Currency: "EUR", MinorUnits: 4700, At: time.Now().Add(-time.Minute),
	})
	if err != nil {
		return nil, err
	}
	w := &Workload{sender: sender, path: sender.Path(), headers: request.Header, body: request.Body}
	for from := 0; ; {
		next := bytes.Index(w.body[from:], []byte(marker))
		if next < 0 {
			break
		}
		w.places = append(w.places, from+next)
		from += next + len(marker)
	}
	if len(w.places) == 0 {
		return nil, fmt.Errorf("sample %s: nothing in its body tells one event from another", sample)
	}
	return w, nil
}

// Bytes is how long a body is.
func (w *Workload) Bytes() int { return len(w.body) }

// letter is one connection's copy of the workload, patched for each delivery.
type letter struct {
	work    *Workload
	host    string
	request provider.Request
	number  []byte
}

func (w *Workload) letter(host string) *letter {
	return &letter{
		work: w, host: host,
		request: provider.Request{Header: w.headers.Clone(), Body: bytes.Clone(w.body)},
	}
}

// appendTo writes event n as a whole HTTP request, signed now.
func (l *letter) appendTo(to []byte, n int64) []byte {
	l.number = strconv.AppendInt(l.number[:0], firstNumber+n, 10)
	for _, at := range l.work.places {
		copy(l.request.Body[at:], l.number)
	}
	for name, values := range l.work.headers {
		if strings.Contains(values[0], marker) {
			l.request.Header[name][0] = strings.ReplaceAll(values[0], marker, string(l.number))
		}
	}
	l.work.sender.sign(&l.request)

	to = append(to, "POST "+l.work.path...)
	if len(l.request.Query) > 0 {
		to = append(to, "?"+l.request.Query.Encode()...)
	}
	to = append(to, " HTTP/1.1\r\nHost: "+l.host+"\r\n"...)
	for name, values := range l.request.Header {
		to = append(append(append(append(to, name...), ": "...), values[0]...), "\r\n"...)
	}
	to = append(to, "Content-Length: "...)
	to = strconv.AppendInt(to, int64(len(l.request.Body)), 10)
	return append(append(to, "\r\n\r\n"...), l.request.Body...)
}
