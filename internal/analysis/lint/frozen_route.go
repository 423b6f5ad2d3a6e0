package lint

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// findFrozenByMirror finds copies of requests to what is not the tag of an HTTP service, before
// Kuma 3.0 (matching.md §17.10).
func findFrozenByMirror(m *mesh) []Finding {
	if m.Release().Kuma3() {
		return nil
	}
	var findings []Finding
	for _, p := range m.policies {
		for _, n := range tree.Root(p.Document()).Find("spec.to[].rules[].default.filters[].requestMirror.backendRef") {
			ref := rules.ParseBackendRef(n)
			if ref.Kind != kuma.KindMeshService || len(ref.Labels) > 0 || m.servesHTTP(ref.Name) {
				continue
			}
			findings = append(findings, proxiesFrozen.at(p, n.Path, fmt.Sprintf("Copies of requests go to %s=%s, which is not the tag of an HTTP service.", kuma.TagService, ref.Name),
				"Set name to the value of the tag kuma.io/service of an HTTP service, or remove the filter."))
		}
	}
	return findings
}

// servesHTTP reports whether proxies with a value of kuma.io/service may have an HTTP protocol.
func (m *mesh) servesHTTP(service string) bool {
	ports := m.inboundsWithTag(service)
	return slices.ContainsFunc(ports, portProtocol.isHTTP) || len(ports) == 0 && (m.HasServiceTag(m.name, service) || len(m.ServiceTags(m.name)) == 0)
}

// isOmitted reports whether proxies omit a rule before Kuma 3.0, because none of its backends
// takes HTTP requests (matching.md §17.2).
func (m *mesh) isOmitted(route *kuma.Resource, backends tree.Node) bool {
	return backends.Filled() && !m.Release().Kuma3() && !slices.ContainsFunc(backends.Items(), func(n tree.Node) bool {
		ref := rules.ParseBackendRef(n)
		weight, weighted := n.Get("weight").Int()
		_, port := m.Backend(*route, ref)
		takes := kuma.IsHTTP(port.Protocol) || m.Tags(ref) != nil
		return takes && (weight > 0 || !weighted)
	})
}

// frozenBy returns the proxies that a rule of a route, or another policy, freezes: a rule only
// counts where the proxy has an HTTP listener for the destination, and, before Kuma 3.0, with a
// backend that has a weight.
func (m *mesh) frozenBy(f Finding) []string {
	selected, r := m.Selected(f.Resource), m.Resource(f.Resource)
	if r.Type != kuma.KindMeshHTTPRoute || len(f.Path) < 5 { // spec.to[0].rules[0]
		return selected
	}
	entry, _ := f.Path[2].(int)
	if entry >= len(r.ToRefs()) {
		return selected
	}
	rule := tree.Root(r.Document()).Get("spec", "to").Items()[entry].Get("rules").Items()[f.Path[4].(int)]
	if m.isOmitted(r, rule.Get("default", "backendRefs")) {
		return nil
	}
	ref := r.ToRefs()[entry]
	targets := slices.DeleteFunc(m.Resolve(*r, ref, 0), func(t rules.Target) bool {
		return !slices.ContainsFunc(m.Ports(m.Resource(t.Resource).ID()), func(p rules.Port) bool {
			return kuma.IsHTTP(p.Protocol) && (t.Section == "" || t.Section == p.Section)
		})
	})
	byTag := slices.ContainsFunc(m.inboundsWithTag(ref.Name), portProtocol.isHTTP)
	var sure, possible []string
	for _, name := range selected {
		dp := m.dataplane(name)
		switch services := m.reachedBy(name); {
		case m.isBuiltinGateway(name), byTag && m.sendsByTag(name, []kuma.TargetRef{ref}):
			sure = append(sure, name)
		case slices.ContainsFunc(targets, func(t rules.Target) bool { return services[m.Resource(t.Resource).ID()] }):
			sure = append(sure, name)
		case services == nil && len(targets) > 0 && rules.IsTransparent(dp):
			sure = append(sure, name)
		case services == nil && len(targets) > 0 && len(rules.Outbounds(*dp)) == 0:
			possible = append(possible, name) // its insight may have a transparent proxy
		}
	}
	if len(sure) > 0 {
		return sure
	}
	return possible
}
