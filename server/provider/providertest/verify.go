package providertest

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	configv1 "github.com/waybillhq/waybill/gen/go/waybill/config/v1"
	"github.com/waybillhq/waybill/server/provider"
)

func describesItself(t *testing.T, kind provider.Kind, opts Options) {
	t.Helper()
	if kind.Name == "" || kind.Proof == "" || kind.Version == "" {
		t.Errorf("name %q, proof %q, version %q: none may be empty", kind.Name, kind.Proof, kind.Version)
	}
	if problems := kind.Check(settingsWith(opts, &configv1.Secret{Value: currentSecret})); len(problems) > 0 {
		t.Errorf("sound settings have problems: %v", problems)
	}
	for _, name := range kind.KeptHeaders {
		if name != strings.ToLower(name) {
			t.Errorf("kept header %s is not in lower case", name)
		}
		if http.CanonicalHeaderKey(name) == http.CanonicalHeaderKey(opts.ProofHeader) {
			t.Errorf("kept header %s carries the proof: it would be stored", name)
		}
	}
}

func vectorsHold(t *testing.T, kind provider.Kind, opts Options) {
	t.Helper()
	for _, vector := range opts.Vectors {
		t.Run(vector.Name, func(t *testing.T) {
			t.Parallel()
			opened := openWith(t, kind, opts, &configv1.Secret{Value: vector.Secret})
			r := &provider.Request{Header: vector.Header.Clone(), Body: []byte(vector.Body), ReceivedAt: vector.At}
			if err := opened.Verify(r); (err != nil) != vector.Refused {
				t.Errorf("verify: %v, want refused %t", err, vector.Refused)
			}
		})
	}
}

func proofHoldsForItsBytes(t *testing.T, kind provider.Kind, opts Options) {
	t.Helper()
	opened := Open(t, kind, opts)
	good := signed(kind, sample(t, kind, opts), currentSecret, Now())
	mustVerify(t, opened, good)
	mustRefuse(t, opened, signed(kind, good, strangeSecret, Now()), "a stranger's proof")

	proof := proofOf(good, opts)
	for at := range len(proof) {
		flipped := copyOf(good)
		changed := []byte(proof)
		changed[at] ^= 1
		setProof(flipped, opts, string(changed))
		mustRefuse(t, opened, flipped, "a proof with a flipped bit")
	}
	if !opts.SignsBody {
		return
	}
	for at := range len(good.Body) {
		flipped := copyOf(good)
		flipped.Body[at] ^= 1 << (at % 8)
		mustRefuse(t, opened, flipped, "a body with a flipped bit")
	}
	longer := copyOf(good)
	longer.Body = append(longer.Body, '\n')
	mustRefuse(t, opened, longer, "a body with a line break more")
}

func malformedProofIsRefused(t *testing.T, kind provider.Kind, opts Options) {
	t.Helper()
	opened := Open(t, kind, opts)
	good := signed(kind, sample(t, kind, opts), currentSecret, Now())
	proof := proofOf(good, opts)
	bare := strings.TrimPrefix(proof, opts.ProofPrefix)

	missing := copyOf(good)
	setProof(missing, opts)
	mustRefuse(t, opened, missing, "no proof")

	malformed := slices.Concat(opts.Malformed, []string{
		"", " ", "x", "=", ",", "\x00", proof + "x", "x" + proof, strings.ToUpper(proof) + " ",
		proof[:len(proof)-1], strings.Repeat("0", 64), strings.Repeat("0", 100_000), strings.Repeat("é", 64), bare + bare,
	})
	if opts.ProofPrefix != "" {
		malformed = append(malformed, bare, opts.ProofPrefix, "Basic "+bare, opts.ProofPrefix+" "+bare)
	}
	for _, value := range malformed {
		r := copyOf(good)
		setProof(r, opts, value)
		mustRefuse(t, opened, r, "proof "+provider.Short(value, 20))
	}

	twice := copyOf(good)
	setProof(twice, opts, proof, "x")
	mustRefuse(t, opened, twice, "a second proof header")
}

func noSecretFailsClosed(t *testing.T, kind provider.Kind, opts Options) {
	t.Helper()
	opened := openWith(t, kind, opts)
	for _, secret := range []string{"", currentSecret} {
		if err := opened.Verify(signed(kind, sample(t, kind, opts), secret, Now())); !errors.Is(err, provider.ErrNoSecret) {
			t.Errorf("verify without a secret: %v, want %v", err, provider.ErrNoSecret)
		}
	}
	unsigned := sample(t, kind, opts)
	if err := opened.Verify(unsigned); !errors.Is(err, provider.ErrNoSecret) {
		t.Errorf("verify an unsigned request without a secret: %v, want %v", err, provider.ErrNoSecret)
	}
	mustHaveProblem(t, kind.Check(settingsWith(opts)), "secrets")

	empty := openWith(t, kind, opts, &configv1.Secret{})
	mustRefuse(t, empty, signed(kind, sample(t, kind, opts), "", Now()), "a proof made with the empty secret")
	mustHaveProblem(t, kind.Check(settingsWith(opts, &configv1.Secret{})), "secrets[0].value")
}

