package custom

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// span is where a value stands in its text. The zero span: it stands in none.
type span struct{ start, end int }

// holds reports that an offset lies inside.
func (s span) holds(offset int) bool { return s.start <= offset && offset < s.end }

// object is a JSON object, or a form, as expressions see it. Its members come in the order in which they were written: a
// Go map would give them in another one each time, and the same bytes must always read the same.
type object struct {
	span

	names   []string
	members map[string]ref.Val
}

var (
	_ traits.Mapper   = (*object)(nil)
	_ traits.Foldable = (*object)(nil)
)

func newObject(size int) *object { return &object{members: make(map[string]ref.Val, size)} }

// add puts in a member, unless there is one of that name.
func (o *object) add(name string, value ref.Val) {
	if _, known := o.members[name]; known {
		return
	}
	o.names = append(o.names, name)
	o.members[name] = value
}

// ordered is a map that an expression has made, its names in the order of the alphabet.
func ordered(made traits.Mapper) ref.Val {
	result := newObject(0)
	for it := made.Iterator(); it.HasNext() == types.True; {
		name, ok := it.Next().(types.String)
		if !ok {
			return types.NewErr("a map's names are text here")
		}
		result.add(string(name), made.Get(name))
	}
	slices.Sort(result.names)
	return result
}

// Find gives a member's value.
func (o *object) Find(key ref.Val) (ref.Val, bool) {
	name, ok := key.(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(key), false
	}
	value, known := o.members[string(name)]
	return value, known
}

// Get gives a member's value, or an error where there is none.
func (o *object) Get(key ref.Val) ref.Val {
	value, known := o.Find(key)
	if !known {
		return types.ValOrErr(value, "no such key: %v", key)
	}
	return value
}

// Contains reports whether there is a member.
func (o *object) Contains(key ref.Val) ref.Val {
	_, known := o.Find(key)
	return types.Bool(known)
}

// Size is the number of members.
func (o *object) Size() ref.Val { return types.Int(len(o.names)) }

// Fold visits every member.
func (o *object) Fold(folder traits.Folder) {
	for _, name := range o.names {
		if !folder.FoldEntry(types.String(name), o.members[name]) {
			return
		}
	}
}

// Iterator visits every name.
func (o *object) Iterator() traits.Iterator {
	return types.NewStringList(types.DefaultTypeAdapter, o.names).Iterator()
}

// Equal compares with something that is no object. Two objects are not compared: that costs as much as a body is long,
// and nobody means it.
func (o *object) Equal(other ref.Val) ref.Val {
	if _, ok := other.(traits.Mapper); ok {
		return types.NewErr("objects can't be compared")
	}
	return types.False
}

// ConvertToType gives the object itself, or its type.
func (o *object) ConvertToType(target ref.Type) ref.Val {
	switch target {
	case types.MapType:
		return o
	case types.TypeType:
		return types.MapType
	default:
		return types.NewErr("an object is nothing else")
	}
}

// ConvertToNative refuses: expressions give texts.
func (o *object) ConvertToNative(target reflect.Type) (any, error) {
	return nil, fmt.Errorf("an object is no %s", target)
}

// Type is CEL's map.
func (o *object) Type() ref.Type { return types.MapType }

// Value is the object.
func (o *object) Value() any { return o }

// list is a JSON list, with the place of each element.
type list struct {
	traits.Lister

	spans []span
}

func newList(values []ref.Val, spans []span) *list {
	return &list{Lister: types.NewRefValList(types.DefaultTypeAdapter, values), spans: spans}
}

// Equal compares with something that is no list; see object.Equal.
func (l *list) Equal(other ref.Val) ref.Val {
	if _, ok := other.(traits.Lister); ok {
		return types.NewErr("lists can't be compared")
	}
	return types.False
}

// Contains looks for a text. Nothing else that a list may hold can be compared.
func (l *list) Contains(value ref.Val) ref.Val {
	switch value.(type) {
	case types.String, types.Bool, types.Null:
	default:
		return types.NewErr("only text can be looked for in a list")
	}
	for it := l.Iterator(); it.HasNext() == types.True; {
		if it.Next().Equal(value) == types.True {
			return types.True
		}
	}
	return types.False
}

// valuesOf are the elements of a list.
func valuesOf(of traits.Lister) []ref.Val {
	var values []ref.Val
	for it := of.Iterator(); it.HasNext() == types.True; {
		values = append(values, it.Next())
	}
	return values
}

// scalarText is what people read of a scalar: text, a whole number's digits. It reports false for everything else.
func scalarText(value ref.Val) (string, bool) {
	switch scalar := value.(type) {
	case types.String:
		return string(scalar), true
	case types.Int, types.Uint:
		return strings.TrimSuffix(fmt.Sprint(scalar.Value()), "u"), true
	default:
		return "", false
	}
}
