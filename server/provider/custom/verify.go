package custom

import (
	"crypto/hmac"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// The presets, by the words that config files use.
const (
	timestamped      = "timestamped"
	standardWebhooks = "standard_webhooks"
)

// tolerance is how far a signature's time may lie from now, on both sides.
const tolerance = 300 * time.Second

// scheme proves requests and signs them as the sender would.
type scheme interface {
	verify(keys provider.Keys, r *provider.Request) error
	sign(r *provider.Request, secret string, now time.Time)
}

// plain is a proof that the settings' field proof describes.
type plain struct{ provider.Proof }

func (p plain) verify(keys provider.Keys, r *provider.Request) error { return p.Verify(keys, r) }

func (p plain) sign(r *provider.Request, secret string, _ time.Time) { p.Sign(r, secret) }

// unset is the proof where the settings describe none. It proves nothing: CheckProof asks for the header.
var unset = provider.Proof{Scheme: provider.HMACSHA256}

func schemeOf(cfg *configv1.Provider) scheme {
	switch cfg.GetCustom().GetPreset() {
	case timestamped:
		return stamped{header: cfg.GetProof().GetHeader()}
	case standardWebhooks:
		return specified{}
	default:
		return plain{provider.ConfiguredProof(cfg, unset)}
	}
}

// checkProof reports what is wrong with the description of the proof.
func checkProof(cfg *configv1.Provider) []provider.Problem {
	switch cfg.GetCustom().GetPreset() {
	case timestamped:
		named := provider.Proof{Scheme: provider.HMACSHA256}
		return provider.CheckProof(cfg, named, "header")
	case standardWebhooks:
		named := provider.Proof{Scheme: provider.HMACSHA256, Place: families[0].signature}
		return append(provider.CheckProof(cfg, named), checkKeys(cfg)...)
	default:
		return provider.CheckProof(cfg, unset, "scheme", "header", "prefix", "encoding")
	}
}

// inTime checks the age of a signed time.
func inTime(header string, stamp string, now time.Time) error {
	seconds, err := strconv.ParseUint(stamp, 10, 40)
	if err != nil {
		return fmt.Errorf("header %s carries no time in seconds since 1970", header)
	}
	if age := now.Sub(time.Unix(int64(seconds), 0)); age > tolerance || age < -tolerance {
		return fmt.Errorf("header %s carries a time more than 300 s from now", header)
	}
	return nil
}

// refuse fails a request whose proof can't even be read, and says first that there is no secret where there is none.
func refuse(keys provider.Keys, r *provider.Request, err error) error {
	return keys.Prove(r.ReceivedAt, func(string) bool { return false }, err)
}

// stamped is a header t=SECONDS,v1=HEX. The HMAC-SHA256 is over the time, a point and the body; the secret's whole text
// is the key.
type stamped struct{ header string }

func (s stamped) verify(keys provider.Keys, r *provider.Request) error {
	stamp, signatures, err := s.read(r)
	if err != nil {
		return refuse(keys, r, err)
	}
	return keys.Prove(r.ReceivedAt, func(secret string) bool {
		return anyEqual(signatures, provider.MAC(secret, []byte(stamp+"."), r.Body))
	}, fmt.Errorf("header %s holds no signature of this body", s.header))
}

// read takes the header apart. While a secret is rolled it may hold several signatures, and some of another scheme.
func (s stamped) read(r *provider.Request) (stamp string, signatures [][]byte, err error) {
	text, err := provider.SoleHeader(r.Header, s.header)
	if err != nil {
		return "", nil, err
	}
	malformed := fmt.Errorf("header %s is malformed: it should read t=…,v1=…", s.header)
	for pair := range strings.SplitSeq(text, ",") {
		key, value, ok := strings.Cut(strings.TrimSpace(pair), "=")
		switch {
		case !ok || strings.Contains(value, "=") || key == "t" && stamp != "":
			return "", nil, malformed
		case key == "t":
			stamp = value
		case key == "v1":
			if raw, err := hex.DecodeString(value); err == nil {
				signatures = append(signatures, raw)
			}
		}
	}
	if stamp == "" || len(signatures) == 0 {
		return "", nil, malformed
	}
	return stamp, signatures, inTime(s.header, stamp, r.ReceivedAt)
}

func (s stamped) sign(r *provider.Request, secret string, now time.Time) {
	stamp := strconv.FormatInt(now.Unix(), 10)
	r.Header.Set(s.header, "t="+stamp+",v1="+hex.EncodeToString(provider.MAC(secret, []byte(stamp+"."), r.Body)))
}

// anyEqual compares with all of them, so that how long it takes says nothing.
func anyEqual(given [][]byte, wanted []byte) bool {
	equal := false
	for _, one := range given {
		equal = hmac.Equal(one, wanted) || equal
	}
	return equal
}

// specified is the Standard Webhooks specification, its symmetric scheme.
type specified struct{}

// family is a set of header names. A request is read in one of them, never in a mixture.
type family struct{ id, timestamp, signature string }

var families = []family{
	{"Webhook-Id", "Webhook-Timestamp", "Webhook-Signature"},
	{"Svix-Id", "Svix-Timestamp", "Svix-Signature"},
}

// familyOf is the one that a request's id belongs to. Verify and Translate must not differ in it.
func familyOf(header http.Header) family {
	for _, candidate := range families {
		if len(header.Values(candidate.id)) > 0 {
			return candidate
		}
	}
	return families[0]
}

// soundID keeps a point out of ids: points part id, time and body in what is signed, so that with one in the id a
// signature would be good for two readings.
var soundID = regexp.MustCompile(`^[!-\-/-~]{1,255}$`)

func (specified) verify(keys provider.Keys, r *provider.Request) error {
	names := familyOf(r.Header)
	signed, signatures, err := readSpecified(r, names)
	if err != nil {
		return refuse(keys.Where(usable), r, err)
	}
	return keys.Where(usable).Prove(r.ReceivedAt, func(secret string) bool {
		return anyEqual(signatures, provider.MAC(symmetric(secret), []byte(signed), r.Body))
	}, fmt.Errorf("header %s holds no signature of this id, time and body", names.signature))
}

func readSpecified(r *provider.Request, names family) (signed string, signatures [][]byte, err error) {
	id, err := provider.SoleHeader(r.Header, names.id)
	if err != nil {
		return "", nil, err
	}
	if !soundID.MatchString(id) {
		return "", nil, fmt.Errorf("header %s is not an id: it should be plain characters without a point", names.id)
	}
	stamp, err := provider.SoleHeader(r.Header, names.timestamp)
	if err != nil {
		return "", nil, err
	}
	if err := inTime(names.timestamp, stamp, r.ReceivedAt); err != nil {
		return "", nil, err
	}
	text, err := provider.SoleHeader(r.Header, names.signature)
	if err != nil {
		return "", nil, err
	}
	for one := range strings.SplitSeq(text, " ") {
		version, encoded, _ := strings.Cut(one, ",")
		raw, err := base64.StdEncoding.Strict().DecodeString(encoded)
		if version == "v1" && err == nil && len(raw) > 0 && !strings.ContainsAny(encoded, "\r\n") {
			signatures = append(signatures, raw)
		}
	}
	if len(signatures) == 0 {
		return "", nil, errors.New("header " + names.signature + " is malformed: it should read v1,…")
	}
	return id + "." + stamp + ".", signatures, nil
}

// sign adds the proof. A request without an id gets one of its bytes.
func (specified) sign(r *provider.Request, secret string, now time.Time) {
	names := familyOf(r.Header)
	id := r.Header.Get(names.id)
	if id == "" {
		id = "msg_" + hex.EncodeToString(provider.MAC("", r.Body))[:32]
	}
	stamp := strconv.FormatInt(now.Unix(), 10)
	signature := provider.MAC(symmetric(secret), []byte(id+"."+stamp+"."), r.Body)
	r.Header.Set(names.id, id)
	r.Header.Set(names.timestamp, stamp)
	r.Header.Set(names.signature, "v1,"+base64.StdEncoding.EncodeToString(signature))
}

// symmetric is the key in a secret: the base64 after whsec_. Empty: there is none.
func symmetric(secret string) string {
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return ""
	}
	return string(raw)
}

func usable(secret string) bool { return symmetric(secret) != "" }

// checkKeys reports secrets of another shape. CheckSecrets reports the empty and the padded ones.
func checkKeys(cfg *configv1.Provider) []provider.Problem {
	var problems []provider.Problem
	for i, secret := range cfg.GetSecrets() {
		value := secret.GetValue()
		if strings.TrimSpace(value) == "" || strings.TrimSpace(value) != value || usable(value) {
			continue
		}
		problems = append(problems, provider.Problem{
			Field:   fmt.Sprintf("secrets[%d].value", i),
			Message: "the secret is not whsec_ with base64 after it: copy it whole",
		})
	}
	return problems
}
