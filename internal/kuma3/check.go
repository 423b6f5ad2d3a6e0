package kuma3

import (
	"cmp"
	"slices"
	"sync"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Problem is a path in a resource to which a condition applies.
type Problem struct {
	Condition
	Path    tree.Path // empty for the whole resource
	Written Outcome   // of a write of this document
	// Replacement says what to do instead, and Here what that is in this document. They
	// are empty if no declaration says it, and if it does not follow from the document.
	Replacement, Here string
}

// Message says what is wrong, and what Kuma 3.0 does with it.
func (p Problem) Message() string { return p.Condition.Message(p.Written) }

// Suggestion says what to do, in the same words for all documents.
func (p Problem) Suggestion() string { return phrase.Paragraph(p.Replacement, p.Do) }

// Conditions returns all conditions in the order of [Condition.Compare].
var Conditions = sync.OnceValue(func() []Condition {
	all := slices.Concat(
		references, sections, policies, routes, services, meshes, dataplanes, removed, labels, several,
	)
	slices.SortFunc(all, Condition.Compare)
	return all
})

// Find returns the condition with an ID; false if there is none.
func Find(id string) (Condition, bool) {
	c, ok := byID()[id]
	return c, ok
}

var byID = sync.OnceValue(func() map[string]Condition {
	all := map[string]Condition{}
	for _, c := range Conditions() {
		all[c.ID] = c
	}
	return all
})

// Check returns what Kuma 3.0 will treat differently in one resource, in the order of
// the document. The kind can be one of [kinds.Older]. Other unknown kinds have no
// problems.
func Check(r kuma.Resource) []Problem {
	return apply(byKind()[r.Type], findKind(r.Type), r)
}

// findKind returns the declaration of a kind of Kuma 2.14.
func findKind(name string) def.Kind {
	if k, ok := kinds.Find(name); ok {
		return k
	}
	k, _ := kinds.FindOlder(name)
	return k.Kind
}

// byKind contains the conditions by kind, because meshes have thousands of resources.
var byKind = sync.OnceValue(func() map[string][]Condition {
	found := map[string][]Condition{}
	for _, c := range Conditions() {
		for _, p := range c.Paths {
			of := c
			of.Paths = []DocumentPath{p}
			found[p.Kind] = append(found[p.Kind], of)
		}
	}
	return found
})

// apply returns the problems of a resource with the conditions on its kind. At each place,
// only the first condition that follows from the declaration applies.
func apply(conditions []Condition, k def.Kind, r kuma.Resource) []Problem {
	doc := tree.Root(r.Document())
	stored := !r.CreationTime.IsZero() || kinds.IsGeneratedService(r) // also one that a control plane is expected to generate
	d := declared{kind: k, rejected: rejectedBy3(k, doc), explained: map[string]bool{}}
	var problems []Problem
	for _, c := range conditions {
		if !stored || !c.ServerOwned {
			problems = append(problems, d.problems(c, doc)...)
		}
	}
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(tree.ComparePaths(a.Path, b.Path), a.Compare(b.Condition))
	})
	return problems
}

// declared is what the declaration of a kind says about a document.
type declared struct {
	kind      def.Kind
	rejected  map[string]bool // by path: Kuma 3.0 does not have it
	explained map[string]bool // by path: a condition has been found there
}

// rejectedBy3 returns the paths of what Kuma 3.0 does not have in a document. A reference
// is replaced as a whole, so only its first part is included.
func rejectedBy3(k def.Kind, doc tree.Node) map[string]bool {
	d, _ := doc.Value().(map[string]any)
	rejected, references := map[string]bool{}, map[string]bool{}
	cp := newest
	if doc.Get("labels", kuma.LabelOrigin).Value() == kuma.OriginGlobal {
		cp.Mode = kuma.ModeGlobal // the document is for a global control plane, or a copy from there
	}
	problems := append(k.ValidateRelease(d, cp.Release), k.ValidateLabels(d, cp)...)
	for _, p := range problems {
		parent := p.Path.Parent()
		if kind, ok := tree.Object(tree.At(doc.Value(), parent))["kind"]; ok && len(p.Path) > 0 {
			if at := parent.String(); references[at] || kind == tree.Unknown {
				continue
			} else {
				references[at] = true
			}
		}
		rejected[p.Path.String()] = true
	}
	return rejected
}

// newest is the release that documents are checked for, and a control plane of it.
var newest = kuma.ControlPlane{Mode: kuma.ModeZone, Release: kuma.ParseRelease("3.0.1")}

// problems returns the paths in a document to which a condition applies.
func (d declared) problems(c Condition, doc tree.Node) []Problem {
	if !c.Undeclared && len(d.rejected) == 0 {
		return nil
	}
	var problems []Problem
	for _, p := range c.Paths {
		for _, n := range doc.Find(p.Path) {
			if c.Undeclared && c.When(n) || !c.Undeclared && d.applies(n) && (c.When == nil || c.When(n)) {
				problems = append(problems, d.problem(c, n))
			}
		}
	}
	return problems
}

// problem describes n, which a condition applies to.
func (d declared) problem(c Condition, n tree.Node) Problem {
	p := Problem{Condition: c, Path: n.Path, Written: c.Written}
	if !c.Undeclared {
		d.explained[n.Path.String()] = true
		p.Replacement = phrase.Paragraph(replacements(d.kind, n.Path, func(value string) bool { return n.Value() == value })...)
		if p.Written == AsDeclared {
			p.Written = declaredOutcome(d.kind, n.Path)
		}
	}
	if c.Instead != nil {
		p.Here = c.Instead(n)
	}
	return p
}

// declaredOutcome returns what Kuma 3.0 does with a write that has something at a path
// which it does not have: the older kinds have no schema, so that it drops their unknown
// fields (release3.md §2).
func declaredOutcome(k def.Kind, path tree.Path) Outcome {
	none := func(string) bool { return false }
	switch {
	case k.Removed.In != "":
		return NotFound
	case k.Proto() && len(k.RemovalsAt(path, none)) > 0:
		return Dropped
	default:
		return Rejected
	}
}

// replacements returns what the declaration of a kind says to do instead of what Kuma 3.0
// removed at a path, of the values for which such returns true.
func replacements(k def.Kind, path tree.Path, such func(value string) bool) []string {
	return phrase.Each(k.RemovalsAt(path, such), func(r def.Removal) string { return r.Instead })
}

// applies reports whether Kuma 3.0 does not have a value or what contains it.
func (d declared) applies(n tree.Node) bool {
	if !n.Filled() || d.explained[n.Path.String()] {
		return false
	}
	for i := range len(n.Path) + 1 {
		if d.rejected[n.Path[:i].String()] {
			return true
		}
	}
	return false
}

// is returns a function that reports whether a string is one of values.
func is(values ...string) func(tree.Node) bool {
	return func(n tree.Node) bool {
		s, ok := n.Text()
		return ok && slices.Contains(values, s)
	}
}
