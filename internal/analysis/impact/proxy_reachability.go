package impact

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// proxyReachability compares what the proxy of one dataplane reaches.
type proxyReachability struct {
	*reachability

	was, is usage                        // before and after the change
	renamed map[string]rules.Destination // see [comparison.renamed]
	secure  bool                         // the proxy has a certificate on both sides

	changes []*Change
}

// compare returns the changes for a dataplane.
func (r *reachability) compare(dataplane string) *result {
	p := proxyReachability{
		reachability: r, was: r.before.usageOf(dataplane, ""), is: r.after.usageOf(dataplane, ""), renamed: r.renamed[dataplane],
		secure: len(r.before.proxies.Client(dataplane).Names)*len(r.after.proxies.Client(dataplane).Names) > 0,
	}
	p.changes = slices.Concat(p.tagChanges(), p.affinityChanges(), p.renamedChanges())
	through, now := r.egressesOf(dataplane, 0), r.egressesOf(dataplane, 1)
	for _, id := range r.services {
		p.addChanges(id)
		if through != now && p.usesEgressFor(id) {
			p.changes = append(p.changes, p.change(section{id: id}, EgressPath, through, now))
		}
		p.compareReach(id)
	}
	for _, id := range r.single {
		p.compareReachOfSingle(id)
	}
	p.compareReachOfPorts()
	p.compareReachOfTags()
	for _, o := range p.withoutListener() {
		p.loses(section{id: cmp.Or(o.Port.Resource, kuma.ID{Mesh: p.after.mesh, Name: o.Tags[kuma.TagService]})})
		c := p.changes[len(p.changes)-1]
		c.Destination, c.about = c.Destination+", "+o.Address.String(), c.about+" at "+o.Address.String()
	}
	own := []*Change{r.outside(dataplane)}
	if p.was.usesCertificate() || p.is.usesCertificate() {
		own = append([]*Change{r.certificate(dataplane), r.trust(dataplane)}, own...)
	}
	for _, c := range own {
		if c != nil {
			p.changes = append(p.changes, c)
		}
	}
	return r.share(p.changes, nil)
}

// loses adds that the proxy no longer reaches something.
func (p *proxyReachability) loses(to section) {
	p.changes = append(p.changes, p.change(to, ReachablePath, reachable, notReachable))
}

// gains adds that the proxy reaches something that it did not reach.
func (p *proxyReachability) gains(to section) {
	p.changes = append(p.changes, p.change(to, ReachablePath, notReachable, reachable))
}

// reachesAll reports whether the proxy reaches everything on both sides. No proxy then gains a new service.
func (p *proxyReachability) reachesAll() bool { return p.was.Everything && p.is.Everything }

// addChanges adds the changes of a service that exists on both sides, as far as they concern the proxy.
func (p *proxyReachability) addChanges(id kuma.ID) {
	for _, c := range p.different()[id] {
		connects := c.Path != HostNamesPath && p.was.connectsTo(id) && p.is.connectsTo(id)
		enters := (c.Path == EndpointsPath || c.Path == NamePath) && p.was.enters(id) && p.is.enters(id)
		if enters || p.depends(c) && (connects || c.concerns(p.was.Outbounds) && c.concerns(p.is.Outbounds)) {
			p.changes = append(p.changes, c.Change)
		}
	}
}

// usesCertificate reports whether the proxy encrypts or decrypts connections, which a zone ingress only forwards.
func (u usage) usesCertificate() bool { return !u.zoneProxy || u.egress }

// checksIdentities reports whether the proxy compares the SPIFFE IDs of services. With a certificate of the mesh, it accepts all that a
// MeshTrust vouches for, if there is one (measured on 2.14.3).
func (u usage) checksIdentities() bool {
	return u.proxies.Client(u.dataplane).Identity != (kuma.Key{}) || len(u.Resources(u.mesh, kinds.MeshTrust.Name)) == 0
}

// depends reports whether the configuration of the proxy contains what a change is of.
func (p *proxyReachability) depends(c serviceChange) bool {
	of := c.target.section
	switch c.Path {
	case NamePath: // in server names
		number, _ := strconv.Atoi(of.name)
		return p.secure && p.is.Release().Kuma3() || p.was.Section(of.id, number) != p.is.Section(of.id, number)
	case IdentityPath:
		return p.secure && (p.was.checksIdentities() || p.is.checksIdentities())
	case PortPath: // otherwise the listener has an address of its own
		return p.is.Transparent || p.is.egress
	case HostNamesPath:
		return p.was.Transparent && p.is.Transparent && c.zone == p.is.zoneOf(p.is.dataplane)
	case EndpointsPath, TLSPath: // those of a MeshExternalService are only in zone egresses
		return !p.is.isElsewhere(of.id) && (of.id.Type != kuma.KindMeshExternalService || p.is.egress)
	default:
		return true
	}
}

// usesEgressFor reports whether the proxy sends requests to a service through a zone egress on both sides.
func (p *proxyReachability) usesEgressFor(id kuma.ID) bool {
	return id.Type == kuma.KindMeshExternalService && (p.was.HasService(id) && p.is.HasService(id) || p.was.backends[id] && p.is.backends[id])
}

