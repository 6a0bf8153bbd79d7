package storetest

import (
	"reflect"
	"strings"
	"time"
)

// normal is a value with its empty slices and maps made nil and its texts as every database takes them: what a store
// may not keep apart.
func normal[T any](value T) T {
	out := reflect.New(reflect.TypeOf(value)).Elem()
	out.Set(reflect.ValueOf(value))
	return normalised(out).Interface().(T)
}

func normalised(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	switch v.Kind() {
	case reflect.Slice:
		if v.Len() == 0 {
			return out
		}
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			out.Index(i).Set(normalised(v.Index(i)))
		}
	case reflect.Map:
		if v.Len() == 0 {
			return out
		}
		out.Set(reflect.MakeMap(v.Type()))
		for _, key := range v.MapKeys() {
			out.SetMapIndex(key, normalised(v.MapIndex(key)))
		}
	case reflect.Pointer:
		if v.IsNil() {
			return out
		}
		out.Set(reflect.New(v.Type().Elem()))
		out.Elem().Set(normalised(v.Elem()))
	case reflect.Struct:
		if _, isTime := reflect.TypeAssert[time.Time](v); isTime {
			out.Set(v)
			return out
		}
		for i := range v.NumField() {
			out.Field(i).Set(normalised(v.Field(i)))
		}
	case reflect.String:
		out.SetString(strings.ReplaceAll(v.String(), "\x00", "\uFFFD"))
	default:
		out.Set(v)
	}
	return out
}
