package stripe

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/waybillhq/waybill/server/provider"
)

const (
	proofHeader = "Stripe-Signature"
	scheme      = "v1"
	// tolerance is how far a signature's time may lie from now, on both sides. Stripe's own Go library looks at the old
	// side only, and so would take a stamp from next year for ever; no honest clock is five minutes ahead.
	tolerance = 300 * time.Second
)

var errHeader = errors.New("header " + proofHeader + " is malformed: it should read t=…,v1=…")

// proof is the header, taken apart.
type proof struct {
	// stamp is the signed time, as it stands in the header.
	stamp      string
	at         time.Time
	signatures [][]byte
}

// Verify checks the signature over time and body, and the age of the time.
func (p *payments) Verify(r *provider.Request) error {
	given, err := readProof(r)
	if err != nil {
		return p.keys.Prove(r.ReceivedAt, func(string) bool { return false }, err)
	}
	return p.keys.Prove(r.ReceivedAt, func(secret string) bool {
		return given.provedBy(secret, r.Body)
	}, errors.New("header "+proofHeader+" holds no signature of this body"))
}

func readProof(r *provider.Request) (proof, error) {
	header, err := provider.SoleHeader(r.Header, proofHeader)
	if err != nil {
		return proof{}, err
	}
	given, err := parseProof(header)
	if err != nil {
		return proof{}, err
	}
	if age := r.ReceivedAt.Sub(given.at); age > tolerance || age < -tolerance {
		return proof{}, errors.New("header " + proofHeader + " carries a time more than 300 s from now")
	}
	return given, nil
}

// parseProof takes the header apart: unknown schemes and signatures that are no hex are passed over, because a header
// may carry several while a secret is rolled; a pair that is no pair makes the header malformed.
func parseProof(header string) (proof, error) {
	var given proof
	for pair := range strings.SplitSeq(header, ",") {
		key, value, ok := strings.Cut(strings.TrimSpace(pair), "=")
		if !ok || strings.Contains(value, "=") {
			return proof{}, errHeader
		}
		switch key {
		case "t":
			seconds, err := strconv.ParseUint(value, 10, 40)
			if err != nil || given.stamp != "" {
				return proof{}, errHeader
			}
			given.stamp, given.at = value, time.Unix(int64(seconds), 0)
		case scheme:
			if signature, err := hex.DecodeString(value); err == nil {
				given.signatures = append(given.signatures, signature)
			}
		}
	}
	if given.stamp == "" || len(given.signatures) == 0 {
		return proof{}, errHeader
	}
	return given, nil
}

func (p proof) provedBy(secret string, body []byte) bool {
	wanted := mac(secret, p.stamp, body)
	proven := false
	for _, signature := range p.signatures {
		if hmac.Equal(signature, wanted) {
			proven = true
		}
	}
	return proven
}

// mac keys with the whole text of the secret, whsec_ and all.
func mac(secret, stamp string, body []byte) []byte {
	digest := hmac.New(sha256.New, []byte(secret))
	digest.Write([]byte(stamp + "."))
	digest.Write(body)
	return digest.Sum(nil)
}

func sign(r *provider.Request, secret string, now time.Time) {
	stamp := strconv.FormatInt(now.Unix(), 10)
	r.Header.Set(proofHeader, "t="+stamp+","+scheme+"="+hex.EncodeToString(mac(secret, stamp, r.Body)))
}
