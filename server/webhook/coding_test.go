package webhook_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/provider/catalog"
	"github.com/waybillhq/waybill/server/webhook"
)

// codings are the ways in which senders compress, by a name; the word before the space is what they call it.
var codings = map[string]func(io.Writer) io.WriteCloser{
	"gzip":               func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
	"x-gzip":             func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
	"GZip":               func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
	"deflate":            func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
	"deflate (bare)":     func(w io.Writer) io.WriteCloser { made, _ := flate.NewWriter(w, flate.BestCompression); return made },
	"deflate (unpacked)": func(w io.Writer) io.WriteCloser { made, _ := flate.NewWriter(w, flate.NoCompression); return made },
}

func word(name string) string {
	word, _, _ := strings.Cut(name, " ")
	return word
}

func compressed(t *testing.T, name string, plain []byte) []byte {
	t.Helper()
	var made bytes.Buffer
	w := codings[name](&made)
	if _, err := w.Write(plain); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return made.Bytes()
}

// delivery is a request of the plain courier with a proof over the given bytes, and another body than these where sent
// says so.
func delivery(t *testing.T, proven, sent []byte, header ...string) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/webhooks/shop/courier", bytes.NewReader(sent))
	r.Header.Set("Content-Type", "application/json")
	for at := 0; at+1 < len(header); at += 2 {
		r.Header.Set(header[at], header[at+1])
	}
	for _, kind := range catalog.Kinds() {
		if kind.Name == "courier" {
			kind.Sign(&provider.Request{Header: r.Header, Body: proven}, secret, now)
		}
	}
	return r
}

const scan = `{"consignment_id":"C-1","order_number":"SYN-1001","event_status":"in_transit","event_time":"2026-01-15T12:30:05Z"}`

func TestACompressedBodyIsProvenAndKeptUncompressed(t *testing.T) {
	t.Parallel()
	plainly := newDoor(t, nil)
	plainly.serve(delivery(t, []byte(scan), []byte(scan)))
	want := plainly.client.seen()[0]

	for name := range codings {
		for _, framing := range []string{"Content-Length: %d\r\n\r\n%s", "Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n"} {
			d := newDoor(t, nil)
			sent := compressed(t, name, []byte(scan))
			r := delivery(t, []byte(scan), sent, "Content-Encoding", word(name))
			connection := dial(t, d)
			fmt.Fprintf(connection, "POST /webhooks/shop/courier HTTP/1.1\r\nHost: x\r\n%s"+framing, headerLines(r, same), len(sent), sent)
			if got := statusOf(t, connection); got != 200 || len(d.client.seen()) != 1 {
				t.Errorf("%s: answer %d with %d events", name, got, len(d.client.seen()))
				continue
			}
			if event := d.client.seen()[0]; !proto.Equal(event, want) {
				t.Errorf("%s: recorded\n%v\nwant what the plain body leaves\n%v", name, event, want)
			}
		}
	}
}

func TestACompressedBodyMayBeProvenAsItCameAndIsThenKeptSo(t *testing.T) {
	t.Parallel()
	for name := range codings {
		var opened []provider.Opened
		d := newDoor(t, func(opts *webhook.Options) { opened = opts.Providers })
		sent := compressed(t, name, []byte(scan))
		if w := d.serve(delivery(t, sent, sent, "Content-Encoding", word(name))); w.Code != 200 {
			t.Errorf("%s: answer %d %s", name, w.Code, w.Body)
			continue
		}
		event := d.client.seen()[0]
		if !bytes.Equal(event.GetRaw().GetBody(), sent) || summary(event) != "status_changed" {
			t.Errorf("%s: recorded %v", name, event)
		}

		again, _, err := webhook.NewRetranslator(opened).Retranslate("shop", "courier", event.GetRaw(), now)
		if err != nil || len(again) != 1 || !proto.Equal(again[0].GetChanges()[0], event.GetChanges()[0]) || again[0].GetEventId() != event.GetEventId() {
			t.Errorf("%s: translated again as %v, %v", name, again, err)
		}
	}
}

// The bytes are those of a courier that has signed its text and compressed it afterwards.
func TestACourierThatSignsBeforeItCompressesIsUnderstood(t *testing.T) {
	t.Parallel()
	const (
		zipped = "H4sIAAAAAAACA6tWSi1LzSuJz0xRslJKTi3TtTQyMFLSUUosTwIKOIY7mZsbGJqbAkWKSxJLSouBgpl58SVFiXnFmSUg0eTEvLzUlPjEEqAMUKuZroGhrqFpiIGllYEBEEUp1QIArn14ZGMAAAA="
		proof  = "sha256=f1a1e42679a57097baf71a4b28b30ec38c58ca2b7cd9980424fbf91a5589b38c"
	)
	body, err := base64.StdEncoding.DecodeString(zipped)
	if err != nil {
		t.Fatal(err)
	}
	d := newDoor(t, func(opts *webhook.Options) {
		opts.Providers, err = provider.Open(&configv1.Config{Accounts: []*configv1.Account{{Name: "shop", Providers: []*configv1.Provider{
			{Name: "courier", Kind: "courier", Secrets: []*configv1.Secret{{Value: "synthetic-courier-secret"}}},
		}}}}, catalog.Kinds())
		if err != nil {
			t.Fatal(err)
		}
	})
	r := delivery(t, nil, body, "Content-Encoding", "gzip")
	r.Header.Set("X-Courier-Signature", proof)
	if w := d.serve(r); w.Code != 200 || summary(d.client.seen()[0]) != "status_changed" {
		t.Errorf("answer %d %s", w.Code, w.Body)
	}
}

