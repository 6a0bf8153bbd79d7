package main

import (
	"bytes"
	"compress/gzip"
	"testing"

	"github.com/waybillhq/waybill/server/provider"
)

// from names the sender as a proxy would.
func from(address string) func(*provider.Request) {
	return func(r *provider.Request) { r.Header.Set("X-Forwarded-For", address) }
}

func TestTheSettingsOfTheDoorReachIt(t *testing.T) {
	t.Parallel()
	s := openShopWith(t, "trusted_proxies: [127.0.0.0/8]\n"+shopConfig(
		`{name: guarded, kind: pathao, secrets: ["`+testSecret+`"], source_addresses: [203.0.113.0/24]}`,
		`{name: limited, kind: pathao, secrets: ["`+testSecret+`"], limits: {rate_per_minute: 1}}`,
	))
	send := func(name, number string, change ...func(*provider.Request)) delivery {
		t.Helper()
		values := provider.SampleValues{OrderNumber: number, Consignment: "DS" + number, Currency: "BDT", MinorUnits: 4200}
		var got delivery
		s.await("an answer that is no fault of ours", func() (bool, error) {
			got = s.post(name, s.sign("pathao", "order.picked", values, change...))
			return got.status != 503, nil
		})
		return got
	}

	if got := send("guarded", "7200", from("203.0.113.9")); got.status != 202 {
		t.Errorf("from a listed address: answer %d %s", got.status, got.body)
	}
	for _, address := range []string{"198.51.100.1", "203.0.113.9, 198.51.100.1"} {
		if got := send("guarded", "7201", from(address)); got.status != 401 {
			t.Errorf("from elsewhere (%s): answer %d %s", address, got.status, got.body)
		}
	}

	limited := 0
	for range 4 {
		request := s.sign("pathao", "order.picked", provider.SampleValues{OrderNumber: "7210", Consignment: "DS7210"})
		if got := s.post("limited", request); got.status == 429 && got.header.Get("Retry-After") != "" {
			limited++
		}
	}
	if limited != 3 {
		t.Errorf("%d of 4 were over a rate of 1", limited)
	}

	if got := send("pathao", "7220", zipped(t)); got.status != 202 {
		t.Errorf("compressed: answer %d %s", got.status, got.body)
	}
	for _, event := range s.events() {
		if event.GetProvider() != "pathao" {
			continue
		}
		kept := s.awaitEvent(event.GetId()).GetRaw()
		if !bytes.Contains(kept.GetBody(), []byte(`"DS7220"`)) || len(kept.GetHeaders()) != 0 {
			t.Errorf("kept %q with %v, want what was proven", kept.GetBody(), kept.GetHeaders())
		}
	}
}

func zipped(t *testing.T) func(*provider.Request) {
	t.Helper()
	return func(r *provider.Request) {
		var made bytes.Buffer
		w := gzip.NewWriter(&made)
		if _, err := w.Write(r.Body); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		r.Body = made.Bytes()
		r.Header.Set("Content-Encoding", "gzip")
	}
}
