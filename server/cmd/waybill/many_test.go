package main

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/waybillhq/waybill/server/provider"
	"github.com/waybillhq/waybill/server/store/storetest/pgtest"
)

// load is orders that are placed and paid at several servers until it is stopped.
type load struct {
	stop context.CancelFunc
	busy sync.WaitGroup
	// acked are the acknowledged payments: order number → event id.
	acked sync.Map
	count atomic.Int64
	// refused counts answers that told the sender to come again.
	refused atomic.Int64
	odd     sync.Map
}

// startLoad has senders that try every delivery at all of the servers, one after the other, as often as it takes.
func startLoad(t *testing.T, servers ...*shop) *load {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	l := &load{stop: stop}
	for sender := range 4 {
		l.busy.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				l.placeAndPay(ctx, servers, fmt.Sprintf("%d-%d", sender, n))
			}
		})
	}
	t.Cleanup(l.end)
	return l
}

func (l *load) end() {
	l.stop()
	l.busy.Wait()
}

func (l *load) placeAndPay(ctx context.Context, servers []*shop, number string) {
	values := payment(number)
	values.OrderID, values.ID = fmt.Sprint(rand.Uint32()), number
	placed := servers[0].sign("shopify", "orders-create", values)
	paid := servers[0].sign("stripe", "payment_intent.succeeded", values)
	if _, ok := l.insist(ctx, servers, "shopify", placed); !ok {
		return
	}
	if id, ok := l.insist(ctx, servers, "stripe", paid); ok {
		l.acked.Store(number, id)
		l.count.Add(1)
	}
}

// insist sends until a server acknowledges.
func (l *load) insist(ctx context.Context, servers []*shop, name string, request *provider.Request) (string, bool) {
	for try := rand.IntN(len(servers)); ctx.Err() == nil; try++ {
		got, err := servers[try%len(servers)].tryPost(ctx, "/webhooks/"+testAccount+"/"+name, request)
		switch {
		case err != nil:
		case got.status == 200:
			return got.eventID, true
		case got.status == 503 && got.header.Get("Retry-After") != "":
			l.refused.Add(1)
		default:
			l.odd.Store(got.status, got.body)
		}
	}
	return "", false
}

// check checks that every acknowledged payment is there, once, with its effect, and nothing is there twice.
func (l *load) check(s *shop) {
	s.t.Helper()
	l.odd.Range(func(status, body any) bool {
		s.t.Errorf("a delivery was answered %v: %v", status, body)
		return true
	})
	l.acked.Range(func(number, id any) bool {
		s.awaitEvent(id.(string))
		order := s.awaitOrder(number.(string), isPaid)
		if paidSteps(order) != 1 || order.GetPaid().GetMinorUnits() != 4200 {
			s.t.Errorf("order %s became paid %d times with %d", number, paidSteps(order), order.GetPaid().GetMinorUnits())
		}
		return !s.t.Failed()
	})
	seen := make(map[string]bool)
	for _, event := range s.events() {
		if seen[event.GetProvider()+event.GetEventId()] {
			s.t.Errorf("identity %s is recorded twice", event.GetEventId())
		}
		seen[event.GetProvider()+event.GetEventId()] = true
	}
}

func freshServerDatabase(t *testing.T) testDatabase {
	t.Helper()
	return testDatabase(pgtest.Fresh(t, migrateDatabase))
}

func TestOfThreeServersOneDiesWithClaimsInHandAndTheOthersTakeOver(t *testing.T) {
	t.Parallel()
	database := freshServerDatabase(t)
	dying := openShopOn(t, database, shopConfig(), faultsVariable+"=decide 20 before kill")
	servers := []*shop{openShopOn(t, database, shopConfig()), dying, openShopOn(t, database, shopConfig())}
	l := startLoad(t, servers...)
	dead := make(chan struct{})
	go func() {
		_ = dying.process.Wait() // it kills itself
		close(dead)
	}()
	within(t, "the death of a server", dead)
	// What it had claimed is leased now, and nobody has decided it.
	died := l.count.Load()
	servers[0].await("further acknowledgements", func() (bool, error) { return l.count.Load() >= died+50, nil })
	l.end()

	l.check(servers[0])
	servers[2].await("an empty queue", func() (bool, error) {
		left := rowsOf(t, database, "SELECT count(*) FROM pending_items")
		return left == 0, fmt.Errorf("%d are left", left)
	})
	dying.reborn()
	if twice := rowsOf(t, database, `SELECT count(*) FROM (
SELECT 1 FROM outcomes GROUP BY account, event_id, change_index HAVING count(*) > 1) AS twice`); twice != 0 {
		t.Errorf("%d changes were decided twice", twice)
	}
}

func within(t *testing.T, what string, fact <-chan struct{}) {
	t.Helper()
	deadline := time.NewTimer(time.Minute)
	defer deadline.Stop()
	select {
	case <-fact:
	case <-deadline.C:
		t.Fatalf("%s did not come", what)
	}
}

