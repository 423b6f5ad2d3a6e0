package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

var wrongProtocol = Code{
	Code: "wrong-protocol", Severity: Warning, Title: "Setting for another protocol than that of the port",
	Fix: "Correct the protocol of the port, or remove the setting",
	Doc: "None of the ports that the entry is for has a protocol that uses the setting:\n\n- a MeshHTTPRoute, hash policies, and `http` of " +
		"MeshTimeout, MeshRateLimit and MeshFaultInjection: `http`, `http2` and `grpc`\n- idle and maximum durations of " +
		"MeshTimeout: all but `grpc`\n- `http` of a MeshHealthCheck: `http` and `http2`\n- `http` of a MeshRetry: `http` only\n" +
		"- `grpc` and `tcp` of MeshHealthCheck and MeshRetry: the protocol with that name\n\nPorts without a protocol have `tcp`. " +
		"Entries that also have a block for the protocol of the port, and entries for the whole mesh, are not reported.",
}

// portProtocol is a port to which an entry applies; of is empty for a listener of a gateway.
type portProtocol struct{ of, number, protocol string }

func findWrongProtocol(m *mesh, report func(Finding)) {
	for _, p := range m.policies {
		k, _ := kinds.Find(p.Type)
		if m.initial[p.Key()] {
			continue
		}
		spec := tree.Root(p.Document()).Get("spec")
		for i, ref := range p.ToRefs() {
			if entries := spec.Get("to").Items(); ref.Kind != kuma.KindMesh && i < len(entries) {
				m.wrongProtocols(report, p, k, entries[i], func() []portProtocol {
					ports := m.portsOf(p, ref)
					if len(ports) > 0 {
						ports = append(ports, m.listenersFor(p, ref)...)
					}
					return ports
				})
			}
		}
		if kind := p.TopRef().Kind; kind == "" || kind == kuma.KindMesh {
			continue
		}
		for _, list := range []string{"from", "rules"} {
			for _, entry := range spec.Get(list).Items() {
				m.wrongProtocols(report, p, k, entry, func() []portProtocol { return m.inboundsOf(p) })
			}
		}
	}
}

// wrongProtocols reports the findings about an entry, for which ports returns those that it is for.
func (m *mesh) wrongProtocols(report func(Finding), p *kuma.Resource, k def.Kind, entry tree.Node, ports func() []portProtocol) {
	parts := []tree.Node{entry.Get("rules")} // of a route
	if p.Type != kuma.KindMeshHTTPRoute {
		parts = protocolParts(k, entry.Get("default"), nil)
	}
	protocolsOf := func(part tree.Node) []string {
		if p.Type == kuma.KindMeshHTTPRoute {
			return kuma.HTTPProtocols()
		}
		return k.Protocols(part.Path[len(entry.Get("default").Path):])
	}
	if len(parts) == 0 || parts[0].Absent() {
		return
	}
	of := ports()
	if len(of) == 0 {
		return
	}
	unused := func(part tree.Node) bool {
		return !slices.ContainsFunc(of, func(port portProtocol) bool { return slices.Contains(protocolsOf(part), port.protocol) })
	}
	var reported []tree.Node
	for _, part := range parts {
		if unused(part) {
			reported = append(reported, part)
			continue
		}
		fields := part.Entries() // which can be for fewer protocols
		for _, field := range fields {
			if unused(field) {
				reported = append(reported, field)
			}
		}
		if len(fields) == 0 || slices.ContainsFunc(fields, func(field tree.Node) bool { return !unused(field) }) {
			return
		}
	}
	for _, part := range reported {
		name, otherwise := "The route", "remove the setting"
		if p.Type != kuma.KindMeshHTTPRoute {
			path := part.Path[len(entry.Get("default").Path):]
			name = path.String()
			if fields := fieldsInstead(k, path, of); len(fields) > 0 {
				otherwise = "replace " + name + " with " + phrase.And(fields...)
			}
		}
		report(wrongProtocol.at(p, part.Path,
			fmt.Sprintf("%s has no effect on %s, because it only applies to %s.", name, describePorts(of), phrase.And(protocolsOf(part)...)),
			fmt.Sprintf("Set the protocol of the port to %s if clients use it, or %s.", phrase.Or(protocolsOf(part)...), otherwise)))
	}
}

// fieldsInstead returns the fields beside one that are for the protocols of the ports.
func fieldsInstead(k def.Kind, path tree.Path, ports []portProtocol) (fields []string) {
	for _, name := range []string{"tcp", "http", "grpc"} {
		at := append(slices.Clone(path[:len(path)-1]), name)
		if k.Protocols(at) != nil && slices.ContainsFunc(ports, func(p portProtocol) bool { return k.AppliesTo(at, p.protocol) }) {
			fields = append(fields, at.String())
		}
	}
	return fields
}

