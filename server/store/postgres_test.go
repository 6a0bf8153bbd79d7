package store_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/waybillhq/waybill/server/store"
	"github.com/waybillhq/waybill/server/store/storetest"
	"github.com/waybillhq/waybill/server/store/storetest/pgtest"
)

func TestPostgreSQLKeepsWhatAStorePromises(t *testing.T) {
	t.Parallel()
	storetest.Run(t, freshPostgres)
}

// freshPostgres makes a migrated database of a test's own.
func freshPostgres(t *testing.T) storetest.Database {
	t.Helper()
	where := pgtest.Fresh(t, migrated)
	open := func(t *testing.T, options store.Options) *store.Store {
		t.Helper()
		s, err := store.Open(t.Context(), where, options)
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
	db := pgtest.Connect(t, where)
	rows, err := db.QueryContext(t.Context(), `
SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE 'goose%' ORDER BY tablename`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	if err := rows.Err(); err != nil || len(names) == 0 {
		t.Fatalf("tables: %v, %v", names, err)
	}
	return storetest.Database{
		Open: open, SQL: db, Tables: names,
		Bytes: func(text string) string { return fmt.Sprintf(`'\x%x'::bytea`, text) },
	}
}

// migrated brings a database to the newest schema.
func migrated(ctx context.Context, url string) error {
	s, err := store.Open(ctx, url, store.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	return errors.Join(s.Migrate(ctx), s.Close())
}
