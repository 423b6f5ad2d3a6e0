package rules

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// This file holds questions about a mesh as a whole: who selects whom, what a
// reference means, and what decides between two policies.

// Exclusion tells why a policy does not select a dataplane: the first test of
// matching.md §2 that the dataplane fails.
type Exclusion string

// Exclusions, in the order of the tests.
const (
	NotExcluded         Exclusion = ""
	ExcludedByEffect    Exclusion = "effect"     // the policy is a shadow
	ExcludedByZone      Exclusion = "zone"       // the policy belongs to another zone
	ExcludedByNamespace Exclusion = "namespace"  // the policy speaks for another namespace
	ExcludedByRoute     Exclusion = "route"      // the route that should select does not exist
	ExcludedByKind      Exclusion = "kind"       // no such reference selects proxies
	ExcludedByProxyType Exclusion = "proxy type" // sidecars or gateways only
	ExcludedByGateway   Exclusion = "gateway"    // the reference is for another gateway, or for none
	ExcludedByName      Exclusion = "name"       // the reference names another dataplane
	ExcludedByLabels    Exclusion = "labels"     // the dataplane lacks one of the labels
	ExcludedByTags      Exclusion = "tags"       // no inbound has all of the tags
	ExcludedBySection   Exclusion = "section"    // no inbound has that name
	ExcludedByInbounds  Exclusion = "inbounds"   // there is nothing to select
)

// Excluded tells why a policy does not select a dataplane of its mesh,
// [NotExcluded] when it does. The error is one of those of [Snapshot.Rules].
func (s *Snapshot) Excluded(policy kuma.Key, dataplane string) (Exclusion, error) {
	m, dp, err := s.find(policy.Mesh, dataplane)
	if err != nil {
		return NotExcluded, err
	}
	p := m.policy(policy)
	if p == nil {
		return NotExcluded, fmt.Errorf("%w: %s", ErrUnknownPolicy, policy)
	}
	_, by := dp.selects(p)
	return by, nil
}

// Target is what a reference to a destination means: a resource, or with a
// section one port of it.
type Target struct {
	Resource kuma.Key
	Section  string
}

// Resolve returns what a reference in `to` of a policy means, or one in
// backendRefs, which may choose a port by number; port is zero when it does not.
// The targets come in order of name. There are none when the reference leads
// nowhere, or only to the tag kuma.io/service (matching.md §4.1).
func (s *Snapshot) Resolve(policy kuma.Resource, ref kuma.TargetRef, port int) []Target {
	m, ok := s.meshes[policy.Mesh]
	if !ok {
		return nil
	}
	var targets []Target
	for r, section := range m.index.find(&policy, ref, port) {
		targets = append(targets, Target{r.Key(), section})
	}
	return targets
}

// LeadsNowhere reports whether a reference in `to` of a policy is about nothing:
// it is to a kind of destination or route, and there is no such resource, or it
// has no such port. A MeshService may also be the value of a tag, see
// [Snapshot.HasServiceTag]; it is given the benefit of the doubt in a mesh in which
// neither tags nor a MeshService are known.
func (s *Snapshot) LeadsNowhere(policy kuma.Resource, ref kuma.TargetRef) bool {
	m, ok := s.meshes[policy.Mesh]
	switch {
	case !IsDestination(ref.Kind) && !IsRoute(ref.Kind) || len(s.Resolve(policy, ref, 0)) > 0:
		return false
	case ref.Kind != kuma.KindMeshService || ref.Name == "" || !ok || m.exclusive:
		return true
	default:
		return !m.serviceTags()[ref.Name] && !m.servicesAreUnknown()
	}
}

// TiedPolicies reports whether nothing but their names decides which of two
// policies of a type overrides the other (matching.md §3.2). It is false
// when the snapshot does not hold them.
func (s *Snapshot) TiedPolicies(a, b kuma.Key) bool {
	p, q := s.policy(a), s.policy(b)
	return p != nil && q != nil && p != q && comparePoliciesButName(p, q) == 0
}

// TiedEntries does for two entries of `to`, in the rules by resource, what
// [Snapshot.TiedPolicies] does for policies. There the kind of an entry counts
// before the name of its policy.
func (s *Snapshot) TiedEntries(a, b Origin) bool {
	p, q := s.policy(a.ResourceMeta.Key()), s.policy(b.ResourceMeta.Key())
	return p != nil && q != nil && p != q && a.RuleIndex < len(p.to) && b.RuleIndex < len(q.to) &&
		compareToEntriesButName(p.to[a.RuleIndex], q.to[b.RuleIndex]) == 0
}

func (s *Snapshot) policy(key kuma.Key) *policy {
	m, ok := s.meshes[key.Mesh]
	if !ok {
		return nil
	}
	return m.policy(key)
}

// policy returns a policy of the mesh, nil when there is none.
func (m *mesh) policy(key kuma.Key) *policy {
	policies := m.policies[key.Type]
	i, ok := slices.BinarySearchFunc(policies, key.Name, func(p *policy, name string) int {
		return cmp.Compare(p.Name, name)
	})
	if !ok {
		return nil
	}
	return policies[i]
}
