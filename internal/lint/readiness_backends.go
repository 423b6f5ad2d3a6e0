package lint

import (
	"fmt"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// conditionsOnBackends are about the destinations of routes.
var conditionsOnBackends = []conditionOnMesh{
	{
		Condition: spec.Condition{
			ID: "K3-042", Effect: spec.Breaks,
			Doc: "None of the destinations of the rule exists. Kuma 2.14 then sends the requests to the service that was called, Kuma 3.0 answers them with 500.",
			Do:  "Correct the backendRefs, or remove them to send the requests to the service that was called.",
		},
		find: findDeadRules,
	},
	{
		Condition: spec.Condition{
			ID: "K3-043", Effect: spec.Breaks,
			Doc: "The destination does not have this port. Kuma 2.14 may use another one, and in Kuma 3.0 the destination counts as missing.",
			Do:  "Name a port that the destination has.",
		},
		find: findMissingPorts,
	},
}

const backendsOfRule = "default.backendRefs[]"

// httpRules returns the rules of an HTTP route.
func httpRules(route *mesh.Resource) []spec.Node {
	return spec.Root(route.Document()).Find("spec.to[].rules[]")
}

func findDeadRules(v *view) []unready {
	var found []unready
	for _, route := range v.byType[mesh.KindMeshHTTPRoute] {
		for _, rule := range httpRules(route) {
			backends := rule.Find(backendsOfRule)
			alive := len(backends) == 0
			for _, b := range backends {
				alive = alive || len(v.whole(route, b)) > 0
			}
			for _, filter := range rule.Find("default.filters[].type") {
				kind, _ := filter.Text()
				alive = alive || kind == "RequestRedirect"
			}
			if !alive {
				found = append(found, unreadyAt(route.Key(), "", rule.Get("default", "backendRefs").Path...))
			}
		}
	}
	return found
}

func findMissingPorts(v *view) []unready {
	var found []unready
	for _, route := range v.byType[mesh.KindMeshHTTPRoute] {
		for _, rule := range httpRules(route) {
			for _, b := range rule.Find(backendsOfRule) {
				port, _ := b.Get("port").Int()
				ref := mesh.ParseTargetRef(b.Value())
				whole := v.whole(route, b)
				if len(whole) > 0 && len(v.snapshot.Resolve(*route, ref, int(port))) == 0 {
					found = append(found, unreadyAt(route.Key(), fmt.Sprintf("Destination: %s.", whole[0].Resource), b.Path...))
				}
			}
		}
	}
	return found
}

// whole returns the resources that a reference of a route means, whatever port
// it asks for.
func (v *view) whole(route *mesh.Resource, backend spec.Node) []rules.Target {
	ref := mesh.ParseTargetRef(backend.Value())
	ref.SectionName = ""
	return v.snapshot.Resolve(*route, ref, 0)
}
