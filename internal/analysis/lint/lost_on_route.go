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
	Code: "lost-on-route", Severity: Warning, Title: "Setting of a service that its route does not inherit",
	Fix: "Set the field for the route, too, or for the mesh",
	Doc: "An entry for a route does not set a field that another entry sets for the service. Routes inherit from entries for the mesh but not from entries for a service, so the setting does not apply to requests on the route.",
}

// lostSetting is a setting for a service that does not apply to one of its routes.
type lostSetting struct {
	route   policyEntry // the entry for the route
	about   kuma.Key
	service kuma.Key
	path    string
	setter  kuma.Key
}

func findLostOnRoute(m *mesh) []Finding {
	var findings []Finding
	for l := range m.precedence().lostOnRoute {
		findings = append(findings, lostOnRoute.at(m.Resource(l.route.policy), l.route.path(),
			fmt.Sprintf("%s sets %s for %s, but this does not apply to requests on %s. Routes only inherit from entries for the mesh.", l.setter.Local(), l.path, l.service.Local(), l.about.Local()),
			fmt.Sprintf("Also set %s in this entry, or set it in an entry for the mesh.", l.path)))
	}
	return findings
}

// lostOnRoutes adds to lost the settings of services that do not apply to their
// routes, on the proxies of a group that have the route.
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

// addLost adds to lost the settings of the rule of a service that the rule of a route
// does not have.
func (m *mesh) addLost(k def.Kind, ofRoute, ofService rules.ResourceRule, lost map[lostSetting]bool) {
	for _, path := range k.Policy.PerRoute {
		leaf := leafBelow(ofService, path)
		if leaf == nil || leafBelow(ofRoute, path) != nil {
			continue // both rules include the entries for the mesh
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

// leafBelow returns the first leaf at or below a path in the conf of a rule, or nil
// if there is none.
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

// kindOf returns the kind of destination that an entry of `to` refers to.
func (m *mesh) kindOf(e rules.Entry) string {
	refs := m.Resource(e.Policy).ToRefs()
	if e.Index >= len(refs) {
		return ""
	}
	return refs[e.Index].Kind
}
