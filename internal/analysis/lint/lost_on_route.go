package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

var lostOnRoute = Code{
	Code: "lost-on-route", Severity: Warning, Title: "Setting of a service that its route does not inherit",
	Fix: "Set the field for the route, too, or for the mesh",
	Doc: "An entry for a route omits a field that another entry sets for the service. " +
		"Routes inherit from entries for the mesh, but not from entries for a service. " +
		"This concerns `http.requestTimeout` of a MeshTimeout, and `http` and `grpc` of a MeshRetry if the entry for the route sets another " +
		"field of the block. Routes do inherit `http.streamIdleTimeout`.",
}

// lostSetting is a setting for a service that does not apply to one of its routes.
type lostSetting struct {
	route   policyEntry // the entry for the route
	about   kuma.Key
	service kuma.Key
	setter  kuma.Key
}

func findLostOnRoute(m *mesh, report func(Finding)) {
	for l, paths := range m.precedence().lostOnRoute {
		these := phrase.And(slices.Sorted(maps.Keys(paths))...)
		report(lostOnRoute.at(m.Resource(l.route.policy), l.route.path(),
			fmt.Sprintf("%s sets %s for %s, but this does not apply to requests on %s. Routes only inherit from entries for the mesh.",
				l.setter.Local(), these, l.service.Local(), l.about.Local()),
			fmt.Sprintf("Also set %s in this entry, or in an entry for the mesh.", these)))
	}
}

// lostOnRoutes adds to lost the settings of services that do not apply to their
// routes, on the proxies of a group that have the route.
func (m *mesh) lostOnRoutes(k def.Kind, g rules.Group, r rules.PolicyRules, lost map[lostSetting]map[string]bool) {
	if len(k.Policy.ReplacedPerRoute) == 0 {
		return
	}
	byResource := map[kuma.Key][]rules.ResourceRule{}
	outgoing := r.Outgoing()
	all := outgoing[len(outgoing)-1].Resources // which is none for a route on a builtin gateway
	for _, rule := range all {
		key := rule.ResourceMeta.Key()
		byResource[key] = append(byResource[key], rule)
	}
	for _, ofRoute := range all {
		route := m.Resource(ofRoute.ResourceMeta.Key())
		if route == nil || !rules.IsRoute(route.Type) || !overlap(g.Dataplanes, m.Selected(route.Key())) {
			continue
		}
		for _, ref := range route.ToRefs() {
			for _, t := range m.Resolve(*route, ref, 0) {
				for _, ofService := range byResource[t.Resource] {
					if t.Section == "" || ofService.ResourceSectionName == "" || ofService.ResourceSectionName == t.Section {
						m.addLost(k, ofRoute, ofService, lost)
					}
				}
			}
		}
	}
}

// addLost adds to lost the settings of the rule of a service that the rule of a route
// does not have.
func (m *mesh) addLost(k def.Kind, ofRoute, ofService rules.ResourceRule, lost map[lostSetting]map[string]bool) {
	at, ok := m.entryForRoute(ofRoute)
	if !ok {
		return
	}
	for _, path := range k.Policy.ReplacedPerRoute {
		own := leavesBelow(ofRoute, path) // both rules include the entries for the mesh
		for leaf, setter := range leavesBelow(ofService, path) {
			if isBlock := leaf != path; own[leaf] != (kuma.Key{}) || isBlock && len(own) == 0 {
				continue
			}
			l := lostSetting{at, ofRoute.ResourceMeta.Key(), ofService.ResourceMeta.Key(), setter}
			if lost[l] == nil {
				lost[l] = map[string]bool{}
			}
			lost[l][leaf] = true
		}
	}
}

// entryForRoute returns the entry for the route itself with the highest precedence.
func (m *mesh) entryForRoute(r rules.ResourceRule) (policyEntry, bool) {
	for _, o := range slices.Backward(slices.Collect(r.Entries())) {
		if rules.IsRoute(m.kindOf(o)) {
			return policyEntry{o.Policy, "to", o.Index}, true
		}
	}
	return policyEntry{}, false
}

// leavesBelow returns the leaves at or below a path in the conf of a rule, with the policies
// that set them. Elements of lists count as one leaf.
func leavesBelow(r rules.ResourceRule, path string) map[string]kuma.Key {
	found := map[string]kuma.Key{}
	for _, leaves := range r.Explain() {
		for _, l := range leaves {
			p, _, _ := strings.Cut(l.Path.String(), "[")
			if p == path || strings.HasPrefix(p, path+".") {
				found[p] = l.SetBy.ResourceMeta.Key()
			}
		}
	}
	return found
}

// kindOf returns the kind of destination that an entry of `to` refers to.
func (m *mesh) kindOf(e rules.Entry) string {
	refs := m.Resource(e.Policy).ToRefs()
	if e.Index >= len(refs) {
		return ""
	}
	return refs[e.Index].Kind
}
