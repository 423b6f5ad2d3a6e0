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
// in those that are replaced does not apply to its routes (validation.md §9).
func PerRoute(effective, replaced []string) def.Check {
	return def.Check{Test: func(n tree.Node) []def.Problem {
		var problems []def.Problem
		for _, e := range n.Get("to").Items() {
			if !Targets(e, kuma.KindMeshHTTPRoute, kuma.KindMeshTCPRoute) {
				continue
			}
			problems = append(problems, ignored(e.Get("default"), "", effective)...)
			problems = append(problems, notInherited(n, e.Get("default"), replaced)...)
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
				fmt.Sprintf("Proxies ignore %s in an entry for a route, where only %s can be set. Move it to an entry for the service.", path,
					phrase.And(effective...))).About(def.IgnoredOnRoute))
		}
	}
	return problems
}

// notInherited warns about fields that an entry for a service sets and the conf
// of a route does not: routes inherit from entries for the mesh only.
func notInherited(fields, conf tree.Node, replaced []string) []def.Problem {
	var problems []def.Problem
	for _, path := range replaced {
		var ofMesh, ofService []string
		for _, e := range fields.Get("to").Items() {
			switch set := leaves(e.Get("default"), path); {
			case Targets(e, kuma.KindMesh):
				ofMesh = append(ofMesh, set...)
			case Targets(e, kuma.KindMeshService, kuma.KindMeshExternalService, kuma.KindMeshMultiZoneService):
				ofService = append(ofService, set...)
			}
		}
		own := leaves(conf, path)
		for _, lost := range slices.Compact(slices.Sorted(slices.Values(ofService))) {
			isBlock := lost != path
			if slices.Contains(own, lost) || slices.Contains(ofMesh, lost) || isBlock && len(own) == 0 {
				continue
			}
			problems = append(problems, def.WarningAt(conf, lost+" does not apply to the route",
				fmt.Sprintf("The entry for the service sets %s, but routes do not inherit it. If the route belongs to that service, set it here too.",
					lost)).About(def.LostOnRoute))
		}
	}
	return problems
}

// leaves returns the paths of what a conf sets at or below a path.
func leaves(conf tree.Node, path string) []string {
	n := conf.Get(strings.Split(path, ".")...)
	if n.Absent() {
		return nil
	}
	if len(n.Entries()) == 0 {
		return []string{path}
	}
	var all []string
	for _, m := range n.Entries() {
		all = append(all, leaves(conf, path+"."+m.Key())...)
	}
	return all
}
