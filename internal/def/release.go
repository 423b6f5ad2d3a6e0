package def

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// ValidateIn returns the problems of [Kind.Validate] and of [Kind.ValidateRelease] for a
// control plane of the given release, sorted by path. Each mistake is one problem: what the
// release does not have counts as absent, and a place where the release has a problem, or around
// it, does not have another one.
func (k Kind) ValidateIn(doc map[string]any, r kuma.Release) []Problem {
	byRelease := k.ValidateRelease(doc, r)
	present := tree.Object(tree.Clone(doc))
	k.DropUnsupported(present, r)
	problems := slices.DeleteFunc(k.Validate(present), func(p Problem) bool {
		return k.removes(p.Path, r) || len(p.Path) > 0 && slices.ContainsFunc(byRelease, func(other Problem) bool {
			return !other.Warning && len(other.Path) >= len(p.Path) && tree.ComparePaths(other.Path[:len(p.Path)], p.Path) == 0
		})
	})
	problems = append(problems, byRelease...)
	Sort(problems)
	return problems
}

// removes reports whether a release does not have the field at a path any more.
func (k Kind) removes(path tree.Path, r kuma.Release) bool {
	if len(path) == 0 {
		return false
	}
	o, _ := k.ObjectAt(path.Parent())
	name, _ := path[len(path)-1].(string)
	f, _ := o.Field(name)
	return f.Removed.AppliesTo(r)
}

// ValidateRelease returns what in a document a control plane of the given
// release does not support, and what it requires, sorted by path. It would
// reject a value, and silently drop a field (versions.md). Values may be
// [tree.Unknown].
func (k Kind) ValidateRelease(doc map[string]any, r kuma.Release) []Problem {
	root := tree.Root(doc)
	switch {
	case !r.Has(k.Since):
		return []Problem{ErrorAt(root, "Control plane does not support "+k.Name, tooOld("Kind "+k.Name, k.Since, r)).About(Unsupported)}
	case k.Removed.AppliesTo(r):
		return []Problem{ErrorAt(root, "Control plane does not support "+k.Name, k.Removed.explain("kind "+k.Name, r)).About(Unsupported)}
	}
	problems := byRelease(k.Checks, k.fieldsIn(root), r)
	Walk(k.Root(), root, func(p Place) bool {
		if p.Absent() {
			return false
		}
		f := p.Field
		name := strconv.Quote(f.Name)
		unsupported := "Control plane does not support " + name
		switch {
		case !r.Has(f.Since):
			problems = append(problems, ErrorAt(p.Node, unsupported, tooOld(name, f.Since, r)).About(Unsupported))
			return false
		case f.Removed.AppliesTo(r):
			if p.Filled() || !k.Proto() { // where an empty value counts as absent
				problems = append(problems, ErrorAt(p.Node, unsupported, f.Removed.explain(name, r)).About(Unsupported))
			}
			return false
		}
		problems = append(problems, f.unsupportedValue(p.Node, r)...)
		o, _ := p.Type.(Object)
		if removed := o.removedKind(p.Node, r); removed != nil {
			problems = append(problems, removed...)
			return false
		}
		if !p.Element {
			problems = append(problems, byRelease(f.Checks, p.Node, r)...)
		}
		if !o.setsRemoved(p.Node, r) {
			problems = append(problems, o.missingIn(p.Node, r)...)
		}
		return true
	})
	return k.redactAndSort(doc, problems)
}

// unsupportedValue reports a value that a release does not have yet, or any more.
func (f *Field) unsupportedValue(n tree.Node, r kuma.Release) []Problem {
	text, _ := n.Text()
	value, meant := fmt.Sprintf("%s = %q", f.Name, text), f.meant(text)
	switch removed := f.RemovedOf[meant]; {
	case !r.Has(f.SinceOf[meant]):
		return []Problem{ErrorAt(n, text+" is not supported", tooOld(value, f.SinceOf[meant], r)).About(Unsupported)}
	case removed.AppliesTo(r):
		return []Problem{ErrorAt(n, text+" is not supported", removed.explain(value, r)).About(Unsupported)}
	}
	return nil
}

// removedKind reports the kind of a reference that a release does not have any more: its
// other fields belong to that kind.
func (o Object) removedKind(n tree.Node, r kuma.Release) []Problem {
	kind, ok := o.Field("kind")
	if !ok || len(kind.RemovedOf) == 0 {
		return nil
	}
	if text, _ := n.Get("kind").Text(); !kind.RemovedOf[text].AppliesTo(r) {
		return nil
	}
	return kind.unsupportedValue(n.Get("kind"), r)
}

