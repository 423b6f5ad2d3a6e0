package request

import (
	"fmt"
	"maps"
	"reflect"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// Kinds returns the kinds that a snapshot must contain: the kinds of package proxy, and the kinds
// for zone proxies and host names.
func Kinds() []def.Kind {
	return append(proxy.Kinds(), kinds.HostnameGenerator)
}

// deliverOutside sets what happens to requests for a MeshExternalService, which leave the mesh through
// a zone egress (matching.md §17.8).
func (s *sending) deliverOutside(b *Backend, section string) {
	misnamed, known := s.Misnames(s.Mesh, s.Dataplane, b.Port.Resource)
	egresses := s.egresses()
	if len(egresses) > 0 && s.isSeparated(b, section) {
		b.Verdict, b.Reason = NoHealthy, "A MeshLoadBalancingStrategy with localZone or crossZone leaves out a MeshExternalService of the "+
			"global control plane, which is in no zone, unless a failover to Any or AnyExcept applies."
		return
	}
	for _, e := range egresses {
		p, connected := s.admit(b.Port, e)
		switch {
		case p.Verdict != Unknown && s.proxies.Client(p.Dataplane).Identity == (kuma.Key{}):
			p.Security, p.Because = "", ""
			p.Verdict, p.Reason = TLSFailed, fmt.Sprintf("The zone egress %q does not listen, because it has no certificate of a MeshIdentity.",
				p.Dataplane)
		case misnamed && p.TLS && s.SPIFFEID == "":
			p.By, p.Rule, p.Security, p.Because = nil, Rule{}, "", ""
			service := kuma.Describe(b.Port.Resource.Type, b.Port.Resource.Name, "")
			p.Verdict, p.Reason = TLSFailed, fmt.Sprintf("References to %s have another port than %d: the proxy of the client asks the zone "+
				"egress %q for that port, and the egress rejects it.", service, b.Port.Number, p.Dataplane)
			if !known {
				p.Verdict, p.Reason = Unknown, fmt.Sprintf("References to %s have different ports, and it is not known for which of them the proxy of "+
					"the client asks the zone egress %q. Use port %d only.", service, p.Dataplane, b.Port.Number)
			}
		case connected:
			s.passEgress(&p, b, e)
		}
		b.Proxies = append(b.Proxies, p)
	}
	older := s.snapshot.Resources("", kinds.ZoneEgress.Name)
	switch {
	case len(b.Proxies) > 0:
		b.summarize()
	case len(older) > 0:
		b.Verdict, b.Reason = Unknown, fmt.Sprintf(
			"The request leaves through ZoneEgress %q, which is not part of the analysis. A Dataplane with a listener of type ZoneEgress is.",
			older[0].Name)
	default:
		b.Verdict, b.Reason = NoHealthy, "There is no zone egress, through which proxies reach a MeshExternalService."
	}
}

// isSeparated reports whether the locality awareness of a policy keeps the client from a MeshExternalService: one of the global control
// plane counts as one of another zone, which has no name (proxies.md §3).
func (s *sending) isSeparated(b *Backend, section string) bool {
	locality := s.strategy(b, section).Get("localityAwareness")
	return proxy.HasGroups(locality) && proxy.Failover(locality, s.client.Zone, "") < 0 &&
		s.snapshot.Service(b.Port.Resource).Labels[kuma.LabelOrigin] == kuma.OriginGlobal
}

// passEgress sets what a zone egress does with a request for a MeshExternalService.
func (s *sending) passEgress(p *Proxy, b *Backend, e proxy.Endpoint) {
	from := s.peer(*p, b.Port).atEgress(b.Port)
	p.Timeouts = s.egressTimeouts(e, b.Port, from)
	for _, kind := range unevaluated {
		policies := s.policies(kind, p.Dataplane)
		if found, ok := policies.Lookup(rules.Destination{Resource: b.Port.Resource, Section: b.Port.Section}); ok && found.Resource != nil {
			s.notConsidered(found.Resource.Entries())
		}
	}
	s.protect(p, e, from)
}

// egressTimeouts returns the timeouts of a zone egress for a MeshExternalService: its rules
// for incoming traffic decide about requests, and its rules for outgoing traffic about
// connections to the service (matching.md §17.8).
func (s *sending) egressTimeouts(e proxy.Endpoint, service rules.Port, from peer) Timeouts {
	in := s.incoming(meshTimeout, e)
	limited := s.limitsClients(e, from)
	conf, ruled := from.settings(in, limited)
	out, policies := leaves{}, s.policies(meshTimeout, e.Dataplane)
	if found, ok := policies.Lookup(rules.Destination{Resource: service.Resource, Section: service.Section}); ok && found.Resource != nil {
		out = leavesOf(found.Resource.Explain()[0])
	}
	t := Timeouts{Connect: out.timeout(connectionTimeout, unset), Idle: conf.atEgress(idleTimeout, ruled)}
	if !isHTTP(service.Protocol) {
		return t
	}
	t.Request, t.StreamIdle = conf.atEgress(requestTimeout, ruled), conf.atEgress(streamIdleTimeout, ruled)
	durations := out
	if service.Protocol == protocolGRPC {
		durations = conf
	} else {
		t.Idle = out.timeout(idleTimeout, unset)
	}
	t.MaxStream, t.MaxConnection = durations.timeout(maxStreamDuration, unset), durations.timeout(maxConnectionDuration, unset)
	return t
}

// atEgress returns a timeout of a zone egress: the default of the control plane exists only
// if some rule for timeouts applies.
func (l leaves) atEgress(field string, ruled bool) *Timeout {
	if ruled {
		return l.timeout(field, unset)
	}
	t := l.timeout(field, unsetAtEgress)
	t.ByProxy = t.By == kuma.Key{} && field != requestTimeout
	return t
}

// settings returns the settings of a zone egress for the requests of a peer, and whether a
// rule for all clients applies. A rule for the service replaces rules without a match. A
// rule for the client overrides fields of both.
func (p peer) settings(in rules.Incoming, limited bool) (conf leaves, ruled bool) {
	var all, named, own leaves
	for _, r := range in.Rules {
		switch {
		case !p.meets(r.Match):
		case r.Match == nil:
			all = leavesOf(r.Explain())
		case !byClient(r):
			named = leavesOf(r.Explain())
		case own == nil && !limited:
			own = leavesOf(r.Explain())
		}
	}
	conf = leaves{}
	if named != nil {
		for path, leaf := range named {
			if general, ok := all[path]; !ok || !reflect.DeepEqual(leaf.SetBy, general.SetBy) {
				conf[path] = leaf
			}
		}
	} else {
		maps.Copy(conf, all)
	}
	maps.Copy(conf, own)
	return conf, all != nil || named != nil
}

// egresses returns the listeners for traffic that leaves the mesh, in the zone of the client.
func (s *sending) egresses() []proxy.Endpoint {
	own, _ := s.inZone(s.proxies.Egresses())
	return own
}
