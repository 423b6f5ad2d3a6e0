package request

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// A service that is only known by tags has a port without a number, and a resource without a type.
// This file handles such services (matching.md §17.10).

// unsetByTags are the timeouts of requests by tags for which no MeshTimeout has a rule.
var unsetByTags = table{connectionTimeout: 5 * time.Second, idleTimeout: time.Hour, streamIdleTimeout: 5 * time.Minute}

// callTags makes the proxies with some tags the destination.
func (s *sending) callTags(tags map[string]string) {
	s.Destination, s.Tags = s.portOf(tags), tags
}

// portOf returns the port of the proxies with some tags, with the protocol of their service.
func (s *sending) portOf(tags map[string]string) rules.Port {
	of := map[string]string{kuma.TagService: tags[kuma.TagService]}
	endpoints, others := s.tagged(of), s.proxies.Elsewhere(of)
	if len(endpoints) == 0 {
		others = append(others, phrase.Each(s.provided(of), func(key kuma.Key) map[string]string {
			return tree.StringMap(s.snapshot.Resource(key).Body["tags"])
		})...)
	}
	protocol := commonProtocol(endpoints, others...)
	return rules.Port{Resource: kuma.ID{Mesh: s.Mesh, Name: of[kuma.TagService]}, Protocol: protocol}
}

// commonProtocol returns the protocol that the tags of inbounds and of what else provides a service have in common. It is empty if
// there are none, or if one has no protocol: proxies then handle it as TCP without retries.
func commonProtocol(endpoints []proxy.Endpoint, elsewhere ...map[string]string) string {
	protocols := phrase.Sorted(append(
		phrase.Each(endpoints, func(e proxy.Endpoint) string { return text(e.Node.Get("tags", kuma.TagProtocol)) }),
		phrase.Each(elsewhere, func(tags map[string]string) string { return tags[kuma.TagProtocol] })...,
	))
	switch {
	case len(protocols) == 0 || protocols[0] == "":
		return ""
	case len(protocols) == 1:
		return protocols[0]
	case slices.Equal(protocols, []string{protocolGRPC, protocolHTTP2}):
		return protocolHTTP2
	default:
		return protocolTCP
	}
}

// ProtocolByTag returns the protocol of what a proxy sends by a value of kuma.io/service, empty unless all Dataplanes say one, and
// whether it is known: not if Dataplanes of other zones decide it.
func (sim Simulation) ProtocolByTag(mesh, dataplane, service string) (protocol string, known bool) {
	s, err := sim.client(mesh, dataplane)
	if err != nil {
		return "", false // reported elsewhere
	}
	tags := map[string]string{kuma.TagService: service}
	known = len(s.tagged(tags)) > 0 || !s.proxies.OtherZones() && len(s.proxies.Inbounds(tags)) == 0
	return s.portOf(tags).Protocol, known
}

// nameOf returns the name of the proxies with some tags for people: "api (version=v1)".
func nameOf(tags map[string]string) string {
	others := maps.Clone(tags)
	delete(others, kuma.TagService)
	if len(others) == 0 {
		return tags[kuma.TagService]
	}
	return fmt.Sprintf("%s (%s)", tags[kuma.TagService], phrase.Pairs(others))
}

// zonesOf names the proxies of other zones that provide a backend, or may do so; empty if there are none. It also reports whether the
// locality awareness of a policy keeps the client from some.
func (s *sending) zonesOf(b *Backend, locality tree.Node) (names string, separated bool) {
	switch {
	case b.Tags != nil && len(s.proxies.Elsewhere(b.Tags)) > 0:
		return "Dataplanes of other zones with the tags of " + b.Name, false
	case b.Tags != nil && s.proxies.OtherZones():
		return "Dataplanes of other zones, which may have the tags of " + b.Name, false
	case b.Tags != nil || !s.proxies.LeavesZone():
		return "", false
	}
	zones := s.otherZones(b)
	reached := slices.DeleteFunc(slices.Clone(zones), func(zone string) bool {
		return locality.Get("crossZone").Known() && proxy.Failover(locality, s.client.Zone, zone) < 0
	})
	return dataplanesOf(reached), len(reached) < len(zones)
}

// dataplanesOf names the Dataplanes of zones, empty if there are none.
func dataplanesOf(zones []string) string {
	if len(zones) == 0 {
		return ""
	}
	return "Dataplanes of zone " + phrase.And(phrase.Quote(zones)...)
}

