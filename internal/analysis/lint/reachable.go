package lint

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

var unreachableDestination = Code{
	Code: "unreachable-destination", Severity: Warning, Title: "Entry for a service that no selected proxy reaches",
	Fix: "Add the service to `reachableBackends`, or remove the entry",
	Doc: "None of the proxies that the policy selects has a listener for the service: their Dataplanes list other services in `outbound` or `reachableBackends` or, in Kuma 3.0, list none. Policies for the whole mesh, and proxies that refer to services by tags, are not checked.",
}

func findUnreachableDestination(m *mesh, report func(Finding)) {
	reaches := func(dataplane string, targets []rules.Target) bool {
		o := m.outbounds(dataplane)
		return o.HasTags() || o.Everything || o.Assumed && !m.RestrictsOutbound() || slices.ContainsFunc(targets, func(t rules.Target) bool { return o.HasService(m.Resource(t.Resource).ID()) })
	}
	for _, p := range m.policies {
		selected := m.Selected(p.Key())
		if kind := p.TopRef().Kind; kind == "" || kind == kuma.KindMesh {
			continue
		}
		for i, ref := range p.ToRefs() {
			targets := m.Resolve(*p, ref.WithoutSection(), 0)
			if !rules.IsDestination(ref.Kind) || len(targets) == 0 || len(selected) == 0 {
				continue
			}
			if !slices.ContainsFunc(selected, func(dataplane string) bool { return reaches(dataplane, targets) }) {
				report(unreachableDestination.at(p, pathOfToRef(i),
					fmt.Sprintf("The entry has no effect: none of the proxies that the policy selects reaches %s: %s.", ref.WithoutSection(), some(selected)),
					"Add the service to reachableBackends or to an outbound of the Dataplanes of its clients, or remove the entry.").on(len(selected)))
			}
		}
	}
}
