package webhook_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/waybillhq/waybill/server/webhook"
)

// raw writes a courier's request with a proof over the given bytes, and the given framing in place of our own.
func raw(t *testing.T, proven, framing string) string {
	t.Helper()
	r := delivery(t, []byte(proven), nil)
	return "POST /webhooks/shop/courier HTTP/1.1\r\nHost: x\r\n" + headerLines(r, same) + framing
}

func TestFramesThatLieHaveADefinedAnswer(t *testing.T) {
	t.Parallel()
	whole := len(scan)
	for name, test := range map[string]struct {
		framing  string
		status   int
		recorded int
	}{
		"a length that is right":       {fmt.Sprintf("Content-Length: %d\r\n\r\n%s", whole, scan), 200, 1},
		"a length that is too short":   {fmt.Sprintf("Content-Length: %d\r\n\r\n%s", whole-1, scan), 401, 0},
		"a length that is too long":    {fmt.Sprintf("Content-Length: %d\r\n\r\n%s", whole+1, scan), 408, 0},
		"no length at all":             {"\r\n" + scan, 401, 0},
		"the same length twice":        {fmt.Sprintf("Content-Length: %d\r\nContent-Length: %d\r\n\r\n%s", whole, whole, scan), 200, 1},
		"two lengths":                  {fmt.Sprintf("Content-Length: %d\r\nContent-Length: 3\r\n\r\n%s", whole, scan), 400, 0},
		"a length that is no number":   {"Content-Length: many\r\n\r\n" + scan, 400, 0},
		"a negative length":            {"Content-Length: -1\r\n\r\n" + scan, 400, 0},
		"a length beyond 64 bits":      {"Content-Length: 99999999999999999999\r\n\r\n" + scan, 400, 0},
		"chunks and a length":          {fmt.Sprintf("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", whole, scan), 200, 1},
		"a chunk shorter than it says": {fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", whole+1, scan), 408, 0},
		"a chunk of no size":           {"Transfer-Encoding: chunked\r\n\r\nzz\r\n" + scan, 408, 0},
		"chunks without an end":        {fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", whole, scan), 408, 0},
		"another transfer encoding":    {"Transfer-Encoding: gzip, chunked\r\n\r\n" + scan, 501, 0},
		"more chunks than are taken":   {"Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat("400\r\n"+strings.Repeat(" ", 1024)+"\r\n", 2049), 413, 0},
	} {
		d := newDoor(t, func(opts *webhook.Options) { opts.Limits.ReadBody = 5 * time.Second })
		connection := dial(t, d)
		fmt.Fprint(connection, raw(t, scan, test.framing))
		if err := connection.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		if got := statusOf(t, connection); got != test.status || len(d.client.seen()) != test.recorded {
			t.Errorf("%s: answer %d with %d events, want %d with %d", name, got, len(d.client.seen()), test.status, test.recorded)
		}
	}
}

func TestAProofInATrailerIsNone(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	proof := delivery(t, []byte(scan), nil).Header.Get("X-Courier-Signature")
	connection := dial(t, d)
	fmt.Fprintf(connection, "POST /webhooks/shop/courier HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTrailer: X-Courier-Signature\r\n\r\n"+
		"%x\r\n%s\r\n0\r\nX-Courier-Signature: %s\r\n\r\n", len(scan), scan, proof)
	if got := statusOf(t, connection); got != 401 || len(d.client.seen()) != 0 {
		t.Errorf("answer %d with %d events", got, len(d.client.seen()))
	}
}

func TestASenderThatHasClosedItsSideIsAnswered(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	connection := dial(t, d)
	fmt.Fprint(connection, raw(t, scan, fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(scan), scan)))
	if err := connection.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if got := statusOf(t, connection); got != 200 {
		t.Errorf("answer %d", got)
	}
}

func TestRequestsInOneBreathAreAnsweredOneByOne(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	connection := dial(t, d)
	one := raw(t, scan, fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(scan), scan))
	fmt.Fprint(connection, one+one)
	answers := bufio.NewReader(connection)
	for range 2 {
		response, err := http.ReadResponse(answers, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != 200 {
			t.Errorf("answer %d, %v", response.StatusCode, err)
		}
		response.Body.Close()
	}
	if len(d.client.seen()) != 2 {
		t.Errorf("%d events", len(d.client.seen()))
	}
}

// drip sends a byte every few milliseconds for as long as anybody takes them.
func drip(connection net.Conn, text string) {
	again := time.NewTicker(2 * time.Millisecond)
	defer again.Stop()
	for at := 0; ; at = (at + 1) % len(text) {
		if _, err := connection.Write([]byte{text[at]}); err != nil {
			return
		}
		<-again.C
	}
}

func TestABodyThatDripsIsGivenUpAfterItsTime(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]int{
		"POST /webhooks/shop/courier": 408, "POST /webhooks/shop/nobody": 404, "PUT /webhooks/shop/courier": 405, "GET /webhooks/": 200,
	} {
		d := newDoor(t, func(opts *webhook.Options) { opts.Limits.ReadBody = 100 * time.Millisecond })
		connection := dial(t, d)
		fmt.Fprintf(connection, "%s HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n", line)
		go drip(connection, scan)
		if got := statusOf(t, connection); got != want || len(d.client.seen()) != 0 {
			t.Errorf("%s: answer %d with %d events, want %d", line, got, len(d.client.seen()), want)
		}
	}
}

func TestASlowBodyThatKeepsItsTimeIsTaken(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	connection := dial(t, d)
	fmt.Fprint(connection, raw(t, scan, fmt.Sprintf("Content-Length: %d\r\n\r\n", len(scan))))
	go drip(connection, scan)
	if got := statusOf(t, connection); got != 200 || string(d.client.seen()[0].GetRaw().GetBody()) != scan {
		t.Errorf("answer %d, recorded %v", got, d.client.seen())
	}
}

func TestNobodyIsToldToContinueWithABodyThatIsNotTaken(t *testing.T) {
	t.Parallel()
	for header, first := range map[string]string{
		"Content-Length: 3000000":                                "413 ",
		"Content-Length: 10\r\nContent-Encoding: br":             "415 ",
		"Transfer-Encoding: chunked\r\nContent-Encoding: br":     "415 ",
		"Transfer-Encoding: chunked\r\nContent-Encoding: gzip":   "100 ",
		"Content-Length: 10\r\nContent-Type: application/x-what": "100 ",
	} {
		connection := dial(t, newDoor(t, nil))
		fmt.Fprintf(connection, "POST /webhooks/shop/courier HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n%s\r\n\r\n", header)
		line, err := bufio.NewReader(connection).ReadString('\n')
		if err != nil || !strings.HasPrefix(line, "HTTP/1.1 "+first) {
			t.Errorf("%s: first line %q, %v, want %s", header, line, err, first)
		}
	}
}
