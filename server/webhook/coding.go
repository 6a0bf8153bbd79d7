package webhook

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"net/http"
	"strings"
)

// The content codings that are taken, by the words of Content-Encoding.
const (
	codingGzip    = "gzip"
	codingDeflate = "deflate"
	codingsTaken  = "gzip, deflate, identity"
)

var (
	errCoding   = errors.New("the body's Content-Encoding is not one that is taken: send it plain, or in gzip or deflate alone")
	errTooLarge = errors.New("the body is too large when it is uncompressed")
	errRest     = errors.New("something follows the compressed bytes")
)

// codingOf is what a body is compressed with. Empty: it is not.
func codingOf(header http.Header) (string, error) {
	values := header.Values("Content-Encoding")
	if len(values) > 1 {
		return "", errCoding
	}
	switch word := strings.ToLower(strings.TrimSpace(strings.Join(values, ""))); word {
	case "", "identity":
		return "", nil
	case codingGzip, "x-gzip":
		return codingGzip, nil
	case codingDeflate:
		return codingDeflate, nil
	default:
		return "", errCoding
	}
}

// inflate uncompresses a body of at most limit bytes. What is longer is errTooLarge as soon as that is known, however
// few bytes it came in.
func inflate(coding string, body []byte, limit int64) ([]byte, error) {
	source := bytes.NewReader(body)
	reader, err := inflater(coding, source)
	if err != nil {
		return nil, err
	}
	plain, err := io.ReadAll(io.LimitReader(reader, limit+1))
	switch {
	case int64(len(plain)) > limit:
		return nil, errTooLarge
	case err != nil:
		return nil, err
	case source.Len() > 0: // neither proven nor kept, so nobody should have sent it
		return nil, errRest
	default:
		return plain, nil
	}
}

// inflater reads what the coding says. By deflate the standard means zlib's format and some senders mean the bare
// stream; the first two bytes tell which it is.
func inflater(coding string, source *bytes.Reader) (io.Reader, error) {
	if coding == codingGzip {
		return gzip.NewReader(source)
	}
	reader, err := zlib.NewReader(source)
	if !errors.Is(err, zlib.ErrHeader) {
		return reader, err
	}
	if _, err := source.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return flate.NewReader(source), nil
}
