package impact

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// target is what a change is about, as far as it decides whether a proxy uses the value.
type target struct {
	section  section           // of outgoing traffic to a resource
	tags     map[string]string // of outgoing traffic by tags; empty for any, and nil otherwise
	protocol string            // of an inbound
	listener bool              // of traffic through a listener of a builtin gateway, to all services or one
	service  string
	path     tree.Path    // of the value in the conf; nil for the order of a list
	confs    [2]tree.Node // before and after, of kinds of which values decide on others; absent without a rule
	renamed  string       // value of kuma.io/service by which the proxy reached the service before
	uses     [2]bool      // the values that a proxy uses, before and after, if the service is renamed
	implied  bool         // without a value, the default of all traffic applies
	unruled  bool         // one side has no rule by tags, and so other timeouts of requests (matching.md §17.10)
}

// usage is what a proxy uses of the settings for outgoing traffic, on one side of the change.
type usage struct {
	*snapshot
	*proxy.Outbounds
	routeBackends

	dataplane   string
	egress      bool   // the proxy has a listener for traffic out of the mesh
	ingress     bool   // the proxy has a listener for traffic of other zones
	zoneProxy   bool   // no application sends requests through the proxy
	gateway     bool   // the proxy is a builtin gateway
	passthrough string // passthroughMode, if the change is of MeshPassthrough
	ownRules    func() (own ownRules, ok bool)
}

// connectsTo reports whether the proxy connects to a service without an outbound: as a zone egress or for a route.
func (u usage) connectsTo(id kuma.ID) bool {
	return u.backends[id] && (u.gateway || !u.isAssumed()) || u.egress && id.Type == kuma.KindMeshExternalService
}

// enters reports whether proxies of other zones get to a service that exists through the proxy.
func (u usage) enters(id kuma.ID) bool {
	return u.ingress && id.Type != kuma.KindMeshExternalService && u.ids[id] != nil && !u.isElsewhere(id)
}

// passes reports whether the proxy has a service that exists without an outbound: as a zone egress or ingress.
func (u usage) passes(id kuma.ID) bool {
	return u.enters(id) || u.egress && id.Type == kuma.KindMeshExternalService && u.ids[id] != nil
}

// usageOf returns what the proxy of a dataplane uses of the values of a type.
func (s *snapshot) usageOf(dataplane, policyType string) usage {
	u := usage{
		snapshot: s, Outbounds: s.proxies.Outbounds(dataplane), dataplane: dataplane, gateway: len(s.Listeners(s.mesh, dataplane)) > 0,
		egress: s.proxies.HasListener(dataplane, kuma.ListenerEgress), ingress: s.proxies.HasListener(dataplane, kuma.ListenerIngress),
		zoneProxy: s.proxies.IsZoneProxy(dataplane),
	}
	if policyType == kinds.MeshPassthrough.Name {
		u.passthrough = s.passthroughMode(dataplane)
	}
	u.routeBackends = u.backendsOfRoutes()
	u.ownRules = sync.OnceValues(func() (ownRules, bool) { return u.ownRulesOf(policyType) })
	return u
}

// reaches reports whether the proxy has a listener, or a backend of a route, that a change is
// about, as far as that is known: a Dataplane that does not say for what its proxy listens counts
// as one that reaches everything.
func (u usage) reaches(of target) bool {
	service, named := of.tags[kuma.TagService]
	switch {
	case named && service == "": // of a reference by labels
		return false
	case u.leaves(of):
		return true
	case u.zoneProxy && u.isAssumed():
		return false
	case u.isAssumed():
		return true
	case of.tags != nil:
		return u.HasTags() && (!named || u.HasTag(service)) || u.byTag[service] != nil
	case of.section.isRoute():
		return u.takes(of.section.id, anyProtocol)
	case of.section.id.Type == kuma.KindMesh:
		return len(u.All) > 0
	default:
		return len(u.protocols(of.section, sendsOrListens, ownRules{})) > 0
	}
}

