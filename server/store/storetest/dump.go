package storetest

import (
	"fmt"
	"slices"
	"strings"
)

// dump is every row of every table but some, sorted: two dumps are equal where nothing has changed.
func (b *bench) dump(without ...string) string {
	b.Helper()
	var all []string
	for _, table := range b.database.Tables {
		if slices.Contains(without, table) {
			continue
		}
		all = append(all, b.rows(table)...)
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

func (b *bench) rows(table string) []string {
	b.Helper()
	rows, err := b.database.SQL.QueryContext(b.ctx, "SELECT * FROM "+table)
	if err != nil {
		b.Fatalf("dump %s: %v", table, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		b.Fatalf("dump %s: %v", table, err)
	}
	var lines []string
	for rows.Next() {
		values := make([]any, len(columns))
		for i := range values {
			values[i] = new(any)
		}
		if err := rows.Scan(values...); err != nil {
			b.Fatalf("dump %s: %v", table, err)
		}
		var line strings.Builder
		line.WriteString(table)
		for i, column := range columns {
			fmt.Fprintf(&line, " %s=%q", column, fmt.Sprint(*values[i].(*any)))
		}
		lines = append(lines, line.String())
	}
	if err := rows.Err(); err != nil {
		b.Fatalf("dump %s: %v", table, err)
	}
	return lines
}

// unchanged runs something that must change nothing but the tables that are named.
func (b *bench) unchanged(what string, do func(), but ...string) {
	b.Helper()
	before := b.dump(but...)
	do()
	if after := b.dump(but...); after != before {
		b.Errorf("%s changed something:\nbefore:\n%s\nafter:\n%s", what, before, after)
	}
}
