package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// PerRoute checks entries for single routes: fields other than the given ones
// are stored there and then ignored, and what only the entry for a service sets
// does not apply to its routes (validation.md §9).
func PerRoute(effective ...string) def.Check {
	return def.Check{Test: func(n tree.Node) []def.Problem {
		var problems []def.Problem
		for _, e := range n.Get("to").Items() {
			if !Targets(e, kuma.KindMeshHTTPRoute, kuma.KindMeshTCPRoute) {
				continue
			}
			problems = append(problems, ignored(e.Get("default"), "", effective)...)
			problems = append(problems, notInherited(n, e.Get("default"), effective)...)
		}
		return problems
	}}
}

// Targets reports whether an entry is known to target one of the kinds.
func Targets(entry tree.Node, kinds ...string) bool {
	kind, ok := entry.Get("targetRef", "kind").Text()
	return ok && slices.Contains(kinds, kind)
}

// ignored reports the fields below n that have no effect on a route. at is the
// path of n in the conf.
func ignored(n tree.Node, at string, effective []string) []def.Problem {
	var problems []def.Problem
	for _, m := range n.Entries() {
		path := strings.TrimPrefix(at+"."+m.Key(), ".")
		above := func(e string) bool { return strings.HasPrefix(e, path+".") }
		switch {
		case slices.Contains(effective, path):
		case slices.ContainsFunc(effective, above):
			problems = append(problems, ignored(m, path, effective)...)
		default:
			problems = append(problems, def.ErrorAt(m, m.Key()+" has no effect on a route",
				fmt.Sprintf("Proxies ignore %s in an entry for a route, where only %s can be set. Move it to an entry for the service.", path, phrase.And(effective...))).About(def.IgnoredOnRoute))
		}
	}
	return problems
}

// notInherited warns about fields that an entry for a service sets and the conf
// of a route does not: routes inherit from entries for the mesh only.
func notInherited(fields, conf tree.Node, effective []string) []def.Problem {
	sets := func(e tree.Node, path string) bool { return !e.Get(strings.Split(path, ".")...).Absent() }
	var problems []def.Problem
	for _, path := range effective {
		if sets(conf, path) {
			continue
		}
		ofMesh, ofService := false, false
		for _, e := range fields.Get("to").Items() {
			ofMesh = ofMesh || Targets(e, kuma.KindMesh) && sets(e.Get("default"), path)
			ofService = ofService || Targets(e, kuma.KindMeshService, kuma.KindMeshExternalService, kuma.KindMeshMultiZoneService) && sets(e.Get("default"), path)
		}
		if ofService && !ofMesh {
			problems = append(problems, def.WarningAt(conf, path+" does not apply to the route",
				fmt.Sprintf("The entry for the service sets %s, but routes do not inherit it. If the route belongs to that service, set it here too.", path)).About(def.LostOnRoute))
		}
	}
	return problems
}