// compareReach compares whether the proxy reaches a service that exists on both sides.
func (p *proxyReachability) compareReach(id kuma.ID) {
	tag := p.before.proxies.TagOf(id) // by which it can reach the same Dataplanes
	reached, reaches := p.was.HasService(id), p.is.HasService(id)
	reachedByTag, reachesByTag := p.was.HasTag(tag), p.is.HasTag(tag)
	switch {
	case isRenamed(p.renamed, id):
	case reached && !reaches && (reachedByTag || !reachesByTag) && p.was.listens(p.was.dataplane, id):
		p.loses(section{id: id})
	case reaches && (listensForAny(p.is.Outbounds, id, p.filled[id]) || !reached && (reachesByTag || !reachedByTag) && !p.reachesAll()) &&
		p.is.listens(p.is.dataplane, id):
		p.gains(section{id: id})
	}
}

// compareReachOfSingle compares whether the proxy reaches a service that exists on one side only.
func (p *proxyReachability) compareReachOfSingle(id kuma.ID) {
	counts := (!p.was.Everything && !p.is.Everything || p.otherMode) && !isRenamed(p.renamed, id) && !p.isLost(id, p.was.dataplane)
	switch {
	case p.was.passes(id), counts && p.was.HasService(id) && p.was.listens(p.was.dataplane, id):
		p.loses(section{id: id})
	case p.is.passes(id), counts && p.is.HasService(id) && p.is.listens(p.is.dataplane, id):
		p.gains(section{id: id})
	}
}

// compareReachOfPorts compares the ports of the services that the proxy reaches on both sides.
func (p *proxyReachability) compareReachOfPorts() {
	for _, id := range p.services {
		if p.was.enters(id) && p.is.enters(id) {
			eachOnly(p.before.Ports(id), p.after.Ports(id), p.loses)
			eachOnly(p.after.Ports(id), p.before.Ports(id), p.gains)
		}
	}
	if p.was.Key() == p.is.Key() {
		return
	}
	p.portsOnly(p.was, p.is, p.loses)
	if !p.reachesAll() {
		p.portsOnly(p.is, p.was, p.gains)
	}
}

// portsOnly adds the ports that the proxy reaches on the first of two sides only, by number, of services that it reaches on both.
func (p *proxyReachability) portsOnly(first, second usage, add func(section)) {
	for _, port := range first.Ports() {
		if port.Resource.Type != kuma.KindMeshExternalService && second.HasService(port.Resource) &&
			!second.Has(port.Resource, port.Number) && !isRenamed(p.renamed, port.Resource) {
			add(section{port.Resource, strconv.Itoa(port.Number)})
		}
	}
}

// eachOnly adds the ports of a service that are only in the first of two lists, by number.
func eachOnly(first, second []rules.Port, add func(section)) {
	for _, port := range first {
		if !slices.ContainsFunc(second, func(p rules.Port) bool { return p.Number == port.Number }) {
			add(section{port.Resource, strconv.Itoa(port.Number)})
		}
	}
}

// compareReachOfTags compares what the proxy reaches by tags.
func (p *proxyReachability) compareReachOfTags() {
	reaches := func(u usage, tag string) bool {
		if p.was.Transparent && p.is.Transparent {
			return u.HasTag(tag) // of the host name NAME.mesh
		}
		return u.proxies.ReachesTag(u.Outbounds, tag)
	}
	to := func(tag string) section { return section{id: kuma.ID{Mesh: p.after.mesh, Name: tag}} }
	upgraded := p.after.Release().Kuma3() && !p.before.Release().Kuma3()
	leads := func(tags map[string]string) bool { // a listener that refuses all connections is like none
		return len(tags) == 1 || !upgraded || len(p.before.proxies.Tagged(tags)) > 0
	}
	for _, tag := range p.was.Tags() {
		_, isRenamed := p.renamed[tag]
		remains := (upgraded || p.after.HasServiceTag(p.after.mesh, tag)) && slices.ContainsFunc(p.was.ByTags(tag), leads)
		if !isRenamed && remains && !reaches(p.is, tag) {
			p.loses(to(tag))
		}
	}
	for _, tag := range p.is.Tags() {
		if !reaches(p.was, tag) && p.before.HasServiceTag(p.before.mesh, tag) {
			p.gains(to(tag))
		}
	}
}

// withoutListener returns the outbounds of services that the proxy still reaches, at addresses at which it no longer listens: where
// listeners have the names of services, only one of several outbounds to a port has one.
func (p *proxyReachability) withoutListener() []proxy.Outbound {
	if !p.otherMode && p.before.Release() == p.after.Release() { // the Dataplane says it
		return nil
	}
	return slices.DeleteFunc(slices.Clone(p.was.All), func(o proxy.Outbound) bool {
		_, refers := p.renamed[o.Tags[kuma.TagService]]
		return !o.Address.IsValid() || !refers && !p.is.HasService(o.Port.Resource) ||
			slices.ContainsFunc(p.is.All, func(a proxy.Outbound) bool { return a.Address == o.Address })
	})
}
