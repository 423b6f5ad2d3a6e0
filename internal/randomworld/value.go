package randomworld

import (
	"encoding/json"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

const (
	// draws limits the attempts to draw a valid value, and documentDraws those
	// to draw a valid document, before it is omitted.
	draws         = 12
	documentDraws = 1500
	// deepest limits the nesting of objects.
	deepest = 8
)

// value draws a value of a field until its declaration accepts one.
func (w *world) value(f def.Field, flat bool, depth int) (any, bool) {
	for range draws {
		v, ok := w.draw(f, f.Type, flat, depth)
		if !ok {
			return nil, false
		}
		if accepted(f, v, flat) {
			return v, true
		}
	}
	return nil, false
}

// accepted reports whether the declaration of a field accepts a value, as far
// as that can be determined without the rest of the document.
func accepted(f def.Field, v any, flat bool) bool {
	return len(def.Errors(def.Object{f}.Validate(object{f.Name: v}, flat))) == 0
}

// draw draws a value of a type; false when further attempts are useless.
func (w *world) draw(f def.Field, t def.Type, flat bool, depth int) (any, bool) {
	w.left--
	if w.left < 0 || depth > deepest {
		return nil, false
	}
	switch t := t.(type) {
	case def.Object:
		if isReference(t) {
			return w.reference(t), true
		}
		return w.object(t, flat, depth)
	case def.List:
		return w.list(f, t, flat, depth), true
	case def.StringMap:
		m := object{}
		for range w.IntN(3) {
			m[pick(w, "team", "tier", "x-team", kuma.TagService)] = pick(w, "a", "b")
		}
		return m, true
	case def.Secret:
		return w.base64(), true
	case def.Scalar:
		return w.scalar(f, t, flat)
	default:
		return nil, false
	}
}

// object draws the fields of an object: the required ones, few others, and the
// one that a field named type selects.
func (w *world) object(o def.Object, flat bool, depth int) (object, bool) {
	m := object{}
	for _, f := range o {
		wanted := f.Required || w.one(4) || strings.EqualFold(chosenType(m), f.Name)
		if !wanted || f.ServerOwned || !w.options.Release.Has(f.Since) {
			continue
		}
		v, ok := w.value(f, flat, depth+1)
		switch {
		case ok:
			m[f.Name] = v
		case f.Required:
			return nil, false
		}
	}
	return m, true
}

func chosenType(m object) string {
	s, _ := m["type"].(string)
	return s
}

// list draws a short list, sometimes an empty one. It omits elements that the
// list does not accept on their own.
func (w *world) list(f def.Field, t def.List, flat bool, depth int) []any {
	list := []any{}
	for range pick(w, 0, 1, 1, 2, 2, 3) {
		for range draws {
			v, ok := w.draw(f, t.Elem, flat, depth+1)
			if !ok {
				break
			}
			if accepted(f, []any{v}, flat) {
				list = append(list, v)
				break
			}
		}
	}
	return list
}

// scalar draws one of the values of a type; a string must be valid for the
// field.
func (w *world) scalar(f def.Field, s def.Scalar, flat bool) (any, bool) {
	if f.OneOf != nil && s == def.String {
		return pick(w, f.OneOf...), true
	}
	switch s {
	case def.Bool:
		return w.one(2), true
	case def.Int:
		return pick(w, number(0), number(1), number(2), number(5), number(80), number(200), number(503), number(8080)), true
	case def.Number:
		return pick(w, number(0), number(2), json.Number("12.5")), true
	case def.Duration, def.ProtoDuration:
		return pick(w, "0s", "1s", "10s", "90s", "1m30s", "1500ms", "2h"), true
	case def.IntOrString:
		return pick[any](w, number(1), number(50), "50", "12.5", "0.5", "80"), true
	case def.JSON:
		return pick[any](w, "text", object{"stringValue": "x"}, object{"b": number(1), "a": []any{"x"}}), true
	case def.Base64:
		return w.base64(), true
	default:
		return w.text(f, flat)
	}
}

// text draws a string that a field accepts; false when it accepts none of them.
func (w *world) text(f def.Field, flat bool) (any, bool) {
	_, isList := f.Type.(def.List)
	for _, i := range w.Perm(len(texts)) {
		v := any(texts[i])
		if isList {
			v = []any{v}
		}
		if accepted(f, v, flat) {
			return texts[i], true
		}
	}
	return nil, false
}

// texts are values of which every string field accepts some.
var texts = []string{
	"a", "b", "x-team", "web.example", "*.example", "example.com:80", "10.0.0.1", "10.0.0.0/24", "http://example.com:9411", "https://example.com/v2",
	"/", "/api", "/stdout/x", "GET", "5xx", "503", "tcp", "http", "grpc", "text/plain", "spiffe://shop/web", "%START_TIME%",
	"kri_motb_m_z__otel_", "RoundRobin", "ECDHE-RSA-AES128-GCM-SHA256", "key", "name: a", "aGVsbG8=",
	"-----BEGIN CERTIFICATE-----\naGVsbG8=\n-----END CERTIFICATE-----\n",
}

func (w *world) base64() string { return pick(w, "aGVsbG8=", "eA==") }
