package rules

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// matchedPolicies is what the policies of one kind select on one proxy. Lists
// of policies are sorted by increasing precedence.
type matchedPolicies struct {
	proxy    *proxy
	policies []*policy
	inbounds map[address][]*policy
	warnings []string
}

// match returns what the policies of one kind, given in order of name, select.
func (dp *proxy) match(policies []*policy) matchedPolicies {
	m := dp.unsortedMatch(policies)
	slices.SortFunc(m.policies, comparePolicies)
	for _, selected := range m.inbounds {
		slices.SortFunc(selected, comparePolicies)
	}
	return m
}

// unsortedMatch is match without the sorting: its lists keep the order of names.
func (dp *proxy) unsortedMatch(policies []*policy) matchedPolicies {
	m := matchedPolicies{proxy: dp, policies: make([]*policy, 0, len(policies)), inbounds: map[address][]*policy{}, warnings: []string{}}
	type selected struct {
		selection
		by Exclusion
	}
	known := make([]*selected, dp.mesh.selectors) // many policies have the same reference
	selectedBy := func(p *policy) *selected {
		selector, by := dp.selectorOf(p)
		if by != NotExcluded {
			return &selected{by: by}
		}
		of := &known[selector.selector]
		if *of == nil {
			s, by := dp.selectedBy(selector)
			*of = &selected{s, by}
		}
		return *of
	}
	for _, p := range policies {
		switch s := selectedBy(p); s.by {
		case NotExcluded:
			m.policies = append(m.policies, p)
			for _, at := range s.inbounds {
				if m.inbounds[at] == nil {
					m.inbounds[at] = make([]*policy, 0, len(policies))
				}
				m.inbounds[at] = append(m.inbounds[at], p)
			}
		case ExcludedByRoute:
			m.warnings = append(m.warnings, unresolvedRoute(p))
		default:
		}
	}
	return m
}

// selectorOf returns the policy whose top-level reference decides what of the proxy a policy selects, or why it selects nothing.
func (dp *proxy) selectorOf(p *policy) (*policy, Exclusion) {
	if p.scope.shadow {
		return nil, ExcludedByEffect
	}
	if by := dp.inScope(p); by != NotExcluded {
		return nil, by
	}
	if p.top.Kind != kuma.KindMeshHTTPRoute {
		return p, NotExcluded
	}
	if p.route == nil {
		return nil, ExcludedByRoute
	}
	return p.route, dp.inScope(p.route)
}

func unresolvedRoute(p *policy) string {
	reason := fmt.Sprintf("couldn't resolve MeshHTTPRoute targetRef with name '%s'", p.top.Name)
	return fmt.Sprintf("unable to resolve TargetRef on policy: mesh:%s name:%s error:%q", p.Mesh, p.Name, reason)
}

// selection is the part of a proxy that a policy selects. A delegated gateway
// has no inbounds: it is selected as a whole.
type selection struct {
	inbounds  []address
	delegated bool
}

// add selects the matching inbounds of one list. Inbounds that share an address
// and a port count separately, and so do their inbound rules.
func (s *selection) add(inbounds []proxyInbound, fits func(proxyInbound) bool) {
	for _, in := range inbounds {
		if fits(in) {
			s.inbounds = append(s.inbounds, in.at)
		}
	}
}

// addListeners does the same for the listeners of a gateway. They often share a
// port, which counts once.
func (s *selection) addListeners(listeners []proxyInbound, fits func(proxyInbound) bool) {
	var added []address
	for _, in := range listeners {
		if fits(in) && !slices.Contains(added, in.at) {
			added = append(added, in.at)
		}
	}
	s.inbounds = append(s.inbounds, added...)
}

// selectedBy returns the part of the proxy that the top-level reference of a policy, or of the route that
// is used instead (matching.md §2.4), selects, or why it selects none.
func (dp *proxy) selectedBy(p *policy) (selection, Exclusion) {
	s, by := dp.referred(p)
	if len(s.inbounds) > 0 || s.delegated {
		return s, NotExcluded
	}
	return selection{}, by
}