// listenersTake reports whether a setting for incoming traffic has an effect on the listeners of a zone proxy, which are of TCP for traffic
// of other zones (matching.md §17.8).
func (u usage) listenersTake(k def.Kind, path tree.Path) bool {
	switch {
	case k.Name == kinds.MeshCircuitBreaker.Name, k.Name == kinds.MeshTLS.Name, path.String() == "connectionTimeout":
		return false
	default:
		return u.egress || path == nil || k.AppliesTo(path, "tcp")
	}
}

// leaves reports whether the proxy, as a zone egress, sends what a change is about out of the mesh (matching.md §17.8).
func (u usage) leaves(of target) bool {
	return u.egress && (of.section.id.Type == kuma.KindMeshExternalService ||
		of.section.id.Type == kuma.KindMesh && len(u.Resources(u.mesh, kuma.KindMeshExternalService)) > 0)
}

// externalProtocols returns the protocols of the external services that a change is about.
func (u usage) externalProtocols(of target) (all []string) {
	for _, r := range u.Resources(u.mesh, kuma.KindMeshExternalService) {
		if of.section.id.Type == kuma.KindMesh || of.section.id == r.ID() {
			all = append(all, phrase.Each(u.snapshot.Ports(r.ID()), func(p rules.Port) string { return p.Protocol })...)
		}
	}
	return all
}

// applies reports whether the value of a change has an effect on the protocol of the ports that it
// is about.
func (u usage) applies(k def.Kind, c Change) bool {
	switch {
	case c.Direction != To && u.zoneProxy:
		return u.listenersTake(k, c.target.path)
	case c.Direction != To:
		return c.target.protocol == "" || c.target.path == nil || k.AppliesTo(c.target.path, c.target.protocol)
	case u.areOnRoutes(k, c):
		return false
	case u.leaves(c.target) && (u.zoneProxy || c.target.path == nil || !k.Policy.Gateway.OfRequests(c.target.path)):
		return c.target.path == nil || !k.Policy.Gateway.OfRequests(c.target.path) && c.appliesTo(k, u.externalProtocols(c.target)...)
	case c.target.section.isRoute():
		return c.target.path == nil || k.Policy.OnRoute(c.target.path) && (u.gateway || u.isAssumed() ||
			u.takes(c.target.section.id, func(p string) bool { return !kuma.IsHTTP(p) || k.AppliesTo(c.target.path, p) }))
	case c.target.section.id.Type == kuma.KindMesh && !u.isAssumed() && !u.gateway:
		return u.takesRuleOfMesh(k, c)
	case u.isAssumed():
		return true
	case c.target.tags != nil:
		return u.appliesByTag(k, c)
	case !rules.IsDestination(c.target.section.id.Type):
		return true
	}
	own, _ := u.ownRules()
	protocols := u.protocols(c.target.section, partOf(k, c.target.path), own)
	if rules.IsRoute(k.Name) { // a MeshHTTPRoute replaces a MeshTCPRoute (matching.md §17.1)
		return slices.ContainsFunc(protocols, func(p string) bool { return kuma.IsHTTP(p) == (k.Name == kuma.KindMeshHTTPRoute) })
	}
	if u.gateway && slices.Contains(protocols, "grpc") && k.Name == kinds.MeshTimeout.Name { // no exceptions (matching.md §18.4)
		return true
	}
	return len(protocols) > 0 && (c.target.path == nil || c.appliesTo(k, protocols...))
}

// appliesByTag reports whether the value of a change has an effect on the protocol of what the proxy sends by tags.
func (u usage) appliesByTag(k def.Kind, c Change) bool {
	return c.target.path == nil || u.sendsByTag(c, partOf(k, c.target.path), func(p tagProtocol) bool {
		switch {
		case !p.known:
			return true
		case rules.IsRoute(k.Name):
			return kuma.IsHTTP(p.protocol) == (k.Name == kuma.KindMeshHTTPRoute)
		case k.Name == kinds.MeshRetry.Name: // which has no effect without a protocol (matching.md §17.10)
			return k.AppliesTo(c.target.path, p.protocol)
		default:
			return c.appliesTo(k, cmp.Or(p.protocol, "tcp"))
		}
	})
}

