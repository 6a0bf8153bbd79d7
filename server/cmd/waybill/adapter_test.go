package main

import (
	"os"
	"path/filepath"
	"testing"
)

// adapterOf starts the webhook door alone, in front of a shop.
func adapterOf(t *testing.T, s *shop) *shop {
	t.Helper()
	keyFile := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(keyFile, []byte(testKey), 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(t.TempDir(), "adapter.log"))
	if err != nil {
		t.Fatal(err)
	}
	door := &shop{t: t, dir: s.dir, demoServer: &demoServer{
		program: s.program,
		args: []string{
			"adapter", "--config", s.configPath(), "--api", s.url, "--key-file", keyFile, "--listen", "127.0.0.1:0",
		},
		log: log,
	}}
	door.open()
	t.Cleanup(door.shut)
	return door
}

func TestTheDoorMayStandInAProcessOfItsOwn(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	door := adapterOf(t, s)
	s.place("6001", 4200, "EUR")

	got := door.send("stripe", "payment_intent.succeeded", payment("6001"))
	if got.status != 200 || !got.first {
		t.Fatalf("answered %d %s", got.status, got.body)
	}
	s.awaitOrder("6001", isPaid)
	if again := door.send("stripe", "payment_intent.succeeded", payment("6001")); again.outcome != "duplicate" {
		t.Errorf("the second copy was answered %d %s", again.status, again.body)
	}

	// The key speaks for stripe and not for payments: nothing is recorded, and the sender is told to come again.
	values := payment("6001")
	values.ID = "refused"
	if refused := door.send("payments", "payment.succeeded", values); refused.status != 503 {
		t.Errorf("a provider that the key may not speak for was answered %d %s", refused.status, refused.body)
	}

	if err := s.kill(); err != nil {
		t.Fatal(err)
	}
	alone := payment("6002")
	refused := door.send("stripe", "payment_intent.succeeded", alone)
	if refused.status != 503 || refused.header.Get("Retry-After") == "" {
		t.Errorf("without its API the door answered %d %s", refused.status, refused.body)
	}
	s.open()
}
