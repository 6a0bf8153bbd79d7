package webhook

import (
	"mime"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	waybillv1 "github.com/waybillhq/waybill/gen/go/waybill/v1"
)

// largestKept is the longest text that kept bytes are read as: the most that any provider's limit allows.
const largestKept = 16 << 20

// readable is what a translator reads of kept bytes: uncompressed where they were proven compressed, and in UTF-8 where
// their Content-Type names another charset. The kept bytes stay as they were proven, so this is done again whenever they
// are translated again. Bytes that are not what their headers say are read as they are.
func readable(raw *waybillv1.RawMessage) []byte {
	body := raw.GetBody()
	if coding := raw.GetHeaders()[keptCoding]; coding != "" {
		if plain, err := inflate(coding, body, largestKept); err == nil {
			body = plain
		}
	}
	return inUTF8(body, raw.GetContentType())
}

// inUTF8 reads text in the charset that its sender names, by the names and meanings that browsers use: what calls itself
// latin-1 may hold Windows' typographic marks. A byte order mark is stronger than the name. Text that is said to be
// UTF-8, or of which nothing is said or known, is left alone.
func inUTF8(body []byte, contentType string) []byte {
	_, parameters, err := mime.ParseMediaType(contentType)
	if err != nil {
		return body
	}
	charset, err := htmlindex.Get(parameters["charset"])
	if err != nil || charset == unicode.UTF8 {
		return body
	}
	text, _, err := transform.Bytes(unicode.BOMOverride(charset.NewDecoder()), body)
	if err != nil {
		return body
	}
	return text
}