// sendsByTag reports whether the proxy sends by a tag that a change is about, with a protocol: through a listener, or to a
// backend, which has no settings of requests.
func (u usage) sendsByTag(c Change, by part, has func(tagProtocol) bool) bool {
	of, named := c.target.tags[kuma.TagService]
	return slices.ContainsFunc(u.Tags(), func(service string) bool {
		p := u.protocolByTag(service)
		port := rules.Port{Resource: kuma.ID{Mesh: u.mesh, Name: service}, Protocol: p.protocol}
		p.protocol = u.listenerProtocol(port)
		return (!named || of == service) && u.listensAt(u.dataplane, port) && (by != sends || u.connects(port)) && has(p)
	}) || by != listens && slices.ContainsFunc(slices.Collect(maps.Keys(u.byTag)), func(service string) bool {
		return (!named || of == service) && has(u.protocolByTag(service))
	})
}

func (u usage) sendsRequestsByTag(c Change) bool {
	return u.sendsByTag(c, listens, func(p tagProtocol) bool { return !p.known || kuma.IsHTTP(p.protocol) })
}

// tagProtocol is the protocol of what a proxy sends by a value of kuma.io/service.
type tagProtocol struct {
	protocol string // empty if not all Dataplanes say one
	known    bool
}

func (u usage) protocolByTag(service string) tagProtocol {
	return u.tagProtocols.get([2]string{u.zoneOf(u.dataplane), service}, func() tagProtocol {
		protocol, known := u.simulation.ProtocolByTag(u.mesh, u.dataplane, service)
		return tagProtocol{protocol, known}
	})
}

// isAny reports whether a change is of the rule for all destinations.
func (t target) isAny() bool {
	return t.section.id.Type == kuma.KindMesh || t.tags != nil && len(t.tags) == 0
}

// part is what uses a value for a service: the listener, or connections to the service, also as a backend of
// routes (matching.md §17.4).
type part int

const (
	sendsOrListens part = iota
	listens
	sends
)

func partOf(k def.Kind, path tree.Path) part {
	switch {
	case rules.IsRoute(k.Name):
		return listens
	case k.Policy == nil || path == nil:
		return sendsOrListens
	case k.Policy.Gateway.OfRequests(path):
		return listens
	default:
		return sends
	}
}

// isUsed reports whether a proxy uses the value of a change. If it has a listener on one side
// only, that is a change of its own.
func isUsed(before, after usage, k def.Kind, c Change) bool {
	switch {
	case k.Policy != nil && k.Policy.Permission && before.gateway && after.gateway,
		k.Name == kinds.MeshPassthrough.Name && !before.mayRedirect() && !after.mayRedirect(),
		c.Type == kinds.MeshPassthrough.Name && c.Path == passthroughMode && before.passthrough != "" && before.passthrough == after.passthrough,
		k.Name == kinds.MeshTLS.Name && !before.mayHaveCertificate() && !after.mayHaveCertificate(),
		k.Name == kinds.MeshPassthrough.Name && c.Path != passthroughMode &&
			before.passthrough != passesMatched && after.passthrough != passesMatched:
		return false
	}
	if c.Path == AccessPath || c.Direction != To {
		return c.Path == AccessPath || before.applies(k, c) || after.applies(k, c)
	}
	if k.Name == kinds.MeshAccessLog.Name && c.target.isAny() && (before.Transparent || after.Transparent) {
		return true // of what passes through the proxy
	}
	if c.target.listener {
		return c.target.path == nil || k.Policy.Gateway.OfRequests(c.target.path) || before.connectsByTag(c.target.service) ||
			after.connectsByTag(c.target.service)
	}
	if k.Name == kinds.MeshLoadBalancingStrategy.Name && c.target.section.id.Type == kuma.KindMesh &&
		strings.HasPrefix(c.Path, "loadBalancer") && isContested(before.balancers(before.dataplane), after.balancers(after.dataplane)) {
		return false // see [Impact.findUnbalanced]
	}
	exclusive := before.Exclusive(before.mesh) || after.Exclusive(after.mesh)
	isDefault := c.After != nil && c.After.SetBy == (Source{}) // of HTTP services, which the proxy may not call
	if c.target.tags != nil && (exclusive || isDefault) && (before.isAssumed() || after.isAssumed()) {
		return false
	}
	was, is := before.reaches(c.target), after.reaches(c.target)
	switch {
	case was && is:
		return before.applies(k, c) || after.applies(k, c)
	case was:
		return c.gone && before.applies(k, c)
	default:
		return is && before.ids[c.target.section.id] == nil && c.target.tags == nil && after.applies(k, c)
	}
}

