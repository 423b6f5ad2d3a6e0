package def

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// WithoutSecrets returns r without the members that are sensitive.
func (k Kind) WithoutSecrets(r kuma.Resource) kuma.Resource {
	r = r.Clone()
	k.document().secrets(r.Body, func(parent map[string]any, member string) { delete(parent, member) })
	return r
}

// Secrets returns the sensitive strings of a document, and the decoded form of
// those that are base64-encoded text.
func (k Kind) Secrets(doc map[string]any) []string {
	var out []string
	k.document().secrets(doc, func(parent map[string]any, member string) {
		for _, text := range texts(parent[member], false) {
			out = append(out, text)
			if decoded, err := base64.StdEncoding.DecodeString(text); err == nil && utf8.Valid(decoded) {
				out = append(out, string(decoded))
			}
		}
	})
	return out
}

// HoldsSecrets reports whether resources of the kind can have members that are
// sensitive.
func (k Kind) HoldsSecrets() bool { return k.document().holdSecrets() }

// secrets visits the members of m that are sensitive. So is a member of the
// wrong shape that would otherwise hold one: a key often ends up one level too
// high.
func (o Object) secrets(m map[string]any, visit func(parent map[string]any, member string)) {
	for _, f := range o {
		v, ok := m[f.Name]
		if !ok {
			continue
		}
		elem, objects, fits := objectsIn(f.Type, v)
		if f.hidden() || !fits && elem.holdSecrets() {
			visit(m, f.Name)
			continue
		}
		for _, object := range objects {
			elem.secrets(object, visit)
		}
	}
}

func (f Field) hidden() bool { return f.Sensitive || f.Secret }

// holdSecrets reports whether objects like o have members that are sensitive.
func (o Object) holdSecrets() bool {
	return slices.ContainsFunc(o, func(f Field) bool {
		elem, _, _ := objectsIn(f.Type, nil)
		return f.hidden() || elem.holdSecrets()
	})
}

// objectsIn returns the objects that a value of type t consists of: itself, or
// the elements of a list or map; fits is false when it holds anything else.
func objectsIn(t Type, v any) (elem Object, objects []map[string]any, fits bool) {
	var elements []any
	switch t := t.(type) {
	case Object:
		m, ok := v.(map[string]any)
		if ok {
			objects = append(objects, m)
		}
		return t, objects, ok || v == nil || v == tree.Unknown
	case List:
		elem, _, _ = objectsIn(t.Elem, nil)
		elements, fits = v.([]any)
		for _, e := range elements {
			_, inner, ok := objectsIn(t.Elem, e)
			objects, fits = append(objects, inner...), fits && ok
		}
	case Map:
		elem, _, _ = objectsIn(t.Elem, nil)
		var m map[string]any
		m, fits = v.(map[string]any)
		for _, e := range m {
			_, inner, ok := objectsIn(t.Elem, e)
			objects, fits = append(objects, inner...), fits && ok
		}
	case Scalar:
		return nil, nil, true
	}
	return elem, objects, fits || v == nil || v == tree.Unknown
}

// finish sorts the problems of a document, and takes the sensitive values of the
// document out of their texts. The validation of documents ends here, so that
// a check may quote what it likes.
func (k Kind) finish(doc map[string]any, problems []Problem) []Problem {
	if len(problems) == 0 {
		return problems
	}
	hide := k.hideSecrets(doc)
	for i, p := range problems {
		problems[i].Summary, problems[i].Detail = hide.Replace(p.Summary), hide.Replace(p.Detail)
	}
	Sort(problems)
	return problems
}

// hideSecrets replaces the sensitive values of a document in a text. A short
// value occurs in texts by chance, where hiding it would give it away, and counts
// only when it is quoted as a whole.
func (k Kind) hideSecrets(doc map[string]any) *strings.Replacer {
	const hidden, short = "(sensitive value)", 6
	var values []string
	k.document().secrets(doc, func(parent map[string]any, member string) {
		values = append(values, texts(parent[member], true)...)
	})
	slices.SortFunc(values, func(a, b string) int { return cmp.Compare(len(b), len(a)) }) // the whole before its parts
	var pairs []string
	for _, v := range values {
		quoted := strconv.Quote(v)
		pairs = append(pairs, quoted, hidden)
		if len(v) > short {
			pairs = append(pairs, quoted[1:len(quoted)-1], hidden, v, hidden)
		}
	}
	return strings.NewReplacer(pairs...)
}

// texts returns the texts and numbers in a decoded value, and the keys of its
// objects when asked for.
func texts(v any, keys bool) []string {
	switch v := v.(type) {
	case string:
		if v != "" {
			return []string{v}
		}
	case json.Number:
		return []string{v.String()}
	case []any:
		var out []string
		for _, e := range v {
			out = append(out, texts(e, keys)...)
		}
		return out
	case map[string]any:
		var out []string
		for key, e := range v {
			if keys {
				out = append(out, key)
			}
			out = append(out, texts(e, keys)...)
		}
		return out
	}
	return nil
}
