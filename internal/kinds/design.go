package kinds

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// This file holds rules of the design of route targeting (design record 000)
// that a control plane does not enforce.

// perRoute checks entries for single routes: members other than the given ones
// are stored there and then ignored, and what only the entry for a service sets
// does not hold on its routes (spec/validation.md §9).
func perRoute(effective ...string) spec.Check {
	return spec.Check{Test: func(n spec.Node) []spec.Problem {
		var problems []spec.Problem
		for _, e := range n.Get("to").Items() {
			if !targets(e, mesh.KindMeshHTTPRoute, mesh.KindMeshTCPRoute) {
				continue
			}
			problems = append(problems, ignored(e.Get("default"), "", effective)...)
			problems = append(problems, lost(n, e.Get("default"), effective)...)
		}
		return problems
	}}
}

// targets reports whether an entry is surely about one of the kinds.
func targets(entry spec.Node, kinds ...string) bool {
	kind, ok := entry.Get("targetRef", "kind").Text()
	return ok && slices.Contains(kinds, kind)
}

// ignored reports the members below n that have no effect on a route. at is
// where n stands in the conf.
func ignored(n spec.Node, at string, effective []string) []spec.Problem {
	var problems []spec.Problem
	for _, m := range n.Entries() {
		path := strings.TrimPrefix(at+"."+m.Key(), ".")
		above := func(e string) bool { return strings.HasPrefix(e, path+".") }
		switch {
		case slices.Contains(effective, path):
		case slices.ContainsFunc(effective, above):
			problems = append(problems, ignored(m, path, effective)...)
		default:
			problems = append(problems, m.Problem(m.Key()+" has no effect on a route",
				fmt.Sprintf("Proxies ignore %s in an entry for a route; only %s can be set there. Move it to an entry for the service.", path, spec.And(effective...))))
		}
	}
	return problems
}

// lost warns of members that an entry for a service sets and the conf of a route
// does not: routes inherit from entries for the mesh only.
func lost(fields, conf spec.Node, effective []string) []spec.Problem {
	sets := func(e spec.Node, path string) bool { return !e.Get(strings.Split(path, ".")...).Absent() }
	var problems []spec.Problem
	for _, path := range effective {
		if sets(conf, path) {
			continue
		}
		ofMesh, ofService := false, false
		for _, e := range fields.Get("to").Items() {
			ofMesh = ofMesh || targets(e, mesh.KindMesh) && sets(e.Get("default"), path)
			ofService = ofService || targets(e, mesh.KindMeshService, mesh.KindMeshExternalService, mesh.KindMeshMultiZoneService) && sets(e.Get("default"), path)
		}
		if ofService && !ofMesh {
			problems = append(problems, conf.Warning(path+" does not hold on the route",
				fmt.Sprintf("The entry for the service sets %s, which its routes do not inherit. If the route is one of that service, set it here too.", path)))
		}
	}
	return problems
}

// oneDestination: several destinations in one route are deprecated, and refused
// to policies of producers and consumers.
var oneDestination = spec.Check{Test: func(n spec.Node) []spec.Problem {
	to := n.Get("to")
	if len(to.Items()) < 2 {
		return nil
	}
	role, _ := n.Root().Get("labels", mesh.LabelPolicyRole).Text()
	const detail = "Several entries in \"to\" of a route are deprecated. Write one route for each destination."
	if role == string(mesh.RoleProducer) || role == string(mesh.RoleConsumer) {
		return []spec.Problem{to.Problem("A route has one destination", detail)}
	}
	return []spec.Problem{to.Warning("Several destinations are deprecated", detail)}
}}

// backendHasPort: without a port, the name of a MeshService is read as a value
// of the tag kuma.io/service.
var backendHasPort = spec.Check{Test: func(n spec.Node) []spec.Problem {
	var problems []spec.Problem
	for _, e := range n.Get("to").Items() {
		for _, rule := range e.Get("rules").Items() {
			for _, b := range rule.Get("default", "backendRefs").Items() {
				if kind, _ := b.Get("kind").Text(); kind == mesh.KindMeshService && b.Get("port").Absent() && b.Get("sectionName").Absent() {
					problems = append(problems, b.Warning("The destination has no port", "Without port, the name is read as a value of the tag kuma.io/service instead of a MeshService. Add port."))
				}
			}
		}
	}
	return problems
}}
