package tree

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Field is an exported field of a struct that [Of] encodes.
type Field struct {
	reflect.StructField
	Key      string
	Nullable bool // the zero value is absent
}

// Fields returns the fields of a struct that [Of] encodes, with those of embedded structs. They
// use the tags of package json, of which only a name, "-" and omitzero are supported.
func Fields(t reflect.Type) []Field {
	var out []Field
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous:
			for _, inner := range Fields(f.Type) {
				inner.Index = append([]int{i}, inner.Index...)
				out = append(out, inner)
			}
		case name != "-":
			out = append(out, Field{f, name, options == "omitzero"})
		}
	}
	return out
}

// Of returns a Go value as decoded JSON: structs by their tags, without fields that are nil
// pointers or, with omitzero, zero. A nil slice or map is empty. A value that already is decoded
// JSON is not copied.
func Of(v any) any { return of(reflect.ValueOf(v), false) }

// OfWithNulls does the same, but has nil for what is absent.
func OfWithNulls(v any) any { return of(reflect.ValueOf(v), true) }

func of(v reflect.Value, nulls bool) any {
	switch v.Kind() {
	case reflect.Struct:
		out := map[string]any{}
		for _, f := range Fields(v.Type()) {
			var encoded any
			if value := v.FieldByIndex(f.Index); !f.Nullable || !value.IsZero() {
				encoded = of(value, nulls)
			}
			if nulls || encoded != nil {
				out[f.Key] = encoded
			}
		}
		return out
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return of(v.Elem(), nulls)
	case reflect.Slice:
		out := make([]any, v.Len())
		for i := range out {
			out[i] = of(v.Index(i), nulls)
		}
		return out
	case reflect.Map:
		out := make(map[string]any, v.Len())
		for keys := v.MapRange(); keys.Next(); {
			out[keys.Key().String()] = of(keys.Value(), nulls)
		}
		return out
	case reflect.Interface:
		return v.Interface()
	case reflect.String:
		if n, ok := reflect.TypeAssert[json.Number](v); ok {
			return n
		}
		return v.String()
	case reflect.Bool:
		return v.Bool()
	case reflect.Int, reflect.Int64:
		return json.Number(fmt.Sprint(v.Int()))
	default:
		panic(fmt.Sprintf("tree: a %s cannot be encoded", v.Type()))
	}
}
