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

// WithoutSecrets returns r without the fields that are sensitive.
func (k Kind) WithoutSecrets(r kuma.Resource) kuma.Resource {
	r.Body = k.withoutSecrets(r.Body)
	return r
}

func (k Kind) withoutSecrets(doc map[string]any) map[string]any {
	doc = tree.Object(tree.Clone(doc))
	for _, p := range k.sensitive(doc) {
		parent := tree.Object(tree.At(doc, p.Path[:len(p.Path)-1]))
		delete(parent, p.Field.Name)
	}
	return doc
}

// Secrets returns the sensitive strings of a document, and the decoded form of
// those that are base64-encoded text.
func (k Kind) Secrets(doc map[string]any) []string {
	var out []string
	for _, p := range k.sensitive(doc) {
		for _, text := range scalarTexts(p.Value(), false) {
			out = append(out, text)
			if decoded, err := base64.StdEncoding.DecodeString(text); err == nil && utf8.Valid(decoded) {
				out = append(out, string(decoded))
			}
		}
	}
	return out
}

// SensitiveFields returns the paths of the sensitive fields of a document.
func (k Kind) SensitiveFields(doc map[string]any) []tree.Path {
	var out []tree.Path
	for _, p := range k.sensitive(doc) {
		out = append(out, p.Path)
	}
	return out
}

// HoldsSecrets reports whether resources of the kind can have fields that must
// stay hidden.
func (k Kind) HoldsSecrets() bool { return anyField(k.Root(), (*Field).hidden) }

// SecretFields returns the fields of the kind that are secrets.
func (k Kind) SecretFields() Object {
	return slices.DeleteFunc(slices.Clone(k.Fields), func(f Field) bool { return !f.IsSecret() })
}

// IsSecret reports whether the field is a [Secret].
func (f *Field) IsSecret() bool {
	_, ok := f.Type.(Secret)
	return ok
}

// sensitive returns the fields of a document that must stay hidden. So must a
// field of the wrong type that would otherwise contain one: a key is often set
// one level too high.
func (k Kind) sensitive(doc map[string]any) []Place {
	var out []Place
	Walk(k.Root(), tree.Root(doc), func(p Place) bool {
		inside := anyField(p.Type, (*Field).hidden)
		if !p.Element && (p.Field.hidden() || inside && !isObjects(p.Type, p.Value())) {
			out = append(out, p)
			return false
		}
		return inside
	})
	return out
}

// hidden reports whether the field must stay hidden.
func (f *Field) hidden() bool { return f.IsSecret() || f.Sensitive }

// isObjects reports whether a value of type t contains objects wherever the
// type requires them, or nothing.
func isObjects(t Type, v any) bool {
	if ObjectOf(t) == nil || v == nil || v == tree.Unknown {
		return true
	}
	if list, ok := t.(List); ok {
		elements, ok := v.([]any)
		return ok && !slices.ContainsFunc(elements, func(e any) bool { return !isObjects(list.Elem, e) })
	}
	_, ok := v.(map[string]any)
	return ok
}

// redactAndSort removes the sensitive values of a document from the texts of
// its problems, and sorts the problems. The validation of documents ends here,
// so checks can quote any value.
func (k Kind) redactAndSort(doc map[string]any, problems []Problem) []Problem {
	if len(problems) == 0 {
		return problems
	}
	redacter := k.redacter(doc)
	for i, p := range problems {
		problems[i].Summary, problems[i].Detail = redacter.Replace(p.Summary), redacter.Replace(p.Detail)
	}
	Sort(problems)
	return problems
}

// redacter replaces the sensitive values of a document in a text. A short value
// can occur in a text by chance, where replacing it would reveal it, so it is
// replaced only when it is quoted as a whole.
func (k Kind) redacter(doc map[string]any) *strings.Replacer {
	const redacted, short = "(sensitive value)", 6
	var values []string
	for _, p := range k.sensitive(doc) {
		values = append(values, scalarTexts(p.Value(), true)...)
	}
	slices.SortFunc(values, func(a, b string) int { return cmp.Compare(len(b), len(a)) }) // the whole before its parts
	var pairs []string
	for _, v := range values {
		quoted := strconv.Quote(v)
		pairs = append(pairs, quoted, redacted)
		if len(v) > short {
			pairs = append(pairs, quoted[1:len(quoted)-1], redacted, v, redacted)
		}
	}
	return strings.NewReplacer(pairs...)
}

// scalarTexts returns the strings and numbers in a decoded value, and on
// request the keys of its objects.
func scalarTexts(v any, keys bool) []string {
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
			out = append(out, scalarTexts(e, keys)...)
		}
		return out
	case map[string]any:
		var out []string
		for key, e := range v {
			if keys {
				out = append(out, key)
			}
			out = append(out, scalarTexts(e, keys)...)
		}
		return out
	}
	return nil
}
