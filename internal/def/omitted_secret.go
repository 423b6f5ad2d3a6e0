package def

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

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
			lost = append(lost, WarningAt(field, f.Name+" will be deleted", fmt.Sprintf("The control plane has a value for %s, but the configuration does not set it. Terraform omits sensitive values from the configuration that it generates. Add the value unless you want to delete it.", f.Name)))
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
			lost = append(lost, ErrorAt(object.Get(f.Name), "Missing sensitive value", fmt.Sprintf("The plan deletes the resource and creates it with another name, mesh or label. The configuration does not set %s, so the stored value would be lost. Keep the name, the mesh and the labels that cannot be changed, or set the value.", f.Name)))
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
