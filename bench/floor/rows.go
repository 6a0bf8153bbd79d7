package floor

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/waybillhq/waybill/bench/database"
)

// table is one of the tables that a delivery becomes a row of.
type table struct {
	name string
	// model is the query for the row to write others like.
	model string
	// unique are the columns that tell whether a row is there already.
	unique  string
	columns []string
	values  []any
}

// Rows are the three rows of a delivery, as Waybill has written them, to be written again for other events.
type Rows struct {
	tables [3]table
	// identity is the event's, and id what its body calls it.
	identity, id string
}

// The tables, in the order of Rows.tables.
const (
	events = iota
	payloads
	pendingItems
)

// ReadRows reads the rows of the first event in a database. Its worker must not have decided it.
func ReadRows(ctx context.Context, url string) (*Rows, error) {
	db, err := database.Open(url)
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }() // nothing was written
	rows := &Rows{tables: [3]table{
		{name: "events", model: "SELECT * FROM events LIMIT 1", unique: "account, provider, identity"},
		{name: "payloads", model: "SELECT * FROM payloads WHERE digest = $1", unique: "account, digest"},
		{name: "pending_items", model: "SELECT * FROM pending_items WHERE id = $1", unique: "id"},
	}}
	event := &rows.tables[events]
	err = event.read(ctx, db, url)
	if err == nil {
		err = rows.tables[payloads].read(ctx, db, url, event.value("body_digest"))
	}
	if err == nil {
		err = rows.tables[pendingItems].read(ctx, db, url, event.value("id"))
	}
	if err != nil {
		return nil, err
	}
	rows.tables[payloads].drop("id") // the database numbers them

	body, isBytes := rows.tables[payloads].value("body").([]byte)
	if !isBytes {
		return nil, errors.New("payloads: the body is no bytes")
	}
	if rows.id, err = idOf(body); err != nil {
		return nil, err
	}
	rows.identity = fmt.Sprint(rows.tables[events].value("identity"))
	if !strings.Contains(rows.identity, rows.id) {
		return nil, fmt.Errorf("events: identity %s does not hold the body's id %s: take another sample", rows.identity, rows.id)
	}
	return rows, nil
}

func (t *table) read(ctx context.Context, db *sql.DB, url string, of ...any) error {
	found, err := db.QueryContext(ctx, database.Numbered(url, t.model), of...)
	if err != nil {
		return fmt.Errorf("%s: %w", t.name, err)
	}
	defer found.Close()
	if t.columns, err = found.Columns(); err != nil {
		return fmt.Errorf("%s: %w", t.name, err)
	}
	if !found.Next() {
		return errors.Join(fmt.Errorf("%s: there is no row to write others like", t.name), found.Err())
	}
	t.values = make([]any, len(t.columns))
	into := make([]any, len(t.columns))
	for i := range t.values {
		into[i] = &t.values[i]
	}
	if err := found.Scan(into...); err != nil {
		return fmt.Errorf("%s: %w", t.name, err)
	}
	return found.Err()
}

func (t *table) at(column string) int { return slices.Index(t.columns, column) }

func (t *table) value(column string) any { return t.values[t.at(column)] }

func (t *table) drop(column string) {
	at := t.at(column)
	t.columns, t.values = slices.Delete(t.columns, at, at+1), slices.Delete(t.values, at, at+1)
}

// like gives the values of a row that differs in some columns.
func (t *table) like(differs map[string]any) []any {
	values := slices.Clone(t.values)
	for column, value := range differs {
		values[t.at(column)] = value
	}
	return values
}

// row is one delivery.
type row struct {
	// key is the primary key of the event and of its pending item, as long as Waybill's.
	key      string
	identity string
	digest   []byte
	body     []byte
	now      int64
}

// newRow makes the row of an event by what its body calls it.
func (r *Rows) newRow(id string, body []byte) row {
	digest := sha256.Sum256(body)
	model := fmt.Sprint(r.tables[events].value("id"))
	return row{
		key:      model[:max(0, len(model)-len(id))] + id,
		identity: strings.Replace(r.identity, r.id, id, 1),
		digest:   digest[:],
		body:     body,
		now:      time.Now().UnixMicro(),
	}
}

// values are the row's columns, table by table.
func (r *Rows) values(of row) [3][]any {
	return [3][]any{
		events: r.tables[events].like(map[string]any{
			"id": of.key, "identity": of.identity, "body_digest": of.digest, "received_at": of.now,
		}),
		payloads: r.tables[payloads].like(map[string]any{"digest": of.digest, "body": of.body}),
		pendingItems: r.tables[pendingItems].like(map[string]any{
			"id": of.key, "body_digest": of.digest, "received_at": of.now, "due_at": of.now,
		}),
	}
}

// idOf is what a body calls its event, or its order.
func idOf(body []byte) (string, error) {
	var said struct {
		ID json.RawMessage `json:"id"`
	}
	if err := json.Unmarshal(body, &said); err != nil {
		return "", fmt.Errorf("body: %w", err)
	}
	if len(said.ID) == 0 {
		return "", errors.New("body: it has no id: take another sample")
	}
	return strings.Trim(string(said.ID), `"`), nil
}
