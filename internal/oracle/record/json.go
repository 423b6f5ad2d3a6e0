package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// object is a JSON object whose fields keep the order in which a control plane
// wrote them, so that a recording changes only where an answer does.
type object []field

type field struct {
	name  string
	value any // object, []any, string, json.Number, bool or nil
}

// get returns the value of a field; nil when there is none.
func (o object) get(name string) any {
	if i := o.index(name); i >= 0 {
		return o[i].value
	}
	return nil
}

func (o object) index(name string) int {
	return slices.IndexFunc(o, func(m field) bool { return m.name == name })
}

// text returns the value of a field that is a string, and an empty string if it
// is not.
func (o object) text(name string) string {
	s, _ := o.get(name).(string)
	return s
}

// object returns the value of a field that is an object, and nil if it is not.
func (o object) object(name string) object {
	child, _ := o.get(name).(object)
	return child
}

// set returns the object with a field replaced, or added at the end.
func (o object) set(name string, value any) object {
	o = slices.Clone(o)
	if i := o.index(name); i >= 0 {
		o[i].value = value
		return o
	}
	return append(o, field{name, value})
}

// without returns the object without some fields.
func (o object) without(names ...string) object {
	return slices.DeleteFunc(slices.Clone(o), func(m field) bool { return slices.Contains(names, m.name) })
}

// decodeJSON decodes one JSON document. Numbers keep their digits.
func decodeJSON(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, err := decodeValue(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("unexpected text after the document")
	}
	return v, nil
}

func decodeValue(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		o := object{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			value, err := decodeValue(d)
			if err != nil {
				return nil, err
			}
			o = append(o, field{fmt.Sprint(name), value})
		}
		_, err := d.Token()
		return o, err
	case json.Delim('['):
		list := []any{}
		for d.More() {
			value, err := decodeValue(d)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		_, err := d.Token()
		return list, err
	default:
		return token, nil
	}
}

// ordered converts a value of package tree; fields are sorted by name.
func ordered(v any) any {
	switch v := v.(type) {
	case map[string]any:
		o := make(object, 0, len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			o = append(o, field{name, ordered(v[name])})
		}
		return o
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = ordered(e)
		}
		return list
	default:
		return v
	}
}

// plain converts a value to one of package tree.
func plain(v any) any {
	switch v := v.(type) {
	case object:
		m := make(map[string]any, len(v))
		for _, e := range v {
			m[e.name] = plain(e.value)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = plain(e)
		}
		return list
	default:
		return v
	}
}

// oneLine encodes a value with a space after each comma and colon.
func oneLine(v any) string { return encode(v, "", " ") }

// indented encodes a value over several lines, each level indented by one space.
func indented(v any) string { return encode(v, "\n", "") }

// encode writes newline, which is extended by a space at each level, in front of
// every element, and after the last one; gap separates elements.
func encode(v any, newline, gap string) string {
	deeper := newline
	if newline != "" {
		deeper += " "
	}
	var parts []string
	opening, closing := "[", "]"
	switch v := v.(type) {
	case object:
		opening, closing = "{", "}"
		for _, m := range v {
			parts = append(parts, encodeScalar(m.name)+": "+encode(m.value, deeper, gap))
		}
	case []any:
		for _, e := range v {
			parts = append(parts, encode(e, deeper, gap))
		}
	default:
		return encodeScalar(v)
	}
	if len(parts) == 0 {
		return opening + closing
	}
	return opening + deeper + strings.Join(parts, ","+gap+deeper) + newline + closing
}

func encodeScalar(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("%T is not a JSON value", v)) // decodeJSON returns no other types
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// number returns an integer as JSON.
func number(n int) json.Number { return json.Number(strconv.Itoa(n)) }
