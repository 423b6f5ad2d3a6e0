package lint

import (
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// Readiness returns what Kuma 3.0 will treat otherwise in one mesh
// (kuma3.md). Nothing of it is wrong on 2.14, so that no finding is an
// error. The snapshot may hold resources of kinds that
// have no description, which are looked at by their type.
//
// The findings come in a stable order: what widens the reach of a policy first,
// then what weakens security, what breaks, what changes and what is cosmetic,
// and within that by code, resource and path.
func Readiness(s *rules.Snapshot, meshName string) []Finding {
	v := newMesh(s, meshName)
	var found []unready
	for _, r := range v.resources {
		for _, u := range kinds.Unready(*r) {
			found = append(found, unready{Unready: u, resource: r.Key()})
		}
	}
	for _, c := range conditionsOnMeshes() {
		for _, place := range c.find(v) {
			place.Condition, place.Suggestion = c.Condition, c.Do
			found = append(found, place)
		}
	}
	slices.SortStableFunc(found, func(a, b unready) int {
		if c := a.Compare(b.Condition); c != 0 {
			return c
		}
		return compareFindings(a.finding(), b.finding())
	})
	findings := make([]Finding, len(found))
	for i, u := range found {
		findings[i] = u.finding()
	}
	return findings
}

// Conditions returns what [Readiness] looks for, in the order of its findings.
// The ID of a condition is the code of its findings.
func Conditions() []def.Condition {
	all := kinds.Conditions()
	for _, c := range conditionsOnMeshes() {
		all = append(all, c.Condition)
	}
	slices.SortFunc(all, def.Condition.Compare)
	return all
}

// conditionOnMesh is a condition that several resources decide together.
type conditionOnMesh struct {
	def.Condition
	find func(v *mesh) []unready
}

func conditionsOnMeshes() []conditionOnMesh {
	return slices.Concat(conditionsOnIdentities, conditionsOnServices, conditionsOnBackends, conditionsOnNames)
}

// unready is a finding before its text.
type unready struct {
	def.Unready
	resource kuma.Key
	detail   string // more about what was found, as a sentence
}

// unreadyAt returns a finding whose condition is filled in later.
func unreadyAt(resource kuma.Key, detail string, path ...any) unready {
	return unready{Unready: def.Unready{Path: path}, resource: resource, detail: detail}
}

func (u unready) finding() Finding {
	return Finding{
		Code: u.ID, Severity: severityOf(u.Condition), Resource: u.resource, Path: u.Path,
		Message: strings.TrimSpace(u.Doc + " " + u.detail), Suggestion: u.Suggestion,
	}
}

func severityOf(c def.Condition) Severity {
	if c.Effect == def.Cosmetic {
		return Info
	}
	return Warning
}
