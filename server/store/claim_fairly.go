package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/lib/pq"

	"github.com/waybillhq/waybill/ent"
)

// isClaimable is what an item is that is tried again by itself: the words of the claim index, for SQLite uses it only
// where a statement says exactly the same.
const isClaimable = "(state = 'received' OR state = 'waiting')"

// claimAccounts steps from account to account in the claim index, however many items each has. %[1]s is what is asked of
// each.
const claimAccounts = `
WITH RECURSIVE names (name) AS (
    SELECT min(account) FROM pending_items WHERE ` + isClaimable + `
    UNION ALL
    SELECT (SELECT min(account) FROM pending_items WHERE ` + isClaimable + ` AND account > names.name)
    FROM names WHERE names.name IS NOT NULL)
SELECT %[1]s FROM names WHERE name IS NOT NULL`

// dueAccounts are the accounts that have something to claim. %[1]s is the database's clock.
const dueAccounts = ` AND EXISTS (
    SELECT 1 FROM pending_items
    WHERE account = names.name AND ` + isClaimable + ` AND due_at <= ?
      AND (leased_until IS NULL OR leased_until <= %[1]s))`

// claimFairly claims for the accounts that have work, with equal shares. Who needs less than its share leaves the rest
// to the others.
func (s *Store) claimFairly(ctx context.Context, limit int, lease time.Duration) ([]Claim, error) {
	if s.db.lone {
		var claims []Claim
		err := s.write(ctx, func(tx *ent.Tx) (err error) {
			claims, err = s.claimInside(ctx, tx, limit, lease)
			return err
		})
		return claims, err
	}
	direct, err := s.statements.direct(ctx)
	if err != nil {
		return nil, s.db.translate(err)
	}
	claims, err := s.claimRemembered(ctx, direct, limit, lease)
	return claims, s.db.translate(err)
}

// claimInside looks at all accounts every time: where nobody else writes, nothing dead is stepped over.
func (s *Store) claimInside(ctx context.Context, tx execer, limit int, lease time.Duration) ([]Claim, error) {
	names, err := s.accountsDue(ctx, tx)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	s.fair.saw(names)
	return s.takeShares(ctx, tx, demand{divide(names, s.fair.turn(), limit), limit, lease, s.now()})
}

// claimRemembered asks the accounts of which this process knows, each from where its last claim ended, and now and then
// looks at all of them from the beginning.
func (s *Store) claimRemembered(ctx context.Context, db execer, limit int, lease time.Duration) ([]Claim, error) {
	if s.fair.mustLook() {
		names, err := s.accountsDue(ctx, db)
		if err != nil {
			return nil, err
		}
		s.fair.saw(names)
	}
	return s.takeShares(ctx, db, demand{s.fair.shares(limit), limit, lease, s.now()})
}

// takeShares claims the shares, and lets those that have more divide what the others left. What is claimed when a later
// share fails is told all the same: it is leased.
func (s *Store) takeShares(ctx context.Context, db execer, d demand) ([]Claim, error) {
	var all []Claim
	for len(d.shares) > 0 {
		claims, err := s.db.take(ctx, db, d)
		if err != nil && (len(all) == 0 || s.db.lone) {
			return nil, err
		}
		if err != nil {
			s.logger.WarnContext(ctx, "store: claim of what others left", "error", err)
			return all, nil
		}
		s.fair.claimed(claims)
		all = append(all, claims...)
		d.limit -= len(claims)
		more := hungry(d.shares, claims)
		if d.limit <= 0 || len(more) == 0 {
			return all, nil
		}
		from := make(map[string]int64, len(d.shares))
		for _, done := range d.shares {
			from[done.account] = done.from
		}
		d.shares = divide(more, 0, d.limit)
		for i := range d.shares {
			d.shares[i].from = from[d.shares[i].account]
		}
	}
	return all, nil
}

func (s *Store) accountsDue(ctx context.Context, db execer) ([]string, error) {
	query := fmt.Sprintf(claimAccounts, "name") + fmt.Sprintf(dueAccounts, s.db.clock)
	rows, err := db.QueryContext(ctx, s.db.bind(query), micros(s.now()))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, rows.Err()
}

// postgresClaim leases due items of several accounts in one statement. The rows are picked in an array, which is made
// once: with a plan cached on an empty queue, a subquery with a limit is run again for every row, and claims all of them.
const postgresClaim = `
UPDATE pending_items
SET fence = fence + 1, attempts = attempts + 1, leased_until = ` + postgresClock + ` + $1
WHERE ctid = ANY (ARRAY(
    SELECT due.place
    FROM unnest($3::text[], $4::bigint[], $5::bigint[]) AS share (account, first, most)
    CROSS JOIN LATERAL (
        SELECT item.ctid AS place FROM pending_items item
        WHERE item.account = share.account AND ` + isClaimable + `
          AND item.due_at >= share.first AND item.due_at <= $2
          AND (item.leased_until IS NULL OR item.leased_until <= ` + postgresClock + `)
        ORDER BY item.due_at, item.id LIMIT share.most FOR UPDATE OF item SKIP LOCKED) due
    LIMIT $6))
RETURNING id, account, kind, provider, state, fence, attempts, received_at, due_at`

func takePostgres(ctx context.Context, db execer, d demand) ([]Claim, error) {
	n := len(d.shares)
	accounts := texts(n)
	from, most := make(pq.Int64Array, n), make(pq.Int64Array, n)
	for i, s := range d.shares {
		accounts[i], from[i], most[i] = s.account, s.from, int64(s.limit)
	}
	rows, err := db.QueryContext(ctx, postgresClaim, d.lease.Microseconds(), micros(d.now), accounts, from, most, d.limit)
	if err != nil {
		return nil, err
	}
	return scanClaims(rows)
}

// sqliteClaim leases due items of one account.
const sqliteClaim = `
UPDATE pending_items SET fence = fence + 1, attempts = attempts + 1, leased_until = ` + sqliteClock + ` + ?
WHERE id IN (
    SELECT id FROM pending_items
    WHERE account = ? AND ` + isClaimable + ` AND due_at >= ? AND due_at <= ?
      AND (leased_until IS NULL OR leased_until <= ` + sqliteClock + `)
    ORDER BY due_at, id LIMIT ?)
RETURNING id, account, kind, provider, state, fence, attempts, received_at, due_at`

func takeSQLite(ctx context.Context, db execer, d demand) ([]Claim, error) {
	var all []Claim
	for _, s := range d.shares {
		most := min(s.limit, d.limit-len(all))
		if most == 0 {
			break
		}
		rows, err := db.QueryContext(ctx, sqliteClaim, d.lease.Microseconds(), s.account, s.from, micros(d.now), most)
		if err != nil {
			return nil, err
		}
		claims, err := scanClaims(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, claims...)
	}
	return all, nil
}

func scanClaims(rows *sql.Rows) ([]Claim, error) {
	defer rows.Close()
	var claims []Claim
	for rows.Next() {
		c, err := scanClaim(rows)
		if err != nil {
			return nil, err
		}
		claims = append(claims, c)
	}
	return claims, rows.Err()
}
