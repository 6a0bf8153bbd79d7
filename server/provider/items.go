package provider

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxItems is how many events a body may hold. All of them are recorded before the answer, which leaves within 300 ms of
// the body's last byte. This many took 80 to 310 ms on two processors with work for fourteen; a thousand don't fit, and
// what can't be answered the sender would send again for ever. A longer list is kept undecoded as a whole.
const MaxItems = 200

// Items takes a body apart that holds several events in a list under the given member. Each item is sound JSON and is no
// further looked at: what is wrong inside one is that item's alone, a member that comes twice included. It reports false
// for a body without the member, or with null under it.
func Items(body []byte, member string) ([]jsontext.Value, bool, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(bytes.TrimPrefix(body, byteOrderMark)),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if dec.PeekKind() != '{' {
		return nil, false, errors.New("the body is not a JSON object")
	}
	list, err := memberValue(dec, member)
	if err != nil {
		return nil, false, err
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, false, errors.New("the body goes on after its end")
	}
	if len(list) == 0 || list.Kind() == 'n' {
		return nil, false, nil
	}
	items, err := elements(list)
	if err != nil {
		return nil, false, fmt.Errorf("%s %w", member, err)
	}
	return items, true, nil
}

// memberValue reads an object and gives what stands under one of its names.
func memberValue(dec *jsontext.Decoder, member string) (jsontext.Value, error) {
	if _, err := dec.ReadToken(); err != nil {
		return nil, notJSON(dec)
	}
	var found jsontext.Value
	seen := make(map[string]bool)
	for dec.PeekKind() == '"' {
		token, err := dec.ReadToken()
		if err != nil {
			return nil, notJSON(dec)
		}
		name := token.String()
		if seen[name] {
			return nil, fmt.Errorf("the body has a member twice, at byte %d", dec.InputOffset())
		}
		seen[name] = true
		value, err := dec.ReadValue()
		if err != nil {
			return nil, notJSON(dec)
		}
		if name == member {
			found = value.Clone()
		}
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, notJSON(dec)
	}
	return found, nil
}

func elements(list jsontext.Value) ([]jsontext.Value, error) {
	if list.Kind() != '[' {
		return nil, errors.New("is not a list")
	}
	dec := jsontext.NewDecoder(bytes.NewReader(list), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if _, err := dec.ReadToken(); err != nil {
		return nil, notJSON(dec)
	}
	var items []jsontext.Value
	for dec.PeekKind() != ']' {
		item, err := dec.ReadValue()
		if err != nil {
			return nil, notJSON(dec)
		}
		items = append(items, item.Clone())
	}
	return items, nil
}

func notJSON(dec *jsontext.Decoder) error {
	return fmt.Errorf("the body is not JSON from byte %d on", dec.InputOffset())
}
