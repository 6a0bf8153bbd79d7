package store

import (
	"bytes"
	"cmp"
	"context"
	"hash/fnv"
	"slices"

	"github.com/lib/pq"

	"github.com/waybillhq/waybill/server/order"
)

// A storm of copies must cost no more than first deliveries, so copies are looked up, kept and counted together: a few
// round trips a flush, however many they are. Only a delivery that says something new takes the way of its own that it
// takes on every database.

const (
	// lockEvents keeps two processes from counting the copies of one event at the same time. Advisory, because a row
	// lock would write to the ledger; the caller sorts.
	lockEvents = `SELECT pg_advisory_xact_lock(key) FROM unnest($1::bigint[]) AS key`

	findStandings = `
SELECT i.place, e.id, e.identity_derived, e.delivery_id, e.type, e.occurred_at, e.certainty, e.received_at, e.refs,
       e.changes, e.changes_digest, e.money_digest, e.translator_version, e.parent_id, p.state, p.reason,
       (SELECT count(*) FROM deliveries d
        WHERE d.account = e.account AND d.event_id = e.id AND d.changes_digest = i.digest)
FROM unnest($1::text[], $2::text[], $3::text[], $4::bytea[]) WITH ORDINALITY
     AS i (account, provider, identity, digest, place)
JOIN events e ON e.account = i.account AND e.provider = i.provider AND e.identity = i.identity
LEFT JOIN pending_items p ON p.id = e.id`

	findStandingOutcomes = `
SELECT event_id, change_index, outcome, order_id FROM outcomes
WHERE account = ANY($1::text[]) AND event_id = ANY($2::text[]) AND change_index >= 0
ORDER BY event_id, change_index, revision`

	insertCopies = `
INSERT INTO deliveries (account, event_id, received_at, delivery_id, verdict, body_digest, changes_digest, money_digest,
                        translator_version)
SELECT account, event_id, received_at, delivery_id, verdict, NULLIF(body_digest, ''), changes_digest, money_digest, version
FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::bytea[], $7::bytea[], $8::bytea[],
            $9::text[]) WITH ORDINALITY
     AS i (account, event_id, received_at, delivery_id, verdict, body_digest, changes_digest, money_digest, version, place)
ORDER BY place`

	countCopies = `
INSERT INTO delivery_counts (account, event_id, changes_digest, further, last_received_at)
SELECT account, event_id, digest, further, last
FROM unnest($1::text[], $2::text[], $3::bytea[], $4::bigint[], $5::bigint[]) AS i (account, event_id, digest, further, last)
ON CONFLICT (account, event_id, changes_digest) DO UPDATE
SET further = delivery_counts.further + excluded.further,
    last_received_at = greatest(delivery_counts.last_received_at, excluded.last_received_at)`
)

var duplicateQueries = []string{lockEvents, findStandings, findStandingOutcomes, insertCopies, countCopies}

// copyKey is what copies that say the same have in common.
type copyKey struct{ account, provider, identity, digest string }

func copyOf(en *entry) copyKey {
	return copyKey{en.event.Account, en.event.Provider, en.event.Identity, string(en.row.changesDigest)}
}

// copies are those that came in one flush, beside what stands and how many of them are kept.
type copies struct {
	standing *standing
	kept     int
	further  int64
	last     int64
}

// recordDuplicates compares deliveries with what stands under their identities and records them beside it.
func (s *Store) recordDuplicates(ctx context.Context, batch []*entry) error {
	tx, err := s.statements.begin(ctx)
	if err != nil {
		return err
	}
	defer rollback(tx)
	if _, err := tx.ExecContext(ctx, lockEvents, advisoryKeys(batch)); err != nil {
		return err
	}
	found, err := s.standings(ctx, tx, batch)
	if err != nil {
		return err
	}

	var plainCopies []*entry
	for _, en := range batch {
		kept, err := s.weigh(ctx, tx, en, found)
		if err != nil {
			return err
		}
		if kept {
			plainCopies = append(plainCopies, en)
		}
	}

	if err := keepCopies(ctx, tx, plainCopies); err != nil {
		return err
	}
	if err := countFurtherCopies(ctx, tx, found); err != nil {
		return err
	}
	return tx.Commit()
}

// weigh judges one delivery. It reports whether it is to be kept as a copy like others.
func (s *Store) weigh(ctx context.Context, tx execer, en *entry, found map[copyKey]*copies) (bool, error) {
	same := found[copyOf(en)]
	if same == nil {
		return false, errNoStanding
	}
	en.standing = same.standing
	if same.standing.id == en.event.ID {
		// The driver has repeated the insert after a lost answer: the event that stands there is this delivery itself.
		en.first, en.recorded, en.verdict = true, true, Accepted
		return false, nil
	}
	var err error
	if en.verdict, err = same.standing.judge(en); err != nil {
		return false, err
	}

	variant := !bytes.Equal(same.standing.changesDigest, en.row.changesDigest)
	allowed := keptEqual
	if !variant {
		allowed--
	}
	if same.kept >= allowed {
		same.further++
		same.last = max(same.last, micros(en.event.ReceivedAt))
		return false, nil
	}
	same.kept++
	if !variant || same.kept > 1 {
		return true, nil
	}
	if err := s.keepDelivery(ctx, tx, en, true); err != nil {
		return false, err
	}
	if en.verdict != Conflicting {
		return false, nil
	}
	return false, s.raiseConflict(ctx, tx, en)
}

