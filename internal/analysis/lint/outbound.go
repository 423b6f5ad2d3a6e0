package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/access"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

var danglingOutbound = Code{
	Code: "dangling-outbound", Severity: Error, Title: "Outbound that reaches no service",
	Fix: "Correct the outbound, or create the service",
	Doc: "An outbound of a Dataplane, or its `reachableBackends`, refers to a service that exists in no zone, or only in one " +
		"that requests do not enter, or to a port that the service does not have. The application cannot reach it.",
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
						fmt.Sprintf("%s has no port %d, so the proxy does not listen for it.", o, o.Port), "Set port to one that the service has: "+
							phrase.Or(ports...)+"."))
				} else if zone := m.separatedFrom(dp, services); zone != "" && o.Tag == "" {
					report(danglingOutbound.at(dp, o.Path, fmt.Sprintf("%s is in zone %q, and %s.", o, zone, m.proxies().Separation(false)),
						"Let requests enter that zone, or remove the reference."))
				}
				continue
			}
			if proxies := m.proxies(); o.Tag != "" && proxies != nil && proxies.InOtherZones(o.Tag) {
				continue
			}
			message, hint := fmt.Sprintf("There is no %s, so the application cannot reach it.", o), m.hint(dp, o.TargetRef, notOutbound)
			switch {
			case o.ByLabels && len(o.Labels) == 0 && m.Release().Kuma3():
				message, hint = fmt.Sprintf("The reference to %s selects nothing, because Kuma 3.0 does not read its name.", o),
					" Refer to the service by labels, such as kuma.io/display-name."
			case o.Kind == kuma.KindMeshMultiZoneService && o.Name != "" && !m.Release().Kuma3():
				hint = " An outbound finds a MeshMultiZoneService only by labels, because the service belongs to no zone."
			case o.Tag != "":
				hint = phrase.Suggest(o.Tag, m.serviceTags())
			}
			report(danglingOutbound.at(dp, o.Path,
				message+hint, "Correct or remove the reference, or keep the service until no proxy uses it.").on(1))
		}
	}
}

