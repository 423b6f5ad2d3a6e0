package kinds

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// This file holds rules for the settings of policies that a control plane does
// not enforce.

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

// emptyDefaults warns of entries in lists that have no settings; without lists,
// of a policy as a whole (spec/validation.md §10).
func emptyDefaults(lists ...string) spec.Check {
	return spec.Check{Test: func(n spec.Node) []spec.Problem {
		var entries []spec.Node
		for _, l := range lists {
			entries = append(entries, n.Get(l).Items()...)
		}
		if len(lists) == 0 {
			entries = []spec.Node{n}
		}
		var problems []spec.Problem
		for _, e := range entries {
			if conf := e.Get("default"); conf.Empty() {
				problems = append(problems, conf.Warning("There are no settings", "Without settings in \"default\" this has no effect. Add some, or remove it."))
			}
		}
		return problems
	}}
}

// destinationsOnce warns of entries about the destination of an earlier one.
var destinationsOnce = spec.Check{Test: func(n spec.Node) []spec.Problem {
	var problems []spec.Problem
	var seen []spec.Node
	for _, entry := range n.Items() {
		ref := entry.Get("targetRef")
		if !ref.Complete() {
			continue
		}
		if slices.ContainsFunc(seen, func(earlier spec.Node) bool { return mesh.Equal(earlier.Value(), ref.Value()) }) {
			problems = append(problems, ref.Warning("An earlier entry has this destination", "The two are merged, and the later one wins where both set the same. Write one entry."))
		}
		seen = append(seen, ref)
	}
	return problems
}}

// catchAllOnce warns of rules for all traffic after another such rule.
var catchAllOnce = spec.Check{Test: func(n spec.Node) []spec.Problem {
	var problems []spec.Problem
	found := false
	for _, rule := range n.Items() {
		if !rule.Known() || !rule.Get("matches").Empty() {
			continue
		}
		if found {
			problems = append(problems, rule.Warning("An earlier rule is for all traffic too", "Neither rule has matches, so both are for the same traffic. Write one rule, or add matches."))
		}
		found = true
	}
	return problems
}}

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
				fmt.Sprintf("Proxies ignore %s in an entry for a route; only %s can be set there. Move it to an entry for the service.", path, spec.And(effective...))).About(spec.IgnoredOnRoute))
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
				fmt.Sprintf("The entry for the service sets %s, which its routes do not inherit. If the route is one of that service, set it here too.", path)).About(spec.LostOnRoute))
		}
	}
	return problems
}
