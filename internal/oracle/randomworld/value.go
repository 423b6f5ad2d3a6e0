package randomworld

import (
	"encoding/json"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

const (
	// draws limits the attempts to draw a valid value, and documentDraws those
	// to draw a valid document, before it is omitted.
	draws         = 12
	documentDraws = 1500
)

// value draws a value of a field until its declaration accepts one.
func (w *world) value(f *def.Field, flat bool) (any, bool) {
	for range draws {
		v, ok := w.draw(f, f.Type, flat)
		if !ok {
			return nil, false
		}
		if v, ok := w.repairValue(f, v, flat); ok {
			return v, true
		}
	}
	return nil, false
}

// accepted reports whether the declaration of a field accepts a value, as far
// as that can be determined without the rest of the document.
func accepted(f *def.Field, v any, flat bool) bool {
	return len(rejections(f, object{f.Name: v}, flat)) == 0
}

// draw draws a value of a type; false when further attempts are useless.
func (w *world) draw(f *def.Field, t def.Type, flat bool) (any, bool) {
	w.left--
	if w.left < 0 {
		return nil, false
	}
	switch t := t.(type) {
	case def.Object:
		if isReference(t) {
			return w.reference(t), true
		}
		return w.object(t, flat)
	case def.List:
		if _, ok := def.ObjectOf(t).Field("path"); ok && f.Name == "matches" && w.one(2) {
			return tree.Clone(pick(w, commonMatches...)), true
		}
		return w.list(f, t, flat), true
	case def.StringMap:
		m := object{}
		for range w.length(f, 0, 1, 2) {
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

// object draws the fields of an object: the required ones, those aimed at, few
// others, and the one that a field named type selects.
func (w *world) object(o def.Object, flat bool) (object, bool) {
	m := object{}
	for i := range o {
		f := &o[i]
		wanted := f.Required || w.aim.has(f) || w.one(4) || strings.EqualFold(chosenType(m), f.Name)
		if !wanted || f.ServerOwned || !exists(f, w.options.Release) {
			continue
		}
		if variant, ok := w.variantAimedAt(o, f); ok {
			m[f.Name] = variant
			continue
		}
		v, ok := w.value(f, flat)
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
func (w *world) list(f *def.Field, t def.List, flat bool) []any {
	list := []any{}
	for range w.length(f, 0, 1, 1, 2, 2, 3) {
		for range draws {
			v, ok := w.draw(f, t.Elem, flat)
			if !ok {
				break
			}
			if repaired, ok := w.repairValue(f, []any{v}, flat); ok {
				list = append(list, tree.List(repaired)...)
				break
			}
		}
	}
	return list
}

// length chooses one of several numbers of elements; it is not zero in what is
// aimed at.
func (w *world) length(f *def.Field, of ...int) int {
	n := pick(w, of...)
	if n == 0 && w.aim.has(f) {
		return 1
	}
	return n
}

// listed draws one of the values that the declaration of a field lists.
func (w *world) listed(f *def.Field) string {
	if v, ok := w.aim.valueOf(f); ok {
		return v
	}
	return pick(w, f.ValuesIn(w.options.Release)...)
}

// scalar draws one of the values of a type; a string must be valid for the
// field.
func (w *world) scalar(f *def.Field, s def.Scalar, flat bool) (any, bool) {
	switch listed := f.Values() != nil; {
	case listed && s == def.String:
		return w.listed(f), true
	case listed:
		return json.Number(w.listed(f)), true
	}
	switch s {
	case def.Bool:
		if v, ok := w.aim.valueOf(f); ok {
			return v == "true", true
		}
		return w.one(2), true
	case def.Int:
		if f.Name == "RSAbits" {
			return pick(w, keySizes...), true
		}
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

// text draws a string that a field accepts, one of its names if it has any;
// false when it accepts none of them.
func (w *world) text(f *def.Field, flat bool) (any, bool) {
	_, isList := f.Type.(def.List)
	usual := names[f.Name]
	if f.Name == "value" && w.one(4) { // of a MeshProxyPatch
		usual = []string{"name: a", "{name: a, domains: [a.example]}"}
	}
	for _, from := range [][]string{usual, texts} {
		for _, i := range w.Perm(len(from)) {
			v := any(from[i])
			if isList {
				v = []any{v}
			}
			if accepted(f, v, flat) {
				return from[i], true
			}
		}
	}
	return nil, false
}

// names are the values of fields that refer to something by its name, or that
// others refer to.
var names = map[string][]string{
	"name": resourceNames, "enabledBackend": resourceNames[:2], "defaultBackend": resourceNames[:2], "secret": resourceNames[:2],
	"sectionName": sections, "hostname": hostNames, "hostnames": hostNames, "zones": zoneNames,
}

// texts are values of which every string field accepts some.
var texts = []string{
	"a", "b", "x-team", "web.example", "*.example", "example.com:80", "10.0.0.1", "10.0.0.0/24", "http://example.com:9411",
	"https://example.com/v2",
	"/", "/api", "/stdout/x", "GET", "5xx", "503", "10Mbps", "30d", "tcp", "http", "grpc", "text/plain", "spiffe://shop/web", "%START_TIME%",
	"kri_motb_m_z__otel_", "RoundRobin", "ECDHE-RSA-AES128-GCM-SHA256", "key", "name: a", "aGVsbG8=",
	"-----BEGIN CERTIFICATE-----\naGVsbG8=\n-----END CERTIFICATE-----\n",
}

// commonMatches are matches that many HTTP routes get, so that routes have equal matches.
var commonMatches = []any{
	[]any{object{"path": object{"type": "PathPrefix", "value": "/api"}}},
	[]any{object{"path": object{"type": "PathPrefix", "value": "/"}}},
	[]any{object{"method": "GET"}, object{"path": object{"type": "Exact", "value": "/api"}}},
}

// keySizes are small, because a control plane generates the key.
var keySizes = numbers("0", "1024", "2048")

func (w *world) base64() string { return pick(w, "aGVsbG8=", "eA==") }
