package provider

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// byteOrderMark may stand before a body. It is part of the bytes that are proven and kept, not of the JSON.
var byteOrderMark = []byte("\xef\xbb\xbf")

// Decode reads a JSON body. Names are matched exactly: another case is another name, and a name that comes twice makes
// the body unreadable, because nobody can say which one was meant. Unknown members are passed over. Text that is not
// proper Unicode does no harm where nobody reads it; ID and Word refuse it, Text keeps U+FFFD in its place.
//
// The error says what is wrong and quotes nothing but names of members.
func Decode(body []byte, into any) error {
	return decode(body, into, jsontext.AllowInvalidUTF8(true))
}

// DecodeStrict is Decode for contracts that list their members: an unknown one, or text that is not proper Unicode
// anywhere, is an error.
func DecodeStrict(body []byte, into any) error {
	return decode(body, into, json.RejectUnknownMembers(true))
}

func decode(body []byte, into any, options json.Options) error {
	err := json.Unmarshal(bytes.TrimPrefix(body, byteOrderMark), into, options)
	if err == nil {
		return nil
	}
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return syntaxProblem(syntactic)
	}
	if semantic, ok := errors.AsType[*json.SemanticError](err); ok {
		return memberProblem(semantic)
	}
	return errors.New("the body can't be read")
}

func syntaxProblem(err *jsontext.SyntacticError) error {
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return fmt.Errorf("the body has a member twice, at byte %d", err.ByteOffset)
	}
	return fmt.Errorf("the body is not JSON from byte %d on", err.ByteOffset)
}

func memberProblem(err *json.SemanticError) error {
	member := memberName(err.JSONPointer)
	if errors.Is(err.Err, json.ErrUnknownName) {
		return fmt.Errorf("%s is not a member of this body", member)
	}
	if shape, ok := errors.AsType[*shapeError](err.Err); ok {
		return fmt.Errorf("%s %s", member, shape.want)
	}
	if err.JSONPointer == "" {
		return errors.New("the body is not a JSON object")
	}
	return fmt.Errorf("%s has the wrong type", member)
}

// memberName is a JSON pointer as people write it, data.object.id, and never longer than a line.
func memberName(pointer jsontext.Pointer) string {
	tokens := make([]string, 0, 4)
	for token := range pointer.Tokens() {
		tokens = append(tokens, token)
	}
	return Short(strings.ToValidUTF8(strings.Join(tokens, "."), "\uFFFD"), 100)
}

// shapeError is a value of the wrong shape; its text follows the member's name.
type shapeError struct{ want string }

func (e *shapeError) Error() string { return e.want }

// ID is a name of something: text, or a whole number of any size, kept digit by digit. null and blank text are the
// empty ID. Text that two ids could share (U+0000, anything that is not Unicode) is refused.
type ID string

// UnmarshalJSONFrom reads an ID.
func (id *ID) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	value, err := scalar(dec, "is neither text nor a whole number")
	if err != nil {
		return err
	}
	switch {
	case value.kind == '0' && strings.ContainsAny(value.text, ".eE"):
		return &shapeError{"is not a whole number"}
	case strings.ContainsAny(value.text, "\x00\uFFFD"):
		return &shapeError{"holds text that is not proper Unicode"}
	}
	*id = ID(strings.TrimSpace(value.text))
	return nil
}

// Word is a word out of a provider's list, as it was written. null is the empty word.
type Word string

// UnmarshalJSONFrom reads a Word.
func (w *Word) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	value, err := scalar(dec, "is not text")
	if err != nil {
		return err
	}
	switch value.kind {
	case 'n', '"':
		*w = Word(withoutNUL(value.text))
		return nil
	default:
		return &shapeError{"is not text"}
	}
}

// Fold is the word as tables list it: no white space around it, lower case.
func (w Word) Fold() string { return strings.ToLower(strings.TrimSpace(string(w))) }

// Number is a number's digits, from a number or from text, for exact reading. null is the empty Number.
type Number string

// UnmarshalJSONFrom reads a Number.
func (n *Number) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	value, err := scalar(dec, "is not a number")
	if err != nil {
		return err
	}
	*n = Number(strings.TrimSpace(value.text))
	return nil
}

// Text is free text that is only shown. Anything else in its place reads as empty: what moves nothing must not stop
// anything. U+0000, which databases refuse, becomes U+FFFD here; the kept bytes stay as they are.
type Text string

// UnmarshalJSONFrom reads a Text.
func (t *Text) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() != '"' {
		*t = ""
		return dec.SkipValue()
	}
	token, err := dec.ReadToken()
	if err != nil {
		return err
	}
	*t = Text(withoutNUL(token.String()))
	return nil
}

type scalarValue struct {
	kind jsontext.Kind
	text string
}

// scalar reads text, a number or null.
func scalar(dec *jsontext.Decoder, otherwise string) (scalarValue, error) {
	kind := dec.PeekKind()
	switch kind {
	case 'n', '"', '0':
	case 0:
		_, err := dec.ReadToken() // says what is wrong with the syntax
		return scalarValue{}, err
	default:
		if err := dec.SkipValue(); err != nil {
			return scalarValue{}, err
		}
		return scalarValue{}, &shapeError{otherwise}
	}
	token, err := dec.ReadToken()
	if err != nil {
		return scalarValue{}, err
	}
	if kind == 'n' {
		return scalarValue{kind: kind}, nil
	}
	return scalarValue{kind: kind, text: token.String()}, nil
}

func withoutNUL(text string) string { return strings.ReplaceAll(text, "\x00", "\uFFFD") }

// Short is text of at most limit characters.
func Short(text string, limit int) string {
	seen := 0
	for at := range text {
		if seen == limit {
			return text[:at]
		}
		seen++
	}
	return text
}