// connectsByTag reports whether a route of a builtin gateway has a backend by tags, of a service or
// any. Without a route, older kinds may have one.
func (u usage) connectsByTag(service string) bool {
	return u.byTag[service] != nil || service == "" && len(u.byTag) > 0 || len(u.byTag)+len(u.backends) == 0
}

// mayRedirect reports whether the traffic of the application may be redirected to the proxy.
func (u usage) mayRedirect() bool {
	return u.Outbounds == nil || u.Transparent || u.Assumed && !u.gateway && !u.proxies.IsZoneProxy(u.dataplane)
}

// mayHaveCertificate reports whether the mesh or a MeshIdentity gives the proxy a certificate, or would if its Dataplane had a label.
func (u usage) mayHaveCertificate() bool {
	client := u.proxies.Client(u.dataplane)
	return client.Identity != (kuma.Key{}) || len(client.Names) > 0
}

// isAssumed reports whether the Dataplane does not say for what its proxy listens.
func (u usage) isAssumed() bool { return u.Outbounds == nil || len(u.All) == 0 && u.Assumed }

// assumed returns the dataplanes for which settings of outgoing traffic change although they do not
// say for what their proxies listen.
func (c *comparison) assumed(groups []Group) (names []string) {
	for _, g := range groups {
		if !slices.ContainsFunc(g.Changes, func(c *Change) bool { return c.Direction == To && !c.target.listener }) {
			continue
		}
		for _, name := range g.Dataplanes {
			o, sendsOnly := c.after.proxies.Outbounds(name), c.after.proxies.IsBuiltinGateway(name) || c.after.proxies.IsZoneProxy(name)
			if len(o.All) == 0 && o.Assumed && !sendsOnly {
				names = append(names, name)
			}
		}
	}
	return phrase.Sorted(names)
}

// protocols returns the protocols of the ports of a service for which the proxy listens, or to which it sends
// requests, without ports with a rule of their own that applies to them.
func (u usage) protocols(of section, by part, own ownRules) []string {
	var found []string
	for _, p := range u.snapshot.Ports(of.id) {
		has, named := u.Has(of.id, p.Number), section{of.id, p.Section}
		switch {
		case of.name != "" && of.name != p.Section, of.name == "" && own.has(named) && len(u.protocols(named, by, ownRules{})) > 0:
		case (u.backends[of.id] && by != listens || has && by == sends && u.connects(p)) && (of.name == "" || u.sendsToSection(p)):
			found = append(found, p.Protocol)
		case has && by != sends && u.listensAt(u.dataplane, p) && (of.name == "" || u.Section(of.id, p.Number) == of.name):
			found = append(found, u.listenerProtocol(p))
		}
	}
	return found
}

// sendsToSection reports whether the settings of connections to a port are looked up by its name, as far as that is known, and not by
// its number (matching.md §17.5).
func (u usage) sendsToSection(p rules.Port) bool {
	section, err := u.simulation.SectionOf(u.mesh, u.dataplane, p, cmp.Or(u.Section(p.Resource, p.Number), p.Section))
	return err != nil || section == "" || section == p.Section // an error is reported elsewhere
}