// referred also returns a reason with selections that are not empty.
func (dp *proxy) referred(p *policy) (selection, Exclusion) {
	ref := p.top
	if dp.mesh.matching.byLabels && ref.Kind != kuma.KindMesh && ref.Kind != kuma.KindDataplane {
		return selection{}, ExcludedByKind
	}
	switch ref.Kind {
	case kuma.KindMesh:
		if !dp.isOneOf(ref.ProxyTypes) {
			return selection{}, ExcludedByProxyType
		}
		s := dp.byTags(nil)
		s.add(dp.embedded, func(proxyInbound) bool { return true })
		return s, ExcludedByInbounds
	case kuma.KindMeshSubset:
		if !dp.isOneOf(ref.ProxyTypes) {
			return selection{}, ExcludedByProxyType
		}
		return dp.byTags(ref.Tags), ExcludedByTags
	case kuma.KindMeshService:
		return dp.byTags(serviceTags(ref.Name, nil)), ExcludedByTags
	case kuma.KindMeshServiceSubset:
		return dp.byTags(serviceTags(ref.Name, ref.Tags)), ExcludedByTags
	case kuma.KindMeshGateway:
		if dp.gateway != builtinGateway || dp.meshGateway == nil || dp.meshGateway.DisplayName() != ref.Name {
			return selection{}, ExcludedByGateway
		}
		return dp.byTags(ref.Tags), ExcludedByTags
	case kuma.KindDataplane:
		return dp.byDataplaneRef(p)
	default:
		return selection{}, ExcludedByKind
	}
}

// isOneOf reports whether a list of proxy types, empty for all, contains that
// of the proxy. A delegated gateway is a gateway here, although its label says
// sidecar.
func (dp *proxy) isOneOf(proxyTypes []string) bool {
	proxyType := "Sidecar"
	if dp.gateway != noGateway {
		proxyType = "Gateway"
	}
	return len(proxyTypes) == 0 || slices.Contains(proxyTypes, proxyType)
}

// selectable returns the inbounds that policies can select.
func (dp *proxy) selectable() []proxyInbound {
	ignored := func(in proxyInbound) bool { return in.ignored }
	if dp.mesh.matching.ignoredInbounds || !slices.ContainsFunc(dp.inbounds, ignored) { // and no copy is needed
		return dp.inbounds
	}
	return slices.DeleteFunc(slices.Clone(dp.inbounds), ignored)
}

func (dp *proxy) byTags(want map[string]string) selection {
	fits := func(in proxyInbound) bool { return HasTags(in.tags, want) }
	s := selection{delegated: dp.gateway == delegatedGateway && HasTags(dp.gatewayTags, want)}
	s.add(dp.selectable(), fits)
	s.addListeners(dp.listeners, fits)
	return s
}

func (dp *proxy) byDataplaneRef(p *policy) (selection, Exclusion) {
	ref := p.top
	switch {
	case dp.meshGateway != nil:
		return selection{}, ExcludedByGateway
	case !dp.isNamed(p):
		if ref.Labels != nil {
			return selection{}, ExcludedByLabels
		}
		return selection{}, ExcludedByName
	}
	fits := func(in proxyInbound) bool {
		return ref.SectionName == "" || dp.mesh.matching.isNamed(in, ref.SectionName)
	}
	s := selection{delegated: dp.gateway == delegatedGateway && dp.mesh.matching.gatewayByDataplane}
	s.add(dp.selectable(), fits)
	s.add(dp.embedded, fits)
	if ref.SectionName == "" {
		return s, ExcludedByInbounds
	}
	return s, ExcludedBySection
}

func (dp *proxy) isNamed(p *policy) bool {
	ref := p.top
	switch {
	case ref.Name == "" && ref.Namespace == "" && ref.Labels == nil:
		return true
	case ref.Name != "" && p.named == dp.id:
		return true
	default:
		return ref.Labels != nil && dp.hasLabelValues(ref.Labels)
	}
}

// hasLabelValues treats a missing label as an empty one, which references to
// destinations distinguish.
func (dp *proxy) hasLabelValues(want map[string]string) bool {
	for key, value := range want {
		has := dp.Labels[key]
		if key == kuma.LabelDisplayName && dp.mesh.matching.byLabels {
			has = dp.DisplayName()
		}
		if has != value {
			return false
		}
	}
	return true
}
