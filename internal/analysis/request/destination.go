package request

import (
	"cmp"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// reach finds the port of the service, and reports whether the proxy has an outbound to it.
func (s *sending) reach() (bool, error) {
	if s.Service.Host != "" {
		return s.dial()
	}
	found := slices.DeleteFunc(s.ports(), func(p rules.Port) bool { return !s.Service.isNamed(s.snapshot, p) })
	if len(found) == 0 {
		if reached, err := s.reachTags(); reached || err != nil {
			return reached, err
		}
		if err := s.exists(); err != nil {
			return false, err
		}
		external := s.provided(map[string]string{kuma.TagService: s.Service.Name})
		if len(external) > 0 && s.proxies.Outbounds(s.Dataplane).Transparent {
			return s.unknown("%s", providedBy(external)), nil
		}
		return s.noOutbound(s.Service.String()), nil
	}
	if len(found) > 1 {
		return false, fmt.Errorf("%w: %s is %s", ErrAmbiguousService, s.Service, names(found))
	}
	s.call(found[0])
	return true, nil
}

// noOutbound answers a request for a service that the proxy of the client does not reach.
func (s *sending) noOutbound(service string) bool {
	why := ""
	if s.SPIFFEID == "" {
		switch o := s.proxies.Outbounds(s.Dataplane); {
		case o.Assumed && !o.Transparent:
			why = ": its Dataplane has no outbounds, and no redirect ports in transparentProxying. " +
				"If kuma-dp redirects the traffic, set redirectPortInbound and redirectPortOutbound in the Dataplane"
		case o.Transparent && !o.Listed && s.snapshot.RestrictsOutbound():
			why = ": its Dataplane lists no services in reachableBackends, and the control plane restricts outbounds"
		}
	}
	return s.end(Unreachable, "The proxy of the client has no outbound to %s%s.", service, why)
}

// call makes a port the destination.
func (s *sending) call(p rules.Port) {
	s.Destination, s.Tags, s.section = p, nil, p.Section
	if s.SPIFFEID != "" {
		return
	}
	all := s.proxies.Outbounds(s.Dataplane).All
	if i := slices.IndexFunc(all, func(o proxy.Outbound) bool { return o.Port == p }); i >= 0 {
		s.section = all[i].Section
	}
}

// proxy returns the Dataplane of the client.
func (s *sending) proxy() *kuma.Resource {
	return s.snapshot.Resource(kuma.Key{Type: kuma.KindDataplane, Mesh: s.Mesh, Name: s.Dataplane})
}

// isDrawn reports whether it is not known which of several destinations has a listener, and answers the request if so.
func (s *sending) isDrawn() bool {
	if s.SPIFFEID != "" || s.Listener != nil {
		return false
	}
	outbounds := s.proxies.Outbounds(s.Dataplane)
	if outbounds.IsContested(s.Destination.Resource, s.Destination.Number) {
		return !s.contested()
	}
	if s.Tags != nil || !outbounds.IsDrawn(s.Destination.Resource, s.Destination.Number) {
		return false
	}
	return !s.drawn(s.Destination.Resource)
}

func (s *sending) contested() bool {
	return s.unknown("Another outbound of the Dataplane of the client has the same address and port: " +
		"its proxy has a listener for only one of them. Set different ports.")
}

// findUncertain answers the request if a reference to a service on its way may not resolve in the zone of the client, or to another one.
func (s *sending) findUncertain() {
	if id := s.ambiguous; id != (kuma.ID{}) {
		s.Answer = Answer{Destination: s.Destination, Tags: s.Tags, Listener: s.Listener}
		s.selectsSeveral("A backendRef", id, "the oldest one, which is not known")
	}
	for _, id := range append(s.resolved, s.Destination.Resource) {
		if client := s.proxy(); client != nil && s.proxies.Unlabeled(client.Zone(), id)&^proxy.BySelector != 0 {
			s.Answer = Answer{Destination: s.Destination, Tags: s.Tags, Listener: s.Listener}
			s.unknown("%s is selected by the label %s. Zone %q adds it only to the MeshServices of other zones, and the global control plane "+
				"adds it to all: whether the own service has it is not known. Ask the control plane of the zone.",
				kuma.Describe(id.Type, id.Name, ""), kuma.LabelDisplayName, client.Zone())
		}
	}
}

func (s *sending) drawn(one kuma.ID) bool {
	used := "the oldest one, which is not known"
	if s.proxies.Outbounds(s.Dataplane).Transparent {
		used = "one of them, which can change"
	}
	return s.selectsSeveral("A reference of the Dataplane of the client", one, used)
}

// selectsSeveral answers the request if it is not known which one of several services a reference uses.
func (s *sending) selectsSeveral(reference string, one kuma.ID, used string) bool {
	return s.unknown("%s selects several services, among them %s: the control plane uses %s. "+
		"Add labels to the reference until one service is left.", reference, kuma.Describe(one.Type, one.Name, ""), used)
}

// ports returns the ports that the client reaches, or all ports if its proxy is not known.
func (s *sending) ports() []rules.Port {
	if s.SPIFFEID == "" {
		return s.proxies.Outbounds(s.Dataplane).Ports()
	}
	var ports []rules.Port
	for _, r := range s.snapshot.Resources(s.Mesh, rules.DestinationKinds()...) {
		ports = append(ports, s.snapshot.Ports(r.ID())...)
	}
	return ports
}

// exists returns an error if there is no such service or port.
func (s *sending) exists() error {
	const most = 10 // names in the error
	named := false
	names := s.tagsOfServices()
	if s.Service.Kind == "" && slices.Contains(names, s.Service.Name) {
		return nil
	}
	var known []string // ports
	for _, r := range s.snapshot.Resources(s.Mesh, rules.DestinationKinds()...) {
		names = append(names, r.DisplayName())
		of, ports := s.Service, s.snapshot.Ports(r.ID())
		of.Port = 0
		if !slices.ContainsFunc(append(ports, rules.Port{Resource: r.ID()}), func(p rules.Port) bool { return of.isNamed(s.snapshot, p) }) {
			continue
		}
		named = true
		for _, p := range ports {
			known = append(known, fmt.Sprint(p.Number))
		}
		if s.Service.Port == 0 || slices.ContainsFunc(ports, func(p rules.Port) bool { return p.Number == s.Service.Port }) {
			return nil
		}
	}
	if named {
		return fmt.Errorf("%w %d of %s; its ports: %s", ErrUnknownPort, s.Service.Port, s.Service.Name,
			phrase.Some(phrase.Sorted(known), most, ""))
	}
	if len(names) == 0 {
		return fmt.Errorf("%w %q: the mesh has no services", ErrUnknownService, s.Service.Name)
	}
	names = phrase.Sorted(names)
	return fmt.Errorf("%w %q; services of the mesh: %s.%s", ErrUnknownService, s.Service.Name, phrase.Some(names, most, ""),
		phrase.Suggest(s.Service.Name, names))
}

// isNamed reports whether the request is for a port of a service.
func (d Service) isNamed(s *rules.Snapshot, p rules.Port) bool {
	if d.Port != 0 && d.Port != p.Number || d.Kind != "" && d.Kind != p.Resource.Type {
		return false
	}
	if strings.HasPrefix(d.Name, "kri_") {
		kri := kinds.KRI(p.Resource)
		return d.Name == kri || d.Name == kri+p.Section
	}
	r := s.Service(p.Resource)
	return d.Name == p.Resource.Name || r != nil && d.Name == r.Name
}

// portHTTP is the port of a host, unless another is given.
const portHTTP = 80

// String names the service.
func (d Service) String() string {
	if d.Host != "" {
		return net.JoinHostPort(d.Host, strconv.Itoa(d.Port))
	}
	text := fmt.Sprintf("%s %q", cmp.Or(d.Kind, "service"), d.Name)
	if d.Port != 0 {
		text += fmt.Sprintf(", port %d", d.Port)
	}
	return text
}

func names(ports []rules.Port) string {
	return strings.Join(phrase.Each(ports, func(p rules.Port) string { return kinds.KRI(p.Resource) + p.Section }), ", ")
}

func (s *sending) destination() rules.Destination {
	return destinationOf(s.Destination, s.Tags, s.section)
}
