package floor

import (
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/waybillhq/waybill/bench/database"
)

// tables are those that rows go into, with a column more than anybody here knows of.
const tables = `
CREATE TABLE events (id text PRIMARY KEY, account text, provider text, identity text, received_at integer,
	body_digest blob, surprise integer, UNIQUE (account, provider, identity));
CREATE TABLE payloads (id integer PRIMARY KEY AUTOINCREMENT, account text, digest blob, body blob, UNIQUE (account, digest));
CREATE TABLE pending_items (id text PRIMARY KEY, account text, received_at integer, due_at integer, leased_until integer,
	body_digest blob);
INSERT INTO events VALUES ('evt_00000000000000000000000001', 'a', 'p', 'orders/create:wh-100000000001', 1, x'00', 42);
INSERT INTO payloads VALUES (1, 'a', x'00', '{"id":100000000001}');
UPDATE payloads SET body = CAST(body AS blob);
INSERT INTO pending_items VALUES ('evt_00000000000000000000000001', 'a', 1, 1, NULL, x'00');
`

func modelled(t *testing.T) (url string, rows *Rows) {
	t.Helper()
	url = "sqlite:" + filepath.Join(t.TempDir(), "floor.db")
	db, err := database.Open(url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), tables); err != nil {
		t.Fatal(err)
	}
	if rows, err = ReadRows(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	return url, rows
}

func counts(t *testing.T, url string) (events, payloads, pending, surprised int) {
	t.Helper()
	db, err := database.Open(url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	row := db.QueryRowContext(t.Context(), `SELECT (SELECT count(*) FROM events), (SELECT count(*) FROM payloads),
		(SELECT count(*) FROM pending_items), (SELECT count(*) FROM events WHERE surprise = 42)`)
	if err := row.Scan(&events, &payloads, &pending, &surprised); err != nil {
		t.Fatal(err)
	}
	return events, payloads, pending, surprised
}

func TestTheNaiveWriterWritesAllThreeRowsOfAnEventOnce(t *testing.T) {
	t.Parallel()
	url, rows := modelled(t)
	writer, err := OpenNaive(t.Context(), url, rows, 4)
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range []bool{true, false} {
		if first, err := writer.Keep(t.Context(), []byte(`{"id":100000000002}`)); err != nil || first != want {
			t.Errorf("delivery %d: first %t, %v", n, first, err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}

	events, payloads, pending, surprised := counts(t, url)
	if events != 2 || payloads != 2 || pending != 2 || surprised != 2 {
		t.Errorf("%d events, %d payloads, %d pending, %d with every column; want 2 of each", events, payloads, pending, surprised)
	}
}

func TestInsertsWriteWhatTheySay(t *testing.T) {
	t.Parallel()
	url, rows := modelled(t)
	var sent atomic.Int64
	inserts := Direct{Writers: 1, Batch: 10, Measure: 100 * time.Millisecond, Next: func() int64 { return 1000 + sent.Add(1) }}

	rate, err := inserts.Run(t.Context(), Place{URL: url, Rows: rows})
	if err != nil || rate == 0 {
		t.Fatalf("%.0f a second, %v", rate, err)
	}
	events, payloads, pending, _ := counts(t, url)
	if want := 1 + int(sent.Load()); events != want || payloads != want || pending != want {
		t.Errorf("%d events, %d payloads, %d pending; want %d of each", events, payloads, pending, want)
	}
}

func TestOneStatementInsertsEveryColumnOfEveryTable(t *testing.T) {
	t.Parallel()
	_, rows := modelled(t)

	statement := rows.together()
	args := rows.arrays([]row{rows.newRow("1", nil), rows.newRow("2", nil)})
	for _, column := range []string{"surprise", "identity", "digest", "leased_until"} {
		if !strings.Contains(statement, column) {
			t.Errorf("%s is not inserted by %s", column, statement)
		}
	}
	if places := strings.Count(statement, "$"); places != len(args) {
		t.Errorf("%d arguments for %d places", len(args), places)
	}
}
