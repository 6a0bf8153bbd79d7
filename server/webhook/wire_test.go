package webhook_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/waybillhq/waybill/server/webhook"
)

// wire is a door behind a real listener.
func wire(t *testing.T, change func(*webhook.Options)) (*door, *httptest.Server) {
	t.Helper()
	d := newDoor(t, change)
	server := httptest.NewUnstartedServer(d.Before(http.NotFoundHandler()))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	return d, server
}

// dial speaks plain HTTP/1.1 to a door, byte by byte.
func dial(t *testing.T, d *door) net.Conn {
	t.Helper()
	server := httptest.NewServer(d)
	t.Cleanup(server.Close)
	return dialServer(t, server)
}

func dialServer(t *testing.T, server *httptest.Server) net.Conn {
	t.Helper()
	connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	if err := connection.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return connection
}

// statusOf is the status of the answer that comes next.
func statusOf(t *testing.T, from io.Reader) int {
	t.Helper()
	response, err := http.ReadResponse(bufio.NewReader(from), nil)
	if err != nil {
		t.Fatalf("no answer: %v", err)
	}
	defer response.Body.Close()
	return response.StatusCode
}

// headerLines writes a request's headers with their names changed.
func headerLines(r *http.Request, name func(string) string) string {
	var lines strings.Builder
	for key, values := range r.Header {
		fmt.Fprintf(&lines, "%s: %s\r\n", name(key), values[0])
	}
	return lines.String()
}

func same(name string) string { return name }

func TestAChunkedBodyIsReadWhole(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	r := sample(t, "shopify", "orders-paid")
	body, _ := io.ReadAll(r.Body)
	connection := dial(t, d)

	fmt.Fprintf(connection, "POST /webhooks/shop/shopify HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n%s\r\n", headerLines(r, same))
	for chunk := range bytesIn(body, 7) {
		fmt.Fprintf(connection, "%x\r\n%s\r\n", len(chunk), chunk)
	}
	fmt.Fprint(connection, "0\r\n\r\n")
	if got := statusOf(t, connection); got != 200 || !bytes.Equal(d.client.seen()[0].GetRaw().GetBody(), body) {
		t.Errorf("answer %d", got)
	}
}

func bytesIn(body []byte, size int) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for len(body) > 0 {
			n := min(size, len(body))
			if !yield(body[:n]) {
				return
			}
			body = body[n:]
		}
	}
}

func TestTheSenderIsToldToContinueOnlyWhereTheBodyIsWanted(t *testing.T) {
	t.Parallel()
	for path, first := range map[string]string{"/webhooks/shop/stripe": "100 Continue", "/webhooks/shop/nobody": "404 Not Found"} {
		d := newDoor(t, nil)
		r := sample(t, "stripe", "payment_intent.succeeded")
		body, _ := io.ReadAll(r.Body)
		connection := dial(t, d)
		fmt.Fprintf(connection, "POST %s HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: %d\r\n%s\r\n",
			path, len(body), headerLines(r, same))
		reader := bufio.NewReader(connection)
		line, err := reader.ReadString('\n')
		if err != nil || !strings.Contains(line, first) {
			t.Fatalf("%s: first line %q, %v, want %s", path, line, err, first)
		}
		if first != "100 Continue" {
			continue
		}
		if _, err := reader.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		if _, err := connection.Write(body); err != nil {
			t.Fatal(err)
		}
		if got := statusOf(t, reader); got != 200 {
			t.Errorf("answer %d", got)
		}
	}
}

