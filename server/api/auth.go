package api

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"connectrpc.com/connect/v2"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
)

// Scope is something that a caller may do.
type Scope string

// The scopes.
const (
	// ScopeIngest sends events.
	ScopeIngest Scope = "ingest"
	// ScopeTrack reads orders and providers.
	ScopeTrack Scope = "track"
	// ScopeOperate sees and mends unfinished work.
	ScopeOperate Scope = "operate"
	// ScopePayload adds the providers' own texts and bytes to what ScopeOperate sees.
	ScopePayload Scope = "payload"
)

// Principal is a caller that has proven who it is.
type Principal struct {
	// Name stands in logs and audit entries.
	Name string
	// Account is the one account that it may touch. Everywhere lifts this, and the bounds of Providers.
	Account    string
	Everywhere bool
	Scopes     []Scope
	// Providers are those that it may speak for with ScopeIngest.
	Providers []string
}

// Adapter is the principal of the webhook adapter that runs in the server's process: it has proven each body itself.
func Adapter() Principal {
	return Principal{Name: "adapter", Everywhere: true, Scopes: []Scope{ScopeIngest}}
}

// May says whether the principal has a scope.
func (p Principal) May(scope Scope) bool { return slices.Contains(p.Scopes, scope) }

func (p Principal) mayTouch(account string) bool { return p.Everywhere || p.Account == account }

func (p Principal) maySpeakFor(provider string) bool {
	return p.Everywhere || slices.Contains(p.Providers, provider)
}

type principalKey struct{}

// WithPrincipal lets a call inside the process act as a principal. The HTTP door never sets it, and nothing that a
// request carries can: see InProcess.
func WithPrincipal(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, p)
}

type callerKey struct{}

// caller is the principal of the call that is being served. The interceptor has put it there.
func caller(ctx context.Context) Principal {
	p, _ := ctx.Value(callerKey{}).(Principal)
	return p
}

// keyring knows the callers by their keys' digests.
type keyring []keyEntry

type keyEntry struct {
	digest    [sha256.Size]byte
	principal Principal
}

func newKeyring(keys []*configv1.ApiKey) (keyring, error) {
	ring := make(keyring, 0, len(keys))
	for _, key := range keys {
		digest, err := hex.DecodeString(key.GetSha256())
		if err != nil || len(digest) != sha256.Size {
			return nil, fmt.Errorf("api key %s: sha256 is not a SHA-256 in hex", key.GetName())
		}
		entry := keyEntry{
			digest: [sha256.Size]byte(digest),
			principal: Principal{
				Name: key.GetName(), Account: key.GetAccount(), Providers: slices.Clone(key.GetProviders()),
			},
		}
		for _, scope := range key.GetScopes() {
			entry.principal.Scopes = append(entry.principal.Scopes, Scope(scope))
		}
		ring = append(ring, entry)
	}
	return ring, nil
}

// find looks at every key, so that how long it takes says nothing about where, or whether, one is found.
func (r keyring) find(key string) (Principal, bool) {
	digest := sha256.Sum256([]byte(key))
	at := -1
	for i := range r {
		at = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(digest[:], r[i].digest[:]), i, at)
	}
	if at < 0 {
		return Principal{}, false
	}
	return r[at].principal, true
}

// principal is who calls: what the process itself says, or else the one whose key the Authorization header carries.
func (r keyring) principal(ctx context.Context) (Principal, bool) {
	if p, ok := ctx.Value(principalKey{}).(Principal); ok {
		return p, true
	}
	info, ok := connect.CallInfoForServerContext(ctx)
	if !ok {
		return Principal{}, false
	}
	headers := info.RequestHeader().Values("Authorization")
	if len(headers) != 1 {
		return Principal{}, false
	}
	scheme, key, _ := strings.Cut(headers[0], " ")
	key = strings.Trim(key, " ")
	if !strings.EqualFold(scheme, "Bearer") || key == "" {
		return Principal{}, false
	}
	return r.find(key)
}

// authenticate refuses who may not call a procedure, before the message is decoded, and whoever names another account
// or provider than its own, as soon as it is.
func (r keyring) authenticate(next connect.ServerFunc) connect.ServerFunc {
	return func(ctx context.Context, spec connect.Spec, stream connect.ServerStream) error {
		rule, ok := access[spec.Procedure]
		if !ok {
			return errForbidden
		}
		if rule.public {
			return next(ctx, spec, stream)
		}
		p, ok := r.principal(ctx)
		if !ok {
			challenge(ctx)
			return errUnauthenticated
		}
		recordCaller(ctx, p.Name)
		if !slices.ContainsFunc(rule.scopes, p.May) {
			return errForbidden
		}
		return next(context.WithValue(ctx, callerKey{}, p), spec, &boundStream{ServerStream: stream, principal: p, rule: rule})
	}
}

func challenge(ctx context.Context) {
	if info, ok := connect.CallInfoForServerContext(ctx); ok {
		info.ResponseHeader().Set("WWW-Authenticate", "Bearer")
	}
}

// boundStream holds a principal to its account and providers.
type boundStream struct {
	connect.ServerStream

	principal Principal
	rule      accessRule
}

// Receive decodes the next message and refuses one that is about another account.
func (s *boundStream) Receive(message any) error {
	if err := s.ServerStream.Receive(message); err != nil {
		return err
	}
	// A message that names no account would escape the binding.
	named, ok := message.(interface{ GetAccount() string })
	if !ok {
		return errForbidden
	}
	if !s.principal.mayTouch(named.GetAccount()) {
		return s.rule.otherAccount()
	}
	event, ok := message.(*waybillv1.IngestEventRequest)
	if ok && !s.principal.maySpeakFor(event.GetProvider()) {
		return errForbidden
	}
	return nil
}
