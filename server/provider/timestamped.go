package provider

import (
	"crypto/hmac"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
)

const timestampedVersion = "v1"

// Timestamped is the proof of a header t=SECONDS,v1=HEX: an HMAC-SHA256 over the time, a point and the body. The whole
// text of the secret is the key, whatever stands before it.
type Timestamped struct {
	// Header carries the proof.
	Header string
	// NoTime says, after the header's name, what is wrong with a t that is no time. Empty: the header is malformed.
	NoTime string
}

// Verify checks the signature over time and body, and the age of the time. It fails closed.
func (s Timestamped) Verify(keys Keys, r *Request) error {
	given, err := s.read(r)
	if err != nil {
		return keys.refuse(r.ReceivedAt, err)
	}
	return keys.Prove(r.ReceivedAt, func(secret string) bool {
		return anyEqual(given.signatures, timestampedMAC(secret, given.stamp, r.Body))
	}, fmt.Errorf("header %s holds no signature of this body", s.Header))
}

// Sign adds the proof as the sender would.
func (s Timestamped) Sign(r *Request, secret string, now time.Time) {
	stamp := stampOf(now)
	r.Header.Set(s.Header, "t="+stamp+","+timestampedVersion+"="+hex.EncodeToString(timestampedMAC(secret, stamp, r.Body)))
}

func timestampedMAC(secret, stamp string, body []byte) []byte {
	return MAC(secret, []byte(stamp+"."), body)
}

// stamped is the header, taken apart.
type stamped struct {
	// stamp is the signed time, as it stands in the header: another way to write it would be another text to sign.
	stamp      string
	at         time.Time
	noTime     bool
	signatures [][]byte
}

func (s Timestamped) read(r *Request) (stamped, error) {
	header, err := SoleHeader(r.Header, s.Header)
	if err != nil {
		return stamped{}, err
	}
	given, ok := s.parse(header)
	switch {
	case !ok:
		return stamped{}, fmt.Errorf("header %s is malformed: it should read t=…,v1=…", s.Header)
	case given.noTime:
		return stamped{}, fmt.Errorf("header %s %s", s.Header, s.NoTime)
	}
	return given, checkAge(s.Header, given.at, r.ReceivedAt)
}

// parse takes the header apart. While a secret is rolled it may hold several signatures, and some of another scheme:
// unknown schemes, and signatures that are no hex, are passed over. A pair without exactly one = is no pair, and a second
// time would leave open which one is signed: both make the header malformed.
func (s Timestamped) parse(header string) (given stamped, ok bool) {
	for pair := range strings.SplitSeq(header, ",") {
		key, value, paired := strings.Cut(strings.TrimSpace(pair), "=")
		if !paired || strings.Contains(value, "=") {
			return stamped{}, false
		}
		switch key {
		case "t":
			at, err := parseStamp(value)
			if given.stamp != "" || err != nil && s.NoTime == "" {
				return stamped{}, false
			}
			given.stamp, given.at, given.noTime = value, at, err != nil
		case timestampedVersion:
			if signature, err := hex.DecodeString(value); err == nil {
				given.signatures = append(given.signatures, signature)
			}
		}
	}
	return given, given.stamp != "" && len(given.signatures) > 0
}

// anyEqual compares with all of them, so that how long it takes says nothing.
func anyEqual(given [][]byte, wanted []byte) bool {
	equal := false
	for _, one := range given {
		equal = hmac.Equal(one, wanted) || equal
	}
	return equal
}
