package lint

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

var shadowedTag = Code{
	Code: "shadowed-service-tag", Severity: Warning, Title: "MeshService that hides proxies with the same `kuma.io/service`",
	Fix: "Extend the selector, or use another name",
	Doc: "A MeshService has the name of a value of the tag `kuma.io/service`, but does not select all proxies with that tag. " +
		"References by this name resolve to the MeshService, and its traffic does not reach the other proxies.",
}

func findShadowedTag(m *mesh, report func(Finding)) {
	services := map[string][]*kuma.Resource{}
	for _, s := range m.ofKind(kuma.KindMeshService) {
		services[s.DisplayName()] = append(services[s.DisplayName()], s)
	}
	hidden := map[kuma.Key][]string{}
	for _, in := range m.inbounds() {
		own := slices.DeleteFunc(slices.Clone(services[in.tags[kuma.TagService]]),
			func(s *kuma.Resource) bool { return !rules.SameZone(*s, *in.dataplane) })
		if len(own) > 0 && !slices.ContainsFunc(own, func(s *kuma.Resource) bool { return rules.Selects(*s, *in.dataplane) }) {
			hidden[own[0].Key()] = append(hidden[own[0].Key()], in.dataplane.Name)
		}
	}
	for _, s := range m.ofKind(kuma.KindMeshService) {
		if names := slices.Compact(hidden[s.Key()]); len(names) > 0 {
			report(shadowedTag.at(s, []any{"spec", "selector"},
				fmt.Sprintf("Traffic to MeshService %q does not reach %s: the selector does not match, although the tag %s is %q.", s.Name,
					proxies(names), kuma.TagService, s.DisplayName()),
				"Extend the selector, or use different names for the MeshService and the tag."))
		}
	}
}

var unreachableExternal = Code{
	Code: "unreachable-external-service", Severity: Warning, Since: "2.14", Title: "MeshExternalService that its clients cannot reach",
	Fix: "Create a zone egress, and a MeshIdentity for it and its clients",
	Doc: "Requests for a MeshExternalService go through a zone egress. In Kuma 3.0, they fail without a Dataplane with a listener of type " +
		"`ZoneEgress` in the zone of the client, or without a MeshIdentity for both. " +
		"If there is an egress, only clients that list the service in `outbound` or `reachableBackends` are checked.",
}

func findUnreachableExternal(m *mesh, report func(Finding)) {
	external := m.ofKind(kuma.KindMeshExternalService)
	if len(external) == 0 || !m.Release().Has(unreachableExternal.Since) {
		return
	}
	egresses := m.egresses()
	exists := len(egresses)+len(m.Resources("", kinds.ZoneEgress.Name)) > 0
	if exists && !m.Release().Kuma3() {
		return // request and access show what an egress needs before Kuma 3.0
	}
	type cause struct {
		service kuma.ID
		obstacle
	}
	clients := map[cause][]string{}
	for _, dp := range m.ofKind(kuma.KindDataplane) {
		outbounds, o := m.outbounds(dp.Name), m.obstacle(dp, egresses)
		if outbounds.Everything && exists {
			continue
		}
		for _, r := range external {
			if of := (cause{r.ID(), o}); outbounds.HasService(of.service) {
				clients[of] = append(clients[of], dp.Name)
			}
		}
	}
	for _, r := range external {
		for _, o := range []obstacle{noEgress, egressWithoutIdentity, clientWithoutIdentity} {
			if names := clients[cause{r.ID(), o}]; len(names) > 0 {
				report(unreachableExternal.at(r, nil,
					fmt.Sprintf("Requests from %s fail without %s.", some(names), o.missing), o.suggestion).on(len(names)))
			}
		}
	}
}

// obstacle is why a client does not reach external services.
type obstacle struct{ missing, suggestion string }

var (
	noEgress = obstacle{
		"a zone egress in the same zone",
		"Create a Dataplane with a listener of type ZoneEgress in each zone of these clients, and run a proxy for it.",
	}
	egressWithoutIdentity = obstacle{
		"a MeshIdentity for the zone egress", "Create a MeshIdentity that selects the Dataplanes with a listener of type ZoneEgress.",
	}
	clientWithoutIdentity = obstacle{
		"a MeshIdentity for the client", "Create a MeshIdentity that selects the Dataplanes of the clients.",
	}
)

// obstacle returns why a client reaches no external service, the zero value if it may.
func (m *mesh) obstacle(client *kuma.Resource, egresses []*kuma.Resource) obstacle {
	o := noEgress
	for _, e := range egresses {
		switch {
		case !rules.SameZone(*client, *e):
		case m.Identity(m.name, e.Name) == kuma.Key{}:
			o = egressWithoutIdentity
		case m.Identity(m.name, client.Name) == kuma.Key{}:
			return clientWithoutIdentity
		default:
			return obstacle{}
		}
	}
	return o
}

// egresses returns the Dataplanes of zone egresses.
func (m *mesh) egresses() []*kuma.Resource {
	return slices.DeleteFunc(slices.Clone(m.ofKind(kuma.KindDataplane)), func(dp *kuma.Resource) bool {
		types := tree.Root(dp.Body).Find("networking.listeners[].type")
		return !slices.ContainsFunc(types, func(kind tree.Node) bool { return kind.Value() == kuma.ListenerEgress })
	})
}
