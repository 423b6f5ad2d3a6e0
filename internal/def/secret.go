package def

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
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
	return phrase.Each(k.sensitive(doc), func(p Place) tree.Path { return p.Path })
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

// HasSensitive reports whether a value of type t can have sensitive fields other
// than a [Secret].
func HasSensitive(t Type) bool {
	return anyField(t, func(f *Field) bool { return f.Sensitive })
}

// OmittedSecrets finds sensitive values that a stored document has and that doc
// omits without any other change to the object that contains the value:
// generated configuration contains everything else. It returns the paths of
// those that keep their stored values, and warnings about the others: if doc
// changes the list element that contains the value, the element may be a
// different one. It ignores values of type [Secret].
func (k Kind) OmittedSecrets(stored, doc map[string]any) (kept []tree.Path, lost []Problem) {
	eachOmitted(k.Root(), doc, func(o Object, f Field, object tree.Node) {
		was, field := tree.Root(tree.At(stored, object.Path)), object.Get(f.Name)
		switch {
		case !was.Get(f.Name).Filled() || o.changes(was, object):
		case k.changesElement(stored, doc, field.Path):
			lost = append(lost, WarningAt(field, f.Name+" will be deleted",
				fmt.Sprintf("The control plane has a value for %s, but the configuration does not set it. "+
					"Terraform omits sensitive values from the configuration that it generates. Add the value unless you want to delete it.", f.Name)))
		default:
			kept = append(kept, field.Path)
		}
	})
	return kept, k.redactAndSort(doc, lost)
}

// LostSecrets returns an error for each value that [Kind.OmittedSecrets] finds, for a
// replacement that deletes the stored document first.
func (k Kind) LostSecrets(stored, doc map[string]any) []Problem {
	var lost []Problem
	eachOmitted(k.Root(), doc, func(o Object, f Field, object tree.Node) {
		if was := tree.Root(tree.At(stored, object.Path)); was.Get(f.Name).Filled() && !o.changes(was, object) {
			lost = append(lost, ErrorAt(object.Get(f.Name), "Missing sensitive value",
				fmt.Sprintf("The plan deletes the resource and creates it with another name, mesh or label. "+
					"The configuration does not set %s, so the stored value would be lost. "+
					"Keep the name, the mesh and the labels that cannot be changed, or set the value.", f.Name)))
		}
	})
	return k.redactAndSort(doc, lost)
}

// KeepOmittedSecrets returns doc with the sensitive values of a stored document that it
// omits and keeps, see [Kind.OmittedSecrets].
func (k Kind) KeepOmittedSecrets(doc, stored map[string]any) map[string]any {
	kept, _ := k.OmittedSecrets(stored, doc)
	if len(kept) == 0 {
		return doc
	}
	doc = tree.Object(tree.Clone(doc))
	for _, p := range kept {
		name, _ := p[len(p)-1].(string)
		tree.Object(tree.At(doc, p.Parent()))[name] = tree.At(stored, p)
	}
	return doc
}

// WithUnknownSecrets returns doc with [tree.Unknown] for the sensitive values
// that it omits: without the stored document, they can have any value. doc may
// be changed.
func (k Kind) WithUnknownSecrets(doc map[string]any) map[string]any {
	type place struct {
		object map[string]any
		name   string
	}
	var omitted []place
	eachOmitted(k.Root(), doc, func(o Object, f Field, object tree.Node) {
		given := slices.ContainsFunc(o, func(f Field) bool { return f.hidden() && !object.Get(f.Name).Absent() })
		if m := tree.Object(object.Value()); m != nil && !given {
			omitted = append(omitted, place{m, f.Name})
		}
	})
	for _, p := range omitted {
		p.object[p.name] = tree.Unknown
	}
	return doc
}

// eachOmitted calls visit for each sensitive field that an object of doc could
// have but omits.
func eachOmitted(t Type, doc map[string]any, visit func(o Object, f Field, object tree.Node)) {
	Walk(t, tree.Root(doc), func(p Place) bool {
		o, _ := p.Type.(Object)
		for _, f := range o {
			if f.Sensitive && p.Known() && p.Get(f.Name).Absent() {
				visit(o, f, p.Node)
			}
		}
		return !p.Field.hidden() && HasSensitive(p.Type)
	})
}

// changes reports whether a field of an object gets another value, or a hidden
// one has a value.
func (o Object) changes(stored, n tree.Node) bool {
	return slices.ContainsFunc(o, func(f Field) bool {
		if f.hidden() {
			return !n.Get(f.Name).Absent()
		}
		return !tree.Equal(stored.Get(f.Name).Value(), n.Get(f.Name).Value())
	})
}

// changesElement reports whether doc changes a list element that contains the
// path, apart from its secrets.
func (k Kind) changesElement(stored, doc map[string]any, place tree.Path) bool {
	for i, step := range place {
		if _, isElement := step.(int); isElement &&
			!tree.Equal(tree.At(k.withoutSecrets(stored), place[:i+1]), tree.At(k.withoutSecrets(doc), place[:i+1])) {
			return true
		}
	}
	return false
}
