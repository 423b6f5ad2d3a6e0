package def

import (
	"fmt"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// ValidateRelease returns what of a document a control plane of the given
// release does not know, sorted by path. It would refuse a value, and drop a
// member without a word (versions.yaml). Values may be [Unknown].
func (k Kind) ValidateRelease(doc map[string]any, r kuma.Release) []Problem {
	root := tree.Root(doc)
	if !r.Has(k.Since) {
		return []Problem{ErrorAt(root, "The control plane has no "+k.Name, tooOld("kind "+k.Name, k.Since, r))}
	}
	v := releaseValidator{release: r}
	if k.Flat {
		v.object(k.Fields, root)
	} else {
		v.object(k.Fields, root.Get("spec"))
	}
	return k.finish(doc, v.problems)
}

type releaseValidator struct {
	release  kuma.Release
	problems []Problem
}

func (v *releaseValidator) object(o Object, n tree.Node) {
	for _, f := range o {
		child := n.Get(f.Name)
		switch {
		case child.Absent():
		case !v.release.Has(f.Since):
			v.problems = append(v.problems, ErrorAt(child, "The control plane has no "+f.Name, tooOld(f.Name, f.Since, v.release)))
		default:
			v.value(f, f.Type, child)
		}
	}
}

func (v *releaseValidator) value(f Field, t Type, n tree.Node) {
	switch t := t.(type) {
	case Object:
		v.object(t, n)
	case List:
		for _, e := range n.Items() {
			v.value(f, t.Elem, e)
		}
	case Map:
		for _, e := range n.Entries() {
			v.value(f, t.Elem, e)
		}
	case Scalar:
		text, _ := n.Text()
		if since := f.SinceOf[text]; !v.release.Has(since) {
			v.problems = append(v.problems, ErrorAt(n, text+" is too new", tooOld(fmt.Sprintf("%q as %s", text, f.Name), since, v.release)))
		}
	}
}

func tooOld(what, since string, r kuma.Release) string {
	return fmt.Sprintf("Kuma knows %s since %s, and the control plane is %s. Remove it, or update the control plane.", what, since, r)
}
