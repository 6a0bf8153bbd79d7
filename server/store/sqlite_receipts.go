package store

import "context"

const (
	sqliteInsertEvent = `
INSERT INTO events (id, account, provider, identity, identity_derived, delivery_id, type, occurred_at, certainty,
                    received_at, body_digest, changes_digest, money_digest, content_type, translator_version, parent_id,
                    headers, refs, changes)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (account, provider, identity) DO NOTHING`

	sqliteInsertPending = `
INSERT INTO pending_items (id, account, kind, state, reason, provider, type, received_at, due_at, leased_until, fence,
                           attempts, body_digest)
VALUES (?, ?, 'event', 'received', '', ?, ?, ?, ?, NULL, 0, 0, ?)`
)

// sqliteRecorder inserts row by row: SQLite runs in this process, so a row costs no round trip, and the rows affected
// say who was first.
type sqliteRecorder struct{}

func (sqliteRecorder) queries() []string { return []string{sqliteInsertEvent, sqliteInsertPending} }

func (r sqliteRecorder) record(ctx context.Context, tx execer, batch []*entry) error {
	kept := make(map[string]bool)
	for _, en := range batch {
		if err := r.insert(ctx, tx, en); err != nil {
			return err
		}
		// The events of one body share its bytes, and come in one batch.
		body := en.event.Account + "/" + string(en.row.bodyDigest)
		if !en.first || en.row.bodyDigest == nil || kept[body] {
			continue
		}
		if _, err := tx.ExecContext(ctx, upsertPayload, en.event.Account, en.row.bodyDigest, nil, en.event.Raw.Body); err != nil {
			return err
		}
		kept[body] = true
	}
	return nil
}

func (sqliteRecorder) insert(ctx context.Context, tx execer, en *entry) error {
	e, row := en.event, en.row
	var parent any
	if e.ParentID != "" {
		parent = e.ParentID
	}
	inserted, err := tx.ExecContext(ctx, sqliteInsertEvent,
		e.ID, e.Account, e.Provider, e.Identity, e.IdentityDerived, e.DeliveryID, e.Type, micros(e.OccurredAt),
		string(e.Certainty), micros(e.ReceivedAt), nullable(row.bodyDigest), row.changesDigest, row.moneyDigest,
		e.Raw.ContentType, e.TranslatorVersion, parent, row.headers, row.refs, row.changes)
	if err != nil {
		return err
	}
	count, err := inserted.RowsAffected()
	if err != nil || count == 0 {
		return err
	}
	en.first = true

	_, err = tx.ExecContext(ctx, sqliteInsertPending,
		e.ID, e.Account, e.Provider, e.Type, micros(e.ReceivedAt), micros(en.now), nullable(row.bodyDigest))
	return err
}
