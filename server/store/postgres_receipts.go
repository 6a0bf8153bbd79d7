package store

import (
	"context"

	"github.com/lib/pq"
)

// postgresInsertReceipts writes the three tables of many receipts in one statement, which is a transaction by itself:
// one round trip a commit, and it says who was first. Through Ent's bulk insert the same rows took twice as long, and
// it can't say who was first.
//
// Rows are inserted in the order in which they come, sorted by key; all events before the first pending item. NULLIF,
// because the driver's arrays of bytes hold no null.
const postgresInsertReceipts = `
WITH input AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::boolean[], $6::text[], $7::text[],
                         $8::bigint[], $9::text[], $10::bigint[], $11::bytea[], $12::bytea[], $13::bytea[], $14::text[],
                         $15::text[], $16::text[], $17::bytea[], $18::bytea[], $19::bytea[], $20::bytea[], $21::bigint[])
    WITH ORDINALITY AS i (id, account, provider, identity, identity_derived, delivery_id, type, occurred_at, certainty,
                          received_at, body_digest, changes_digest, money_digest, content_type, translator_version,
                          parent_id, headers, refs, changes, body, due_at, place)
), first AS (
    INSERT INTO events (id, account, provider, identity, identity_derived, delivery_id, type, occurred_at, certainty,
                        received_at, body_digest, changes_digest, money_digest, content_type, translator_version,
                        parent_id, headers, refs, changes)
    SELECT id, account, provider, identity, identity_derived, delivery_id, type, occurred_at, certainty, received_at,
           NULLIF(body_digest, ''), changes_digest, money_digest, content_type, translator_version,
           NULLIF(parent_id, ''), headers, refs, changes
    FROM input ORDER BY place
    ON CONFLICT (account, provider, identity) DO NOTHING
    RETURNING id
), pending AS (
    INSERT INTO pending_items (id, account, kind, state, reason, provider, type, received_at, due_at, fence, attempts,
                               body_digest)
    SELECT id, account, 'event', 'received', '', provider, type, received_at, due_at, 0, 0, NULLIF(body_digest, '')
    FROM input JOIN first USING (id)
), bytes AS (
    INSERT INTO payloads (account, digest, expires_at, body)
    SELECT DISTINCT ON (account, body_digest) account, body_digest, NULL::bigint, body
    FROM input JOIN first USING (id) WHERE body_digest <> '' ORDER BY account, body_digest
    ON CONFLICT (account, digest) DO UPDATE SET expires_at = NULL WHERE payloads.expires_at IS NOT NULL
)
SELECT id FROM first`

// postgresRecorder inserts a batch with one statement.
type postgresRecorder struct{}

func (postgresRecorder) queries() []string {
	return append([]string{postgresInsertReceipts, postgresClaim}, duplicateQueries...)
}

func (postgresRecorder) record(ctx context.Context, tx execer, batch []*entry) error {
	rows, err := tx.QueryContext(ctx, postgresInsertReceipts, receiptArrays(batch)...)
	if err != nil {
		return err
	}
	defer rows.Close()
	first := make(map[string]bool, len(batch))
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return err
		}
		first[id] = true
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, en := range batch {
		en.first = first[en.event.ID]
	}
	return nil
}

// receiptArrays are the columns of a batch.
func receiptArrays(batch []*entry) []any {
	n := len(batch)
	ids, accounts, providers, identities := texts(n), texts(n), texts(n), texts(n)
	deliveries, types, certainties, contents := texts(n), texts(n), texts(n), texts(n)
	versions, parents := texts(n), texts(n)
	derived := make(pq.BoolArray, n)
	occurred, received, due := make(pq.Int64Array, n), make(pq.Int64Array, n), make(pq.Int64Array, n)
	bodyDigests, changesDigests, moneyDigests := blobs(n), blobs(n), blobs(n)
	headers, refs, changes, bodies := blobs(n), blobs(n), blobs(n), blobs(n)
	for i, en := range batch {
		e, row := en.event, en.row
		ids[i], accounts[i], providers[i], identities[i] = e.ID, e.Account, e.Provider, e.Identity
		deliveries[i], types[i], certainties[i], contents[i] = e.DeliveryID, e.Type, string(e.Certainty), e.Raw.ContentType
		versions[i], parents[i], derived[i] = e.TranslatorVersion, e.ParentID, e.IdentityDerived
		occurred[i], received[i], due[i] = micros(e.OccurredAt), micros(e.ReceivedAt), micros(en.now)
		bodyDigests[i], changesDigests[i], moneyDigests[i] = row.bodyDigest, row.changesDigest, row.moneyDigest
		headers[i], refs[i], changes[i], bodies[i] = row.headers, row.refs, row.changes, e.Raw.Body
	}
	return []any{
		ids, accounts, providers, identities, derived, deliveries, types, occurred, certainties, received, bodyDigests,
		changesDigests, moneyDigests, contents, versions, parents, headers, refs, changes, bodies, due,
	}
}

func texts(n int) pq.StringArray { return make(pq.StringArray, n) }

func blobs(n int) pq.ByteaArray { return make(pq.ByteaArray, n) }