func paddedSecretIsAFault(t *testing.T, kind provider.Kind, opts Options) {
	t.Helper()
	for _, padded := range []string{currentSecret + "\n", " " + currentSecret, currentSecret + "\t", "\n"} {
		secret := &configv1.Secret{Value: padded}
		problems := kind.Check(settingsWith(opts, &configv1.Secret{Value: nextSecret}, secret))
		mustHaveProblem(t, problems, "secrets[1].value")
		for _, problem := range problems {
			if strings.Contains(problem.Message, currentSecret) {
				t.Error("the problem quotes the secret")
			}
		}
		opened := openWith(t, kind, opts, secret)
		if err := opened.Verify(signed(kind, sample(t, kind, opts), currentSecret, Now())); !errors.Is(err, provider.ErrNoSecret) {
			t.Errorf("verify with a padded secret: %v, want %v: the fault must not look like a wrong signature",
				err, provider.ErrNoSecret)
		}
	}
}

func secretsRotate(t *testing.T, kind provider.Kind, opts Options) {
	t.Helper()
	opened := Open(t, kind, opts)
	r := sample(t, kind, opts)
	mustVerify(t, opened, signed(kind, r, currentSecret, Now()))
	mustVerify(t, opened, signed(kind, r, nextSecret, Now()))
	mustRefuse(t, opened, signed(kind, r, retiredSecret, Now()), "a proof by a retired secret")

	before := copyOf(r)
	before.ReceivedAt = Now().Add(-time.Second)
	mustVerify(t, opened, signed(kind, before, retiredSecret, before.ReceivedAt))

	retired := openWith(t, kind, opts, &configv1.Secret{Value: retiredSecret, NotAfter: timestamppb.New(Now())})
	if err := retired.Verify(signed(kind, r, retiredSecret, Now())); !errors.Is(err, provider.ErrNoSecret) {
		t.Errorf("verify when every secret is retired: %v, want %v", err, provider.ErrNoSecret)
	}
}

func clockIsChecked(t *testing.T, kind provider.Kind, opts Options) {
	t.Helper()
	opened := Open(t, kind, opts)
	const year = 365 * 24 * time.Hour
	for _, side := range []struct {
		name  string
		limit time.Duration
		at    func(time.Duration) time.Time
	}{
		{"past", opts.Past, func(off time.Duration) time.Time { return Now().Add(-off) }},
		{"future", opts.Future, func(off time.Duration) time.Time { return Now().Add(off) }},
	} {
		signedAt := func(off time.Duration) *provider.Request {
			return signed(kind, sample(t, kind, opts), currentSecret, side.at(off))
		}
		if side.limit == 0 {
			mustVerify(t, opened, signedAt(year))
			continue
		}
		mustVerify(t, opened, signedAt(side.limit-time.Second))
		mustVerify(t, opened, signedAt(side.limit))
		mustRefuse(t, opened, signedAt(side.limit+time.Second), "a proof too far in the "+side.name)
		mustRefuse(t, opened, signedAt(year), "a proof a year in the "+side.name)
	}
}

func copyOf(r *provider.Request) *provider.Request {
	return &provider.Request{
		Header: r.Header.Clone(), Query: maps.Clone(r.Query), Body: slices.Clone(r.Body), ReceivedAt: r.ReceivedAt,
	}
}

func mustVerify(t *testing.T, opened provider.Provider, r *provider.Request) {
	t.Helper()
	if err := opened.Verify(r); err != nil {
		t.Errorf("verify a sound proof: %v", err)
	}
}

func mustRefuse(t *testing.T, opened provider.Provider, r *provider.Request, what string) {
	t.Helper()
	err := opened.Verify(r)
	if err == nil {
		t.Errorf("%s was taken", what)
		return
	}
	for _, secret := range []string{currentSecret, nextSecret, retiredSecret} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%s: the error tells a secret", what)
		}
	}
}

func mustHaveProblem(t *testing.T, problems []provider.Problem, field string) {
	t.Helper()
	if !slices.ContainsFunc(problems, func(problem provider.Problem) bool { return problem.Field == field }) {
		t.Errorf("check found %v, want a problem of %s", problems, field)
	}
}
