package rules

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
)

// matched is what the policies of one kind select on one proxy. Lists of policies
// are sorted from weak to strong.
type matched struct {
	proxy    *proxy
	policies []*policy
	inbounds map[address][]*policy
	warnings []string
}

// match selects among the policies of one kind, given in order of name.
func (dp *proxy) match(policies []*policy) matched {
	m := matched{proxy: dp, inbounds: map[address][]*policy{}, warnings: []string{}}
	for _, p := range policies {
		if p.shadow() || !dp.admits(p) {
			continue
		}
		selector := p
		if p.top.Kind == mesh.KindMeshHTTPRoute {
			if selector = p.route; selector == nil {
				m.warnings = append(m.warnings, unresolvedRoute(p))
				continue
			}
			if !dp.admits(selector) {
				continue
			}
		}
		s := dp.selectedBy(selector)
		if len(s.inbounds) == 0 && !s.delegated {
			continue
		}
		m.policies = append(m.policies, p)
		for _, at := range s.inbounds {
			m.inbounds[at] = append(m.inbounds[at], p)
		}
	}
	slices.SortFunc(m.policies, comparePolicies)
	for _, selected := range m.inbounds {
		slices.SortFunc(selected, comparePolicies)
	}
	return m
}

func unresolvedRoute(p *policy) string {
	reason := fmt.Sprintf("couldn't resolve MeshHTTPRoute targetRef with name '%s'", p.top.Name)
	return fmt.Sprintf("unable to resolve TargetRef on policy: mesh:%s name:%s error:%q", p.Mesh, p.Name, reason)
}

// admits reports whether a policy of this zone, namespace and role may touch
// the proxy at all (spec/matching.md §2.2, §2.3).
func (dp *proxy) admits(p *policy) bool {
	switch p.Role() {
	case mesh.RoleProducer:
		return true
	case mesh.RoleConsumer, mesh.RoleWorkloadOwner:
		return dp.sharesZone(p) && p.Namespace() != "" && p.Namespace() == dp.Namespace()
	default:
		return dp.sharesZone(p)
	}
}

// sharesZone goes by the MeshGateway rather than by its proxy, if there is one.
func (dp *proxy) sharesZone(p *policy) bool {
	owner := dp.Resource
	if dp.meshGateway != nil {
		owner = dp.meshGateway
	}
	origin := owner.Labels[mesh.LabelOrigin]
	switch {
	case origin == "" || origin == mesh.OriginGlobal:
		return true
	case p.Labels[mesh.LabelOrigin] != mesh.OriginZone || p.Zone() == "":
		return true
	default:
		return origin == mesh.OriginZone && (owner.Zone() == "" || owner.Zone() == p.Zone())
	}
}

// selection is the part of a proxy that a policy selects. A delegated gateway
// has no inbounds: it is selected as a whole.
type selection struct {
	inbounds  []address
	delegated bool
}

// add selects the inbounds of one list that fit. Listeners of a gateway may share
// a port, which counts once. A port that is both an inbound of a sidecar and a
// listener of the gateway it was attached to counts twice, and so do the
// inbound rules there.
func (s *selection) add(inbounds []inbound, fits func(inbound) bool) {
	added := len(s.inbounds)
	for _, in := range inbounds {
		if fits(in) && !slices.Contains(s.inbounds[added:], in.at) {
			s.inbounds = append(s.inbounds, in.at)
		}
	}
}

// selectedBy applies the top-level reference of a policy, or of the route that
// stands in for it (spec/matching.md §2.4).
func (dp *proxy) selectedBy(p *policy) selection {
	ref := p.top
	switch ref.Kind {
	case mesh.KindMesh:
		if !dp.isOneOf(ref.ProxyTypes) {
			return selection{}
		}
		s := dp.byTags(nil)
		s.add(dp.embedded, func(inbound) bool { return true })
		return s
	case mesh.KindMeshSubset:
		if !dp.isOneOf(ref.ProxyTypes) {
			return selection{}
		}
		return dp.byTags(ref.Tags)
	case mesh.KindMeshService:
		return dp.byTags(serviceTags(ref.Name, nil))
	case mesh.KindMeshServiceSubset:
		return dp.byTags(serviceTags(ref.Name, ref.Tags))
	case mesh.KindMeshGateway:
		if dp.gateway != builtinGateway || dp.meshGateway == nil || dp.meshGateway.DisplayName() != ref.Name {
			return selection{}
		}
		return dp.byTags(ref.Tags)
	case mesh.KindDataplane:
		return dp.byDataplaneRef(p)
	default:
		return selection{}
	}
}

// isOneOf reports whether a list of proxy types, empty for all, fits. A
// delegated gateway is a gateway here, although its label says sidecar.
func (dp *proxy) isOneOf(proxyTypes []string) bool {
	proxyType := "Sidecar"
	if dp.gateway != noGateway {
		proxyType = "Gateway"
	}
	return len(proxyTypes) == 0 || slices.Contains(proxyTypes, proxyType)
}

func (dp *proxy) byTags(want map[string]string) selection {
	fits := func(in inbound) bool { return hasTags(in.tags, want) }
	s := selection{delegated: dp.gateway == delegatedGateway && hasTags(dp.gatewayTags, want)}
	s.add(dp.inbounds, fits)
	s.add(dp.listeners, fits)
	return s
}

func (dp *proxy) byDataplaneRef(p *policy) selection {
	ref := p.top
	if dp.meshGateway != nil || !dp.isNamed(p) {
		return selection{}
	}
	fits := func(in inbound) bool { return ref.SectionName == "" || in.section() == ref.SectionName }
	s := selection{delegated: dp.gateway == delegatedGateway}
	s.add(dp.inbounds, fits)
	s.add(dp.embedded, fits)
	return s
}

func (dp *proxy) isNamed(p *policy) bool {
	ref := p.top
	switch {
	case ref.Name == "" && ref.Namespace == "" && ref.Labels == nil:
		return true
	case ref.Name != "" && referencedID(p.Resource, ref) == dp.ID():
		return true
	default:
		return ref.Labels != nil && hasLabels(dp.Resource, ref.Labels)
	}
}
