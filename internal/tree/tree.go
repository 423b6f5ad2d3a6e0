package tree

import (
	"encoding/json"
	"maps"
	"slices"
)

// Clone copies a decoded JSON tree.
func Clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if v == nil {
			return v
		}
		c := make(map[string]any, len(v))
		for k, e := range v {
			c[k] = Clone(e)
		}
		return c
	case []any:
		if v == nil {
			return v
		}
		c := make([]any, len(v))
		for i, e := range v {
			c[i] = Clone(e)
		}
		return c
	default:
		return v
	}
}

// With returns a copy of a decoded JSON tree with another value at a path that leads through existing
// objects and lists, up to the last step. It shares everything else with the tree.
func With(doc any, p Path, v any) any {
	if len(p) == 0 {
		return v
	}
	switch step := p[0].(type) {
	case string:
		c := maps.Clone(Object(doc))
		c[step] = With(c[step], p[1:], v)
		return c
	case int:
		c := slices.Clone(List(doc))
		c[step] = With(c[step], p[1:], v)
		return c
	default:
		return doc
	}
}

// Equal reports whether two decoded JSON trees are equal: objects without
// order, numbers by value, everything else exactly.
func Equal(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, v := range a {
			w, ok := b[k]
			if !ok || !Equal(v, w) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !Equal(a[i], b[i]) {
				return false
			}
		}
		return true
	case json.Number:
		b, ok := b.(json.Number)
		return ok && equalNumbers(a, b)
	default:
		return a == b
	}
}

// Describe names the JSON type of a decoded value for messages: "an object".
func Describe(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	default:
		return "a number"
	}
}

// Text returns v when it is a string, and "" otherwise.
func Text(v any) string {
	s, _ := v.(string)
	return s
}

// Int returns v when it is an integer, and 0 otherwise.
func Int(v any) int {
	n, _ := v.(json.Number)
	i, _ := ParseInteger(n)
	return int(i)
}

// Object returns v when it is an object, and nil otherwise.
func Object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// List returns v when it is a list, and nil otherwise.
func List(v any) []any {
	l, _ := v.([]any)
	return l
}

// Objects returns the objects of a list, in order. Other elements are omitted.
func Objects(v any) []map[string]any {
	var out []map[string]any
	for _, e := range List(v) {
		if m, ok := e.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

// StringMap returns the strings of an object by key; nil when v is not an
// object. Other values are omitted.
func StringMap(v any) map[string]string {
	m := Object(v)
	if m == nil {
		return nil
	}
	out := make(map[string]string, len(m))
	for k, e := range m {
		if s, ok := e.(string); ok {
			out[k] = s
		}
	}
	return out
}

// Strings returns the strings of a list, in order. Other elements are omitted.
func Strings(v any) []string {
	var out []string
	for _, e := range List(v) {
		if s, ok := e.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// Map returns a copy of a decoded tree with other fields and elements: of returns what replaces one,
// whose step is its name or index, and whether it stays. It is called before what the replacement
// contains.
func Map(v any, of func(step, v any) (replacement any, stays bool)) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, e := range v {
			if r, stays := of(name, e); stays {
				out[name] = Map(r, of)
			}
		}
		return out
	case []any:
		out := make([]any, 0, len(v))
		for i, e := range v {
			if r, stays := of(i, e); stays {
				out = append(out, Map(r, of))
			}
		}
		return out
	default:
		return v
	}
}
