package custom

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"github.com/go-json-experiment/json/jsontext"
)

// Bounds on what a body may hold, so that reading one costs little more than receiving it.
const (
	maxDepth  = 64
	maxValues = 250_000
)

// document is a body as expressions see it.
type document struct {
	// text is what the spans are about.
	text []byte
	root ref.Val
	// twice are places where an object has a member twice. Whatever holds one can't be read: nobody can say which of the
	// two was meant.
	twice []int
}

// whole is the place of all of it.
func (d *document) whole() span { return span{0, len(d.text)} }

// readJSON reads a body of JSON. Numbers become the text of their digits, as they are written: no id and no amount loses
// any. A member with null is left out. The error quotes nothing.
func readJSON(text []byte) (*document, error) {
	return (&jsonReader{located: true}).read(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")))
}

// readNested reads JSON that stands in a text. What is in it has no place in the body.
func readNested(text string) (ref.Val, error) {
	doc, err := (&jsonReader{}).read([]byte(text))
	if err != nil || len(doc.twice) > 0 {
		return nil, errors.New("a text is not JSON")
	}
	return doc.root, nil
}

type jsonReader struct {
	// located says that values keep where they stand.
	located bool
	doc     *document
	dec     *jsontext.Decoder
	values  int
}

func (r *jsonReader) read(text []byte) (*document, error) {
	r.doc = &document{text: text}
	r.dec = jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	root, _, err := r.value(0)
	if err != nil {
		return nil, err
	}
	if _, err := r.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("the body goes on after its end")
	}
	r.doc.root = root
	return r.doc, nil
}

// value reads a value. That of null is types.NullValue.
func (r *jsonReader) value(depth int) (ref.Val, span, error) {
	if r.values++; r.values > maxValues {
		return nil, span{}, fmt.Errorf("the body holds more than %d values", maxValues)
	}
	if depth > maxDepth {
		return nil, span{}, fmt.Errorf("the body is nested more than %d deep", maxDepth)
	}
	before := r.dec.InputOffset()
	token, err := r.dec.ReadToken()
	if err != nil {
		return nil, span{}, r.notJSON()
	}
	end := int(r.dec.InputOffset())
	skipped := len(r.doc.text[before:end]) - len(bytes.TrimLeft(r.doc.text[before:end], " \t\r\n,:"))
	at := span{int(before) + skipped, end}

	switch token.Kind() {
	case '{':
		return r.object(at.start, depth)
	case '[':
		return r.list(at.start, depth)
	case '"', '0':
		return types.String(token.String()), at, nil
	case 't', 'f':
		return types.Bool(token.Bool()), at, nil
	case 'n':
		return types.NullValue, at, nil
	default:
		return nil, span{}, r.notJSON()
	}
}

func (r *jsonReader) object(start, depth int) (ref.Val, span, error) {
	made := newObject(0)
	seen := make(map[string]bool)
	for r.dec.PeekKind() == '"' {
		token, err := r.dec.ReadToken()
		if err != nil {
			return nil, span{}, r.notJSON()
		}
		name := token.String()
		if seen[name] {
			r.doc.twice = append(r.doc.twice, start)
		}
		seen[name] = true
		value, _, err := r.value(depth + 1)
		if err != nil {
			return nil, span{}, err
		}
		if value != types.NullValue {
			made.add(name, value)
		}
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return nil, span{}, r.notJSON()
	}
	at := span{start, int(r.dec.InputOffset())}
	if r.located {
		made.span = at
	}
	return made, at, nil
}

func (r *jsonReader) list(start, depth int) (ref.Val, span, error) {
	var values []ref.Val
	var spans []span
	for r.dec.PeekKind() != ']' {
		value, at, err := r.value(depth + 1)
		if err != nil {
			return nil, span{}, err
		}
		values, spans = append(values, value), append(spans, at)
	}
	if _, err := r.dec.ReadToken(); err != nil {
		return nil, span{}, r.notJSON()
	}
	if !r.located {
		spans = nil
	}
	return newList(values, spans), span{start, int(r.dec.InputOffset())}, nil
}

func (r *jsonReader) notJSON() error {
	return fmt.Errorf("the body is not JSON from byte %d on", r.dec.InputOffset())
}

// readForm reads a form: an object of texts.
func readForm(text []byte) (*document, error) {
	fields, err := url.ParseQuery(string(text))
	if err != nil {
		return nil, errors.New("the body is not a form")
	}
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)

	doc := &document{text: text}
	made := newObject(len(names))
	made.span = doc.whole()
	for _, name := range names {
		values := fields[name]
		switch {
		case len(values) > 1:
			return nil, errors.New("the body has a field twice")
		case !utf8.ValidString(name+values[0]) || strings.Contains(name+values[0], "\x00"):
			return nil, errors.New("the body holds text that is not proper Unicode")
		}
		made.add(name, types.String(values[0]))
	}
	doc.root = made
	return doc, nil
}