// separatedFrom returns the zone of MeshServices if requests of a Dataplane get to none of them. A zone control plane may not have what
// leads to other zones.
func (m *mesh) separatedFrom(dp *kuma.Resource, services []kuma.Key) (zone string) {
	proxies := m.proxies()
	for _, key := range services {
		r := m.Resource(key)
		if zone = r.Zone(); key.Type != kuma.KindMeshService || proxies == nil || proxies.Enters(dp.Zone(), zone, false) ||
			rules.IsElsewhere(*r) && proxies.LeavesZone() {
			return ""
		}
	}
	return zone
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

// offers reports whether something provides a service with a tag, also in another zone.
func (m *mesh) offers(service string) bool {
	provides := func(tags tree.Node) bool { return tags.Get(kuma.TagService).Value() == service }
	isElsewhere := func(r *kuma.Resource) bool {
		return slices.ContainsFunc(tree.Root(r.Body).Find("availableServices[].tags"), provides)
	}
	return m.HasServiceTag(m.name, service) || slices.ContainsFunc(m.Resources("", kinds.ZoneIngress.Name), isElsewhere)
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

var unreachableDestination = Code{
	Code: "unreachable-destination", Severity: Warning, Title: "Entry for a service that no selected proxy reaches",
	Fix: "Add the service to `reachableBackends`, or remove the entry",
	Doc: "None of the proxies that the policy selects has a listener for the service: " +
		"their Dataplanes list other services in `outbound` or `reachableBackends` or, in Kuma 3.0, list none, or refer to a " +
		"port by number, and the entry by name. Proxies that refer to services by tags are not checked.",
}

func findUnreachableDestination(m *mesh, report func(Finding)) {
	reaches := func(dataplane string, targets []rules.Target) bool {
		o := m.outbounds(dataplane)
		return o.HasTags() || o.Everything || o.Assumed && !m.RestrictsOutbound() ||
			slices.ContainsFunc(targets, func(t rules.Target) bool { return o.HasService(m.Resource(t.Resource).ID()) })
	}
	for _, p := range m.policies {
		selected := m.Selected(p.Key())
		kind := p.TopRef().Kind
		for i, ref := range p.ToRefs() {
			targets := m.Resolve(*p, ref.WithoutSection(), 0)
			if !rules.IsDestination(ref.Kind) || len(targets) == 0 || len(selected) == 0 {
				continue
			}
			byNumber := m.byNumber(p, ref, selected)
			switch {
			case kind != "" && kind != kuma.KindMesh &&
				!slices.ContainsFunc(selected, func(dataplane string) bool { return reaches(dataplane, targets) }):
				report(unreachableDestination.at(p, pathOfToRef(i),
					fmt.Sprintf("The entry has no effect: none of the proxies that the policy selects reaches %s: %s.", ref.WithoutSection(),
						some(selected)),
					"Add the service to reachableBackends or to an outbound of the Dataplanes of its clients, or remove the entry.").on(len(selected)))
			case len(byNumber) > 0:
				report(unreachableDestination.at(p, append(pathOfToRef(i), "sectionName"),
					fmt.Sprintf("The entry has no effect on the proxies of %s: they refer to the port by its number, and not by its name %q.",
						some(byNumber), ref.SectionName),
					"Remove sectionName if the settings are for all ports of the service, or else the name of the port, and set sectionName to "+
						"its number.").on(len(byNumber)))
			}
		}
	}
}

// byNumber returns the proxies that refer to the port of an entry for a section by its number, and so do not have the
// settings of the entry (matching.md §17.5), nil if any proxy refers to it by its name.
func (m *mesh) byNumber(p *kuma.Resource, ref kuma.TargetRef, selected []string) []string {
	var found []string
	targets := m.Resolve(*p, ref, 0)
	if ref.SectionName == "" || m.sections()[ref.SectionName] {
		return nil
	}
	for _, dataplane := range selected {
		for _, l := range m.outbounds(dataplane).All {
			named := l
			named.Section = l.Port.Section
			switch {
			case m.isFor(targets, l):
				return nil
			case m.isFor(targets, named):
				found = append(found, dataplane)
			}
		}
	}
	return phrase.Sorted(found)
}

// isFor reports whether an entry with some targets is for the requests to a listener.
func (m *mesh) isFor(targets []rules.Target, l proxy.Outbound) bool {
	return slices.ContainsFunc(targets, func(t rules.Target) bool {
		return m.Resource(t.Resource).ID() == l.Port.Resource && (t.Section == "" || t.Section == l.Section)
	})
}

var clientRefused = Code{
	Code: "client-refused", Severity: Warning, Title: "Outbound to a service that refuses the client",
	Fix: "Allow the client, or remove the service from its Dataplane",
	Doc: "A client lists a service in `outbound` or `reachableBackends` whose proxies refuse it: " +
		"a MeshTrafficPermission denies it, none allows it, or only one of both sides has a certificate. " +
		"Clients that list no services are not checked. [`kuma_access`](../data-sources/access.md) shows all clients and services.",
}

func findClientRefused(m *mesh, report func(Finding)) {
	if m.proxies() == nil || !slices.ContainsFunc(m.Dataplanes(m.name), m.listsServices) {
		return
	}
	matrix, err := access.Of(m.proxies(), access.Filter{})
	if err != nil {
		return // its policies would exhaust a control plane
	}
	services := map[kuma.ID]*kuma.Resource{}
	for _, r := range m.ofKind(kuma.KindMeshService) {
		services[r.ID()] = r
	}
	for _, row := range matrix.Rows {
		for _, a := range row.Access {
			names, proxies := listing(matrix, a)
			refusal := cmp.Or(a.Refusal, a.Verdict)
			if len(names) == 0 || !slices.Contains([]proxy.Verdict{proxy.Denied, proxy.NoCertificate, proxy.TLSMismatch}, refusal) {
				continue
			}
			advice := "Allow the client in a MeshTrafficPermission for the service"
			switch {
			case refusal == proxy.NoCertificate || refusal == proxy.TLSMismatch:
				advice = "Give client and service certificates that both accept"
			case refusal == proxy.Denied && a.Policy != (kuma.Key{}): // which no other policy can undo
				advice = "Narrow or remove the denial"
			}
			for _, p := range row.Ports {
				if r := services[p.Resource]; r != nil {
					report(clientRefused.at(r, tree.Path{"spec", "ports"},
						fmt.Sprintf("The service refuses %s on port %d, although %s it: %s.", some(names), p.Number,
							phrase.Form(proxies, "this Dataplane lists", "these Dataplanes list"), a.Reason),
						advice+", or remove the service from the Dataplanes of the client.").on(proxies))
				}
			}
		}
	}
}

// listsServices reports whether a Dataplane lists the services that its proxy reaches.
func (m *mesh) listsServices(dataplane string) bool {
	return len(m.outbounds(dataplane).All) > 0 && !m.outbounds(dataplane).Everything
}

// listing returns the dataplanes with an answer that list the port.
func listing(m access.Matrix, a access.Access) (names []string, proxies int) {
	if !a.Reachable {
		return nil, 0
	}
	for _, client := range a.Clients {
		if g := m.Clients[client]; !g.ReachesAll {
			names = append(names, g.Dataplanes...)
		}
	}
	return names, len(names)
}
