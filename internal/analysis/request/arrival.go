package request

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// connect sets the timeouts of connections to a backend.
func (s *sending) connect(b *Backend, section string, endpoints []proxy.Endpoint) {
	if s.Listener != nil {
		s.connectFromGateway(b, section)
		return
	}
	section, known := s.firstSection(b.Port, section)
	if !known {
		s.NotConsidered = append(s.NotConsidered,
			fmt.Sprintf("whether %s port %d is first called by its name or by its number, which decides about timeouts of connections",
				kuma.Describe(b.Port.Resource.Type, b.Port.Resource.Name, ""), b.Port.Number))
	}
	conf := s.outgoing(meshTimeout, destinationOf(b.Port, b.Tags, section))
	b.Timeouts = Timeouts{Connect: conf.timeout(connectionTimeout, unset)}
	if s.isHTTP() {
		none := b.Port.Protocol == protocolGRPC // the cluster has none
		switch kind := b.Port.Resource.Type; {
		case s.isKuma3(): // also without a zone egress, and by the protocol of the MeshMultiZoneService itself
		case kind == kuma.KindMeshMultiZoneService:
			none = !hasHTTPSettings(commonProtocol(endpoints))
		case kind == kuma.KindMeshExternalService:
			none = none || len(s.egresses()) == 0
		}
		if none {
			conf = leaves{}
		}
		b.Timeouts.addHTTP(conf, unset)
		for _, t := range []*Timeout{b.Timeouts.Idle, b.Timeouts.MaxStream, b.Timeouts.MaxConnection} {
			t.ByProxy = none
		}
	}
}

// candidates are what can take the requests for a backend.
type candidates struct {
	endpoints []proxy.Endpoint
	elsewhere string // names proxies of other zones whose Dataplanes are not known; empty if there are none
	stays     bool   // a MeshLoadBalancingStrategy keeps requests in the zone of the client
	leavesOut bool   // if no endpoint is left, it leaves out all that provide the service
	atEgress  bool   // the ZoneEgress of the zone of the client applies it, too
}

// candidates returns what can take the requests for a backend. all are the endpoints that provide it.
func (s *sending) candidates(b *Backend, section string, all []proxy.Endpoint) candidates {
	strategy := s.strategy(b, section)
	locality := strategy.Get("localityAwareness")
	inZone, acrossZones := locality.Get("localZone").Known(), locality.Get("crossZone").Known()
	elsewhere, separated := s.zonesOf(b, locality)
	c := candidates{elsewhere: elsewhere, stays: inZone && !acrossZones, leavesOut: len(all) > 0 || separated}
	if s.proxies.LeavesOutUntagged(locality, s.Dataplane) {
		all = slices.DeleteFunc(all, func(e proxy.Endpoint) bool { return !e.IsTagged() })
	}
	own, others := s.inZone(all)
	leavesZone := len(others) > 0 || elsewhere != "" || slices.ContainsFunc(own, func(e proxy.Endpoint) bool { return !e.IsTagged() })
	c.atEgress = leavesZone && (inZone || acrossZones) && s.proxies.HasExits()
	others = s.failover(locality, others)
	switch {
	case c.stays:
		c.elsewhere, c.endpoints = "", own
	case len(own) > 0 && s.proxies.PrefersOwnZone(b.Tags != nil, strategy): // others if none of them is healthy
		c.elsewhere, c.endpoints = cmp.Or(elsewhere, dataplanesOf(zonesOf(others))), own
	default:
		c.endpoints = slices.Concat(own, others)
	}
	return c
}