// otherZones returns the other zones that have a MeshService of a backend.
func (s *sending) otherZones(b *Backend) (zones []string) {
	for _, id := range s.snapshot.Behind(b.Port.Resource) {
		if service := s.snapshot.Service(id); rules.IsElsewhere(*service) {
			zones = append(zones, service.Zone())
		}
	}
	return phrase.Sorted(zones)
}

// isUnseen reports whether only proxies of other zones can provide the tags that the request is sent to, and answers it if so.
func (s *sending) isUnseen() bool {
	if s.Tags == nil || !s.proxies.OtherZones() || len(s.proxies.Inbounds(map[string]string{kuma.TagService: s.Tags[kuma.TagService]})) > 0 {
		return false
	}
	s.unknown("No Dataplane of this zone has the tag %s=%s, and a zone control plane does not have those of other zones.",
		kuma.TagService, s.Tags[kuma.TagService])
	return true
}

// destinationOf returns the destination by which settings for a port are looked up. Of tags,
// only kuma.io/service counts.
func destinationOf(p rules.Port, tags map[string]string, section string) rules.Destination {
	if tags != nil {
		return rules.Destination{Tags: map[string]string{kuma.TagService: tags[kuma.TagService]}}
	}
	return rules.Destination{Resource: p.Resource, Section: section}
}

// allPaths are the matches of the route that a proxy adds for what no other one takes.
var allPaths = []any{map[string]any{"path": map[string]any{"type": pathPrefix, "value": "/"}}}

// onItsRoute returns the destination by which settings for the request are looked up. By tags,
// policies whose top-level targetRef is a route depend on the matches of the rule.
func (s *sending) onItsRoute() rules.Destination {
	d := s.destination()
	if s.Tags != nil && s.matches != nil {
		d.Tags = rules.RouteTags(s.Tags[kuma.TagService], s.matches)
	}
	return d
}

// reachTags finds the outbound of the client by tags to the service, and reports whether there
// is one.
func (s *sending) reachTags() (bool, error) {
	if s.Service.Kind != "" || s.isKuma3() || strings.HasPrefix(s.Service.Name, "kri_") {
		return false, nil
	}
	if s.SPIFFEID != "" {
		if s.Service.Port != 0 && s.Service.Port != portHTTP || !s.snapshot.HasServiceTag(s.Mesh, s.Service.Name) {
			return false, nil
		}
		s.callTags(map[string]string{kuma.TagService: s.Service.Name})
		return true, nil
	}
	var found []proxy.Outbound
	var all []string
	for _, o := range s.proxies.Outbounds(s.Dataplane).All {
		port := portHTTP // of a virtual address
		if o.Address.IsValid() {
			port = int(o.Address.Port())
		}
		if o.Tags[kuma.TagService] == s.Service.Name && (s.Service.Port == 0 || s.Service.Port == port) {
			found = append(found, o)
			all = append(all, fmt.Sprintf("%s (%s)", o.Address, phrase.Pairs(o.Tags)))
		}
	}
	if len(found) == 0 {
		return false, nil
	}
	if slices.ContainsFunc(found, func(o proxy.Outbound) bool { return !maps.Equal(o.Tags, found[0].Tags) }) {
		return false, fmt.Errorf("%w: %s is called at %s", ErrAmbiguousService, s.Service, strings.Join(all, ", "))
	}
	s.callTags(found[0].Tags)
	return true, nil
}

// dialTag answers a request to the host name of a service by tags, NAME.mesh, and reports
// whether it is one.
func (s *sending) dialTag() (reached, done bool) {
	name, ok := strings.CutSuffix(strings.ToLower(s.Service.Host), ".mesh")
	if !ok || s.SPIFFEID != "" || !proxy.IsTransparent(s.proxy()) || s.isKuma3() {
		return false, false
	}
	for _, service := range s.proxies.VirtualTags(s.client.Zone) {
		lower := strings.ToLower(service)
		if lower != name && strings.ReplaceAll(lower, "_", ".") != name {
			continue
		}
		switch {
		case !s.proxies.Outbounds(s.Dataplane).HasTag(service):
			return s.end(Unreachable, "The proxy of the client has no outbound to %s=%s.", kuma.TagService, service), true
		case s.Service.Port != portHTTP:
			return s.end(Unreachable, "%s=%s has no port %d: proxies listen on port %d of its virtual address.",
				kuma.TagService, service, s.Service.Port, portHTTP), true
		}
		s.callTags(map[string]string{kuma.TagService: service})
		return true, true
	}
	return false, false
}

// tagsOfServices returns the values of kuma.io/service by which services can be called.
func (s *sending) tagsOfServices() []string {
	if s.isKuma3() {
		return nil
	}
	return s.snapshot.ServiceTags(s.Mesh)
}
