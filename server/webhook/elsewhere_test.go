package webhook_test

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/waybillhq/waybill/server/webhook"
)

// guardedDoor takes the courier's requests from the given addresses only.
func guardedDoor(t *testing.T, proxies []string, sources ...string) *door {
	t.Helper()
	return newDoor(t, func(opts *webhook.Options) {
		opts.TrustedProxies = proxies
		for _, opened := range opts.Providers {
			if name := opened.Config.GetName(); name == "courier" || name == "pathao" {
				opened.Config.SourceAddresses = sources
			}
		}
	})
}

func TestARequestFromElsewhereIsRefusedLikeOneWithoutAProof(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		remote, named string
		status        int
	}{
		"from a listed block":               {"203.0.113.9:1", "", 200},
		"from elsewhere":                    {"192.0.2.1:1", "", 401},
		"from elsewhere, naming a listed":   {"192.0.2.1:1", "203.0.113.9", 401},
		"through a proxy, from a listed":    {"10.0.0.1:1", "203.0.113.9", 200},
		"through a proxy, from elsewhere":   {"10.0.0.1:1", "192.0.2.1", 401},
		"through a proxy, naming a listed":  {"10.0.0.1:1", "203.0.113.9, 192.0.2.1", 401},
		"from the proxy itself":             {"10.0.0.1:1", "", 401},
		"through a proxy that names no one": {"10.0.0.1:1", "unknown", 401},
		"from nowhere":                      {"", "", 401},
	} {
		d := guardedDoor(t, []string{"10.0.0.0/8"}, "203.0.113.0/24", "2001:db8::1")
		r := delivery(t, []byte(scan), []byte(scan))
		r.RemoteAddr = test.remote
		if test.named != "" {
			r.Header.Set("X-Forwarded-For", test.named)
		}
		w := d.serve(r)
		if w.Code != test.status || len(d.client.seen()) != map[int]int{200: 1}[test.status] {
			t.Errorf("%s: answer %d with %d events", name, w.Code, len(d.client.seen()))
		}
		if logged := strings.Contains(d.log.String(), `"source":"192.0.2.1"`); logged != (test.status == 401 && strings.Contains(test.remote+test.named, "192.0.2.1")) {
			t.Errorf("%s: log %s", name, d.log)
		}
	}
}

func TestARequestFromElsewhereIsAnsweredInTheProvidersDialectBeforeItsBodyIsRead(t *testing.T) {
	t.Parallel()
	d := guardedDoor(t, nil, "203.0.113.0/24") // this machine is not among them
	for _, sample := range []string{"X-Pathao-Signature: " + secret, "Expect: 100-continue"} {
		connection := dial(t, d)
		fmt.Fprintf(connection, "POST /webhooks/shop/pathao HTTP/1.1\r\nHost: x\r\n%s\r\nContent-Length: 1000\r\n\r\n", sample)
		text := make([]byte, 1000)
		n, err := connection.Read(text)
		answer := string(text[:n])
		if err != nil || !strings.HasPrefix(answer, "HTTP/1.1 401 ") || !strings.Contains(answer, "X-Pathao-Merchant-Webhook-Integration-Secret") {
			t.Errorf("answer %q, %v", answer, err)
		}
	}
	if w := d.serve(sample(t, "stripe", "payment_intent.succeeded")); w.Code != 200 {
		t.Errorf("a provider without a list is answered %d", w.Code)
	}

	home := guardedDoor(t, nil, "127.0.0.0/8")
	connection := dial(t, home)
	fmt.Fprint(connection, raw(t, scan, fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(scan), scan)))
	if got := statusOf(t, connection); got != 200 {
		t.Errorf("from %s: answer %d", connection.(*net.TCPConn).LocalAddr(), got)
	}
}
