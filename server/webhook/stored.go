package webhook

import (
	"net/http"
	"strings"
	"unicode/utf8"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
	"github.com/waybillhq/waybill/server/provider"
)

// Lengths that the ingest service takes, in characters.
const (
	maxHeader      = 1024
	maxContentType = 255
)

// keptCoding is the stored header that says what the kept bytes are compressed with.
const keptCoding = "content-encoding"

// stored is what is kept of a request: the bytes as they were proven, what they are still compressed with, and the
// headers that the translator needs again. A header that could not be stored is no header.
func stored(header http.Header, kept []string, proven rendering) *waybillv1.RawMessage {
	raw := &waybillv1.RawMessage{
		Body:        proven.bytes,
		ContentType: provider.Short(clean(header.Get("Content-Type")), maxContentType),
		Headers:     make(map[string]string, len(kept)),
	}
	for _, name := range kept {
		if value := clean(header.Get(name)); value != "" && utf8.RuneCountInString(value) <= maxHeader {
			raw.Headers[name] = value
		}
	}
	if proven.coding != "" {
		raw.Headers[keptCoding] = proven.coding
	}
	return raw
}

// storedHeader is what a later translation will see. It sees the text uncompressed, so nothing tells it otherwise.
func storedHeader(raw *waybillv1.RawMessage) http.Header {
	header := make(http.Header, len(raw.GetHeaders()))
	for name, value := range raw.GetHeaders() {
		header.Set(name, value)
	}
	header.Del(keptCoding)
	return header
}

// clean is text that every database takes.
func clean(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}
