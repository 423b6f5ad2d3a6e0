package def

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// LostSecrets warns of sensitive values that a stored document has and the
// document that is to replace it lacks, where nothing else of the object around
// the value changes: generated configuration has everything but those. A
// [Secret] that is left out is left alone.
func (k Kind) LostSecrets(stored, doc map[string]any) []Problem {
	var problems []Problem
	Walk(k.Root(), tree.Root(doc), func(p Place) bool {
		o, _ := p.Type.(Object)
		was := tree.Root(tree.At(stored, p.Path))
		for _, f := range o {
			member := p.Get(f.Name)
			if f.Sensitive && p.Known() && member.Absent() && was.Get(f.Name).Filled() && !o.changes(was, p.Node) {
				problems = append(problems, WarningAt(member, f.Name+" will be deleted", fmt.Sprintf("The control plane has a value for %s, and the configuration has none. Terraform leaves sensitive values out when it generates configuration. Add the value, unless it should be deleted.", f.Name)))
			}
		}
		return !p.Field.hidden() && anyMember(p.Type, (*Field).hidden)
	})
	return k.redactAndSort(doc, problems)
}

// changes reports whether a member of an object gets another value, or a hidden
// one has a value.
func (o Object) changes(stored, n tree.Node) bool {
	return slices.ContainsFunc(o, func(f Field) bool {
		if f.hidden() {
			return !n.Get(f.Name).Absent()
		}
		return !tree.Equal(stored.Get(f.Name).Value(), n.Get(f.Name).Value())
	})
}
