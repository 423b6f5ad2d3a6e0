package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

var lostOnRoute = Code{
	Code: "lost-on-route", Severity: Warning, Title: "Setting of a service that its route loses",
	Doc: "An entry for a route leaves out what another entry sets for the service. Routes inherit from entries for the mesh, but not from those for a service, so requests on the route do not get it.",
}

// lostSetting is a setting for a service that one of its routes does without.
type lostSetting struct {
	route   policyEntry // of the policy that has an entry for the route
	about   kuma.Key
	service kuma.Key
	path    string
	setter  kuma.Key
}

func findLostOnRoute(m *mesh) []Finding {
	var findings []Finding
	for l := range m.precedence().lostOnRoute {
		findings = append(findings, lostOnRoute.at(m.Resource(l.route.policy), l.route.path(),
			fmt.Sprintf("Requests to %s lose %s on %s: %s sets it for the service, and a route inherits from entries for the mesh only.", l.service.Local(), l.path, l.about.Local(), l.setter.Local()),
			fmt.Sprintf("Set %s in this entry too, or in an entry for the mesh.", l.path)))
	}
	return findings
}

// lostOnRoutes looks for settings of services that do not hold on their
// routes, for the proxies of a group that have the route.
func (m *mesh) lostOnRoutes(k def.Kind, g rules.Group, r rules.PolicyRules, lost map[lostSetting]bool) {
	if len(k.Policy.PerRoute) == 0 {
		return
	}
	byResource := map[kuma.Key][]rules.ResourceRule{}
	for _, rule := range r.ToResourceRules {
		key := rule.ResourceMeta.Key()
		byResource[key] = append(byResource[key], rule)
	}
	for _, ofRoute := range r.ToResourceRules {
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

// addLost notes what the rule of a service sets by itself and the rule of a route
// does not.
func (m *mesh) addLost(k def.Kind, ofRoute, ofService rules.ResourceRule, lost map[lostSetting]bool) {
	for _, path := range k.Policy.PerRoute {
		leaf := leafBelow(ofService, path)
		if leaf == nil || leafBelow(ofRoute, path) != nil {
			continue // entries for the mesh are part of both rules
		}
		for _, o := range slices.Backward(slices.Collect(ofRoute.Entries())) {
			if rules.IsRoute(m.kindOf(o)) {
				at := policyEntry{o.Policy, "to", o.Index}
				lost[lostSetting{at, ofRoute.ResourceMeta.Key(), ofService.ResourceMeta.Key(), path, leaf.SetBy.ResourceMeta.Key()}] = true
				break
			}
		}
	}
}

// leafBelow returns the first leaf at or below a path in the conf of a rule; nil
// when there is none.
func leafBelow(r rules.ResourceRule, path string) *rules.Leaf {
	for _, leaves := range r.Explain() {
		for _, l := range leaves {
			if p := l.Path.String(); p == path || strings.HasPrefix(p, path+".") {
				return &l
			}
		}
	}
	return nil
}

// kindOf returns the kind of destination that an entry of `to` is for.
func (m *mesh) kindOf(e rules.Entry) string {
	refs := m.Resource(e.Policy).ToRefs()
	if e.Index >= len(refs) {
		return ""
	}
	return refs[e.Index].Kind
}
