package provider

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

// StandardSymmetric is the version of the Standard Webhooks specification's HMAC-SHA256 signatures.
const StandardSymmetric = "v1"

// StandardHeaders are the names of the headers of the Standard Webhooks specification. A request is read in one set of
// them, never in a mixture.
type StandardHeaders struct{ ID, Timestamp, Signature string }

// StandardFamilies are the specification's own names, and those of Svix, where it comes from.
var StandardFamilies = []StandardHeaders{
	{"Webhook-Id", "Webhook-Timestamp", "Webhook-Signature"},
	{"Svix-Id", "Svix-Timestamp", "Svix-Signature"},
}

// StandardHeadersOf are the names that a request's id belongs to. Verify and Translate must not differ in it.
func StandardHeadersOf(header http.Header) StandardHeaders {
	for _, candidate := range StandardFamilies {
		if len(header.Values(candidate.ID)) > 0 {
			return candidate
		}
	}
	return StandardFamilies[0]
}

var standardID = regexp.MustCompile(`^[!-\-/-~]{1,255}$`)

// IsStandardID keeps a point out of ids: points part id, time and body in what is signed, so that with one in the id a
// signature would be good for two readings.
func IsStandardID(id string) bool { return standardID.MatchString(id) }

// Standard is the proof of the Standard Webhooks specification: signatures over id, time and body, in headers of their
// own.
type Standard struct {
	// Versions are those of the signatures that are read; others are passed over.
	Versions []string
	// NoTime says, after the header's name, what is wrong with a time that is none.
	NoTime string
}

// Verify checks the age of the time, and asks for each secret in force whether it proves what was signed. It fails
// closed.
func (s Standard) Verify(keys Keys, r *Request, proves func(given StandardProof, secret string) bool) error {
	names := StandardHeadersOf(r.Header)
	given, err := s.read(r, names)
	if err != nil {
		return keys.refuse(r.ReceivedAt, err)
	}
	return keys.Prove(r.ReceivedAt, func(secret string) bool {
		return proves(given, secret)
	}, fmt.Errorf("header %s holds no signature of this id, time and body", names.Signature))
}

// StandardProof is the headers, taken apart, with the body that they sign.
type StandardProof struct {
	// before is what stands before the body in what is signed.
	before     string
	body       []byte
	signatures map[string][][]byte
}

// Signatures are those of a version.
func (p StandardProof) Signatures(version string) [][]byte { return p.signatures[version] }

// Message is what is signed.
func (p StandardProof) Message() []byte { return slices.Concat([]byte(p.before), p.body) }

// Symmetric says whether a secret proves one of the symmetric signatures. A secret without a key proves nothing: anybody
// can sign with the empty one.
func (p StandardProof) Symmetric(secret string) bool {
	key := StandardKey(secret)
	return key != "" && anyEqual(p.signatures[StandardSymmetric], MAC(key, []byte(p.before), p.body))
}

func (s Standard) read(r *Request, names StandardHeaders) (StandardProof, error) {
	id, err := SoleHeader(r.Header, names.ID)
	if err != nil {
		return StandardProof{}, err
	}
	if !IsStandardID(id) {
		return StandardProof{}, fmt.Errorf("header %s is not an id: it should be plain characters without a point", names.ID)
	}
	stamp, err := SoleHeader(r.Header, names.Timestamp)
	if err != nil {
		return StandardProof{}, err
	}
	at, err := parseStamp(stamp)
	if err != nil {
		return StandardProof{}, fmt.Errorf("header %s %s", names.Timestamp, s.NoTime)
	}
	if err := checkAge(names.Timestamp, at, r.ReceivedAt); err != nil {
		return StandardProof{}, err
	}
	list, err := SoleHeader(r.Header, names.Signature)
	if err != nil {
		return StandardProof{}, err
	}
	signatures := s.parse(list)
	if len(signatures) == 0 {
		form := strings.Join(s.Versions, ",… or ") + ",…"
		return StandardProof{}, fmt.Errorf("header %s is malformed: it should read %s", names.Signature, form)
	}
	return StandardProof{before: standardBefore(id, stamp), body: r.Body, signatures: signatures}, nil
}

// parse takes the list apart, by version. Unknown versions and what is no base64 are passed over: while a key is rolled,
// a sender lists several.
func (s Standard) parse(list string) map[string][][]byte {
	signatures := make(map[string][][]byte)
	for item := range strings.SplitSeq(list, " ") {
		version, text, _ := strings.Cut(item, ",")
		if !slices.Contains(s.Versions, version) {
			continue
		}
		raw, err := base64.StdEncoding.Strict().DecodeString(text)
		if err != nil || len(raw) == 0 || strings.ContainsAny(text, "\r\n") { // line breaks: the decoder skips them
			continue
		}
		signatures[version] = append(signatures[version], raw)
	}
	return signatures
}

// SignStandard adds the headers as a sender would, with what signature makes of the message. A request without an id
// gets one of its bytes.
func SignStandard(r *Request, now time.Time, signature func(message []byte) string) {
	names := StandardHeadersOf(r.Header)
	id := r.Header.Get(names.ID)
	if id == "" {
		id = "msg_" + hex.EncodeToString(MAC("", r.Body))[:32]
	}
	stamp := stampOf(now)
	r.Header.Set(names.ID, id)
	r.Header.Set(names.Timestamp, stamp)
	r.Header.Set(names.Signature, signature(slices.Concat([]byte(standardBefore(id, stamp)), r.Body)))
}

// StandardSignature is a version and a signature, as the headers list them.
func StandardSignature(version string, signature []byte) string {
	return version + "," + base64.StdEncoding.EncodeToString(signature)
}

func standardBefore(id, stamp string) string { return id + "." + stamp + "." }

// StandardSecretPrefix stands before a symmetric secret. One without it is taken too, as in the official libraries.
const StandardSecretPrefix = "whsec_"

// StandardKey is the key in a symmetric secret: the base64 after whsec_. Empty: there is none.
func StandardKey(secret string) string {
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, StandardSecretPrefix))
	if err != nil {
		return ""
	}
	return string(raw)
}
