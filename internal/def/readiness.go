package def

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Condition is something in a document that is right for a control plane 2.14
// and that Kuma 3.0 treats otherwise (kuma3.md).
type Condition struct {
	ID     string // "K3-006"
	Effect Effect
	Danger Danger
	Before Before
	// Unannounced says that the code of 3.0 does this and its upgrade notes do
	// not mention it.
	Unannounced bool

	// At leads from where the condition is declared to what it looks at, as
	// [Node.Find] reads it; empty for the place itself. A Field declares for its
	// own node, a Kind for the whole document.
	At string
	// When reports whether the condition holds for what At leads to. It must not
	// when that is unknown or of a wrong type. Without it, the condition holds
	// where something is set.
	When func(n tree.Node) bool

	Doc string // what is found, and what 3.0 makes of it
	Do  string // what to write instead
	// Instead writes the replacement for what was found, as a sentence, where it
	// follows from the document; nil when it never does.
	Instead func(n tree.Node) string
}

// Effect is how badly Kuma 3.0 treats a document.
type Effect int

// Effects, worst first.
const (
	Breaks   Effect = iota // refused, unreadable or unserved, or traffic is lost
	Changes                // accepted, and does something else
	Cosmetic               // nothing changes for traffic
)

// Danger is what makes an effect worse than it looks.
type Danger int

// Dangers, worst first.
const (
	Widens   Danger = iota - 2 // a policy reaches more proxies than before
	Security                   // traffic that was protected or refused no longer is
	NoDanger
)

// Before tells how much can be done on 2.14.
type Before int

// What can be done before the upgrade.
const (
	Everything Before = iota
	Partly
	Nothing
)

// Compare orders conditions by what to look at first: those that widen the
// reach of a policy, those that weaken security, then by effect.
func (c Condition) Compare(o Condition) int {
	return cmp.Or(cmp.Compare(c.Danger, o.Danger), cmp.Compare(c.Effect, o.Effect), cmp.Compare(c.ID, o.ID))
}

// Unready is a place in a document for which a condition holds.
type Unready struct {
	Condition
	Path       tree.Path // empty for the resource as a whole
	Suggestion string    // what to write instead, in this document
}

// Unready returns what Kuma 3.0 will treat otherwise in a resource of kind k, in
// the order of the document. What the control plane itself wrote into a stored
// resource is not the user's to change, and left out.
func (k Kind) Unready(r kuma.Resource) []Unready {
	doc := r.Document()
	root := tree.Root(doc)
	u := unready{stored: !r.CreationTime.IsZero()}
	u.check(k.Readiness, root)
	u.object(k.Fields, k.fieldsIn(root))
	if len(u.found) > 0 {
		redacter := k.redacter(doc)
		for i := range u.found {
			u.found[i].Suggestion = redacter.Replace(u.found[i].Suggestion)
		}
	}
	slices.SortStableFunc(u.found, func(a, b Unready) int { return cmp.Or(tree.ComparePaths(a.Path, b.Path), a.Compare(b.Condition)) })
	return u.found
}

// Conditions returns all conditions that the description of the kind declares,
// those of its fields included.
func (k Kind) Conditions() []Condition {
	out := slices.Clone(k.Readiness)
	for f := range k.Fields.All() {
		out = append(out, f.Readiness...)
	}
	return out
}

type unready struct {
	stored bool
	found  []Unready
}

func (u *unready) check(conditions []Condition, n tree.Node) {
	for _, c := range conditions {
		u.found = append(u.found, c.Find(n)...)
	}
}

func (u *unready) object(o Object, n tree.Node) {
	for _, f := range o {
		if f.ServerOwned && u.stored {
			continue
		}
		child := n.Get(f.Name)
		u.check(f.Readiness, child)
		u.value(f.Type, child)
	}
}

func (u *unready) value(t Type, n tree.Node) {
	switch t := t.(type) {
	case Object:
		u.object(t, n)
	case List:
		for _, e := range n.Items() {
			u.value(t.Elem, e)
		}
	case StringMap, Scalar, Secret:
	}
}

// Find returns where the condition holds, seen from the node that it is
// declared for.
func (c Condition) Find(n tree.Node) []Unready {
	when := c.When
	if when == nil {
		when = tree.Node.Filled
	}
	var out []Unready
	for _, at := range n.Find(c.At) {
		if !when(at) {
			continue
		}
		suggestion := c.Do
		if c.Instead != nil {
			suggestion = strings.TrimSpace(suggestion + " " + c.Instead(at))
		}
		out = append(out, Unready{Condition: c, Path: at.Path, Suggestion: suggestion})
	}
	return out
}

// Is returns a condition on a text: that it is one of values.
func Is(values ...string) func(tree.Node) bool {
	return func(n tree.Node) bool {
		s, ok := n.Text()
		return ok && slices.Contains(values, s)
	}
}
