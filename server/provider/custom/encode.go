package custom

import (
	"errors"
	"slices"
	"strconv"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"github.com/go-json-experiment/json/jsontext"
)

var errNotJSON = errors.New("only text, whole numbers, true, false, null, lists and maps can be written as JSON")

// appendJSON writes a value as JSON, the same value always the same.
func appendJSON(text []byte, value ref.Val, depth int) ([]byte, error) {
	if depth > maxDepth {
		return nil, errNotJSON
	}
	switch v := value.(type) {
	case types.String:
		return jsontext.AppendQuote(text, string(v))
	case types.Int:
		return strconv.AppendInt(text, int64(v), 10), nil
	case types.Uint:
		return strconv.AppendUint(text, uint64(v), 10), nil
	case types.Bool:
		return strconv.AppendBool(text, bool(v)), nil
	case types.Null:
		return append(text, "null"...), nil
	case *types.Optional:
		if !v.HasValue() {
			return append(text, "null"...), nil
		}
		return appendJSON(text, v.GetValue(), depth+1)
	case traits.Mapper:
		return appendMap(text, v, depth)
	case traits.Lister:
		return appendList(text, v, depth)
	default:
		return nil, errNotJSON
	}
}

func appendMap(text []byte, from traits.Mapper, depth int) ([]byte, error) {
	var names []string
	for it := from.Iterator(); it.HasNext() == types.True; {
		name, ok := it.Next().(types.String)
		if !ok {
			return nil, errNotJSON
		}
		names = append(names, string(name))
	}
	slices.Sort(names)

	text = append(text, '{')
	for i, name := range names {
		if i > 0 {
			text = append(text, ',')
		}
		var err error
		if text, err = jsontext.AppendQuote(text, name); err != nil {
			return nil, err
		}
		if text, err = appendJSON(append(text, ':'), from.Get(types.String(name)), depth+1); err != nil {
			return nil, err
		}
	}
	return append(text, '}'), nil
}

func appendList(text []byte, from traits.Lister, depth int) ([]byte, error) {
	text = append(text, '[')
	for i, value := range valuesOf(from) {
		if i > 0 {
			text = append(text, ',')
		}
		var err error
		if text, err = appendJSON(text, value, depth+1); err != nil {
			return nil, err
		}
	}
	return append(text, ']'), nil
}
