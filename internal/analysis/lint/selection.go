package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
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
	var order []string
	dataplanes := m.Dataplanes(m.name)
	for _, name := range dataplanes {
		by, err := m.Excluded(p.Key(), name)
		if err != nil {
			continue // there is nothing to match without a mesh
		}
		reason := by.Because(*p)
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
