package webhook

import (
	"bytes"
	"compress/gzip"
	"testing"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
)

// FuzzReadable: whatever bytes and headers say, reading them never panics, stays within its bound, gives the same again,
// and leaves the kept bytes alone.
func FuzzReadable(f *testing.F) {
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, _ = w.Write([]byte(`{"a":1}`))
	_ = w.Close()
	f.Add("gzip", "application/json", zipped.Bytes())
	f.Add("deflate", "application/json; charset=latin1", []byte("x\x9c\xabV*\xcfH,H\x05\x00\x0b\x0b\x02\x9f"))
	f.Add("deflate", "text/plain; charset=utf-16", []byte("\x4b\x04\x00"))
	f.Add("", "text/plain; charset=utf-16le", []byte("\xff\xfea\x00\xd8"))
	f.Add("", "a/b;charset=\"gb18030\"", []byte("\x81\x30\x81\x30{"))
	f.Add("br", ";;=", []byte("\xef\xbb\xbf"))

	f.Fuzz(func(t *testing.T, coding, contentType string, body []byte) {
		const limit = 1 << 16
		if plain, err := inflate(coding, body, limit); err == nil && len(plain) > limit {
			t.Fatalf("inflated to %d bytes", len(plain))
		}
		kept := bytes.Clone(body)
		raw := &waybillv1.RawMessage{Body: body, ContentType: contentType, Headers: map[string]string{keptCoding: coding}}
		first, second := readable(raw), readable(raw)
		if !bytes.Equal(first, second) || !bytes.Equal(raw.GetBody(), kept) {
			t.Fatal("the same bytes were read as something else the second time, or were changed")
		}
	})
}
