package load

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"time"

	"github.com/valyala/fasthttp"
)

// Answer is what a delivery was answered.
type Answer int

// The answers.
const (
	// First: nobody had sent the event before.
	First Answer = iota
	// Repeated: it was recorded before.
	Repeated
	// Refused: not now; send it again.
	Refused
)

// line is an open connection.
type line struct {
	conn     net.Conn
	reader   *bufio.Reader
	letter   *letter
	out      []byte
	response fasthttp.Response
}

func dial(ctx context.Context, target Target, until time.Time) (*line, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", target.Address)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	if err := conn.SetDeadline(until); err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	return &line{conn: conn, reader: bufio.NewReader(conn), letter: target.Workload.letter(target.Address)}, nil
}

// send posts event n and waits for the answer.
func (l *line) send(n int64) (Answer, error) {
	l.out = l.letter.appendTo(l.out[:0], n)
	if _, err := l.conn.Write(l.out); err != nil {
		return 0, fmt.Errorf("event %d: send: %w", n, err)
	}
	if err := l.response.Read(l.reader); err != nil {
		return 0, fmt.Errorf("event %d: answer: %w", n, err)
	}
	switch status := l.response.StatusCode(); {
	case status == 503:
		return Refused, nil
	case status != 200:
		return 0, fmt.Errorf("event %d: answered %d", n, status)
	case bytes.Contains(l.response.Body(), []byte(`"first_delivery":true`)):
		return First, nil
	default:
		return Repeated, nil
	}
}

// lines opens connections that live until a time.
func lines(ctx context.Context, target Target, count int, until time.Time) ([]*line, error) {
	opened := make([]*line, 0, count)
	for range count {
		l, err := dial(ctx, target, until)
		if err != nil {
			hangUp(opened)
			return nil, err
		}
		opened = append(opened, l)
	}
	return opened, nil
}

func hangUp(lines []*line) {
	for _, l := range lines {
		_ = l.conn.Close() // everything that matters has been read
	}
}