// standings finds what stands under the identities of a batch.
func (s *Store) standings(ctx context.Context, tx execer, batch []*entry) (map[copyKey]*copies, error) {
	keys := make([]copyKey, 0, len(batch))
	for _, en := range batch {
		keys = append(keys, copyOf(en))
	}
	slices.SortFunc(keys, func(a, b copyKey) int {
		return cmp.Or(cmp.Compare(a.account, b.account), cmp.Compare(a.provider, b.provider),
			cmp.Compare(a.identity, b.identity), cmp.Compare(a.digest, b.digest))
	})
	keys = slices.Compact(keys)
	accounts, providers, identities, digests := texts(len(keys)), texts(len(keys)), texts(len(keys)), blobs(len(keys))
	for i, key := range keys {
		accounts[i], providers[i], identities[i], digests[i] = key.account, key.provider, key.identity, []byte(key.digest)
	}
	rows, err := tx.QueryContext(ctx, findStandings, accounts, providers, identities, digests)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := make(map[copyKey]*copies, len(keys))
	byID := make(map[string][]*standing)
	for rows.Next() {
		var place int
		same := copies{standing: &standing{}}
		st := same.standing
		err := rows.Scan(&place, &st.id, &st.derived, &st.deliveryID, &st.kind, &st.occurredAt, &st.certainty,
			&st.receivedAt, &st.refs, &st.changes, &st.changesDigest, &st.moneyDigest, &st.translatorVersion,
			&st.parentID, &st.state, &st.reason, &same.kept)
		if err != nil {
			return nil, err
		}
		found[keys[place-1]] = &same
		byID[st.id] = append(byID[st.id], st)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return found, addOutcomes(ctx, tx, slices.Compact(accounts), byID)
}

// addOutcomes gives what stands its newest decisions and the orders that it touched.
func addOutcomes(ctx context.Context, tx execer, accounts pq.StringArray, byID map[string][]*standing) error {
	ids := make(pq.StringArray, 0, len(byID))
	for id := range byID {
		ids = append(ids, id)
	}
	rows, err := tx.QueryContext(ctx, findStandingOutcomes, accounts, ids)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id, orderID string
		var d order.Decision
		if err := rows.Scan(&id, &d.ChangeIndex, &d.Outcome, &orderID); err != nil {
			return err
		}
		d.EventID = id
		for _, st := range byID[id] {
			st.take(d, orderID)
		}
	}
	return rows.Err()
}

// take adds a decision; they come sorted by change and revision.
func (st *standing) take(d order.Decision, orderID string) {
	if orderID != "" && !slices.Contains(st.orders, orderID) {
		st.orders = append(st.orders, orderID)
	}
	if last := len(st.decisions) - 1; last >= 0 && st.decisions[last].ChangeIndex == d.ChangeIndex {
		st.decisions[last] = d
		return
	}
	st.decisions = append(st.decisions, d)
}

func keepCopies(ctx context.Context, tx execer, batch []*entry) error {
	n := len(batch)
	if n == 0 {
		return nil
	}
	accounts, events, deliveries, verdicts, versions := texts(n), texts(n), texts(n), texts(n), texts(n)
	bodies, changes, money := blobs(n), blobs(n), blobs(n)
	received := make(pq.Int64Array, n)
	for i, en := range batch {
		accounts[i], events[i], received[i] = en.event.Account, en.standing.id, micros(en.event.ReceivedAt)
		deliveries[i], verdicts[i], versions[i] = en.event.DeliveryID, string(en.verdict), en.event.TranslatorVersion
		bodies[i], changes[i], money[i] = en.row.bodyDigest, en.row.changesDigest, en.row.moneyDigest
	}
	_, err := tx.ExecContext(ctx, insertCopies, accounts, events, received, deliveries, verdicts, bodies, changes, money, versions)
	return err
}

func countFurtherCopies(ctx context.Context, tx execer, found map[copyKey]*copies) error {
	var accounts, events pq.StringArray
	var digests pq.ByteaArray
	var further, last pq.Int64Array
	for key, same := range found {
		if same.further > 0 {
			accounts, events, digests = append(accounts, key.account), append(events, same.standing.id), append(digests, []byte(key.digest))
			further, last = append(further, same.further), append(last, same.last)
		}
	}
	if len(events) == 0 {
		return nil
	}
	_, err := tx.ExecContext(ctx, countCopies, accounts, events, digests, further, last)
	return err
}

// advisoryKeys are the locks of a batch's events, in the order in which everybody takes them.
func advisoryKeys(batch []*entry) pq.Int64Array {
	keys := make(pq.Int64Array, 0, len(batch))
	for _, en := range batch {
		hash := fnv.New64a()
		for _, part := range []string{en.event.Account, en.event.Provider, en.event.Identity} {
			_, _ = hash.Write([]byte(part)) // it never fails
			_, _ = hash.Write([]byte{0})
		}
		keys = append(keys, int64(hash.Sum64()))
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
