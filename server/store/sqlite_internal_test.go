package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/waybillhq/waybill/server/order"
)

func TestEverySQLiteConnectionIsDurableAndPatient(t *testing.T) {
	t.Parallel()
	s := openTest(t, Options{})
	want := map[string]string{
		"journal_mode": "wal", "synchronous": "2", "busy_timeout": "5000", "fullfsync": "1", "query_only": "0",
	}
	for pragma, value := range want {
		var got string
		if err := s.db.writer.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != value {
			t.Errorf("writer: %s is %q, %v; want %q", pragma, got, err, value)
		}
		if pragma == "query_only" {
			value = "1"
		}
		if err := s.db.reader.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != value {
			t.Errorf("reader: %s is %q, %v; want %q", pragma, got, err, value)
		}
	}
	if n := s.db.writer.Stats().MaxOpenConnections; n != 1 {
		t.Errorf("%d connections may write", n)
	}
	if _, err := s.db.reader.ExecContext(t.Context(), "DELETE FROM events"); err == nil {
		t.Error("a reader can write")
	}
}

func TestATransactionThatWritesTakesItsLockAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "waybill.db")
	one, two := openUnmigrated(t, path, Options{}), openUnmigrated(t, path, Options{})
	if err := one.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := two.db.writer.ExecContext(t.Context(), "PRAGMA busy_timeout = 0"); err != nil {
		t.Fatal(err)
	}
	held, err := one.db.writer.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer rollback(held)

	_, err = two.Accept(t.Context(), anEvent(1))

	if !errors.Is(err, ErrUnavailable) {
		t.Errorf("while another process writes: %v", err)
	}
	if _, err := two.Events(t.Context(), EventFilter{Account: "shop"}); err != nil {
		t.Errorf("a read while another process writes: %v", err)
	}
}

func anEvent(n int) order.Event {
	return order.Event{
		Account: "shop", Provider: "shopify", Identity: fmt.Sprintf("orders/create:%d", n), Type: "orders/create",
		Changes: []order.Change{{Placed: &order.Placed{OrderID: fmt.Sprint(n), Number: fmt.Sprint("N", n)}}},
		Raw:     order.Raw{Body: []byte(strings.Repeat(fmt.Sprint(n, " "), 2000))},
	}
}

func TestAFullDiskLosesNothingThatWasAcknowledged(t *testing.T) {
	t.Parallel()
	s := openTest(t, Options{})
	limit := func(pages int) {
		if _, err := s.db.writer.ExecContext(t.Context(), fmt.Sprintf("PRAGMA max_page_count = %d", pages)); err != nil {
			t.Fatal(err)
		}
	}
	var pages int
	if err := s.db.writer.QueryRowContext(t.Context(), "PRAGMA page_count").Scan(&pages); err != nil {
		t.Fatal(err)
	}
	limit(pages + 60)

	acknowledged, refused := acceptMany(t, s, 200)

	if len(acknowledged) == 0 || len(refused) == 0 {
		t.Fatalf("%d acknowledged, %d refused: the disk was never full", len(acknowledged), len(refused))
	}
	for n, err := range refused {
		if !errors.Is(err, ErrUnavailable) {
			t.Errorf("event %d: %v", n, err)
		}
	}
	if _, err := s.Claim(t.Context(), 1, 0); err != nil && !errors.Is(err, ErrUnavailable) {
		t.Errorf("claim on a full disk: %v", err)
	}
	// A small receipt may still find room; a large one does not.
	large := anEvent(1000)
	large.Raw.Body = make([]byte, 1<<20)
	if _, err := s.Accept(t.Context(), large); !errors.Is(err, ErrUnavailable) {
		t.Errorf("a large event on a full disk: %v", err)
	}
	if err := s.Ping(t.Context()); !errors.Is(err, ErrUnavailable) {
		t.Errorf("a store that could not commit says of itself: %v", err)
	}

	// When there is room again, the senders' retries find what was acknowledged, and the rest is new.
	limit(1 << 30)
	for n := range 200 {
		receipt, err := s.Accept(t.Context(), anEvent(n))
		if err != nil {
			t.Fatalf("event %d, with room again: %v", n, err)
		}
		if receipt.FirstDelivery() && acknowledged[n] {
			t.Errorf("event %d was acknowledged and is not there", n)
		}
	}
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("a store that commits again says of itself: %v", err)
	}
}

