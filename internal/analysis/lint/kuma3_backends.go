package lint

import (
	"fmt"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma3"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// backendConditions concern the destinations of routes.
var backendConditions = []meshCondition{
	{
		Condition: kuma3.Condition{
			ID: "K3-042", Effect: kuma3.Breaks,
			Doc: "None of the destinations of the rule exists. Proxies of Kuma 2.14 then omit the rule, or only its destinations if all of them are referenced by labels. The requests go to the next matching rule, or to the service that was called. Kuma 3.0 responds to them with 500.",
			Do:  "Correct the backendRefs, or remove them to send the requests to the service that was called.",
		},
		find: findDeadRules,
	},
	{
		Condition: kuma3.Condition{
			ID: "K3-043", Effect: kuma3.Breaks,
			Doc: "The destination does not have this port. Kuma 2.14 may use another port. Kuma 3.0 treats the destination as missing.",
			Do:  "Use a port that the destination has.",
		},
		find: findMissingPorts,
	},
}

const backendsOfRule = "default.backendRefs[]"

// httpRules returns the rules of an HTTP route.
func httpRules(route *kuma.Resource) []tree.Node {
	return tree.Root(route.Document()).Find("spec.to[].rules[]")
}

// findDeadRules ignores the routes of gateways, which already respond with 500 in
// 2.14.
func findDeadRules(m *mesh) []problem {
	var found []problem
	for _, route := range m.ofKind(kuma.KindMeshHTTPRoute) {
		if route.TopRef().Kind == kuma.KindMeshGateway {
			continue
		}
		for _, rule := range httpRules(route) {
			refs := rule.Find(backendsOfRule)
			alive := len(refs) == 0
			for _, ref := range refs {
				alive = alive || m.HasBackend(*route, rules.ParseBackendRef(ref))
			}
			for _, filter := range rule.Find("default.filters[].type") {
				kind, _ := filter.Text()
				alive = alive || kind == "RequestRedirect"
			}
			if !alive {
				found = append(found, problemAt(route.Key(), "", rule.Get("default", "backendRefs").Path...))
			}
		}
	}
	return found
}

func findMissingPorts(m *mesh) []problem {
	var found []problem
	for _, route := range m.ofKind(kuma.KindMeshHTTPRoute) {
		for _, rule := range httpRules(route) {
			for _, n := range rule.Find(backendsOfRule) {
				b := rules.ParseBackendRef(n)
				whole := m.Resolve(*route, b.WithoutSection(), 0)
				if len(whole) > 0 && len(m.Resolve(*route, b.TargetRef, b.Port)) == 0 {
					found = append(found, problemAt(route.Key(), fmt.Sprintf("Destination: %s.", whole[0].Resource), b.Path...))
				}
			}
		}
	}
	return found
}