func TestAWrongProofOfACompressedBodySaysThatTheCodingMayBeTheReason(t *testing.T) {
	t.Parallel()
	zipped := compressed(t, "gzip", []byte(scan))
	for name, sent := range map[string][]byte{
		"a sound stream":        zipped,
		"a stream cut short":    zipped[:len(zipped)-3],
		"bytes after the end":   append(bytes.Clone(zipped), 'x'),
		"no stream":             []byte("gzip it is not"),
		"nothing at all":        {},
		"a stream of two parts": append(bytes.Clone(zipped), zipped...),
	} {
		d := newDoor(t, nil)
		w := d.serve(delivery(t, []byte("something else"), sent, "Content-Encoding", "gzip"))
		if w.Code != 401 || !strings.Contains(w.Body.String(), "Content-Encoding gzip") || len(d.client.seen()) != 0 {
			t.Errorf("%s: answer %d %s with %d events", name, w.Code, w.Body, len(d.client.seen()))
		}
	}
}

func TestABodyThatIsNotWhatItsCodingSaysIsReadAsItCame(t *testing.T) {
	t.Parallel()
	zipped := compressed(t, "gzip", []byte(scan))
	cut := zipped[:len(zipped)-3]
	trailed := append(compressed(t, "deflate", []byte(scan)), " and more"...)
	for name, test := range map[string]struct {
		coding, said string
		sent         []byte
	}{
		"uncompressed on the way": {"gzip", "status_changed", []byte(scan)},
		"a stream cut short":      {"gzip", "undecoded", cut},
		"bytes after the end":     {"deflate", "undecoded", trailed},
	} {
		d := newDoor(t, nil)
		w := d.serve(delivery(t, test.sent, test.sent, "Content-Encoding", test.coding))
		if w.Code != 200 || len(d.client.seen()) != 1 {
			t.Errorf("%s: answer %d %s", name, w.Code, w.Body)
			continue
		}
		if event := d.client.seen()[0]; summary(event) != test.said || !bytes.Equal(event.GetRaw().GetBody(), test.sent) {
			t.Errorf("%s: recorded %v", name, event)
		}
	}
}

func TestWhatABodyExpandsToIsBounded(t *testing.T) {
	t.Parallel()
	const limit = 2000
	full := []byte(scan + strings.Repeat(" ", limit-len(scan)))
	for _, name := range []string{"gzip", "deflate", "deflate (bare)"} {
		d := newDoor(t, func(opts *webhook.Options) { opts.Limits.Body = limit })
		send := func(plain, sent []byte) *httptest.ResponseRecorder {
			return d.serve(delivery(t, plain, sent, "Content-Encoding", word(name)))
		}
		if w := send(full, compressed(t, name, full)); w.Code != 200 {
			t.Errorf("%s: a body that expands to the limit is answered %d %s", name, w.Code, w.Body)
		}
		longer := append(bytes.Clone(full), ' ')
		if w := send(longer, compressed(t, name, longer)); w.Code != 413 || !strings.Contains(w.Body.String(), "uncompressed") {
			t.Errorf("%s: a body that expands to one byte more is answered %d %s", name, w.Code, w.Body)
		}
		// Whoever uncompressed it whole would find that its end is missing, and take it for something else.
		bomb := compressed(t, name, make([]byte, 1<<20))
		bomb = bomb[:len(bomb)-10]
		if w := send(bomb, bomb); len(bomb) > limit || w.Code != 413 {
			t.Errorf("%s: a bomb of %d bytes is answered %d", name, len(bomb), w.Code)
		}
		if len(d.client.seen()) != 1 {
			t.Errorf("%s: %d events, want the one within the limit", name, len(d.client.seen()))
		}
	}
}

func TestSeveralOrUnknownCodingsAreRefusedWithAHint(t *testing.T) {
	t.Parallel()
	for _, encoding := range []string{"br", "zstd", "compress", "gzip, gzip", "deflate, gzip", "gzip,", "identity, gzip", "gzip;q=1", "\"gzip\"", "none"} {
		d := newDoor(t, nil)
		r := sample(t, "pathao", "order.picked")
		r.Header.Set("Content-Encoding", encoding)
		w := d.serve(r)
		if w.Code != 415 || !strings.Contains(w.Body.String(), "Content-Encoding") || len(d.client.seen()) != 0 ||
			w.Header().Get("Accept-Encoding") != "gzip, deflate, identity" ||
			w.Header().Get("X-Pathao-Merchant-Webhook-Integration-Secret") == "" {
			t.Errorf("%s: answer %d %v %s", encoding, w.Code, w.Header(), w.Body)
		}
	}
	twice := sample(t, "pathao", "order.picked")
	twice.Header["Content-Encoding"] = []string{"gzip", "gzip"}
	if w := newDoor(t, nil).serve(twice); w.Code != 415 {
		t.Errorf("two headers: answer %d", w.Code)
	}
	for _, encoding := range []string{"", "identity", " Identity "} {
		plain := sample(t, "pathao", "order.picked")
		plain.Header.Set("Content-Encoding", encoding)
		if w := newDoor(t, nil).serve(plain); w.Code != 202 {
			t.Errorf("%q: answer %d", encoding, w.Code)
		}
	}
}