func rowsOf(t *testing.T, database testDatabase, query string, args ...any) (n int) {
	t.Helper()
	db, err := sql.Open("postgres", string(database))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRowContext(t.Context(), query, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

func TestAServerThatWasStoppedPastItsLeaseCanWriteNothing(t *testing.T) {
	t.Parallel()
	database := freshServerDatabase(t)
	stalled := openShopOn(t, database, shopConfig(), stopVariable+"=1")
	placed := make(chan error, 1)
	// It may stop before it answers.
	go func() { placed <- stalled.tryPlace("7700", 4200, "EUR") }()
	stalled.await("the stop of the server", func() (bool, error) { return stopped(stalled.process.Process.Pid) })
	if leased := rowsOf(t, database, "SELECT count(*) FROM pending_items WHERE leased_until IS NOT NULL"); leased != 1 {
		t.Fatalf("it stopped with %d claims in hand", leased)
	}

	other := openShopOn(t, database, shopConfig())
	order := other.order("7700")
	if err := stalled.process.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}

	if err := <-placed; err != nil {
		t.Fatal(err)
	}
	// It decides its old claim now, and finds that it has lost it: then it serves as before.
	if got := stalled.order("7700"); got.GetCursor() != order.GetCursor() {
		t.Errorf("the order has changed: cursor %s, then %s", order.GetCursor(), got.GetCursor())
	}
	stalled.settled("stripe", "payment_intent.succeeded", payment("7700"))
	paid := other.awaitOrder("7700", isPaid)
	if paidSteps(paid) != 1 {
		t.Errorf("order became paid %d times", paidSteps(paid))
	}
	if n := rowsOf(t, database, "SELECT count(*) FROM outcomes"); n != 2 {
		t.Errorf("%d outcomes of two events", n)
	}
	if n := rowsOf(t, database, "SELECT count(*) FROM orders"); n != 1 {
		t.Errorf("%d orders", n)
	}
}

// stopped says that a process is stopped, as the kernel has it.
func stopped(pid int) (bool, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false, err
	}
	_, after, _ := strings.Cut(string(text), ") ")
	return strings.HasPrefix(after, "T"), fmt.Errorf("it is %.1s", after)
}

func TestARestartOfPostgreSQLUnderLoadIsRefusalsAndThenRecovery(t *testing.T) {
	t.Parallel()
	cluster := pgtest.StartCluster(t)
	if err := migrateDatabase(t.Context(), cluster.URL()); err != nil {
		t.Fatal(err)
	}
	database := testDatabase(cluster.URL())
	servers := []*shop{openShopOn(t, database, shopConfig()), openShopOn(t, database, shopConfig())}
	l := startLoad(t, servers...)
	servers[0].await("load", func() (bool, error) { return l.count.Load() >= 20, nil })

	cluster.Crash(t)
	servers[0].await("refusals that ask to come again", func() (bool, error) { return l.refused.Load() >= 20, nil })
	cluster.Start(t)
	back := l.count.Load()
	servers[0].await("acknowledgements again", func() (bool, error) { return l.count.Load() >= back+20, nil })
	l.end()

	l.check(servers[1])
}

func TestServeRefusesAnotherSchemaAndSaysWhatToRun(t *testing.T) {
	t.Parallel()
	database := testDatabase(pgtest.Empty(t))
	s := closedShopOn(t, database, shopConfig())
	if err := s.start(t.Context()); err == nil || !strings.Contains(err.Error(), "waybill migrate") {
		t.Errorf("without tables: %v", err)
	}
	if err := migrateDatabase(t.Context(), string(database)); err != nil {
		t.Fatal(err)
	}
	s.open()
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	rowsOf(t, database, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99991231235959, true) RETURNING id")
	if err := s.start(t.Context()); err == nil || !strings.Contains(err.Error(), "run the waybill that made it") {
		t.Errorf("with newer tables: %v", err)
	}
	if err := s.log.Close(); err != nil {
		t.Error(err)
	}
}

func TestIdleServersAskTheDatabaseLittle(t *testing.T) {
	t.Parallel()
	database := freshServerDatabase(t)
	const servers = 3
	var open []*shop
	for range servers {
		open = append(open, openShopOn(t, database, shopConfig()))
	}
	open[0].place("7800", 4200, "EUR")
	open[0].settled("stripe", "payment_intent.succeeded", payment("7800"))

	// Counted from another database, so that the counting is not counted.
	count := func() int {
		_, name, _ := strings.Cut(strings.TrimPrefix(string(database), "postgres://"), "/")
		name, _, _ = strings.Cut(name, "?")
		return rowsOf(t, testDatabase(os.Getenv(pgtest.Variable)),
			"SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = $1", name)
	}
	// A server process reports what it did at most once a second.
	const seconds = 8
	began, before := time.Now(), count()
	open[0].await("the time to pass", func() (bool, error) { return time.Since(began) >= seconds*time.Second, nil })
	each := float64(count()-before) / time.Since(began).Seconds() / servers
	if each >= 10 {
		t.Errorf("an idle server asks %.1f times a second", each)
	}
	if each == 0 {
		t.Error("nothing was counted")
	}
	if text := open[0].metrics(); !strings.Contains(text, "waybill_database_oldest_snapshot_seconds ") {
		t.Error("the metrics don't tell the age of the oldest snapshot")
	}
}

func (s *shop) metrics() string {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.url+"/metrics", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	response, err := noRedirects.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}
