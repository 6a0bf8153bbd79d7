package store

import (
	"context"
	"database/sql"
	"sync"
)

// statements are prepared once each: for the few that run with every receipt, parsing would cost as much as running.
type statements struct {
	db       *sql.DB
	queries  []string
	mu       sync.Mutex
	prepared map[string]*sql.Stmt
}

func newStatements(db *sql.DB, queries []string) *statements {
	return &statements{db: db, queries: queries}
}

// begin begins a transaction that runs the prepared statements. They are prepared before the first one: the only
// connection of a lone writer is taken once a transaction has begun.
func (s *statements) begin(ctx context.Context) (*preparedTx, error) {
	if err := s.prepare(ctx); err != nil {
		return nil, err
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	return &preparedTx{Tx: tx, prepared: s.prepared}, nil
}

func (s *statements) prepare(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.prepared != nil {
		return nil
	}
	prepared := make(map[string]*sql.Stmt, len(s.queries))
	for _, query := range s.queries {
		stmt, err := s.db.PrepareContext(ctx, query)
		if err != nil {
			closeAll(prepared)
			return err
		}
		prepared[query] = stmt
	}
	s.prepared = prepared
	return nil
}

func (s *statements) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	closeAll(s.prepared)
	s.prepared = nil
}

func closeAll(prepared map[string]*sql.Stmt) {
	for _, stmt := range prepared {
		// Nothing is lost with a statement; the database closes what is left with the connection.
		_ = stmt.Close()
	}
}

// preparedTx is a transaction that finds its statements prepared.
type preparedTx struct {
	*sql.Tx
	prepared map[string]*sql.Stmt
}

func (p *preparedTx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if stmt, ok := p.prepared[query]; ok {
		return p.StmtContext(ctx, stmt).ExecContext(ctx, args...)
	}
	return p.Tx.ExecContext(ctx, query, args...)
}

func (p *preparedTx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if stmt, ok := p.prepared[query]; ok {
		return p.StmtContext(ctx, stmt).QueryContext(ctx, args...)
	}
	return p.Tx.QueryContext(ctx, query, args...)
}

// direct runs the prepared statements outside of any transaction: each is one by itself.
func (s *statements) direct(ctx context.Context) (*preparedDB, error) {
	if err := s.prepare(ctx); err != nil {
		return nil, err
	}
	return &preparedDB{DB: s.db, prepared: s.prepared}, nil
}

// preparedDB is a database that finds its statements prepared.
type preparedDB struct {
	*sql.DB
	prepared map[string]*sql.Stmt
}

func (p *preparedDB) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if stmt, ok := p.prepared[query]; ok {
		return stmt.ExecContext(ctx, args...)
	}
	return p.DB.ExecContext(ctx, query, args...)
}

func (p *preparedDB) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if stmt, ok := p.prepared[query]; ok {
		return stmt.QueryContext(ctx, args...)
	}
	return p.DB.QueryContext(ctx, query, args...)
}
