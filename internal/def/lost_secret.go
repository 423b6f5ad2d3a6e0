package def

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// LostSecrets warns of sensitive values that a stored document has and the
// document that is to replace it lacks, where nothing else of the object around
// the value changes: generated configuration has everything but those. A
// [Field.Secret] that is left out is left alone.
func (k Kind) LostSecrets(stored, doc map[string]any) []Problem {
	return k.finish(doc, lostSecrets(k.document(), tree.Root(stored), tree.Root(doc)))
}

func lostSecrets(t Type, stored, n tree.Node) []Problem {
	var out []Problem
	switch t := t.(type) {
	case Object:
		if !n.Known() {
			return nil // all of it goes
		}
		same := !slices.ContainsFunc(t, func(f Field) bool { return changes(f, stored.Get(f.Name), n.Get(f.Name)) })
		for _, f := range t {
			member, was := n.Get(f.Name), stored.Get(f.Name)
			switch {
			case !f.hidden():
				out = append(out, lostSecrets(f.Type, was, member)...)
			case !f.Secret && same && was.Filled() && member.Absent():
				out = append(out, WarningAt(member, f.Name+" will be deleted", fmt.Sprintf("The control plane has a value for %s, and the configuration has none. Terraform leaves sensitive values out when it generates configuration. Add the value, unless it should be deleted.", f.Name)))
			}
		}
	case List:
		before := stored.Items()
		for i, e := range n.Items() {
			if i < len(before) {
				out = append(out, lostSecrets(t.Elem, before[i], e)...)
			}
		}
	case Map:
		for _, e := range n.Entries() {
			out = append(out, lostSecrets(t.Elem, stored.Get(e.Key()), e)...)
		}
	case Scalar:
	}
	return out
}

// changes reports whether a member next to a sensitive one gets another value, or
// is a sensitive one that has a value.
func changes(f Field, stored, n tree.Node) bool {
	if f.hidden() {
		return !n.Absent()
	}
	return !tree.Equal(stored.Value(), n.Value())
}