// setsRemoved reports whether a value has a field that the release removed: that problem
// says what to write instead.
func (o Object) setsRemoved(n tree.Node, r kuma.Release) bool {
	return slices.ContainsFunc(o, func(f Field) bool { return f.Removed.AppliesTo(r) && n.Get(f.Name).Filled() })
}

// missingIn reports the missing fields that only some releases require. Those of an empty
// object have problems of their own.
func (o Object) missingIn(n tree.Node, r kuma.Release) []Problem {
	var problems []Problem
	for _, f := range o {
		if !f.RequiredIn.Contain(r) {
			continue
		}
		m := n.Get(f.Name)
		if _, isObject := m.Value().(map[string]any); m.Empty() && !isObject {
			problems = append(problems, requiredIn(m, f.RequiredIn, r))
		}
	}
	return problems
}

// requiredIn reports a missing field that only some releases require.
func requiredIn(n tree.Node, releases kuma.Releases, r kuma.Release) Problem {
	todo := "Add it."
	if releases.Until != "" {
		todo = "Add it, or upgrade the control plane."
	}
	return ErrorAt(n, n.Key()+" is missing", fmt.Sprintf("%s is required %s, and the control plane runs %s. %s", n.Key(), releases, r, todo))
}

// DropUnsupported removes from a document, or from the body of a resource, the fields that a
// release does not have, and returns their paths.
func (k Kind) DropUnsupported(doc map[string]any, r kuma.Release) []tree.Path {
	return k.dropFields(doc, func(f Field, _ any) bool { return !f.In(r) })
}

// DropUnsupportedDefaults removes those that have the value which an absent field means.
func (k Kind) DropUnsupportedDefaults(doc map[string]any, r kuma.Release) {
	k.dropFields(doc, func(f Field, value any) bool { return !f.In(r) && f.Default != nil && tree.Equal(f.Default, value) })
}

func (k Kind) dropFields(doc map[string]any, drops func(f Field, value any) bool) []tree.Path {
	var dropped []tree.Path
	Walk(k.Root(), tree.Root(doc), func(p Place) bool {
		o, _ := p.Type.(Object)
		m := tree.Object(p.Value())
		for _, f := range o {
			if value, set := m[f.Name]; set && drops(f, value) {
				dropped = append(dropped, p.Get(f.Name).Path)
				delete(m, f.Name)
			}
		}
		return true
	})
	return dropped
}

func tooOld(what, since string, r kuma.Release) string {
	return fmt.Sprintf("%s requires Kuma %s or later, and the control plane runs %s. Remove it, or upgrade the control plane.", what, since, r)
}

// explain says that a control plane of release r does not have something any more.
func (m Removal) explain(what string, r kuma.Release) string {
	return fmt.Sprintf("Kuma %s removed %s, and the control plane runs %s. %s", m.In, what, r, m.Instead)
}

// AsLatest changes the response of a control plane of release r into that of
// the latest release: it restores zeros and empty lists that r omits, and
// removes those that r adds (rest-api.md §20).
func (k Kind) AsLatest(res kuma.Resource, r kuma.Release) {
	zero := func(f *Field) bool { return f.ZeroForAbsent.Contain(r) }
	lost := func(f *Field) bool { return f.Required && isList(f.Type) && !k.Proto() && !r.Has(kuma.CompletesSince) }
	Walk(k.Root(), tree.Root(res.Body), func(p Place) bool {
		o, _ := p.Type.(Object)
		m, _ := p.Value().(map[string]any)
		for i := range o {
			f := &o[i]
			switch {
			case m == nil:
			case zero(f) && tree.Equal(m[f.Name], json.Number("0")):
				delete(m, f.Name)
			case lost(f) && m[f.Name] == nil:
				m[f.Name] = []any{}
			}
		}
		return anyField(p.Type, func(f *Field) bool { return zero(f) || lost(f) })
	})
}

func isList(t Type) bool {
	_, ok := t.(List)
	return ok
}

// RemovalsAt returns what was removed at a path in a document: the values for which such
// returns true, or else the innermost removed part of the path, if any.
func (k Kind) RemovalsAt(path tree.Path, such func(value string) bool) []Removal {
	inner, at := k.Removed, Field{Type: k.Root()}
	for _, step := range path {
		at, _ = at.below(step)
		if at.Removed.In != "" {
			inner = at.Removed
		}
	}
	var found []Removal
	for _, value := range slices.Sorted(maps.Keys(at.RemovedOf)) {
		if such(value) {
			found = append(found, at.RemovedOf[value])
		}
	}
	if len(found) == 0 && inner.In != "" {
		found = append(found, inner)
	}
	return found
}
