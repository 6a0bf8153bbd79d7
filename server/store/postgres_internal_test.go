package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	entsql "entgo.io/ent/dialect/sql"
	"entgo.io/ent/dialect/sql/schema"
	"github.com/google/go-cmp/cmp"
	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"

	"github.com/waybillhq/waybill/ent/migrate"
	"github.com/waybillhq/waybill/server/order"
	"github.com/waybillhq/waybill/server/store/storetest/pgtest"
)

// openPostgresTest opens a store on a migrated database of the test's own, and gives its URL.
func openPostgresTest(t *testing.T) (*Store, string) {
	t.Helper()
	where := pgtest.Fresh(t, func(ctx context.Context, url string) error {
		s, err := Open(ctx, url, quiet())
		if err != nil {
			return err
		}
		return errors.Join(s.Migrate(ctx), s.Close())
	})
	return openURL(t, where, quiet()), where
}

func openURL(t *testing.T, where string, options Options) *Store {
	t.Helper()
	s, err := Open(t.Context(), where, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestThePostgreSQLMigrationsMakeExactlyEntsSchema compares what the server says about both: Ent's own comparison takes a
// predicate that the server spells in its own way for another one.
func TestThePostgreSQLMigrationsMakeExactlyEntsSchema(t *testing.T) {
	t.Parallel()
	migrated, _ := openPostgresTest(t)
	made := openURL(t, pgtest.Empty(t), quiet())
	migration, err := schema.NewMigrate(entsql.OpenDB(made.db.name, made.db.writer), schema.WithForeignKeys(false))
	if err != nil {
		t.Fatal(err)
	}
	if err := migration.Create(t.Context(), migrate.Tables...); err != nil {
		t.Fatal(err)
	}

	got, want := catalogue(t, migrated), catalogue(t, made)

	if len(want) < len(migrate.Tables) {
		t.Fatalf("Ent's schema has only %d parts", len(want))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the migrated schema is not Ent's; run .ci/with-servers go run ./ent/migrations/diff NAME (-Ent +migrated):\n%s", diff)
	}
}

// catalogue is every column, index and constraint of a database, in the server's words.
func catalogue(t *testing.T, s *Store) []string {
	t.Helper()
	rows, err := s.db.reader.QueryContext(t.Context(), `
SELECT format('%s.%s %s %s %s', table_name, column_name, data_type, is_nullable, is_identity)
FROM information_schema.columns WHERE table_schema = 'public' AND table_name NOT LIKE 'goose%'
UNION ALL
SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename NOT LIKE 'goose%'
UNION ALL
SELECT format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint
WHERE connamespace = 'public'::regnamespace AND conrelid::regclass::text NOT LIKE 'goose%'
ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var parts []string
	for rows.Next() {
		var part string
		if err := rows.Scan(&part); err != nil {
			t.Fatal(err)
		}
		parts = append(parts, part)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return parts
}

func TestAServersSchemaIsCheckedWithoutWritingAndMigratedOnRequest(t *testing.T) {
	t.Parallel()
	s := openURL(t, pgtest.Empty(t), quiet())
	if err := s.CheckSchema(t.Context()); err == nil || !strings.Contains(err.Error(), "run waybill migrate") {
		t.Errorf("before the migration: %v", err)
	}
	var tables int
	query := "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
	if err := s.db.reader.QueryRowContext(t.Context(), query).Scan(&tables); err != nil || tables != 0 {
		t.Errorf("the check has made %d tables, %v", tables, err)
	}
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.CheckSchema(t.Context()); err != nil {
		t.Errorf("after it: %v", err)
	}
	_, err := s.db.writer.ExecContext(t.Context(),
		"INSERT INTO goose_db_version (version_id, is_applied) VALUES (99991231235959, true)")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.CheckSchema(t.Context()); err == nil || !strings.Contains(err.Error(), "run the waybill that made it") {
		t.Errorf("of a newer program: %v", err)
	}
}

func TestOfServersThatMigrateTogetherOneDoes(t *testing.T) {
	t.Parallel()
	where := pgtest.Empty(t)
	const rivals = 4
	var logs [rivals]logged
	errs := make(chan error, rivals)
	for i := range rivals {
		s := openURL(t, where, Options{Logger: slog.New(slog.NewTextHandler(&logs[i], nil))})
		go func() { errs <- s.Migrate(context.Background()) }()
	}
	for range rivals {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	did := 0
	for i := range logs {
		if strings.Contains(logs[i].String(), "schema migrated") {
			did++
		}
	}
	if did != 1 {
		t.Errorf("%d of %d migrated", did, rivals)
	}
}

// logged is a log in memory.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func TestSessionsLoseTheirLocksBeforeTheirLease(t *testing.T) {
	t.Parallel()
	s, _ := openPostgresTest(t)
	const lease = 5 * time.Second
	for _, setting := range []string{"statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout", "client_connection_check_interval"} {
		var ms int64
		err := s.db.writer.QueryRowContext(t.Context(), "SELECT setting::bigint FROM pg_settings WHERE name = $1", setting).Scan(&ms)
		if err != nil || ms <= 0 || time.Duration(ms)*time.Millisecond >= lease {
			t.Errorf("%s is %d ms, %v", setting, ms, err)
		}
	}
	if _, err := s.db.reader.ExecContext(t.Context(), "DELETE FROM events"); err == nil {
		t.Error("a reader can write")
	}
}

func TestWhatTheURLSaysAboutASessionWins(t *testing.T) {
	t.Parallel()
	dsn, err := writeSession().dsn("postgres://u:secret@h/db?statement_timeout=7&application_name=mine")
	if err != nil || !strings.Contains(dsn, "statement_timeout=7") || !strings.Contains(dsn, "application_name=mine") ||
		!strings.Contains(dsn, "lock_timeout=2000") {
		t.Errorf("%s, %v", dsn, err)
	}
	for _, bad := range []string{"postgres://u:secret@h:port/db", "postgres://u:secret@h/db?sslmode=secret"} {
		if _, err := Open(t.Context(), bad, quiet()); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("the error tells the password, or there is none: %v", err)
		}
	}
}

// pend makes n items of an account due, at times that are a microsecond apart, without the rest of a receipt.
func pend(t *testing.T, db *sql.DB, account string, n int, first time.Time) {
	t.Helper()
	_, err := db.ExecContext(t.Context(), `
INSERT INTO pending_items (id, account, kind, state, reason, provider, type, received_at, due_at, fence, attempts)
SELECT $1 || lpad(i::text, 8, '0'), $1, 'event', 'received', '', 'p', 't', $3::bigint + i, $3::bigint + i, 0, 0
FROM generate_series(1, $2::int) AS i`, account, n, micros(first))
	if err != nil {
		t.Fatal(err)
	}
}

func TestAClaimWhosePlanWasMadeOnAnEmptyQueueTakesNoMoreThanItsLimit(t *testing.T) {
	t.Parallel()
	s, _ := openPostgresTest(t)
	s.db.writer.SetMaxOpenConns(1) // so that all claims have one plan
	d := demand{shares: []share{{"shop", 0, 100}}, limit: 100, lease: time.Minute, now: time.Now()}
	direct, err := s.statements.direct(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range 10 { // from the sixth on, the plan is a cached one
		if claims, err := s.db.take(t.Context(), direct, d); err != nil || len(claims) != 0 {
			t.Fatalf("on an empty queue: %d, %v", len(claims), err)
		}
	}
	var generic int64
	err = s.db.writer.QueryRowContext(t.Context(),
		"SELECT coalesce(max(generic_plans), 0) FROM pg_prepared_statements WHERE statement LIKE '%pending_items%SKIP LOCKED%'").Scan(&generic)
	if err != nil || generic == 0 {
		t.Fatalf("the claim has no cached plan: %d, %v", generic, err)
	}
	pend(t, s.db.writer, "shop", 5000, time.Now().Add(-time.Minute))

	claims, err := s.db.take(t.Context(), direct, d)

	if err != nil || len(claims) != 100 {
		t.Errorf("claimed %d, %v; want 100", len(claims), err)
	}
	var leased int
	if err := s.db.writer.QueryRowContext(t.Context(), "SELECT count(*) FROM pending_items WHERE leased_until IS NOT NULL").Scan(&leased); err != nil || leased != 100 {
		t.Errorf("%d are leased, %v", leased, err)
	}
}

// claimBuffers is how many pages a claim of nothing touches.
func claimBuffers(t *testing.T, s *Store, from int64) int {
	t.Helper()
	query := strings.NewReplacer(
		"$1", "1000000", "$2", fmt.Sprint(micros(s.now())), "$3", "ARRAY['shop']", "$4", fmt.Sprintf("ARRAY[%d]", from),
		"$5", "ARRAY[100]", "$6", "100",
	).Replace(postgresClaim)
	var text string
	err := s.db.writer.QueryRowContext(t.Context(), "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) "+query).Scan(&text)
	if err != nil {
		t.Fatal(err)
	}
	var plans []struct {
		Plan struct {
			Hit  int `json:"Shared Hit Blocks"`
			Read int `json:"Shared Read Blocks"`
		} `json:"Plan"`
	}
	if err := json.Unmarshal([]byte(text), &plans); err != nil {
		t.Fatal(err)
	}
	return plans[0].Plan.Hit + plans[0].Plan.Read
}

func TestClaimsStayFlatUnderAnOldSnapshotWhichIsReported(t *testing.T) {
	t.Parallel()
	s, where := openPostgresTest(t)
	old, err := pgtest.Connect(t, where).BeginTx(t.Context(), &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	if err != nil {
		t.Fatal(err)
	}
	defer rollback(old)
	if _, err := old.ExecContext(t.Context(), "SELECT 1"); err != nil {
		t.Fatal(err)
	}
	const done = 20000
	began := s.now().Add(-time.Minute)
	pend(t, s.db.writer, "shop", done, began)
	claims, err := s.Claim(t.Context(), done, time.Minute)
	if err != nil || len(claims) != done {
		t.Fatalf("%d, %v", len(claims), err)
	}
	if _, err := s.db.writer.ExecContext(t.Context(), "DELETE FROM pending_items"); err != nil {
		t.Fatal(err)
	}

	front, next := claimBuffers(t, s, 0), claimBuffers(t, s, claims[done-1].DueAt.UnixMicro())

	if next*10 > front {
		t.Errorf("a claim from the last due time touches %d pages, one from the front %d", next, front)
	}
	shares := s.fair.shares(100)
	if len(shares) != 1 || shares[0].from < micros(claims[done-1].DueAt.Add(-lateCommit)) {
		t.Errorf("the next claim begins at %+v", shares)
	}
	age, known, err := s.OldestSnapshot(t.Context())
	if err != nil || !known || age <= 0 {
		t.Errorf("the oldest snapshot is %s old, %t, %v", age, known, err)
	}
	rollback(old)
	waitFor(t, func() bool {
		young, _, err := s.OldestSnapshot(t.Context())
		return err == nil && young < age
	})
}

func TestACommitAndANotificationWakeAnotherProcess(t *testing.T) {
	t.Parallel()
	one, where := openPostgresTest(t)
	two := openURL(t, where, quiet())
	one.Due()
	due := two.Due()
	waitFor(t, func() bool { return listening(t, one) >= 2 })

	if _, err := one.Accept(t.Context(), anEvent(1)); err != nil {
		t.Fatal(err)
	}

	select {
	case <-due:
	case <-time.After(10 * time.Second):
		t.Fatal("it was not woken")
	}
	waitFor(t, func() bool {
		claims, err := two.Claim(t.Context(), 1, time.Minute)
		return err == nil && len(claims) == 1
	})
}

// listening is how many connections of the database listen.
func listening(t *testing.T, s *Store) (n int) {
	t.Helper()
	err := s.db.reader.QueryRowContext(t.Context(), `
SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestNotificationsAreCoalesced(t *testing.T) {
	t.Parallel()
	s, where := openPostgresTest(t)
	heard := pq.NewListener(where, time.Second, time.Second, nil)
	defer heard.Close()
	if err := heard.Listen(dueChannel); err != nil {
		t.Fatal(err)
	}
	s.Due()
	const commits = 200
	began := time.Now()
	for i := range commits {
		s.hintAll(fmt.Sprint("shop-", i%3))
	}
	most := int(time.Since(began)/coalesce) + 2

	said, accounts := 0, make(map[string]bool)
	for len(accounts) < 3 {
		select {
		case n := <-heard.NotificationChannel():
			if n == nil {
				continue
			}
			said++
			var what notification
			if err := json.Unmarshal([]byte(n.Extra), &what); err != nil {
				t.Fatal(err)
			}
			for _, account := range what.Accounts {
				accounts[account] = true
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("heard of %v only", accounts)
		}
	}
	if said > most {
		t.Errorf("%d notifications for %d commits, want at most %d", said, commits, most)
	}
}

func TestALostConnectionIsListenedOnAgainAndHasTheQueueLookedAt(t *testing.T) {
	t.Parallel()
	s, _ := openPostgresTest(t)
	due := s.Due()
	waitFor(t, func() bool { return listening(t, s) == 1 })

	_, err := s.db.writer.ExecContext(t.Context(), `
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`)
	if err != nil {
		t.Fatal(err)
	}

	select {
	case <-due:
	case <-time.After(20 * time.Second):
		t.Fatal("nobody was told to look")
	}
	if !s.fair.mustLook() {
		t.Error("the next claim does not look at the whole queue")
	}
}

func TestTheBacklogOfOneAccountKeepsNoOtherWaiting(t *testing.T) {
	t.Parallel()
	postgres, _ := openPostgresTest(t)
	for name, s := range map[string]*Store{"sqlite": openTest(t, Options{}), "postgres": postgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i := range 300 {
				if _, err := s.Accept(t.Context(), accountEvent("big", i)); err != nil {
					t.Fatal(err)
				}
			}
			small := []string{"small-1", "small-2", "small-3"}
			for i, account := range small {
				if _, err := s.Accept(t.Context(), accountEvent(account, i)); err != nil {
					t.Fatal(err)
				}
			}

			claims, err := s.Claim(t.Context(), 40, time.Minute)

			got := make(map[string]int)
			for _, c := range claims {
				got[c.Account]++
			}
			if err != nil || len(claims) != 40 || got["big"] != 37 {
				t.Errorf("claimed %v, %v", got, err)
			}
			for _, account := range small {
				if got[account] != 1 {
					t.Errorf("account %s got %d", account, got[account])
				}
			}
		})
	}
}

func TestMoreAccountsThanAClaimTakesAllGetTheirTurn(t *testing.T) {
	t.Parallel()
	s, _ := openPostgresTest(t)
	const accounts = 50
	for i := range accounts {
		pend(t, s.db.writer, fmt.Sprintf("shop-%02d-", i), 3, s.now().Add(-time.Minute))
	}
	got := make(map[string]int)
	for range 6 {
		claims, err := s.Claim(t.Context(), 25, time.Minute)
		if err != nil || len(claims) != 25 {
			t.Fatalf("claimed %d, %v", len(claims), err)
		}
		for _, c := range claims {
			got[c.Account]++
		}
	}
	if len(got) != accounts {
		t.Errorf("%d of %d accounts were served", len(got), accounts)
	}
}

func accountEvent(account string, n int) order.Event {
	e := anEvent(n)
	e.Account = account
	return e
}

func TestABadRowCostsNobodyElseItsCommit(t *testing.T) {
	t.Parallel()
	s, _ := openPostgresTest(t)
	var batch []*entry
	for i := range 9 {
		en, err := s.newEntry(settled(anEvent(i%8), s.now()))
		if err != nil {
			t.Fatal(err)
		}
		batch = append(batch, en)
	}
	bad, err := s.newEntry(settled(accountEvent(strings.Repeat("x", 65), 1), s.now()))
	if err != nil {
		t.Fatal(err)
	}
	s.committer.flush(append(batch, bad))

	first := 0
	for _, en := range batch {
		if en.err != nil {
			t.Errorf("an innocent delivery: %v", en.err)
		}
		if en.first {
			first++
		}
	}
	if first != 8 || !errors.Is(bad.err, ErrInvalid) {
		t.Errorf("%d of 8 are first; the bad one: %v", first, bad.err)
	}
}

func TestWhatIsCommittedIsAnsweredThoughTheComparisonFails(t *testing.T) {
	t.Parallel()
	s, _ := openPostgresTest(t)
	if _, err := s.Accept(t.Context(), anEvent(0)); err != nil {
		t.Fatal(err)
	}
	one, err := s.newEntry(settled(anEvent(1), s.now()))
	if err != nil {
		t.Fatal(err)
	}
	two, err := s.newEntry(settled(anEvent(1), s.now()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.db.writer.ExecContext(t.Context(), "ALTER TABLE deliveries RENAME TO elsewhere"); err != nil {
		t.Fatal(err)
	}

	s.committer.flush([]*entry{one, two})

	if one.err != nil || !one.first {
		t.Errorf("the committed one: %v", one.err)
	}
	if !errors.Is(two.err, ErrUnavailable) {
		t.Errorf("its copy: %v", two.err)
	}
}

func TestBatchesInOppositeOrderAreSortedAndSurvive(t *testing.T) {
	t.Parallel()
	one, where := openPostgresTest(t)
	stores := []*Store{one, openURL(t, where, quiet()), openURL(t, where, quiet())}
	const keys = 60
	var all sync.WaitGroup
	for i, s := range stores {
		all.Go(func() {
			for round := range 10 {
				var batch []*entry
				for k := range keys {
					n := k
					if i%2 == 1 {
						n = keys - 1 - k
					}
					en, err := s.newEntry(settled(anEvent(round*keys+n), s.now()))
					if err != nil {
						t.Error(err)
						return
					}
					batch = append(batch, en)
				}
				s.committer.flush(batch)
				for _, en := range batch {
					if en.err != nil {
						t.Errorf("round %d: %v", round, en.err)
					}
				}
			}
		})
	}
	all.Wait()
	var events, copies int
	err := one.db.reader.QueryRowContext(t.Context(),
		"SELECT (SELECT count(*) FROM events), (SELECT count(*) FROM deliveries)").Scan(&events, &copies)
	if err != nil || events != 10*keys || copies != 2*10*keys {
		t.Errorf("%d events and %d copies, %v; want %d and %d", events, copies, err, 10*keys, 2*10*keys)
	}
}

func TestATransactionThatLosesIsRunAgainAndNotForEver(t *testing.T) {
	t.Parallel()
	s, _ := openPostgresTest(t)
	for _, code := range postgresConflicts {
		tries := 0
		err := s.insist(t.Context(), func() error {
			tries++
			if tries == 3 {
				return nil
			}
			return fmt.Errorf("decide: %w", &pq.Error{Code: pqerror.Code(code)})
		})
		if err != nil || tries != 3 {
			t.Errorf("%s: %d tries, %v", code, tries, err)
		}
		tries = 0
		err = s.insist(t.Context(), func() error {
			tries++
			return &pq.Error{Code: pqerror.Code(code)}
		})
		if err == nil || tries != maxTries {
			t.Errorf("%s for ever: %d tries, %v", code, tries, err)
		}
	}
}

func TestFurtherCommitsAreInFlightOnlyOnASlowDisk(t *testing.T) {
	t.Parallel()
	l := newLanes()
	commit := func(took time.Duration, rows int) {
		l.enter()
		l.took(took, rows)
		l.leave()
	}
	want := func(n int, when string) {
		t.Helper()
		if open := l.open(); open != n {
			t.Errorf("%s, %d commits may be in flight", when, open)
		}
	}
	for range 20 {
		commit(time.Millisecond/2, 1)
	}
	want(1, "on a fast disk")
	for i := range 20 {
		commit(time.Millisecond/2+time.Duration(i%4)*10*time.Millisecond, 1)
	}
	want(1, "on a fast disk and a busy processor")
	for range 20 {
		commit(3*time.Millisecond, 8)
	}
	want(slowLanes, "on a slow disk")
	l.enter()
	l.enter()
	l.took(time.Microsecond, 1)
	l.leave()
	l.leave()
	want(slowLanes, "when a commit has shared the sync of another")
	for range 20 {
		commit(4*time.Millisecond, maxBatch)
	}
	want(1, "on a fast disk, with large batches")
}

// TestWhileACommitIsSlowFurtherOnesCarryWhoCameTooLate has a committer on a slow disk.
func TestWhileACommitIsSlowFurtherOnesCarryWhoCameTooLate(t *testing.T) {
	t.Parallel()
	begun, end := make(chan []*entry, 10), make(chan error)
	c := newSharedCommitter(func(batch []*entry) error {
		begun <- batch
		return <-end
	})
	for range 20 {
		c.lanes.enter()
		c.lanes.took(5*time.Millisecond, 1)
		c.lanes.leave()
	}
	var entries []*entry
	for n := range slowLanes + 1 {
		en := anEntry(n)
		entries = append(entries, en)
		if err := c.enqueue(en); err != nil {
			t.Fatal(err)
		}
		if n < slowLanes {
			<-begun // while those before are in flight
		}
	}
	select {
	case <-begun:
		t.Error("one more commit is in flight")
	default:
	}
	close(end)
	c.close()
	for i, en := range entries {
		select {
		case <-en.done:
		default:
			t.Errorf("entry %d has no answer", i)
		}
	}
}

func TestAnIdentityThatIsFreeAgainIsFirstAgain(t *testing.T) {
	t.Parallel()
	s, _ := openPostgresTest(t)
	if _, err := s.Accept(t.Context(), anEvent(1)); err != nil {
		t.Fatal(err)
	}
	if again, err := s.Accept(t.Context(), anEvent(1)); err != nil || again.Verdict != Duplicate {
		t.Fatalf("%s, %v", again.Verdict, err)
	}
	if _, err := s.db.writer.ExecContext(t.Context(), "DELETE FROM events"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.db.writer.ExecContext(t.Context(), "DELETE FROM pending_items"); err != nil {
		t.Fatal(err)
	}

	if first, err := s.Accept(t.Context(), anEvent(1)); err != nil || first.Verdict != Accepted {
		t.Errorf("%s, %v", first.Verdict, err)
	}
}

func TestWhatIsRememberedOfIdentitiesIsBounded(t *testing.T) {
	t.Parallel()
	remembered := newTaken()
	for i := range 5 * maxTaken {
		remembered.add([]*entry{{event: accountEvent("shop", i)}})
		if n := len(remembered.now) + len(remembered.old); n > 2*maxTaken {
			t.Fatalf("%d are remembered", n)
		}
	}
	if !remembered.has(identityOf(&entry{event: accountEvent("shop", 5*maxTaken-1)})) {
		t.Error("the last one is forgotten")
	}
}
