package impact

import (
	"maps"
	"slices"
	"strconv"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// affinityChanges compares the endpoints that a proxy prefers by affinityTags, and those that its locality awareness leaves, if Dataplanes
// differ.
func (p *proxyReachability) affinityChanges() (changes []*Change) {
	if len(p.own) == 0 {
		return nil
	}
	was, is := p.was.affinity(), p.is.affinity()
	if was == nil || is == nil {
		return nil
	}
	for _, o := range p.is.outbounds() {
		locality, now := p.was.localitiesOf(*was, o), p.is.localitiesOf(*is, o)
		if len(locality)+len(now) == 0 || p.is.isElsewhere(o.Port.Resource) {
			continue
		}
		others := maps.Clone(o.Tags)
		delete(others, kuma.TagService)
		of := section{kuma.ID{Mesh: p.after.mesh, Name: o.Tags[kuma.TagService]}, phrase.Pairs(others)}
		if o.Tags == nil {
			of = section{o.Port.Resource, strconv.Itoa(o.Port.Number)}
		}
		changes = append(changes, p.difference(of, AffinityPath, p.was.preferred(locality, o), p.is.preferred(now, o))...)
		if slices.ContainsFunc(locality, p.before.proxies.PrefersTagged) || slices.ContainsFunc(now, p.after.proxies.PrefersTagged) {
			changes = append(changes, p.difference(of, EndpointsPath, p.was.kept(locality, o, p.after), p.is.kept(now, o, p.before))...)
		}
	}
	return changes
}

// outbounds returns the outbounds of the proxy, also to backends of routes.
func (u usage) outbounds() []proxy.Outbound {
	outbounds := slices.Grow(slices.Clone(u.All), len(u.backends))
	for id := range u.backends {
		for _, p := range u.snapshot.Ports(id) {
			outbounds = append(outbounds, proxy.Outbound{Port: p, Section: p.Section})
		}
	}
	for _, tags := range slices.Concat(slices.Collect(maps.Values(u.byTag))...) {
		outbounds = append(outbounds, proxy.Outbound{Tags: tags})
	}
	return outbounds
}

// isFailover reports whether the value of a change only decides about failovers.
func isFailover(k def.Kind, c Change) bool {
	return k.Name == kinds.MeshLoadBalancingStrategy.Name && c.Direction == To && !c.target.listener &&
		slices.Contains([]string{"localityAwareness.crossZone.failover", "localityAwareness.disabled"}, c.target.path.String())
}

// staysInZone reports whether a change of failovers leaves the configuration of the proxy as it is, because none of its requests can fail
// over to another zone. Any failover can set an overprovisioning factor of clusters, unless a ZoneEgress applies it. Disabling locality
// awareness also affects the preference for endpoints in the zone of the proxy.
func (u usage) staysInZone(c Change) bool {
	if slices.Contains(c.target.path, any("failover")) {
		return u.proxies.HasExits() && !u.isAssumed() && !u.egress && !u.gateway
	}
	prefers := func(r *kuma.Resource) bool {
		return slices.ContainsFunc(tree.Root(r.Body).Find("spec.to[].default.localityAwareness.localZone"), tree.Node.Known)
	}
	return !u.isAssumed() && !u.egress && !u.gateway && !slices.ContainsFunc(u.outbounds(), u.failsOver) &&
		!slices.ContainsFunc(u.Resources(u.mesh, c.Type), prefers)
}

// failsOver reports whether an outbound leads to something that failovers to other zones decide about, unless a ZoneEgress does
// (proxies.md §3).
func (u usage) failsOver(o proxy.Outbound) bool {
	zone, byTag := u.zoneOf(u.dataplane), o.Tags != nil
	isEntered := func(id kuma.ID) bool { return u.isElsewhere(id) && u.proxies.Enters(zone, id.Zone, false) }
	return !u.proxies.HasExits() && (byTag && u.proxies.InOtherZones(o.Tags[kuma.TagService]) ||
		slices.ContainsFunc(u.Behind(o.Port.Resource), isEntered) ||
		o.Port.Resource.Type == kuma.KindMeshExternalService && u.proxies.LeavesZone() || // through a zone egress, with a certificate
		slices.ContainsFunc(u.proxies.Entered(zone, u.endpointsOf(o), byTag), func(e proxy.Endpoint) bool {
			return e.Resource.Zone() != zone || !e.IsTagged() && !u.Release().Kuma3()
		}))
}

// leavesByTag reports whether an outbound by tags leads to other zones, or may do so.
func (u usage) leavesByTag(o proxy.Outbound) bool {
	zone := u.zoneOf(u.dataplane)
	return o.Tags != nil && (u.proxies.InOtherZones(o.Tags[kuma.TagService]) ||
		slices.ContainsFunc(u.proxies.Entered(zone, u.endpointsOf(o), true), func(e proxy.Endpoint) bool { return e.Resource.Zone() != zone }))
}

// affinity returns the rules of the proxy with affinity tags, nil without a policy.
func (u usage) affinity() *rules.PolicyRules {
	kind := kinds.MeshLoadBalancingStrategy.Name
	if !u.IsSelected(u.mesh, u.dataplane, kind) {
		return nil
	}
	found := u.effectiveRules(u.dataplane, kind, u.snapshot.matches(u.dataplane, kind, nil)).rules
	return &found
}

// localitiesOf returns the locality awareness that is set for an outbound, merged once for equal rules.
func (s *snapshot) localitiesOf(by rules.PolicyRules, o proxy.Outbound) []tree.Node {
	var input rules.Input
	var merge func() []any
	switch found, _ := by.Lookup(rules.Destination{Resource: o.Port.Resource, Section: o.Section, Tags: o.Tags}); {
	case found.Resource != nil:
		input, merge = found.Resource.Input(), func() []any { return found.Resource.Merge() }
	case found.Tags != nil:
		input, merge = found.Tags.Input(), func() []any { return []any{found.Tags.Merge()} }
	default:
		return nil
	}
	return s.localities.get(input, func() []tree.Node {
		all := phrase.Each(merge(), func(conf any) tree.Node { return tree.Root(conf).Get("localityAwareness") })
		return slices.DeleteFunc(all, tree.Node.Absent)
	})
}

// preferred returns the endpoints of an outbound that have the value of the proxy for an affinity tag.
func (u usage) preferred(localities []tree.Node, o proxy.Outbound) (names []string) {
	own := u.Resource(kuma.Key{Type: kuma.KindDataplane, Mesh: u.mesh, Name: u.dataplane})
	for _, locality := range localities {
		for _, tag := range locality.Find("localZone.affinityTags[].key") {
			key := tree.Text(tag.Value())
			value := valueOf(own, key)
			for _, e := range u.endpointsOf(o) {
				if value != "" && e.Affinity(key) == value {
					names = append(names, e.Dataplane+" "+key+"="+value)
				}
			}
		}
	}
	return phrase.Sorted(names)
}

// kept returns the Dataplanes on both sides to which an outbound leads: if its locality awareness distinguishes inbounds without tags,
// the others, which it prefers, or all if there are no others and it does not leave them out.
func (u usage) kept(localities []tree.Node, o proxy.Outbound, other *snapshot) []string {
	prefers := slices.ContainsFunc(localities, u.proxies.PrefersTagged)
	leavesOut := slices.ContainsFunc(localities, func(n tree.Node) bool { return u.proxies.LeavesOutUntagged(n, u.dataplane) })
	var tagged, all []string
	for _, e := range u.endpointsOf(o) {
		switch {
		case !has(other.dataplanes, e.Dataplane):
		case prefers && e.IsTagged():
			tagged = append(tagged, e.Dataplane)
		case !leavesOut:
			all = append(all, e.Dataplane)
		}
	}
	if tagged != nil {
		all = tagged
	}
	return phrase.Sorted(all)
}

// valueOf returns the first value of a tag of a Dataplane, or of the label.
func valueOf(dataplane *kuma.Resource, key string) string {
	for _, tags := range tree.Root(dataplane.Body).Find("networking.inbound[].tags") {
		if value, ok := tree.StringMap(tags.Value())[key]; ok {
			return value
		}
	}
	return dataplane.Labels[key]
}

// endpointsOf returns the endpoints to which an outbound leads.
func (s *snapshot) endpointsOf(o proxy.Outbound) []proxy.Endpoint {
	if o.Tags != nil {
		return s.proxies.Tagged(o.Tags)
	}
	return s.proxies.Endpoints(o.Port)
}
