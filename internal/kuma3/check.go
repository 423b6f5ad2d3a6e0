package kuma3

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Problem is a path in a resource to which a condition applies.
type Problem struct {
	Condition
	Path       tree.Path // empty for the whole resource
	Suggestion string    // what to do in this document
}

// Conditions returns the conditions on single resources in the order of
// [Condition.Compare].
func Conditions() []Condition {
	all := slices.Concat(
		references, sections, policies, routes, services, meshes, dataplanes, removed,
	)
	slices.SortFunc(all, Condition.Compare)
	return all
}

// Check returns what Kuma 3.0 will treat differently in one resource, in the order of
// the document. The kind can be one of [RemovedKinds]. Other unknown kinds have no
// problems.
func Check(r kuma.Resource) []Problem { return apply(byKind()[r.Type], r) }

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

// apply returns the problems of a resource. The conditions are those of its kind.
func apply(conditions []Condition, r kuma.Resource) []Problem {
	doc := tree.Root(r.Document())
	stored := !r.CreationTime.IsZero()
	var problems []Problem
	for _, c := range conditions {
		if !stored || !c.ServerOwned {
			problems = append(problems, c.problems(doc)...)
		}
	}
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(tree.ComparePaths(a.Path, b.Path), a.Compare(b.Condition))
	})
	return problems
}

// problems returns the paths in a document to which the condition applies.
func (c Condition) problems(doc tree.Node) []Problem {
	when := c.When
	if when == nil {
		when = tree.Node.Filled
	}
	var problems []Problem
	for _, p := range c.Paths {
		for _, n := range doc.Find(p.Path) {
			if !when(n) {
				continue
			}
			suggestion := c.Do
			if c.Instead != nil {
				suggestion = strings.TrimSpace(suggestion + " " + c.Instead(n))
			}
			problems = append(problems, Problem{Condition: c, Path: n.Path, Suggestion: suggestion})
		}
	}
	return problems
}

// is returns a function that reports whether a string is one of values.
func is(values ...string) func(tree.Node) bool {
	return func(n tree.Node) bool {
		s, ok := n.Text()
		return ok && slices.Contains(values, s)
	}
}

// isNoneOf returns a function that reports whether a string is neither empty nor one
// of values, ignoring case.
func isNoneOf(values ...string) func(tree.Node) bool {
	return func(n tree.Node) bool {
		s, ok := n.Text()
		return ok && s != "" && !slices.Contains(values, strings.ToLower(s))
	}
}

// isTrue reports whether a setting is true.
func isTrue(n tree.Node) bool { return n.True() }

// isFalse reports whether a setting is explicitly false.
func isFalse(n tree.Node) bool { return n.Value() == false }