// deliver sets what happens to the share of a backend.
func (s *sending) deliver(b *Backend, section string) {
	all := s.proxies.Entered(s.client.Zone, s.providers(b), b.Tags != nil)
	if s.SPIFFEID == "" {
		s.connect(b, section, all)
	}
	c := s.candidates(b, section, all)
	switch {
	case s.Listener != nil && b.Tags != nil && len(s.client.Names) > 0 && s.client.Identity == (kuma.Key{}):
		b.Verdict, b.Reason = Unknown, "The gateway refers to its certificate for backends by tags by a name under which it may not get one. "+
			"Refer to a MeshService by labels and port."
	case b.Port.Resource.Type == kuma.KindMeshExternalService:
		s.deliverOutside(b, section)
	case c.atEgress:
		b.Verdict, b.Reason = Unknown, "With routing.zoneEgress of the Mesh, the ZoneEgress of the zone also applies the "+
			"MeshLoadBalancingStrategy, which is not evaluated."
	case len(c.endpoints) == 0:
		b.Verdict, b.Reason = s.unprovided(b, c)
	default:
		if c.elsewhere != "" {
			s.NotConsidered = append(s.NotConsidered, c.elsewhere)
		}
		for _, e := range c.endpoints {
			b.Proxies = append(b.Proxies, s.receive(b.Port, e))
		}
		b.summarize()
	}
}

// unprovided returns what happens to requests without a known endpoint, and why.
func (s *sending) unprovided(b *Backend, c candidates) (Verdict, string) {
	switch {
	case c.stays:
		return NoHealthy, "A MeshLoadBalancingStrategy with localZone and without crossZone leaves out other zones and, before " +
			"Kuma 3.0, inbounds without tags. No other proxy provides the service."
	case c.elsewhere != "":
		return Unknown, "Only " + c.elsewhere + " can take the request: requests through a zone ingress are not evaluated."
	case c.leavesOut:
		return NoHealthy, "A MeshLoadBalancingStrategy with crossZone leaves out zones without a failover to them and, before " +
			"Kuma 3.0, inbounds without tags, unless a failover to Any or AnyExcept applies. No other proxy provides the service."
	case b.Tags != nil && s.provided(b.Tags) != nil:
		return Unknown, providedBy(s.provided(b.Tags))
	case b.Tags == nil && s.otherZones(b) != nil, len(s.providers(b)) > 0:
		return NoHealthy, "Only other zones provide the service, and " + s.proxies.Separation(b.Tags != nil) + "."
	default:
		return NoHealthy, "No proxy provides the service."
	}
}

// strategy returns what a MeshLoadBalancingStrategy sets for a backend.
func (s *sending) strategy(b *Backend, section string) tree.Node {
	if s.SPIFFEID != "" || s.Listener != nil {
		return tree.Root(nil)
	}
	found, ok := s.lookup(meshLoadBalancingStrategy, destinationOf(b.Port, b.Tags, section))
	if !ok {
		return tree.Root(nil)
	}
	return tree.Root(found.Merge()[0])
}

// summarize sets the verdict that the proxies have in common.
func (b *Backend) summarize() {
	b.Verdict, b.Reason = b.Proxies[0].Verdict, b.Proxies[0].Reason
	if slices.ContainsFunc(b.Proxies, func(p Proxy) bool { return p.Verdict != b.Verdict }) {
		b.Verdict, b.Reason = Mixed, "Proxies of the service differ."
	}
}

// endpoints returns the inbounds that provide the port of a service, and that requests of the client get to: none for a
// MeshExternalService.
func (s *sending) endpoints(p rules.Port) []proxy.Endpoint {
	return s.proxies.Entered(s.client.Zone, s.proxies.Endpoints(p), false)
}

// tagged returns the inbounds with tags to which requests are sent.
func (s *sending) tagged(tags map[string]string) []proxy.Endpoint {
	return s.proxies.Entered(s.client.Zone, s.proxies.Tagged(tags), true)
}

// providers returns the inbounds that provide a backend in any zone.
func (s *sending) providers(b *Backend) []proxy.Endpoint {
	if b.Tags != nil {
		return s.proxies.Tagged(b.Tags)
	}
	return s.proxies.Endpoints(b.Port)
}