// listenerProtocol returns the protocol of the listener for a port, which a MeshTCPRoute can change.
func (u usage) listenerProtocol(p rules.Port) string {
	if kuma.IsHTTP(p.Protocol) && len(u.Resources(u.mesh, kuma.KindMeshTCPRoute)) > 0 {
		if http, err := u.simulation.IsHTTP(u.mesh, u.dataplane, p); err == nil && !http { // an error is reported elsewhere
			return "tcp"
		}
	}
	return p.Protocol
}

// listens reports whether a proxy that reaches a service has a listener for it.
func (s *snapshot) listens(dataplane string, id kuma.ID) bool {
	outbounds := s.proxies.Outbounds(dataplane)
	return slices.ContainsFunc(s.Ports(id), func(p rules.Port) bool { return outbounds.Has(id, p.Number) && s.listensAt(dataplane, p) })
}

func (s *snapshot) listensAt(dataplane string, p rules.Port) bool {
	if len(s.Resources(s.mesh, rules.RouteKinds()...)) == 0 {
		return true
	}
	found, err := s.simulation.Listens(s.mesh, dataplane, p)
	return found || err != nil // an error is reported elsewhere
}

// connects reports whether a proxy that listens for a port sends any of the requests to it.
func (u usage) connects(p rules.Port) bool {
	if len(u.backends)+len(u.byTag) == 0 {
		return true
	}
	elsewhere, err := u.simulation.SendsElsewhere(u.mesh, u.dataplane, p)
	return err != nil || !elsewhere // an error is reported elsewhere
}

// takesRuleOfMesh reports whether the value of a change of the rule for any service applies to a port of a service to which
// the proxy sends requests: the port has no rule of its own, and its protocol uses the value. For what the proxy
// sends by tags, there is another rule.
func (u usage) takesRuleOfMesh(k def.Kind, c Change) bool {
	own, ok := u.ownRules()
	if !ok {
		return true
	}
	takes := func(p rules.Port, name, protocol string) bool {
		return !own.has(section{p.Resource, name}) && !own.has(section{p.Resource, ""}) && (c.target.path == nil || c.appliesTo(k, protocol))
	}
	by := partOf(k, c.target.path)
	for _, o := range u.All {
		if o.Tags == nil && takes(o.Port, o.Section, u.listenerProtocol(o.Port)) && (by != sends || u.connects(o.Port)) &&
			(!u.isOfRequests(k, c) || !u.isOnRoutes(o.Port, k, c.target.path, own)) {
			return true
		}
	}
	for id := range u.backends {
		if by != listens && slices.ContainsFunc(u.snapshot.Ports(id), func(p rules.Port) bool { return takes(p, p.Section, p.Protocol) }) {
			return true
		}
	}
	return false
}

// ownRules are the rules of the sides for what has one of its own, for which there is a comparison of its own.
type ownRules struct {
	rules  map[section][2]*rules.ResourceRule
	routes bool // some are for routes
}

func (own ownRules) has(at section) bool {
	_, has := own.rules[at]
	return has
}

// ownRulesOf returns false if they are not known.
func (u usage) ownRulesOf(policyType string) (own ownRules, ok bool) {
	own.rules = map[section][2]*rules.ResourceRule{}
	for side, snapshot := range u.sides {
		policies, err := snapshot.Outline(u.mesh, u.dataplane, policyType)
		if err != nil {
			return ownRules{}, false // reported elsewhere
		}
		for i := range policies.ToResourceRules {
			r := &policies.ToResourceRules[i]
			at := sectionOf(*r)
			of := own.rules[at]
			of[side] = r
			own.rules[at], own.routes = of, own.routes || at.isRoute()
		}
	}
	return own, true
}

func (s *snapshot) zoneOf(dataplane string) string {
	return s.Resource(kuma.Key{Type: kuma.KindDataplane, Mesh: s.mesh, Name: dataplane}).Zone()
}

// isElsewhere reports whether a MeshService is one of another zone, of which the proxy has addresses of the zone only.
func (u usage) isElsewhere(id kuma.ID) bool {
	zone := u.zoneOf(u.dataplane)
	return id.Type == kuma.KindMeshService && zone != "" && id.Zone != "" && id.Zone != zone
}
