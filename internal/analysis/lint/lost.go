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
	Doc: "An entry for a route leaves out what another entry sets for the service. Routes inherit from entries for the mesh, but not from those for a service, so requests on the route do without it.",
}

// loss is a setting for a service that one of its routes does without.
type loss struct {
	route   entry // of the policy that has an entry for the route
	about   kuma.Key
	service kuma.Key
	path    string
	setter  kuma.Key
}

func findLostOnRoute(v *view) []Finding {
	var findings []Finding
	for l := range v.contest.lost {
		findings = append(findings, lostOnRoute.at(v.byKey[l.route.policy], l.route.path(),
			fmt.Sprintf("Requests to %s lose %s on %s: %s sets it for the service, and a route inherits from entries for the mesh only.", named(l.service), l.path, named(l.about), named(l.setter)),
			fmt.Sprintf("Set %s in this entry too, or in an entry for the mesh.", l.path)))
	}
	return findings
}

// routesOfServices looks for settings of services that do not hold on their
// routes, for the proxies of a group that have the route.
func (v *view) routesOfServices(k def.Kind, g group, r rules.PolicyRules, lost map[loss]bool) {
	if len(k.Policy.PerRoute) == 0 {
		return
	}
	byResource := map[kuma.Key][]rules.ResourceRule{}
	for _, rule := range r.ToResourceRules {
		key := rule.ResourceMeta.Key()
		byResource[key] = append(byResource[key], rule)
	}
	for _, ofRoute := range r.ToResourceRules {
		route := v.byKey[ofRoute.ResourceMeta.Key()]
		if route == nil || !rules.IsRoute(route.Type) || !overlap(g.dataplanes, v.selected[route.Key()]) {
			continue
		}
		for _, ref := range route.ToRefs() {
			for _, t := range v.snapshot.Resolve(*route, ref, 0) {
				for _, ofService := range byResource[t.Resource] {
					if t.Section == "" || ofService.ResourceSectionName == "" || ofService.ResourceSectionName == t.Section {
						v.lose(k, ofRoute, ofService, lost)
					}
				}
			}
		}
	}
}

// lose notes what the rule of a service sets by itself and the rule of a route
// does not.
func (v *view) lose(k def.Kind, ofRoute, ofService rules.ResourceRule, lost map[loss]bool) {
	for _, path := range k.Policy.PerRoute {
		leaf := leafBelow(ofService, path)
		if leaf == nil || leafBelow(ofRoute, path) != nil {
			continue // entries for the mesh are part of both rules
		}
		for _, o := range slices.Backward(ofRoute.Origin) {
			if rules.IsRoute(v.kindOf(o)) {
				at := entry{o.ResourceMeta.Key(), "to", o.RuleIndex}
				lost[loss{at, ofRoute.ResourceMeta.Key(), ofService.ResourceMeta.Key(), path, leaf.SetBy.ResourceMeta.Key()}] = true
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
func (v *view) kindOf(o rules.Origin) string {
	refs := v.byKey[o.ResourceMeta.Key()].ToRefs()
	if o.RuleIndex >= len(refs) {
		return ""
	}
	return refs[o.RuleIndex].Kind
}