// inZone divides endpoints into those in the zone of the client, and the others.
func (s *sending) inZone(endpoints []proxy.Endpoint) (own, others []proxy.Endpoint) {
	for _, e := range endpoints {
		if e.ServesZone(s.client.Zone) {
			own = append(own, e)
		} else {
			others = append(others, e)
		}
	}
	return own, others
}

// failover returns the endpoints of other zones to which the locality awareness of a policy sends requests if the own zone has none.
func (s *sending) failover(locality tree.Node, others []proxy.Endpoint) (found []proxy.Endpoint) {
	if !locality.Get("crossZone").Known() {
		return others
	}
	first := -1
	for _, e := range others {
		switch at := proxy.Failover(locality, s.client.Zone, e.Resource.Zone()); {
		case at < 0 || first >= 0 && at > first:
			continue
		case at != first:
			first, found = at, nil
		}
		found = append(found, e)
	}
	return found
}

func zonesOf(endpoints []proxy.Endpoint) []string {
	return phrase.Sorted(phrase.Each(endpoints, func(e proxy.Endpoint) string { return e.Resource.Zone() }))
}

func inboundOf(e proxy.Endpoint) rules.Inbound {
	return rules.Inbound{Port: e.Port, Name: text(e.Node.Get("name"))}
}

// receive returns what a proxy does with a request for a port of a service.
func (s *sending) receive(service rules.Port, e proxy.Endpoint) Proxy {
	p, connected := s.admit(service, e)
	if !connected {
		return p
	}
	from := s.peer(p, service)
	p.Timeouts = s.incomingTimeouts(e, from)
	s.findSharedCluster(e, from, p.Timeouts)
	s.protect(&p, e, from)
	return p
}

// admit returns whether a proxy allows the client to call a port of a service, and whether
// there is a connection at all.
func (s *sending) admit(service rules.Port, e proxy.Endpoint) (p Proxy, connected bool) {
	p = Proxy{Dataplane: e.Dataplane, Inbound: inboundOf(e)}
	end := func(v Verdict, format string, args ...any) (Proxy, bool) {
		p.Verdict, p.Reason = v, fmt.Sprintf(format, args...)
		return p, false
	}
	d, err := s.proxies.DecideFor(s.client, proxy.Target{Service: service, Dataplane: e.Dataplane, Port: e.Port, Address: e.Inbound})
	if err != nil {
		s.fail(err)
		return p, false
	}
	server := s.sending(Request{Mesh: s.Mesh, Dataplane: p.Dataplane}, s.proxies, s.proxies.Client(p.Dataplane))
	server.failed = s.failed
	if frozen := server.frozen(); frozen != nil {
		return end(Unknown,
			"The control plane cannot generate the configuration of Dataplane %q, because %s: its proxy keeps the configuration that it has.",
			p.Dataplane, frozen.Reason)
	}
	p.TLS = d.TLS
	p.Security, p.Because = s.security(p.Dataplane, d)
	switch d.Verdict {
	case proxy.Allowed:
		p.Verdict, p.By, p.Rule = Allowed, []kuma.Key{d.By.Policy}, Rule{d.By.Index, d.List, d.Match}
	case proxy.Unchecked, proxy.Plaintext:
		p.Verdict, p.Reason = Allowed, "Permissions are not checked, because the connection is plaintext."
	case proxy.Denied:
		p.Verdict, p.Reason = Denied, fmt.Sprintf("No MeshTrafficPermission allows the client to call Dataplane %q.", p.Dataplane)
		if d.ByDefault() {
			p.Consulted = s.permissions(e)
		} else {
			p.By, p.Rule, p.Reason = []kuma.Key{d.By.Policy}, Rule{d.By.Index, d.List, d.Match}, fmt.Sprintf("%s denies the client.",
				d.By.Policy.Local())
		}
	case proxy.NoCertificate:
		return end(TLSFailed, "Dataplane %q accepts mutual TLS only, but the proxy of the client sends plaintext.", p.Dataplane)
	case proxy.TLSMismatch:
		return end(TLSFailed, "Dataplane %q: %s.", p.Dataplane, d.Reason())
	case proxy.NoConfiguration:
		return end(Unknown, "The proxy of the client or of Dataplane %q gets no configuration: %s.", p.Dataplane, d.Problem)
	default: // proxy.Undecided
		if errors.Is(d.Problem, s.client.Unknown) {
			return end(Unknown, "The SPIFFE ID of the client or of Dataplane %q is not known: %s.", p.Dataplane, d.Problem)
		}
		return end(Unknown, "Whether the client may call Dataplane %q is not known: %s.", p.Dataplane, d.Problem)
	}
	return p, true
}

