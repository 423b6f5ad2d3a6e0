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
	Code: SelectsNoProxy, Severity: Warning, Title: "Policy that selects no proxy",
	Fix: "Correct the reference, or label the Dataplanes",
	Doc: "The top-level `targetRef` matches no proxy, so the policy has no effect. Policies that the control plane creates with a mesh, and meshes without proxies, are not checked.",
}

func findSelectsNoProxy(m *mesh, report func(Finding)) {
	if len(m.ofKind(kuma.KindDataplane)) == 0 {
		return
	}
	for _, p := range m.policies {
		if len(m.Selected(p.Key())) > 0 || m.initial[p.Key()] || m.SelectorIsDangling(p) {
			continue
		}
		path, advice := pathOfTopRef(p), "Correct the reference, or remove the policy."
		if _, inNamespace := p.Labels[kuma.LabelK8sNamespace]; !inNamespace && slices.Contains([]kuma.Role{kuma.RoleConsumer, kuma.RoleWorkloadOwner}, p.Role()) {
			path, advice = []any{"labels", kuma.LabelPolicyRole}, fmt.Sprintf("Remove the label %s, or the policy.", kuma.LabelPolicyRole)
		}
		report(selectsNoProxy.at(p, path,
			fmt.Sprintf("The policy has no effect because it selects no proxy of the mesh: %s.", m.reasons(p)), advice))
	}
}

// reasons returns why the proxies of the mesh are not selected, the most common
// reason first.
func (m *mesh) reasons(p *kuma.Resource) string {
	counts := map[string]int{}
	texts := map[rules.Exclusion]string{} // several can have the same text
	var order []string
	dataplanes := m.ofKind(kuma.KindDataplane)
	for _, dataplane := range dataplanes {
		by, err := m.Excluded(p.Key(), dataplane.Name)
		if err != nil {
			continue // without a mesh, there is nothing to match
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

// pathOfTopRef returns the path of the top-level reference. It is empty if the policy
// has none.
func pathOfTopRef(p *kuma.Resource) []any {
	if p.Spec()["targetRef"] == nil {
		return nil
	}
	return []any{"spec", "targetRef"}
}
