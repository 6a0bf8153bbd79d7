package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/waybillhq/waybill/ent/migrations"
)

// Migrate brings the database to the newest schema. Processes that start together may all call it.
func (s *Store) Migrate(ctx context.Context) error {
	if !s.db.lone {
		return s.migrateServer(ctx)
	}
	provider, err := s.goose(s.db.writer)
	if err != nil {
		return err
	}
	if err := s.gate.enter(ctx, false); err != nil {
		return err
	}
	defer s.gate.leave()
	for {
		before, err := provider.GetDBVersion(ctx)
		if err != nil {
			return fmt.Errorf("database: schema version: %w", s.db.translate(err))
		}
		results, err := provider.Up(ctx)
		for _, result := range results {
			s.logger.InfoContext(ctx, "database: schema migrated", "version", result.Source.Version)
		}
		if err == nil {
			return nil
		}
		// Another process may have applied the same step at the same moment: what counts is that somebody moves on.
		after, versionErr := provider.GetDBVersion(ctx)
		if versionErr != nil || after == before {
			return fmt.Errorf("database: migrate: %w", s.db.translate(errors.Join(err, versionErr)))
		}
	}
}

// CheckSchema says in its error when the schema is not the one that this program was built for.
func (s *Store) CheckSchema(ctx context.Context) error {
	current, latest, err := s.versions(ctx)
	if err != nil {
		return fmt.Errorf("database: schema version: %w", s.db.translate(err))
	}
	if current < latest {
		return fmt.Errorf("database: its schema has version %d and needs %d: run waybill migrate", current, latest)
	}
	if current > latest {
		return fmt.Errorf("database: its schema has version %d, and this program knows none after %d: "+
			"run the waybill that made it, or a newer one", current, latest)
	}
	return nil
}

// versions are the schema's version and the newest that this program knows.
func (s *Store) versions(ctx context.Context) (current, latest int64, err error) {
	provider, err := s.goose(s.db.writer)
	if err != nil {
		return 0, 0, err
	}
	if s.db.lone {
		return provider.GetVersions(ctx)
	}
	sources := provider.ListSources()
	current, err = s.db.schemaVersion(ctx)
	return current, sources[len(sources)-1].Version, err
}

// migrateServer migrates on a connection of its own, which may take its time. Of processes that do so together one
// does, and the others wait for it.
func (s *Store) migrateServer(ctx context.Context) error {
	// One holds the lock while the other migrates.
	pool, err := openPool(s.db.url, migrateSession(), 2)
	if err != nil {
		return err
	}
	return errors.Join(s.migratePool(ctx, pool), pool.Close())
}

func (s *Store) migratePool(ctx context.Context, pool *sql.DB) error {
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 600))
	if err != nil {
		return fmt.Errorf("database: migrate: %w", err)
	}
	provider, err := s.goose(pool, goose.WithSessionLocker(locker))
	if err != nil {
		return err
	}
	results, err := provider.Up(ctx)
	for _, result := range results {
		s.logger.InfoContext(ctx, "database: schema migrated", "version", result.Source.Version)
	}
	if err != nil {
		return fmt.Errorf("database: migrate: %w", s.db.translate(err))
	}
	return nil
}

func (s *Store) goose(pool *sql.DB, options ...goose.ProviderOption) (*goose.Provider, error) {
	files, err := migrations.For(s.db.name)
	if err != nil {
		return nil, err
	}
	options = append(options, goose.WithLogger(goose.NopLogger()))
	provider, err := goose.NewProvider(s.db.migrations, pool, files, options...)
	if err != nil {
		return nil, fmt.Errorf("database: migrations: %w", err)
	}
	return provider, nil
}
