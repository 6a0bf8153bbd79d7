package store_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/waybillhq/waybill/server/order"
	"github.com/waybillhq/waybill/server/store"
)

// The tests below run this test binary again as other processes on the same file: to kill them, or to have rivals.

const (
	childRole = "WAYBILL_STORE_CHILD"
	childFile = "WAYBILL_STORE_FILE"
	childFrom = "WAYBILL_STORE_FROM"
)

func TestMain(m *testing.M) {
	switch os.Getenv(childRole) {
	case "":
		os.Exit(m.Run())
	case "load":
		runChild(loadForEver)
	case "rival":
		runChild(acceptAll)
	}
}

func runChild(work func(s *store.Store, from int64) error) {
	from, err := strconv.ParseInt(os.Getenv(childFrom), 10, 64)
	if err == nil {
		var s *store.Store
		if s, err = openAt(context.Background(), os.Getenv(childFile)); err == nil {
			err = work(s, from)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func openAt(ctx context.Context, path string) (*store.Store, error) {
	s, err := store.Open(ctx, "sqlite:"+path, store.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	return s, s.Migrate(ctx)
}

// loadForEver accepts orders and payments, says which were acknowledged, and decides them, until it is killed.
func loadForEver(s *store.Store, from int64) error {
	ctx := context.Background()
	var next atomic.Int64
	next.Store(from)
	failed := make(chan error)
	for range 8 {
		go func() {
			for {
				n := next.Add(1)
				for _, e := range []order.Event{placed(n), payment(n)} {
					if _, err := s.Accept(ctx, e); err != nil {
						failed <- err
						return
					}
					// One write a line: what is cut off was not acknowledged.
					fmt.Printf("%s\n", e.Identity)
				}
			}
		}()
	}
	go func() {
		for {
			claims, err := s.Claim(ctx, 20, time.Second)
			if err == nil {
				_, err = s.Decide(ctx, claims, waitingPolicy)
			}
			if err != nil {
				failed <- err
				return
			}
		}
	}()
	return <-failed
}

// acceptAll accepts sixty orders, some at a time, and says of each what it was.
func acceptAll(s *store.Store, from int64) error {
	var all sync.WaitGroup
	errs := make(chan error, 60)
	gate := make(chan struct{}, 16)
	for i := range int64(60) {
		all.Go(func() {
			gate <- struct{}{}
			defer func() { <-gate }()
			receipt, err := s.Accept(context.Background(), placed(from+i))
			if err != nil {
				errs <- err
				return
			}
			fmt.Printf("%s %s\n", receipt.Event.Identity, receipt.Verdict)
		})
	}
	all.Wait()
	close(errs)
	return <-errs
}

func payment(n int64) order.Event {
	id := strconv.FormatInt(n, 10)
	return order.Event{
		Account: "shop", Provider: "stripe", Identity: "evt_" + id, Type: "payment_intent.succeeded",
		OccurredAt: time.Now().Add(-time.Minute), TranslatorVersion: "1", Raw: order.Raw{Body: []byte("payment " + id)},
		References: []order.Reference{{Kind: order.OrderNumber, Value: "#" + id}},
		Changes: []order.Change{{Payment: &order.Payment{
			PaymentID: "pi_" + id, State: order.StatePaymentPaid, Amount: &order.Money{Currency: "BDT", MinorUnits: 125000},
		}}},
	}
}

func waitingPolicy(string) order.Policy { return order.Policy{WaitLimit: time.Hour} }

func child(t *testing.T, role, path string, from int64) (*exec.Cmd, io.Reader) {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary)
	cmd.Env = append(os.Environ(), childRole+"="+role, childFile+"="+path, childFrom+"="+strconv.FormatInt(from, 10))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, out
}

func TestKilledAtAnyMomentNothingAcknowledgedIsLostAndNothingHappensTwice(t *testing.T) {
	t.Parallel()
	const rounds = 8
	random := rand.New(rand.NewPCG(1, 2))
	path := filepath.Join(t.TempDir(), "waybill.db")
	acknowledged := make(map[string]bool)
	for round := range int64(rounds) {
		cmd, out := child(t, "load", path, round*1_000_000)
		enough := 1 + random.IntN(250)
		lines := bufio.NewReader(out)
		for range enough {
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatalf("round %d: the child stopped by itself: %v", round, err)
			}
			acknowledged[strings.TrimSpace(line)] = true
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		// What was in the pipe was acknowledged too.
		rest, _ := io.ReadAll(lines)
		for line := range strings.Lines(string(rest)) {
			if identity, whole := strings.CutSuffix(line, "\n"); whole {
				acknowledged[identity] = true
			}
		}
		_ = cmd.Wait() // It was killed: there is no other way for it to end.
	}

	s, err := openAt(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	finish(t, s)
	checkAfterKills(t, path, acknowledged)
}

// finish decides all that is left, once the leases of the dead have ended.
func finish(t *testing.T, s *store.Store) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		claims, err := s.Claim(t.Context(), 64, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		decided, err := s.Decide(t.Context(), claims, waitingPolicy)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range decided {
			if d.Err != nil {
				t.Fatal(d.Err)
			}
		}
		summary, err := s.PendingSummary(t.Context(), "shop")
		if err != nil {
			t.Fatal(err)
		}
		if len(claims) == 0 && onlyWaiting(summary) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("not finished: %+v", summary)
		}
	}
}

func onlyWaiting(summary store.Summary) bool {
	for _, count := range summary.Counts {
		if count.State != order.StateWaiting {
			return false
		}
	}
	return true
}

func checkAfterKills(t *testing.T, path string, acknowledged map[string]bool) {
	t.Helper()
	db := openFile(t, path)
	count := func(query string) (n int) {
		t.Helper()
		if err := db.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		return n
	}
	for identity := range acknowledged {
		var n int
		err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM events WHERE identity = ?", identity).Scan(&n)
		if err != nil || n != 1 {
			t.Errorf("%s was acknowledged and is there %d times, %v", identity, n, err)
		}
	}
	orders := count("SELECT count(*) FROM events WHERE provider = 'shopify'")
	payments := count("SELECT count(*) FROM events WHERE provider = 'stripe'")
	waiting := count("SELECT count(*) FROM pending_items")
	if len(acknowledged) == 0 || orders == 0 {
		t.Fatalf("%d acknowledged, %d orders", len(acknowledged), orders)
	}
	for query, want := range map[string]int{
		"SELECT count(*) FROM orders":                                                                                              orders,
		"SELECT count(*) FROM ledger_entries":                                                                                      payments - waiting,
		"SELECT count(*) FROM outcomes WHERE outcome = 'applied'":                                                                  orders + payments - waiting,
		"SELECT count(*) FROM outcomes WHERE revision > 1":                                                                         0,
		"SELECT count(*) FROM payloads WHERE expires_at IS NULL":                                                                   waiting,
		"SELECT count(*) FROM waits WHERE pending_id NOT IN (SELECT id FROM pending_items)":                                        0,
		"SELECT count(*) FROM events WHERE id NOT IN (SELECT event_id FROM outcomes) AND id NOT IN (SELECT id FROM pending_items)": 0,
	} {
		if got := count(query); got != want {
			t.Errorf("%s: %d, want %d", query, got, want)
		}
	}
	var ok string
	if err := db.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&ok); err != nil || ok != "ok" {
		t.Errorf("integrity: %s, %v", ok, err)
	}
}

func TestTwoProcessesOnOneFileAgreeOnWhoWasFirst(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "waybill.db")
	s, err := openAt(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	verdicts := make(map[string]map[string]int)
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 3 {
		cmd, out := child(t, "rival", path, 0)
		all.Go(func() {
			for lines := bufio.NewScanner(out); lines.Scan(); {
				identity, verdict, _ := strings.Cut(lines.Text(), " ")
				mu.Lock()
				if verdicts[identity] == nil {
					verdicts[identity] = make(map[string]int)
				}
				verdicts[identity][verdict]++
				mu.Unlock()
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("a rival: %v", err)
			}
		})
	}
	all.Wait()

	if len(verdicts) != 60 {
		t.Errorf("%d events, want 60", len(verdicts))
	}
	for identity, counts := range verdicts {
		if counts["accepted"] != 1 || counts["duplicate"] != 2 {
			t.Errorf("%s: %v", identity, counts)
		}
	}
}
