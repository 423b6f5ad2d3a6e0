package lint

import (
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma3"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Kuma3 returns what Kuma 3.0 will treat differently in one mesh (kuma3.md). All of it
// works on 2.14, so no finding is an error. The snapshot can contain resources of kinds
// without a declaration, which are recognized by their type.
//
// The findings are sorted by effect, most dangerous first, then by code, resource and
// path.
func Kuma3(s *rules.Snapshot, meshName string) []Finding {
	m := newMesh(s, meshName)
	found := m.ofSeveral()
	for _, r := range m.resources {
		for _, p := range kuma3.Check(*r) {
			if m.namesNothing(r, p.Path) {
				p.Here = "Correct the name first: nothing has it."
			}
			found = append(found, problem{Problem: p, resource: r.Key()})
		}
	}
	return m.sorted(found)
}

// Kuma3OfSeveral returns what [Kuma3] finds about conditions that involve several resources.
func Kuma3OfSeveral(s *rules.Snapshot, meshName string) []Finding {
	m := newMesh(s, meshName)
	return m.sorted(m.ofSeveral())
}

func (m *mesh) ofSeveral() (found []problem) {
	for _, group := range []finders{identityFinders, absenceFinders, serviceFinders, routeFinders, nameFinders} {
		for id, find := range group {
			c, _ := kuma3.Find(id)
			find(m, func(p problem) {
				p.Condition, p.Written = c, c.Written
				found = append(found, p)
			})
		}
	}
	return found
}

// sorted returns problems as findings.
func (m *mesh) sorted(found []problem) []Finding {
	slices.SortStableFunc(found, func(a, b problem) int {
		if c := a.Compare(b.Condition); c != 0 {
			return c
		}
		return compareFindings(a.finding(), b.finding())
	})
	return phrase.Each(found, newConcerned(m).by)
}

// namesNothing reports whether a path in a resource leads to the name in a reference
// to something that does not exist.
func (m *mesh) namesNothing(r *kuma.Resource, at tree.Path) bool {
	if len(at) == 0 || at[len(at)-1] != "name" {
		return false
	}
	ref := kuma.ParseTargetRef(tree.At(r.Document(), at.Parent()))
	return ref.Name != "" && m.IsDangling(*r, ref.WithoutSection())
}

// finders find the problems of conditions that involve several resources, by the ID of the condition.
type finders map[string]func(m *mesh, report func(problem))

// problem is a finding without its text.
type problem struct {
	kuma3.Problem
	resource kuma.Key
	detail   string // more about the problem, as a sentence
}

// problemAt returns a problem whose condition [Kuma3] sets.
func problemAt(resource kuma.Key, detail string, path ...any) problem {
	return problem{Problem: kuma3.Problem{Path: path}, resource: resource, detail: detail}
}

func (p problem) finding() Finding {
	f := Finding{
		Code: p.ID, Severity: Warning, Resource: p.resource, Path: p.Path,
		Message: p.Message(), Detail: p.detail, Suggestion: p.Suggestion(), Here: p.Here,
	}
	if p.Effect == kuma3.Cosmetic {
		f.Severity = Info
	}
	return f
}
