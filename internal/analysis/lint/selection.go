package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

var selectsNoProxy = Code{
	Code: "selects-no-proxy", Severity: Warning, Title: "Policy that selects no proxy",
	Doc: "No proxy of the mesh fits the top-level reference of a policy, so nothing gets its settings. Policies that came with the mesh are left out, and so are all policies of a mesh without proxies, about which nothing can be said.",
}

func findSelectsNoProxy(m *mesh) []Finding {
	if len(m.ofKind(kuma.KindDataplane)) == 0 {
		return nil
	}
	var findings []Finding
	for _, p := range m.policies {
		if len(m.Selected(p.Key())) > 0 || m.initial[p.Key()] || m.SelectorLeadsNowhere(p) {
			continue
		}
		findings = append(findings, selectsNoProxy.at(p, pathOfTopRef(p),
			fmt.Sprintf("The policy has no effect: it selects no proxy of the mesh, because %s.", m.reasons(p)),
			"Correct the reference, or remove the policy."))
	}
	return findings
}

// reasons tells why the proxies of the mesh are not selected, the commonest reason
// first.
func (m *mesh) reasons(p *kuma.Resource) string {
	counts := map[string]int{}
	texts := map[rules.Exclusion]string{} // several may have the same
	var order []string
	dataplanes := m.ofKind(kuma.KindDataplane)
	for _, dataplane := range dataplanes {
		by, err := m.Excluded(p.Key(), dataplane.Name)
		if err != nil {
			continue // there is nothing to match without a mesh
		}
		reason, ok := texts[by]
		if !ok {
			reason = by.Because(*p)
			texts[by] = reason
		}
		if counts[reason] == 0 {
			order = append(order, reason)
		}
		counts[reason]++
	}
	if len(order) > 1 {
		slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(counts[b], counts[a]) })
		for i, reason := range order {
			order[i] = fmt.Sprintf("%s (%d of %d proxies)", reason, counts[reason], len(dataplanes))
		}
	}
	return strings.Join(order, "; ")
}

// pathOfTopRef is the place of the top-level reference, the whole policy when it
// has none.
func pathOfTopRef(p *kuma.Resource) []any {
	if p.Spec()["targetRef"] == nil {
		return nil
	}
	return []any{"spec", "targetRef"}
}
