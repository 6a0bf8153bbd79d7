package standardwebhooks

import (
	"crypto/ed25519"
	"crypto/hmac"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/waybillhq/waybill/server/provider"
)

const (
	symmetricScheme  = "v1"
	asymmetricScheme = "v1a"
	// tolerance is how far the time of an attempt may lie from now, on both sides.
	tolerance = 300 * time.Second
)

// family is a set of header names. A request is read in one of them, never in a mixture.
type family struct{ id, timestamp, signature string }

var families = []family{
	{"Webhook-Id", "Webhook-Timestamp", "Webhook-Signature"},
	{"Svix-Id", "Svix-Timestamp", "Svix-Signature"},
}

// familyOf is the one that the request's id belongs to. Verify and Translate must not differ in it.
func familyOf(header http.Header) family {
	for _, candidate := range families {
		if len(header.Values(candidate.id)) > 0 {
			return candidate
		}
	}
	return families[0]
}

// soundID keeps a point out of ids: points part id, time and body in what is signed, so that with a point in the id one
// signature would be good for two readings.
var soundID = regexp.MustCompile(`^[!-\-/-~]{1,255}$`)

// proof is the headers, taken apart.
type proof struct {
	// signed is what stands before the body in what is signed.
	signed     string
	signatures map[string][][]byte
}

// Verify checks the signatures over id, time and body, and the age of the time.
func (s *service) Verify(r *provider.Request) error {
	names := familyOf(r.Header)
	given, err := readProof(r, names)
	if err != nil {
		return s.keys.Prove(r.ReceivedAt, func(string) bool { return false }, err)
	}
	return s.keys.Prove(r.ReceivedAt, func(secret string) bool {
		return given.provedBy(parse(secret), r.Body)
	}, errors.New("header "+names.signature+" holds no signature of this id, time and body"))
}

func readProof(r *provider.Request, names family) (proof, error) {
	id, err := provider.SoleHeader(r.Header, names.id)
	if err != nil {
		return proof{}, err
	}
	if !soundID.MatchString(id) {
		return proof{}, errors.New("header " + names.id + " is not an id: it should be plain characters without a point")
	}
	stamp, err := provider.SoleHeader(r.Header, names.timestamp)
	if err != nil {
		return proof{}, err
	}
	seconds, err := strconv.ParseUint(stamp, 10, 40)
	if err != nil {
		return proof{}, errors.New("header " + names.timestamp + " is not a time in seconds since 1970")
	}
	if age := r.ReceivedAt.Sub(time.Unix(int64(seconds), 0)); age > tolerance || age < -tolerance {
		return proof{}, errors.New("header " + names.timestamp + " carries a time more than 300 s from now")
	}
	list, err := provider.SoleHeader(r.Header, names.signature)
	if err != nil {
		return proof{}, err
	}
	signatures := parseSignatures(list)
	if len(signatures) == 0 {
		return proof{}, errors.New("header " + names.signature + " is malformed: it should read v1,… or v1a,…")
	}
	return proof{signed: id + "." + stamp + ".", signatures: signatures}, nil
}

// parseSignatures takes the list apart, by scheme. Unknown schemes and what is no base64 are passed over: while a key is
// rolled, a sender lists several.
func parseSignatures(list string) map[string][][]byte {
	signatures := make(map[string][][]byte)
	for item := range strings.SplitSeq(list, " ") {
		scheme, text, _ := strings.Cut(item, ",")
		if scheme != symmetricScheme && scheme != asymmetricScheme {
			continue
		}
		raw, err := base64.StdEncoding.Strict().DecodeString(text)
		if err != nil || len(raw) == 0 || strings.ContainsAny(text, "\r\n") {
			continue
		}
		signatures[scheme] = append(signatures[scheme], raw)
	}
	return signatures
}

func (p proof) provedBy(key keys, body []byte) bool {
	proven := false
	if key.symmetric != nil {
		wanted := provider.MAC(string(key.symmetric), []byte(p.signed), body)
		for _, signature := range p.signatures[symmetricScheme] {
			proven = hmac.Equal(signature, wanted) || proven
		}
	}
	if key.public != nil {
		for _, signature := range p.signatures[asymmetricScheme] {
			proven = ed25519.Verify(key.public, append([]byte(p.signed), body...), signature) || proven
		}
	}
	return proven
}

// sign adds the proof. A whsk_ key signs as v1a, every other as v1. A request without an id gets one of its bytes.
func sign(r *provider.Request, secret string, now time.Time) {
	names := familyOf(r.Header)
	id := r.Header.Get(names.id)
	if id == "" {
		id = "msg_" + hex.EncodeToString(provider.MAC("", r.Body))[:32]
	}
	stamp := strconv.FormatInt(now.Unix(), 10)
	message := append([]byte(id+"."+stamp+"."), r.Body...)

	signature := symmetricScheme + ","
	if key := private(secret); key != nil {
		signature = asymmetricScheme + "," + base64.StdEncoding.EncodeToString(ed25519.Sign(key, message))
	} else if key := parse(secret).symmetric; key != nil {
		signature += base64.StdEncoding.EncodeToString(provider.MAC(string(key), message))
	}
	r.Header.Set(names.id, id)
	r.Header.Set(names.timestamp, stamp)
	r.Header.Set(names.signature, signature)
}
