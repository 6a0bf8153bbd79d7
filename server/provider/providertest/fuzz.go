package providertest

import (
	"net/http"
	"testing"
	"time"

	"github.com/waybillhq/waybill/server/provider"
)

// FuzzVerify is the body of a provider's FuzzVerify: whatever stands in the proof header, Verify never panics, never
// takes what no secret in force has signed, and takes what one has.
func FuzzVerify(f *testing.F, kind provider.Kind, opts Options) {
	f.Helper()
	kind = ready(kind)
	for _, s := range kind.Samples {
		r := sampleRequest(f, s)
		f.Add(proofOf(signed(kind, r, strangeSecret, Now()), opts), r.Body, int64(0))
		f.Add(proofOf(signed(kind, r, retiredSecret, Now()), opts), r.Body, int64(-301))
	}
	for _, value := range opts.Malformed {
		f.Add(value, []byte("{}"), int64(299))
	}
	opened := Open(f, kind, opts)

	f.Fuzz(func(t *testing.T, proof string, body []byte, offset int64) {
		at := Now().Add(time.Duration(offset%1000) * time.Second)
		r := &provider.Request{Header: http.Header{}, Body: body, ReceivedAt: Now()}
		setProof(r, opts, proof)
		if opened.Verify(r) == nil {
			t.Fatal("taken although no secret in force has signed it")
		}

		err := opened.Verify(signed(kind, r, currentSecret, at))
		inTime := (opts.Past == 0 || Now().Sub(at) <= opts.Past) && (opts.Future == 0 || at.Sub(Now()) <= opts.Future)
		if (err == nil) != inTime {
			t.Fatalf("a sound proof of %s: %v, want in time %t", at, err, inTime)
		}
		if !opts.SignsBody || len(body) == 0 {
			return
		}
		changed := signed(kind, r, currentSecret, Now())
		changed.Body = append([]byte{body[0] ^ 1}, body[1:]...)
		if opened.Verify(changed) == nil {
			t.Fatal("taken although the body was changed after signing")
		}
	})
}

// FuzzTranslate is the body of a provider's FuzzTranslate: whatever the bytes, Translate never panics, gives events
// that pass our own rules or a refusal, and gives the same again.
func FuzzTranslate(f *testing.F, kind provider.Kind, opts Options) {
	f.Helper()
	kind = ready(kind)
	for _, s := range kind.Samples {
		r := sampleRequest(f, s)
		f.Add(firstKept(kind, r), r.Body)
	}
	for _, word := range opts.Words {
		r := word.request()
		f.Add(firstKept(kind, r), r.Body)
	}
	opened := Open(f, kind, opts)

	f.Fuzz(func(t *testing.T, header string, body []byte) {
		r := &provider.Request{Header: http.Header{}, Body: body, ReceivedAt: Now()}
		for at, name := range kind.KeptHeaders {
			value := header
			if at > 0 {
				value = header + "-" + name
			}
			r.Header.Set(name, value)
		}
		first, err1 := Translate(t, opened, r)
		second, err2 := Translate(t, opened, r)
		if (err1 == nil) != (err2 == nil) || !sameEvents(first, second) {
			t.Fatal("the same bytes became something else the second time")
		}
	})
}

func firstKept(kind provider.Kind, r *provider.Request) string {
	if len(kind.KeptHeaders) == 0 {
		return ""
	}
	return r.Header.Get(kind.KeptHeaders[0])
}
