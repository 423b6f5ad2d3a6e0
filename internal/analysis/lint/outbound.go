package lint

import (
	"fmt"
	"strconv"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

var danglingOutbound = Code{
	Code: "dangling-outbound", Severity: Error, Title: "Outbound to a service that does not exist",
	Fix: "Correct the outbound, or create the service",
	Doc: "An outbound of a Dataplane, or an entry of its `reachableBackends`, refers to a service that exists in no zone, or to a port that the service does not have. The application behind the proxy cannot reach it.",
}

func findDanglingOutbound(m *mesh, report func(Finding)) {
	for _, dp := range m.ofKind(kuma.KindDataplane) {
		for _, o := range rules.Outbounds(*dp) {
			generated := o.Tag // the control plane generates MeshServices from tags
			if o.Kind == kuma.KindMeshService {
				generated = o.Name
			}
			services := m.Consumed(m.name, o)
			if len(services) > 0 || generated != "" && m.offers(generated) {
				if ports := m.portsWithout(dp, o, services); len(ports) > 0 {
					report(danglingOutbound.at(dp, o.Path,
						fmt.Sprintf("%s has no port %d, so the proxy does not listen for it.", o, o.Port), "Set port to one that the service has: "+phrase.Or(ports...)+"."))
				}
				continue
			}
			hint := m.hint(dp, o.TargetRef, notOutbound)
			if o.Tag != "" {
				hint = phrase.Suggest(o.Tag, m.serviceTags())
			}
			report(danglingOutbound.at(dp, o.Path,
				fmt.Sprintf("There is no %s, so the application cannot reach it.%s", o, hint), "Correct or remove the reference, or keep the service until no proxy uses it.").on(1))
		}
	}
}

// portsWithout returns the ports of the services that an outbound of a proxy selects if none of them
// is the one that the outbound names. A MeshExternalService has every port, and a transparent proxy
// listens for all ports then.
func (m *mesh) portsWithout(dp *kuma.Resource, o rules.Outbound, services []kuma.Key) (ports []string) {
	if o.Port == 0 || o.Kind == kuma.KindMeshExternalService || proxy.IsTransparent(dp) {
		return nil
	}
	for _, key := range services {
		for _, p := range m.Ports(m.Resource(key).ID()) {
			if p.Number == o.Port {
				return nil
			}
			ports = append(ports, strconv.Itoa(p.Number))
		}
	}
	return ports
}

// offers reports whether something provides a service with a tag: a proxy of this or
// another zone, or an external service.
func (m *mesh) offers(service string) bool {
	if m.HasServiceTag(m.name, service) {
		return true
	}
	provides := func(tags tree.Node) bool {
		value, _ := tags.Get(kuma.TagService).Text()
		return value == service
	}
	for _, r := range m.resources {
		doc := tree.Root(r.Document())
		switch r.Type {
		case kinds.ExternalService:
			if provides(doc.Get("tags")) {
				return true
			}
		case kinds.ZoneIngress.Name:
			for _, available := range doc.Get("availableServices").Items() {
				if provides(available.Get("tags")) {
					return true
				}
			}
		}
	}
	return false
}

// serviceTags returns the values of kuma.io/service of the proxies.
func (m *mesh) serviceTags() []string {
	var values []string
	for _, in := range m.inbounds() {
		if service := in.tags[kuma.TagService]; service != "" {
			values = append(values, service)
		}
	}
	return values
}