// protocolParts returns the parts of a conf that only apply to some protocols.
func protocolParts(k def.Kind, n tree.Node, path tree.Path) []tree.Node {
	var parts []tree.Node
	for _, e := range n.Entries() {
		switch at := append(slices.Clone(path), e.Key()); {
		case k.Protocols(at) == nil:
			parts = append(parts, protocolParts(k, e, at)...)
		case !e.Empty():
			parts = append(parts, e)
		}
	}
	return parts
}

// portsOf returns the ports that an entry of `to` is for: those of its services, or of the
// services of its routes. It returns none if some are not known.
func (m *mesh) portsOf(p *kuma.Resource, ref kuma.TargetRef) []portProtocol {
	var ports []portProtocol
	for _, t := range m.Resolve(*p, ref, 0) {
		r := m.Resource(t.Resource)
		if rules.IsRoute(r.Type) {
			for _, to := range r.ToRefs() {
				of := m.portsOf(r, to)
				if len(of) == 0 {
					return nil
				}
				ports = append(ports, of...)
			}
			continue
		}
		for _, port := range m.Ports(r.ID()) {
			if t.Section == "" || t.Section == port.Section {
				ports = append(ports, portProtocol{r.Key().Local(), fmt.Sprint(port.Number), port.Protocol})
			}
		}
	}
	if ref.Kind == kuma.KindMeshService && ref.Name != "" {
		ports = append(ports, m.inboundsWithTag(ref.Name)...)
	}
	return ports
}

// listenersFor returns the listeners of builtin gateways with a route to the destination of an entry, without their numbers. Their
// settings are those for the protocol of the listener, whatever the protocol of the port (matching.md §18.4).
func (m *mesh) listenersFor(p *kuma.Resource, ref kuma.TargetRef) (listeners []portProtocol) {
	gateways := slices.DeleteFunc(slices.Clone(m.Selected(p.Key())), func(name string) bool { return !m.isBuiltinGateway(name) })
	services := m.Resolve(*p, ref.WithoutSection(), 0)
	meets := func(route *kuma.Resource) func(rules.BackendRef) bool {
		return func(b rules.BackendRef) bool {
			return b.Name != "" && b.Name == ref.Name ||
				slices.ContainsFunc(m.Resolve(*route, b.WithoutSection(), 0), func(t rules.Target) bool { return slices.Contains(services, t) })
		}
	}
	protocols := map[string]string{kuma.KindMeshHTTPRoute: "http", kuma.KindMeshTCPRoute: "tcp"}
	for _, route := range m.policies {
		if protocols[route.Type] != "" && overlap(gateways, m.Selected(route.Key())) &&
			slices.ContainsFunc(rules.BackendRefs(*route), meets(route)) {
			listeners = append(listeners, portProtocol{protocol: protocols[route.Type]})
		}
	}
	return listeners
}

// inboundsWithTag returns the inbounds with a value of kuma.io/service.
func (m *mesh) inboundsWithTag(service string) []portProtocol {
	var ports []portProtocol
	for _, in := range m.inbounds() {
		if !in.gateway() && in.tags[kuma.TagService] == service {
			ports = append(ports, inboundProtocol(in.dataplane, in.Node))
		}
	}
	return ports
}

// inboundsOf returns the inbounds that entries for incoming traffic may be for.
func (m *mesh) inboundsOf(p *kuma.Resource) []portProtocol {
	var ports []portProtocol
	section := p.TopRef().SectionName
	for _, name := range m.Selected(p.Key()) {
		dp := m.dataplane(name)
		networking := tree.Root(dp.Body).Get("networking")
		if networking.Get("gateway").Known() || networking.Get("listeners").Filled() {
			return nil
		}
		for _, in := range networking.Get("inbound").Items() {
			inboundName, _ := in.Get("name").Text()
			if port := inboundProtocol(dp, in); section == "" || section == inboundName || section == port.number {
				ports = append(ports, port)
			}
		}
	}
	return ports
}

func inboundProtocol(dp *kuma.Resource, inbound tree.Node) portProtocol {
	protocol, _ := inbound.Get("protocol").Text()
	if tag := tree.StringMap(inbound.Get("tags").Value())[kuma.TagProtocol]; tag != "" {
		protocol = tag
	}
	if protocol == "" {
		protocol = "tcp"
	}
	return portProtocol{fmt.Sprintf("Dataplane %q", dp.Name), portWords(inbound.Get("port")), strings.ToLower(protocol)}
}

// describePorts lists ports with their protocols, or the first few of them.
func describePorts(ports []portProtocol) string {
	const few = 3
	ports = slices.DeleteFunc(slices.Clone(ports), func(p portProtocol) bool { return p.of == "" })
	return phrase.Some(phrase.Sorted(phrase.Each(ports, func(p portProtocol) string {
		return fmt.Sprintf("port %s of %s (%s)", p.number, p.of, phrase.Word(p.protocol))
	})), few, "ports")
}
