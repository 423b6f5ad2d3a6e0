package lint

import (
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma3"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// Kuma3 returns what Kuma 3.0 will treat differently in one mesh (kuma3.md).
// Nothing of it is wrong on 2.14, so that no finding is an error. The snapshot
// may hold resources of kinds that have no description, which are looked at by
// their type.
//
// The findings come in a stable order: what widens the reach of a policy first,
// then what weakens security, what breaks, what changes and what is cosmetic,
// and within that by code, resource and path.
func Kuma3(s *rules.Snapshot, meshName string) []Finding {
	m := newMesh(s, meshName)
	var found []problem
	for _, r := range m.resources {
		for _, p := range kuma3.Check(*r) {
			found = append(found, problem{Problem: p, resource: r.Key()})
		}
	}
	for _, c := range meshConditions() {
		for _, p := range c.find(m) {
			p.Condition, p.Suggestion = c.Condition, c.Do
			found = append(found, p)
		}
	}
	slices.SortStableFunc(found, func(a, b problem) int {
		if c := a.Compare(b.Condition); c != 0 {
			return c
		}
		return compareFindings(a.finding(), b.finding())
	})
	findings := make([]Finding, len(found))
	for i, p := range found {
		findings[i] = p.finding()
	}
	return findings
}

// Kuma3Conditions returns what [Kuma3] looks for, in the order of its findings.
// The ID of a condition is the code of its findings.
func Kuma3Conditions() []kuma3.Condition {
	all := kuma3.Conditions()
	for _, c := range meshConditions() {
		all = append(all, c.Condition)
	}
	slices.SortFunc(all, kuma3.Condition.Compare)
	return all
}

// meshCondition is a condition that several resources decide together.
type meshCondition struct {
	kuma3.Condition
	find func(m *mesh) []problem
}

func meshConditions() []meshCondition {
	return slices.Concat(identityConditions, serviceConditions, backendConditions, nameConditions)
}

// problem is a finding before its text.
type problem struct {
	kuma3.Problem
	resource kuma.Key
	detail   string // more about what was found, as a sentence
}

// problemAt returns a finding whose condition is filled in later.
func problemAt(resource kuma.Key, detail string, path ...any) problem {
	return problem{Problem: kuma3.Problem{Path: path}, resource: resource, detail: detail}
}

func (p problem) finding() Finding {
	return Finding{
		Code: p.ID, Severity: severityOf(p.Condition), Resource: p.resource, Path: p.Path,
		Message: strings.TrimSpace(p.Doc + " " + p.detail), Suggestion: p.Suggestion,
	}
}

func severityOf(c kuma3.Condition) Severity {
	if c.Effect == kuma3.Cosmetic {
		return Info
	}
	return Warning
}
