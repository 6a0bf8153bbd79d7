package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/waybillhq/waybill/server/order"
)

// The statements below are raw SQL, and prepared, because they run with every receipt: Ent's bulk insert reaches half
// their speed and can't say which row was first. They are the same for every database; what isn't stands in the
// dialect's recorder.

const (
	// keptEqual is how many deliveries that say the same are kept, the first included. Further ones are counted.
	keptEqual = 10
	// wholeEvent is the change index of an outcome that is about the event as a whole.
	wholeEvent = -1
	// attentionConflicting marks an order one of whose events was delivered again saying something else.
	attentionConflicting = "conflicting"
)

const (
	findStanding = `
SELECT e.id, e.identity_derived, e.delivery_id, e.type, e.occurred_at, e.certainty, e.received_at, e.refs, e.changes,
       e.changes_digest, e.money_digest, e.translator_version, e.parent_id, p.state, p.reason
FROM events e LEFT JOIN pending_items p ON p.id = e.id
WHERE e.account = ? AND e.provider = ? AND e.identity = ?`

	findOutcomes = `
SELECT change_index, outcome, order_id FROM outcomes
WHERE account = ? AND event_id = ? AND change_index >= 0 ORDER BY change_index, revision`

	countKept = `SELECT count(*) FROM deliveries WHERE account = ? AND event_id = ? AND changes_digest = ?`

	insertDelivery = `
INSERT INTO deliveries (account, event_id, received_at, delivery_id, verdict, body_digest, changes_digest, money_digest,
                        translator_version, changes)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

	countFurther = `
INSERT INTO delivery_counts (account, event_id, changes_digest, further, last_received_at) VALUES (?, ?, ?, 1, ?)
ON CONFLICT (account, event_id, changes_digest)
DO UPDATE SET further = delivery_counts.further + 1, last_received_at = excluded.last_received_at`

	// upsertPayload keeps bytes once. Their expiry only ever moves out, and goes when something unfinished needs them.
	upsertPayload = `
INSERT INTO payloads (account, digest, expires_at, body) VALUES (?, ?, ?, ?)
ON CONFLICT (account, digest) DO UPDATE SET expires_at = CASE
    WHEN payloads.expires_at IS NULL OR excluded.expires_at IS NULL THEN NULL
    WHEN payloads.expires_at > excluded.expires_at THEN payloads.expires_at
    ELSE excluded.expires_at END`

	insertConflict = `
INSERT INTO outcomes (account, event_id, change_index, revision, outcome, reason, from_status, to_status, skipped,
                      order_id, shipment, received_at, decided_at)
VALUES (?, ?, -1, 1, 'conflicting', ?, '', '', ?, '', '', ?, ?)
ON CONFLICT (account, event_id, change_index, revision) DO NOTHING`

	insertMark = `
INSERT INTO attention_marks (account, order_id, position, reason, detail, since_at, event_id)
VALUES (?, ?, (SELECT count(*) FROM attention_marks WHERE account = ? AND order_id = ?), ?, ?, ?, ?)
ON CONFLICT (account, order_id, reason, event_id) DO NOTHING`

	lockPending = `SELECT 1 FROM pending_items WHERE id = ? FOR UPDATE`

	touchOrder = `UPDATE orders SET version = version + 1, updated_at = ? WHERE id = ? AND account = ?`
)

// receiptQueries are those that are worth preparing for every database.
var receiptQueries = []string{
	findStanding, findOutcomes, countKept, insertDelivery, countFurther, upsertPayload, insertConflict, insertMark,
	touchOrder,
}

// standing is the event that a later delivery found in place.
type standing struct {
	id                string
	derived           bool
	deliveryID        string
	kind              string
	occurredAt        int64
	certainty         string
	receivedAt        int64
	refs, changes     []byte
	changesDigest     []byte
	moneyDigest       []byte
	translatorVersion string
	parentID          sql.NullString
	state, reason     sql.NullString
	decisions         []order.Decision
	orders            []string
}

// compare finds the event that stands under a delivery's identity and records what the delivery is beside it.
func (s *Store) compare(ctx context.Context, tx execer, en *entry) error {
	found, err := s.findStanding(ctx, tx, en.event)
	if err != nil {
		return err
	}
	en.standing = found
	if en.verdict, err = found.judge(en); err != nil {
		return err
	}

	kept, err := queryInt(ctx, tx, s.db.bind(countKept), en.event.Account, found.id, en.row.changesDigest)
	if err != nil {
		return err
	}
	variant := !bytes.Equal(found.changesDigest, en.row.changesDigest)
	allowed := keptEqual
	if !variant {
		allowed--
	}
	if kept >= allowed {
		_, err := tx.ExecContext(ctx, s.db.bind(countFurther),
			en.event.Account, found.id, en.row.changesDigest, micros(en.event.ReceivedAt))
		return err
	}
	if err := s.keepDelivery(ctx, tx, en, variant && kept == 0); err != nil {
		return err
	}
	if en.verdict != Conflicting || kept > 0 {
		return nil
	}
	return s.raiseConflict(ctx, tx, en)
}

// judge says what a delivery is beside the event that stands. Changes are compared, not bytes: senders build bodies
// anew. Another version of the translator may read the same bytes another way, and an identity that an adapter made
// holds only what went into it; but nothing explains other money, unless the first reading did not understand it all.
func (st *standing) judge(en *entry) (Verdict, error) {
	if bytes.Equal(st.changesDigest, en.row.changesDigest) {
		return Duplicate, nil
	}
	sameTranslator := st.translatorVersion == en.event.TranslatorVersion
	understood, err := st.understood()
	if err != nil {
		return "", err
	}
	if !bytes.Equal(st.moneyDigest, en.row.moneyDigest) && (sameTranslator || understood) {
		return Conflicting, nil
	}
	assigned := !st.derived && !en.event.IdentityDerived
	if sameTranslator && assigned {
		return Conflicting, nil
	}
	return Duplicate, nil
}

// understood says that the first reading knew every word.
func (st *standing) understood() (bool, error) {
	changes, err := toChanges(st.changes)
	if err != nil {
		return false, fmt.Errorf("event %s: %w", st.id, err)
	}
	for _, change := range changes {
		if change.Unrecognised != nil || change.Undecoded != nil {
			return false, nil
		}
	}
	return true, nil
}

// keepDelivery writes a later delivery. The first of each variant keeps what it says, and its bytes.
func (s *Store) keepDelivery(ctx context.Context, tx execer, en *entry, says bool) error {
	var changes any
	if says {
		changes = en.row.changes
	}
	_, err := tx.ExecContext(ctx, s.db.bind(insertDelivery),
		en.event.Account, en.standing.id, micros(en.event.ReceivedAt), en.event.DeliveryID, string(en.verdict),
		nullable(en.row.bodyDigest), en.row.changesDigest, en.row.moneyDigest, en.event.TranslatorVersion, changes)
	if err != nil || !says || en.row.bodyDigest == nil {
		return err
	}
	var expiresAt any
	if !en.standing.state.Valid {
		expiresAt = micros(en.forgetAt)
	}
	_, err = tx.ExecContext(ctx, s.db.bind(upsertPayload),
		en.event.Account, en.row.bodyDigest, expiresAt, en.event.Raw.Body)
	return err
}

// raiseConflict lists the event as conflicting and marks the orders that it has touched. One that it touches later is
// marked when it is decided.
func (s *Store) raiseConflict(ctx context.Context, tx execer, en *entry) error {
	e, st := en.event, en.standing
	if err := s.holdStanding(ctx, tx, e.Account, st); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, s.db.bind(insertConflict),
		e.Account, st.id, conflictDetail(e.ReceivedAt), []byte{}, st.receivedAt, micros(e.ReceivedAt))
	if err != nil {
		return err
	}
	for _, id := range st.orders {
		marked, err := tx.ExecContext(ctx, s.db.bind(insertMark),
			e.Account, id, e.Account, id, attentionConflicting, conflictDetail(e.ReceivedAt), micros(e.ReceivedAt), st.id)
		if err != nil {
			return err
		}
		count, err := marked.RowsAffected()
		if err != nil {
			return err
		}
		if count == 0 {
			continue
		}
		if _, err := tx.ExecContext(ctx, s.db.bind(touchOrder), micros(en.now), id, e.Account); err != nil {
			return err
		}
	}
	return nil
}

// holdStanding keeps an unfinished event from being decided until the transaction ends, and finds what was decided about
// it before: who decides it sees the conflict then, and we see the orders that it has touched already.
func (s *Store) holdStanding(ctx context.Context, tx execer, account string, st *standing) error {
	if !s.db.rowLocks {
		return nil
	}
	if _, err := queryInt(ctx, tx, s.db.bind(lockPending), st.id); err != nil {
		return err
	}
	st.decisions, st.orders = nil, nil
	return s.findDecisions(ctx, tx, account, st)
}

// errNoStanding: an insert found an identity taken, and nothing has it.
var errNoStanding = errors.New("the event that stands in the way is not there")

func conflictDetail(receivedAt time.Time) string {
	return "a delivery received at " + receivedAt.UTC().Format(time.RFC3339) + " says something else"
}

func (s *Store) findStanding(ctx context.Context, tx execer, e order.Event) (*standing, error) {
	rows, err := tx.QueryContext(ctx, s.db.bind(findStanding), e.Account, e.Provider, e.Identity)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	if !rows.Next() {
		return nil, errors.Join(rows.Err(), errNoStanding)
	}
	var st standing
	err = rows.Scan(&st.id, &st.derived, &st.deliveryID, &st.kind, &st.occurredAt, &st.certainty, &st.receivedAt,
		&st.refs, &st.changes, &st.changesDigest, &st.moneyDigest, &st.translatorVersion, &st.parentID, &st.state,
		&st.reason)
	if err != nil {
		return nil, err
	}
	if err := rows.Close(); err != nil {
		return nil, err
	}
	return &st, s.findDecisions(ctx, tx, e.Account, &st)
}

func (s *Store) findDecisions(ctx context.Context, tx execer, account string, st *standing) error {
	rows, err := tx.QueryContext(ctx, s.db.bind(findOutcomes), account, st.id)
	if err != nil {
		return err
	}
	defer rows.Close()
	newest := make(map[int]int)
	seen := make(map[string]bool)
	for rows.Next() {
		d := order.Decision{EventID: st.id}
		var orderID string
		if err := rows.Scan(&d.ChangeIndex, &d.Outcome, &orderID); err != nil {
			return err
		}
		if orderID != "" && !seen[orderID] {
			seen[orderID] = true
			st.orders = append(st.orders, orderID)
		}
		if at, ok := newest[d.ChangeIndex]; ok {
			st.decisions[at] = d
			continue
		}
		newest[d.ChangeIndex] = len(st.decisions)
		st.decisions = append(st.decisions, d)
	}
	return rows.Err()
}

// receipt is the answer to a later delivery: the event as it is recorded, and as it stands.
func (st *standing) receipt(en *entry) (Receipt, error) {
	e := order.Event{
		ID: st.id, Account: en.event.Account, Provider: en.event.Provider, Identity: en.event.Identity,
		IdentityDerived: st.derived, DeliveryID: st.deliveryID, Type: st.kind, OccurredAt: moment(st.occurredAt),
		Certainty: order.Certainty(st.certainty), ReceivedAt: moment(st.receivedAt),
		TranslatorVersion: st.translatorVersion, ParentID: st.parentID.String,
	}
	var err error
	if e.References, err = toReferences(st.refs); err != nil {
		return Receipt{}, fmt.Errorf("event %s: %w", st.id, err)
	}
	if e.Changes, err = toChanges(st.changes); err != nil {
		return Receipt{}, fmt.Errorf("event %s: %w", st.id, err)
	}
	state := order.StateCompleted
	if st.state.Valid {
		state = order.EventState(st.state.String)
	}
	return Receipt{
		Event: e, Verdict: en.verdict, State: state, Outcome: order.Headline(st.decisions), Reason: st.reason.String,
	}, nil
}

func queryInt(ctx context.Context, tx execer, query string, args ...any) (int, error) {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	var n int
	if rows.Next() {
		if err := rows.Scan(&n); err != nil {
			return 0, err
		}
	}
	return n, rows.Err()
}

// nullable is bytes as a statement takes them: none is null.
func nullable(b []byte) any {
	if b == nil {
		return nil
	}
	return b
}
