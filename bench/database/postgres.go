package database

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"

	_ "github.com/lib/pq" // the driver

	"github.com/waybillhq/waybill/bench/process"
)

// Postgres makes databases on a server that runs on this machine.
type Postgres struct {
	admin    *sql.DB
	url      *url.URL
	template string
	// postmaster is the server's first process. 0: it is none of this machine's.
	postmaster int
	made       int
}

// OpenPostgres finds the server behind a URL and makes a database there that the others are copied from. It refuses a
// server that does not wait for the disk: what it acknowledges is not durable, and its figures say nothing.
func OpenPostgres(ctx context.Context, address string, migrator Migrator) (*Postgres, error) {
	parsed, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("database: postgres: its URL can't be read") // the URL may hold a password
	}
	admin, err := sql.Open("postgres", address)
	if err != nil {
		return nil, fmt.Errorf("database: postgres: %w", err)
	}
	p := &Postgres{admin: admin, url: parsed, template: "waybill_bench_" + strings.ToLower(rand.Text()[:8])}
	if err := p.prepare(ctx, migrator); err != nil {
		return nil, errors.Join(err, p.close(context.WithoutCancel(ctx)))
	}
	return p, nil
}

func (p *Postgres) prepare(ctx context.Context, migrator Migrator) error {
	for _, setting := range []string{"fsync", "synchronous_commit", "full_page_writes"} {
		value, err := p.show(ctx, setting)
		if err != nil {
			return err
		}
		if value != "on" {
			return fmt.Errorf("database: postgres: %s is %s: nothing of what it acknowledges is sure to be there", setting, value)
		}
	}
	var backend int
	if err := p.admin.QueryRowContext(ctx, "SELECT pg_backend_pid()").Scan(&backend); err != nil {
		return fmt.Errorf("database: postgres: %w", err)
	}
	if parent, err := process.Parent(backend, "postgres"); err == nil {
		p.postmaster = parent
	}
	if err := p.exec(ctx, "CREATE DATABASE "+p.template); err != nil {
		return err
	}
	return migrator.migrate(ctx, p.named(p.template))
}

// Name implements Server.
func (p *Postgres) Name() string { return "PostgreSQL" }

// About implements Server.
func (p *Postgres) About(ctx context.Context) (string, error) {
	version, err := p.show(ctx, "server_version")
	if err != nil {
		return "", err
	}
	return "PostgreSQL " + version + ", fsync, synchronous_commit and full_page_writes on, defaults otherwise", nil
}

func (p *Postgres) show(ctx context.Context, setting string) (value string, err error) {
	err = p.admin.QueryRowContext(ctx, "SELECT current_setting($1)", setting).Scan(&value)
	if err != nil {
		return "", fmt.Errorf("database: postgres: %w", err)
	}
	return value, nil
}

// Fresh implements Server.
func (p *Postgres) Fresh(ctx context.Context) (Database, error) {
	p.made++
	name := fmt.Sprintf("%s_%d", p.template, p.made)
	if err := p.exec(ctx, "CREATE DATABASE "+name+" TEMPLATE "+p.template); err != nil {
		return Database{}, err
	}
	return Database{URL: p.named(name), Drop: func(ctx context.Context) error {
		return p.exec(ctx, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
	}}, nil
}

func (p *Postgres) exec(ctx context.Context, statement string) error {
	if _, err := p.admin.ExecContext(ctx, statement); err != nil {
		return fmt.Errorf("database: postgres: %w", err)
	}
	return nil
}

// named is the URL of another database on the same server.
func (p *Postgres) named(name string) string {
	other := *p.url
	other.Path = "/" + name
	return other.String()
}

// Meter implements Metered.
func (p *Postgres) Meter(ctx context.Context) (m Meter, err error) {
	err = p.admin.QueryRowContext(ctx, "SELECT pg_current_wal_lsn() - '0/0'::pg_lsn").Scan(&m.Log)
	if err != nil {
		return m, fmt.Errorf("database: postgres: %w", err)
	}
	if p.postmaster != 0 {
		m.CPU, err = process.FamilyCPU(p.postmaster)
	}
	return m, err
}

// Close implements Server. It removes what OpenPostgres has made.
func (p *Postgres) Close() error { return p.close(context.Background()) }

func (p *Postgres) close(ctx context.Context) error {
	return errors.Join(p.exec(ctx, "DROP DATABASE IF EXISTS "+p.template+" WITH (FORCE)"), p.admin.Close())
}