// permissions returns the policies that decide about the clients of an inbound.
func (s *sending) permissions(e proxy.Endpoint) []kuma.Key {
	in := s.incoming(kinds.MeshTrafficPermission.Name, e)
	var entries []rules.Entry
	for _, r := range in.Rules {
		entries = slices.AppendSeq(entries, r.Entries())
	}
	for _, r := range in.From {
		entries = slices.AppendSeq(entries, r.Entries())
	}
	policy := func(e rules.Entry) kuma.Key { return e.Policy }
	return phrase.Each(phrase.Grouped(entries, policy), func(same []rules.Entry) kuma.Key { return same[0].Policy })
}

// incoming returns the settings of a kind for an inbound.
func (s *sending) incoming(kind string, e proxy.Endpoint) rules.Incoming {
	all := s.policies(kind, e.Dataplane).Incoming()
	i := slices.IndexFunc(all, func(in rules.Incoming) bool { return in.Inbound.Port == e.Port && in.Address == e.Inbound })
	if i < 0 {
		return rules.Incoming{}
	}
	return all[i]
}

// incomingTimeouts returns the timeouts of the proxy that receives the request.
func (s *sending) incomingTimeouts(e proxy.Endpoint, from peer) Timeouts {
	in := s.incoming(meshTimeout, e)
	defaults := unset
	if in.ForSome() {
		defaults = unsetForSome
	}
	limited := s.limitsClients(e, from)
	conf := leaves{}
	applies := func(r rules.IncomingRule) bool { return from.has(r) && (!limited || !byClient(r)) }
	if i := slices.IndexFunc(in.Rules, applies); i >= 0 {
		conf = leavesOf(in.Rules[i].Explain())
	}
	t := Timeouts{Connect: conf.timeout(connectionTimeout, defaults), Idle: conf.timeout(idleTimeout, defaults)}
	switch protocol := ProtocolOf(e.Node); {
	case !isHTTP(protocol):
		return t
	case protocol == protocolGRPC:
		t.Idle = leaves{}.timeout(idleTimeout, unsetOfGRPC)
	default:
		t.MaxStream = conf.timeout(maxStreamDuration, defaults)
		if _, set := conf[maxConnectionDuration]; set { // without a policy, the control plane does not set it
			t.MaxConnection = conf.timeout(maxConnectionDuration, nil)
		}
	}
	t.Request, t.StreamIdle = conf.timeout(requestTimeout, defaults), conf.timeout(streamIdleTimeout, defaults)
	return t
}

func byClient(r rules.IncomingRule) bool { return tree.Object(r.Match)["spiffeID"] != nil }

// limitsClients reports whether limits of a proxy depend on its peer: then timeouts that do have
// no effect (proxies.md §4).
func (s *sending) limitsClients(e proxy.Endpoint, of peer) bool {
	limits := s.incoming(kinds.MeshRateLimit.Name, e)
	limited := func(r rules.IncomingRule) bool {
		return of.configured(r) && leavesOf(r.Explain()).rate("local.http", "requestRate") != nil
	}
	return slices.ContainsFunc(limits.Rules, byClient) && slices.ContainsFunc(limits.Rules, limited)
}

// ProtocolOf returns the protocol of an inbound.
func ProtocolOf(inbound tree.Node) string {
	return cmp.Or(text(inbound.Get("protocol")), text(inbound.Get("tags", kuma.TagProtocol)))
}
