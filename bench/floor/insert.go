package floor

import (
	"fmt"
	"strings"

	"github.com/lib/pq"
)

// single is the statement that inserts a row of a table, unless it is there.
func (t *table) single() string {
	places := make([]string, len(t.columns))
	for i := range places {
		places[i] = fmt.Sprintf("$%d", i+1)
	}
	return fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s) ON CONFLICT (%s) DO NOTHING",
		t.name, strings.Join(t.columns, ", "), strings.Join(places, ", "), t.unique)
}

// together is one statement for all rows of any number of deliveries: PostgreSQL takes each column as an array.
func (r *Rows) together() string {
	var parts []string
	at := 0
	for _, t := range r.tables {
		sources := make([]string, 0, len(t.columns))
		places := make([]string, len(t.columns))
		for i, value := range t.values {
			if value == nil {
				places[i] = "NULL"
				continue
			}
			at++
			places[i] = fmt.Sprintf("c%d", at)
			sources = append(sources, fmt.Sprintf("$%d::%s[]", at, typeOf(value)))
		}
		var named []string
		for _, place := range places {
			if place != "NULL" {
				named = append(named, place)
			}
		}
		parts = append(parts, fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM unnest(%s) AS u(%s) ON CONFLICT (%s) DO NOTHING",
			t.name, strings.Join(t.columns, ", "), strings.Join(places, ", "), strings.Join(sources, ", "),
			strings.Join(named, ", "), t.unique))
	}
	return fmt.Sprintf("WITH first AS (%s), second AS (%s) %s", parts[0], parts[1], parts[2])
}

// arrays are the arguments of together.
func (r *Rows) arrays(batch []row) []any {
	var columns []any
	all := make([][3][]any, len(batch))
	for i, each := range batch {
		all[i] = r.values(each)
	}
	for t := range r.tables {
		for column, model := range r.tables[t].values {
			switch model.(type) {
			case nil:
			case []byte:
				columns = append(columns, pq.Array(columnOf[[]byte](all, t, column)))
			case int64:
				columns = append(columns, pq.Array(columnOf[int64](all, t, column)))
			case bool:
				columns = append(columns, pq.Array(columnOf[bool](all, t, column)))
			default:
				columns = append(columns, pq.Array(columnOf[string](all, t, column)))
			}
		}
	}
	return columns
}

func columnOf[T any](all [][3][]any, table, column int) []T {
	values := make([]T, len(all))
	for i := range all {
		values[i], _ = all[i][table][column].(T)
	}
	return values
}

func typeOf(value any) string {
	switch value.(type) {
	case []byte:
		return "bytea"
	case int64:
		return "bigint"
	case bool:
		return "boolean"
	default:
		return "text"
	}
}