func TestHeaderNamesReadTheSameInAnyCase(t *testing.T) {
	t.Parallel()
	for _, change := range []func(string) string{strings.ToUpper, strings.ToLower} {
		d := newDoor(t, nil)
		r := sample(t, "shopify", "orders-paid")
		body, _ := io.ReadAll(r.Body)
		connection := dial(t, d)
		fmt.Fprintf(connection, "POST /webhooks/shop/shopify HTTP/1.1\r\nHOST: x\r\nCONTENT-LENGTH: %d\r\n%s\r\n%s",
			len(body), headerLines(r, change), body)
		if got := statusOf(t, connection); got != 200 || d.client.seen()[0].GetEventType() != "orders/paid" {
			t.Errorf("answer %d, event %v", got, d.client.seen())
		}
	}

	d, server := wire(t, nil)
	signed := sample(t, "shopify", "orders-paid")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/webhooks/shop/shopify/", signed.Body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = signed.Header
	r.Header.Set("User-Agent", "")
	response, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.ProtoMajor != 2 || response.StatusCode != http.StatusOK || len(d.client.seen()) != 1 {
		t.Errorf("HTTP/%d: answer %d", response.ProtoMajor, response.StatusCode)
	}
}

func TestABodyOverTheLimitIsRefusedHoweverItComes(t *testing.T) {
	t.Parallel()
	limited := func(opts *webhook.Options) { opts.Limits.Body = 1000 }
	big := strings.Repeat("x", 1001)

	announced := newDoor(t, limited)
	if w := announced.serve(withBody(sample(t, "stripe", "payment_intent.succeeded"), big)); w.Code != 413 || w.Header().Get("Connection") != "close" {
		t.Errorf("announced: answer %d", w.Code)
	}
	chunked := newDoor(t, limited)
	r := withBody(sample(t, "stripe", "payment_intent.succeeded"), big)
	r.ContentLength = -1
	if w := chunked.serve(r); w.Code != 413 {
		t.Errorf("chunked: answer %d", w.Code)
	}
	if len(announced.client.seen())+len(chunked.client.seen()) != 0 {
		t.Error("a body over the limit was recorded")
	}

	own := newDoor(t, func(opts *webhook.Options) {
		limited(opts)
		for _, opened := range opts.Providers {
			opened.Config.MaxBodyBytes = 2 << 20
		}
	})
	large := sample(t, "pathao", "order.picked")
	body, _ := io.ReadAll(large.Body)
	if w := own.serve(withBody(large, strings.Repeat(" ", 1_900_000)+string(body))); w.Code != 202 {
		t.Errorf("a large body within the provider's own limit is answered %d", w.Code)
	}
}

func TestABodyThatDoesNotArriveWholeIsNoBody(t *testing.T) {
	t.Parallel()
	d := newDoor(t, func(opts *webhook.Options) { opts.Limits.ReadBody = 50 * time.Millisecond })
	r := sample(t, "stripe", "payment_intent.succeeded")
	connection := dial(t, d)
	fmt.Fprintf(connection, "POST /webhooks/shop/stripe HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n%s\r\n{\"id\":", headerLines(r, same))
	if got := statusOf(t, connection); got != http.StatusRequestTimeout {
		t.Errorf("a body that stops coming is answered %d", got)
	}

	cut := dial(t, d)
	fmt.Fprintf(cut, "POST /webhooks/shop/stripe HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n%s\r\n{\"id\":", headerLines(r, same))
	if err := cut.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if got := statusOf(t, cut); got != http.StatusRequestTimeout {
		t.Errorf("a body that is cut off is answered %d", got)
	}
	if len(d.client.seen()) != 0 {
		t.Error("half a body was recorded")
	}
}

func TestASlowBodyIsWaitedFor(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	r := sample(t, "stripe", "payment_intent.succeeded")
	body, _ := io.ReadAll(r.Body)
	reader, writer := io.Pipe()
	go func() {
		for chunk := range bytesIn(body, 16) { // each write waits until the door has read it
			if _, err := writer.Write(chunk); err != nil {
				return
			}
		}
		writer.Close()
	}()
	r.Body, r.ContentLength = reader, -1
	if w := d.serve(r); w.Code != 200 {
		t.Errorf("answer %d %s", w.Code, w.Body)
	}
}
