package provider

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
)

// The schemes of a Proof, by the words that config files use. QueryToken is a kind's choice and never a setting:
// addresses end in logs.
const (
	HMACSHA256   = "hmac_sha256"   // the body, signed with the secret
	Bearer       = "bearer"        // the secret, after the word Bearer
	StaticHeader = "static_header" // the secret, word for word
	QueryToken   = "query_token"   // the secret, in the URL's query
)

// The encodings of an HMACSHA256.
const (
	Hex    = "hex"
	Base64 = "base64"
)

const (
	bearerHeader = "Authorization"
	bearerPrefix = "Bearer "
)

// Proof is one of the plain ways in which a request proves its sender.
type Proof struct {
	Scheme string
	// Place is the header that carries the proof, or the query's parameter. Empty: Authorization for Bearer.
	Place string
	// Prefix stands before the proof, as it is written here.
	Prefix string
	// Encoding of an HMACSHA256. Empty: Hex.
	Encoding string
	// Normal turns a secret's text into the text whose bytes are the key. Nil: it is that text.
	Normal func(secret string) string
}

// Verify checks the request, and fails closed.
func (p Proof) Verify(keys Keys, r *Request) error {
	given, err := p.given(r)
	if err != nil {
		return keys.refuse(r.ReceivedAt, err)
	}
	return keys.Prove(r.ReceivedAt, func(secret string) bool {
		return SameText(given, p.wanted(r, secret))
	}, p.mismatch())
}

// Sign adds the proof as the sender would.
func (p Proof) Sign(r *Request, secret string) {
	switch p.Scheme {
	case QueryToken:
		query := url.Values{}
		maps.Copy(query, r.Query)
		query.Set(p.Place, secret)
		r.Query = query
	case Bearer:
		r.Header.Set(p.header(), bearerPrefix+secret)
	default:
		r.Header.Set(p.header(), p.Prefix+p.wanted(r, secret))
	}
}

// given is what the request shows, without what stands before it.
func (p Proof) given(r *Request) (string, error) {
	if p.Scheme == QueryToken {
		return SoleParameter(r.Query, p.Place)
	}
	shown, err := SoleHeader(r.Header, p.header())
	if err != nil {
		return "", err
	}
	if p.Scheme == Bearer {
		if len(shown) <= len(bearerPrefix) || !strings.EqualFold(shown[:len(bearerPrefix)], bearerPrefix) {
			return "", fmt.Errorf("header %s holds no bearer token", p.header())
		}
		return shown[len(bearerPrefix):], nil
	}
	rest, ok := strings.CutPrefix(shown, p.Prefix)
	if !ok {
		return "", fmt.Errorf("header %s does not begin with %s", p.header(), p.Prefix)
	}
	if p.Scheme == HMACSHA256 && p.Encoding != Base64 {
		rest = strings.ToLower(rest)
	}
	return rest, nil
}

// wanted is what the request must show.
func (p Proof) wanted(r *Request, secret string) string {
	if p.Normal != nil {
		secret = p.Normal(secret)
	}
	switch {
	case p.Scheme != HMACSHA256:
		return secret
	case p.Encoding == Base64:
		return base64.StdEncoding.EncodeToString(MAC(secret, r.Body))
	default:
		return hex.EncodeToString(MAC(secret, r.Body))
	}
}

func (p Proof) header() string {
	if p.Place == "" && p.Scheme == Bearer {
		return bearerHeader
	}
	return p.Place
}

func (p Proof) mismatch() error {
	switch p.Scheme {
	case HMACSHA256:
		return fmt.Errorf("header %s is not the %s signature of this body", p.header(), cmp.Or(p.Encoding, Hex))
	case Bearer:
		return fmt.Errorf("header %s holds another token", p.header())
	case QueryToken:
		return fmt.Errorf("query parameter %s is not the secret", p.Place)
	default:
		return fmt.Errorf("header %s is not the secret", p.header())
	}
}

// Words say in a few words what proves the sender, for Kind.Proof.
func (p Proof) Words() string {
	switch p.Scheme {
	case HMACSHA256:
		return "HMAC-SHA256 over the body, in " + p.header()
	case Bearer:
		return "a bearer token in " + p.header()
	case QueryToken:
		return "the secret, in the URL's query as " + p.Place
	default:
		return "the secret, word for word, in " + p.header()
	}
}

// MAC is the HMAC-SHA256 of the parts, one after the other.
func MAC(key string, parts ...[]byte) []byte {
	digest := hmac.New(sha256.New, []byte(key))
	for _, part := range parts {
		digest.Write(part)
	}
	return digest.Sum(nil)
}

// SoleParameter is the value of a query parameter that must stand in the URL exactly once.
func SoleParameter(query url.Values, name string) (string, error) {
	switch values := query[name]; {
	case len(values) == 0 || values[0] == "":
		return "", fmt.Errorf("query parameter %s is missing", name)
	case len(values) > 1:
		return "", fmt.Errorf("query parameter %s comes %d times", name, len(values))
	default:
		return values[0], nil
	}
}

// ConfiguredProof is the proof that the settings describe, or the kind's own where they describe none. A kind with a
// fixed scheme takes the header's name alone.
func ConfiguredProof(cfg *configv1.Provider, own Proof) Proof {
	set := cfg.GetProof()
	if set == nil {
		return own
	}
	return Proof{
		Scheme:   cmp.Or(set.GetScheme(), own.Scheme),
		Place:    cmp.Or(set.GetHeader(), own.placeUnder(set.GetScheme())),
		Prefix:   set.GetPrefix(),
		Encoding: set.GetEncoding(),
		Normal:   own.Normal,
	}
}

// placeUnder is the kind's own header, where the scheme is the kind's own too.
func (p Proof) placeUnder(scheme string) string {
	if scheme == "" || scheme == p.Scheme {
		return p.Place
	}
	return ""
}

var errProofHeader = errors.New("the scheme needs a header: name it here")

// CheckProof reports parts of the settings' proof that a kind doesn't read: a setting that nobody looks at would protect
// nobody. It also reports a scheme without its header.
func CheckProof(cfg *configv1.Provider, own Proof, read ...string) []Problem {
	set := cfg.GetProof()
	var problems []Problem
	for _, part := range []struct{ name, value string }{
		{"scheme", set.GetScheme()},
		{"header", set.GetHeader()},
		{"prefix", set.GetPrefix()},
		{"encoding", set.GetEncoding()},
	} {
		if part.value != "" && !slices.Contains(read, part.name) {
			problems = append(problems, Problem{
				Field:   "proof." + part.name,
				Message: "this kind's proof is fixed here: take it away",
			})
		}
	}
	if ConfiguredProof(cfg, own).header() == "" && own.Scheme != QueryToken {
		problems = append(problems, Problem{Field: "proof.header", Message: errProofHeader.Error()})
	}
	return problems
}
