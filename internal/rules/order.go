package rules

import (
	"cmp"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// Every comparison sorts by increasing precedence: what comes later overrides.
//
// They must be used with the sort functions of matching.md §3.2: policies may tie, and the comparison of references to dataplanes
// is not transitive, so the result depends on the algorithm and on the initial
// order (by name).

// comparePolicies orders the policies that select a proxy or an inbound, for
// sortFunc.
func comparePolicies(a, b *policy) int {
	return cmp.Or(comparePoliciesButName(a, b), compareDisplayNames(a, b))
}

func comparePoliciesButName(a, b *policy) int {
	return cmp.Or(
		compareSelectors(a, b),
		compareGatewayTags(a.top, b.top),
		compareRoles(a, b),
	)
}

// compareToEntries orders entries of `to` for the rules by resource, for
// sortStableFunc.
func compareToEntries(a, b *entry) int {
	return cmp.Or(compareToEntriesButName(a, b), compareDisplayNames(a.policy, b.policy))
}

func compareToEntriesButName(a, b *entry) int {
	return cmp.Or(
		compareSelectors(a.policy, b.policy),
		compareRoles(a.policy, b.policy),
		cmp.Compare(kindRank(a.ref.Kind), kindRank(b.ref.Kind)),
		compareServiceSections(a.ref, b.ref),
	)
}

// compareInboundEntries orders the entries of inbound rules, for
// sortStableFunc.
func compareInboundEntries(a, b *entry) int {
	return cmp.Or(
		compareSelectors(a.policy, b.policy),
		compareRoles(a.policy, b.policy),
		compareDisplayNames(a.policy, b.policy),
	)
}

// compareSelectors is the first part of every order: how specifically a policy
// selects proxies, its origin and its role.
func compareSelectors(a, b *policy) int {
	return cmp.Or(
		cmp.Compare(a.strength.kind, b.strength.kind),
		compareDataplaneRefs(a.top, b.top),
		cmp.Compare(a.strength.origin, b.strength.origin),
	)
}

// strength contains the criteria of precedence of a policy. It is computed
// once, because a policy is compared for every proxy. Higher numbers take
// precedence, and so does the alphabetically smaller name.
type strength struct {
	kind   int // of the top-level reference
	origin int
	role   int
	name   string
}

func strengthOf(p *policy) strength {
	return strength{kindRank(p.top.Kind), originRank(p), roleRank(p.Role()), p.DisplayName()}
}

func kindRank(kind string) int {
	switch kind {
	case kuma.KindMesh:
		return 1
	case kuma.KindDataplane:
		return 2
	case kuma.KindMeshSubset:
		return 3
	case kuma.KindMeshGateway:
		return 4
	case kuma.KindMeshService:
		return 5
	case kuma.KindMeshExternalService:
		return 6
	case kuma.KindMeshMultiZoneService:
		return 7
	case kuma.KindMeshServiceSubset:
		return 8
	case kuma.KindMeshHTTPRoute, kuma.KindMeshTCPRoute:
		return 9
	default:
		return 0
	}
}

// compareDataplaneRefs ranks a name above labels, then a section above no
// section. A reference with neither name nor labels ties with both in the first
// step.
func compareDataplaneRefs(a, b kuma.TargetRef) int {
	if a.Kind != kuma.KindDataplane || b.Kind != kuma.KindDataplane {
		return 0
	}
	switch {
	case a.Name != "" && b.Labels != nil:
		return 1
	case b.Name != "" && a.Labels != nil:
		return -1
	default:
		return compareBools(a.SectionName != "", b.SectionName != "")
	}
}

func originRank(p *policy) int {
	switch p.Labels[kuma.LabelOrigin] {
	case kuma.OriginGlobal:
		return 0
	case kuma.OriginZone:
		return 2
	default:
		return 1
	}
}

func compareGatewayTags(a, b kuma.TargetRef) int {
	if a.Kind != kuma.KindMeshGateway || b.Kind != kuma.KindMeshGateway {
		return 0
	}
	return cmp.Compare(len(a.Tags), len(b.Tags))
}

func compareRoles(a, b *policy) int {
	return cmp.Compare(a.strength.role, b.strength.role)
}

func roleRank(r kuma.Role) int {
	return slices.Index([]kuma.Role{kuma.RoleSystem, kuma.RoleProducer, kuma.RoleConsumer, kuma.RoleWorkloadOwner}, r)
}

func compareServiceSections(a, b kuma.TargetRef) int {
	if a.Kind != kuma.KindMeshService || b.Kind != kuma.KindMeshService {
		return 0
	}
	return compareBools(a.SectionName != "", b.SectionName != "")
}

// compareDisplayNames gives the alphabetically smallest name the highest
// precedence.
func compareDisplayNames(a, b *policy) int {
	return cmp.Compare(b.strength.name, a.strength.name)
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

// Decided reports what else than their references decides which of two entries takes precedence, of which the first one does: only the
// names of the policies, or other policies. ofTo is for entries of `to` in the rules by resource, where the kind of an entry is compared
// before the name of its policy.
//
// The comparison of references to dataplanes is not transitive, so another policy can reverse an order by names, unless it is the only
// stable one: name over neither name nor labels over labels (matching.md §3.3). It already did if the entries alone have the other order.
func (s *Snapshot) Decided(winner, overridden Entry, ofTo bool) (byNames, byOthers bool) {
	p, q := s.policy(winner.Policy), s.policy(overridden.Policy)
	if p == nil || q == nil || p == q {
		return false, false
	}
	order := comparePoliciesButName(p, q)
	if ofTo && winner.Index < len(p.to) && overridden.Index < len(q.to) {
		order = compareToEntriesButName(p.to[winner.Index], q.to[overridden.Index])
	}
	byNames = order == 0
	byOthers = p.top.Kind == kuma.KindDataplane && q.top.Kind == kuma.KindDataplane &&
		(compareDataplaneRefs(p.top, q.top) == 0 && precision(p.top) < precision(q.top) || cmp.Or(order, compareDisplayNames(p, q)) < 0)
	return byNames, byOthers
}

// precision is the rank of a reference to dataplanes in the only order that all ties
// between such references can be part of.
func precision(ref kuma.TargetRef) int {
	switch {
	case ref.Labels != nil:
		return 0
	case ref.Name == "":
		return 1
	default:
		return 2
	}
}
