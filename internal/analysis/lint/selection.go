package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

var selectsNoProxy = Code{
	Code: "selects-no-proxy", Severity: Warning, Title: "Policy that selects no proxy",
	Doc: "No proxy of the mesh fits the top-level reference of a policy, so nothing gets its settings. Policies that came with the mesh are left out, and so are all policies of a mesh without proxies, about which nothing can be said.",
}

func findSelectsNoProxy(v *view) []Finding {
	if len(v.byType[kuma.KindDataplane]) == 0 {
		return nil
	}
	var findings []Finding
	for _, p := range v.policies {
		if len(v.selected[p.Key()]) > 0 || v.initial[p.Key()] || v.topIsDangling(p) {
			continue
		}
		findings = append(findings, selectsNoProxy.at(p, pathOfSelector(p),
			fmt.Sprintf("The policy has no effect: no proxy of the mesh fits %s. %s.", kuma.Reference(v.selectorOf(p)), v.reasons(p)),
			"Correct the reference, or remove the policy."))
	}
	return findings
}

// reasons counts why the proxies of the mesh are not selected, the commonest
// reason first.
func (v *view) reasons(p *kuma.Resource) string {
	counts := map[rules.Exclusion]int{}
	var order []rules.Exclusion
	for _, dp := range v.byType[kuma.KindDataplane] {
		by, err := v.snapshot.Excluded(p.Key(), dp.Name)
		if err != nil {
			continue // there is nothing to match without a mesh
		}
		if counts[by] == 0 {
			order = append(order, by)
		}
		counts[by]++
	}
	slices.SortStableFunc(order, func(a, b rules.Exclusion) int { return cmp.Compare(counts[b], counts[a]) })
	var parts []string
	for i, by := range order {
		part := phrase.Count(counts[by], "is ", "are ") + because(by)
		if i == 0 {
			part = "Of " + phrase.Count(len(v.byType[kuma.KindDataplane]), "proxy", "proxies") + ", " + part
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// selectorOf returns the reference that selects proxies for a policy: that of a
// route where the policy refers to one.
func (v *view) selectorOf(p *kuma.Resource) kuma.TargetRef {
	ref := kuma.ParseTargetRef(p.Spec()["targetRef"])
	if ref.Kind != kuma.KindMeshHTTPRoute {
		return ref
	}
	for _, r := range v.byType[kuma.KindMeshHTTPRoute] {
		if r.DisplayName() == ref.Name {
			return kuma.ParseTargetRef(r.Spec()["targetRef"])
		}
	}
	return ref
}

// pathOfSelector is the place of the top-level reference, the whole policy when it
// has none.
func pathOfSelector(p *kuma.Resource) []any {
	if p.Spec()["targetRef"] == nil {
		return nil
	}
	return []any{"spec", "targetRef"}
}

// topIsDangling reports whether the policy selects by something that does not
// exist, which is a finding of its own.
func (v *view) topIsDangling(p *kuma.Resource) bool {
	ref := kuma.ParseTargetRef(p.Spec()["targetRef"])
	k, known := kinds.Find(ref.Kind)
	switch ref.Kind {
	case kuma.KindMesh, kuma.KindMeshService: // are not looked up
		return false
	default:
		return known && ref.Name != "" && !slices.ContainsFunc(v.byType[k.Name], func(r *kuma.Resource) bool { return r.DisplayName() == ref.Name })
	}
}
