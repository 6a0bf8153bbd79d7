package store

import (
	"fmt"
	"strings"
	"testing"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/waybillhq/waybill/server/order"
)

// planOf is how the database means to run a statement.
func planOf(t *testing.T, s *Store, query string, args ...any) string {
	t.Helper()
	rows, err := s.db.reader.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	var plan []string
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		plan = append(plan, detail)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return strings.Join(plan, "\n")
}

// wantPlan checks that a statement looks things up by an index and sorts nothing.
func wantPlan(t *testing.T, s *Store, what, index, query string, args ...any) {
	t.Helper()
	plan := planOf(t, s, query, args...)
	if !strings.Contains(plan, index) {
		t.Errorf("%s does not use %s:\n%s", what, index, plan)
	}
	for line := range strings.Lines(plan) {
		if strings.HasPrefix(line, "SCAN") && !strings.Contains(line, "INDEX "+index) || strings.Contains(line, "TEMP B-TREE") {
			t.Errorf("%s reads more than it needs:\n%s", what, plan)
		}
	}
}

func TestClaimsAndPagesCostWhatTheyGiveHoweverLongTheHistory(t *testing.T) {
	t.Parallel()
	s := openTest(t, Options{})

	claim := sqliteClaim[strings.Index(sqliteClaim, "SELECT id"):strings.LastIndex(sqliteClaim, ")")]
	wantPlan(t, s, "the claim", "pendingitem_account_due_at_id", claim, "shop", 0, 1, 10)
	for what, asked := range map[string]string{
		"the accounts with something due": fmt.Sprintf(claimAccounts, "name") + fmt.Sprintf(dueAccounts, s.db.clock),
		"the next due time":               fmt.Sprintf(claimAccounts, fmt.Sprintf(nextUnleased, s.db.clock)),
	} {
		plan := planOf(t, s, asked, anySlice(make([]string, strings.Count(asked, "?")))...)
		if strings.Contains(strings.ReplaceAll(plan, "SCAN names", ""), "SCAN") || !strings.Contains(plan, "pendingitem_account_due_at_id") {
			t.Errorf("%s reads more than it needs:\n%s", what, plan)
		}
	}
	wantPlan(t, s, "the children of an event", "event_account_parent_id", findChildren, "shop", "evt_1")
	expire := letExpire(2)
	wantPlan(t, s, "the end of events", "delivery_account_event_id_changes_digest", expire, anySlice(make([]string, strings.Count(expire, "?")))...)
	wantPlan(t, s, "the expiry of payloads", "payload_expires_at", expirePayloads, 1, 1, 10)

	after := Cursor{At: moment(1), ID: "evt_1"}
	for what, c := range map[string]struct {
		sel   *entsql.Selector
		index string
	}{
		"all events":       {s.allEvents(EventFilter{Account: "shop", After: after}), "event_account_received_at_id"},
		"a provider's":     {s.allEvents(EventFilter{Account: "shop", Provider: "p", After: after}), "event_account_provider_received_at_id"},
		"an outcome's":     {s.decidedEvents(EventFilter{Account: "shop", Outcome: order.Illegal, After: after}, nil), "outcome_account_outcome_received_at_event_id"},
		"an order's":       {s.decidedEvents(EventFilter{Account: "shop", OrderNumber: "1", After: after}, []string{"ord_1"}), "outcome_account_order_id_received_at_event_id"},
		"those in between": {s.allEvents(EventFilter{Account: "shop", ReceivedFrom: moment(1), ReceivedBefore: moment(2)}), "event_account_received_at_id"},
	} {
		query, args := c.sel.Limit(10).Query()
		wantPlan(t, s, what+" events", c.index, query, args...)
	}
}
