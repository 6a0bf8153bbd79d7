package provider

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"time"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
)

// DerivedID makes an identity for an event whose provider sends none: its time, so that the index of identities grows
// at its end, then SHA-256 over the length-prefixed parts. Parts are the provider's own words and time text, never our
// reading of them, so that a better mapping or another zone changes no identity. at is read from that text as if it
// were UTC; the zero time leaves the prefix out.
func DerivedID(at time.Time, parts ...string) string {
	digest := sha256.New()
	var length [8]byte
	for _, part := range parts {
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		digest.Write(length[:])
		digest.Write([]byte(part))
	}
	id := hex.EncodeToString(digest.Sum(nil))
	if at.IsZero() {
		return id
	}
	return at.UTC().Format("20060102T150405Z") + "-" + id
}

// Undecoded makes the event of bytes that could not be decoded. Its identity is the digest of the bytes.
func Undecoded(item []byte, problem string) *waybillv1.IngestEventRequest {
	digest := sha256.Sum256(item)
	return &waybillv1.IngestEventRequest{
		EventId:             "undecoded-" + hex.EncodeToString(digest[:]),
		EventIdDerived:      true,
		EventType:           "undecoded",
		OccurredAtCertainty: waybillv1.OccurredAtCertainty_OCCURRED_AT_CERTAINTY_MISSING,
		Changes: []*waybillv1.Change{{
			Change: &waybillv1.Change_Undecoded{Undecoded: &waybillv1.Undecoded{Problem: problem}},
		}},
	}
}

// IgnoredChange makes the change of a body that nobody needs.
func IgnoredChange(reason string) *waybillv1.Change {
	return &waybillv1.Change{Change: &waybillv1.Change_Ignored{Ignored: &waybillv1.Ignored{Reason: reason}}}
}