// acceptMany accepts events at once and tells which were acknowledged and which refused.
func acceptMany(t *testing.T, s *Store, n int) (acknowledged map[int]bool, refused map[int]error) {
	t.Helper()
	acknowledged, refused = make(map[int]bool), make(map[int]error)
	// The first goes alone: in one batch with all the others it would be refused with them where they don't all fit.
	if _, err := s.Accept(context.Background(), anEvent(0)); err != nil {
		t.Fatal(err)
	}
	acknowledged[0] = true
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := 1; i < n; i++ {
		all.Go(func() {
			_, err := s.Accept(context.Background(), anEvent(i))
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				refused[i] = err
				return
			}
			acknowledged[i] = true
		})
	}
	all.Wait()
	return acknowledged, refused
}

func TestADatabaseThatCannotBeWrittenIsUnavailable(t *testing.T) {
	t.Parallel()
	s := openTest(t, Options{})
	if _, err := s.db.writer.ExecContext(t.Context(), "PRAGMA query_only = 1"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Accept(t.Context(), anEvent(1)); !errors.Is(err, ErrUnavailable) {
		t.Errorf("accept: %v", err)
	}
	if _, err := s.ExpirePayloads(t.Context(), s.now(), 1); !errors.Is(err, ErrUnavailable) {
		t.Errorf("expire: %v", err)
	}
}

func TestAFileThatIsNoDatabaseIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "waybill.db")
	if err := os.WriteFile(path, []byte(strings.Repeat("not a database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), "sqlite:"+path, quiet()); !errors.Is(err, ErrUnavailable) {
		t.Errorf("open: %v", err)
	}
}

func TestOnlyItsOwnerReadsTheDatabase(t *testing.T) {
	t.Parallel()
	// A path that a URL would read another way.
	dir := filepath.Join(t.TempDir(), "new folder", "50%20 #1?x=1&mode=memory")
	path := filepath.Join(dir, "way bill.db")
	s := openUnmigrated(t, path, Options{})
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Accept(t.Context(), anEvent(1)); err != nil {
		t.Fatal(err)
	}

	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 3 {
		t.Errorf("files: %v", files)
	}
	for _, file := range files {
		info, err := file.Info()
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %s, %v", file.Name(), info.Mode(), err)
		}
	}
}

func TestOtherDatabasesAreRefusedWithoutTheirPassword(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"postgres://waybill:hunter2@db/waybill", "hunter2", "mysql:hunter2", "sqlite:", ""} {
		_, err := Open(t.Context(), url, quiet())
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", url, err)
		}
	}
}

func TestAFileThatIsGoneOrReplacedTakesNothingMore(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]func(path string) error{
		"removed": os.Remove,
		"replaced": func(path string) error {
			return errors.Join(os.Remove(path), os.WriteFile(path, nil, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openTest(t, Options{})
			if _, err := s.Accept(t.Context(), anEvent(1)); err != nil {
				t.Fatal(err)
			}
			var path string
			if err := s.db.writer.QueryRowContext(t.Context(), "SELECT file FROM pragma_database_list").Scan(&path); err != nil {
				t.Fatal(err)
			}
			if err := harm(path); err != nil {
				t.Fatal(err)
			}

			if _, err := s.Accept(t.Context(), anEvent(2)); !errors.Is(err, ErrUnavailable) {
				t.Errorf("an event for a file that is %s: %v", name, err)
			}
			if err := s.Ping(t.Context()); !errors.Is(err, ErrUnavailable) {
				t.Errorf("a store whose file is %s says of itself: %v", name, err)
			}
		})
	}
}
