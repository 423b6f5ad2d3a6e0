package rules

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// Errors of queries about meshes, dataplanes and policies.
var (
	ErrUnknownMesh      = errors.New("unknown mesh")
	ErrUnknownDataplane = errors.New("unknown dataplane")
	ErrUnknownPolicy    = errors.New("unknown policy")
	ErrTooManySubsets   = errors.New("the tags combine to too many rules")
)

// Snapshot is a set of resources prepared for matching. It never changes, so
// any number of goroutines may query it.
type Snapshot struct {
	release  kuma.Release
	restrict bool // see [Snapshot.Reachable]
	matching *matching
	kinds    []*kind
	meshes   map[string]*mesh
	none     *mesh // an empty one
}

// NewSnapshot prepares resources, which may belong to several meshes. When two
// have the same type, mesh and name, the later one counts. Documents must be as
// a control plane stores them, with defaults and canonical durations; fields of
// a wrong type count as absent. The snapshot refers to the given bodies and
// labels as long as it is used, and never modifies them. They are matched as
// [kuma.Newest2] does.
func NewSnapshot(resources []kuma.Resource) *Snapshot {
	return NewSnapshotFor(kuma.Newest2(), resources)
}

// NewSnapshotFor is [NewSnapshot] for a release of Kuma: documents are those that
// a control plane of the release stores, and are matched as it does, see [Known].
func NewSnapshotFor(release kuma.Release, resources []kuma.Resource) *Snapshot {
	return newSnapshot(release, resources, matchingOf(Known(release)))
}

// NewSnapshotOfProxies is [NewSnapshotFor] for what proxies get: a global control plane reports that the policies of all zones apply to
// a builtin gateway, which gets those of its own zone (measured on 2.14.3).
func NewSnapshotOfProxies(release kuma.Release, resources []kuma.Resource) *Snapshot {
	m := matchingOf(Known(release))
	m.gatewayInZone = true
	return newSnapshot(release, resources, m)
}

func newSnapshot(release kuma.Release, resources []kuma.Resource, as *matching) *Snapshot {
	s := &Snapshot{
		release: Known(release), restrict: kuma.ControlPlane{Release: release}.RestrictsOutbound(), matching: as, meshes: map[string]*mesh{},
	}
	for _, k := range s.matching.policyKinds() {
		s.kinds = append(s.kinds, newKind(k))
	}
	latest := make(map[kuma.Key]*kuma.Resource, len(resources))
	for _, r := range resources {
		latest[r.Key()] = &r
	}
	for _, r := range slices.SortedFunc(maps.Values(latest), func(a, b *kuma.Resource) int { return kuma.CompareKeys(a.Key(), b.Key()) }) {
		m := s.meshOf(r)
		m.resources[r.Type] = append(m.resources[r.Type], r)
	}
	s.none = newMesh("", s.matching)
	s.none.prepare(s.kinds)
	for _, m := range s.meshes {
		m.prepare(s.kinds)
	}
	return s
}

// RestrictOutbound returns the same snapshot for a control plane that does or does not
// restrict the services that proxies reach. By default, the release decides it.
func (s *Snapshot) RestrictOutbound(restrict bool) *Snapshot {
	other := *s
	other.restrict = restrict
	return &other
}

// RestrictsOutbound reports whether proxies reach only the services that their Dataplanes
// list.
func (s *Snapshot) RestrictsOutbound() bool { return s.restrict }

// Release returns the release of Kuma as which the snapshot matches policies.
func (s *Snapshot) Release() kuma.Release { return s.release }

// Dataplane returns the rules for one dataplane, of the given types of policy,
// or of all types if none are given. The error wraps [ErrUnknownMesh] or
// [ErrUnknownDataplane] when the snapshot does not contain the mesh or
// dataplane, and [ErrTooManySubsets] when the rules by tags would exhaust the
// memory.
func (s *Snapshot) Dataplane(meshName, name string, types ...string) (Answer, error) {
	return s.dataplane(meshName, name, false, types)
}

// DataplaneOutline is [Snapshot.Dataplane] with the rules of [Snapshot.Outline], and without HTTPMatches.
func (s *Snapshot) DataplaneOutline(meshName, name string, types ...string) (Answer, error) {
	return s.dataplane(meshName, name, true, types)
}

func (s *Snapshot) dataplane(meshName, name string, outline bool, types []string) (Answer, error) {
	m, dp, err := s.find(meshName, name)
	if err != nil {
		return Answer{}, err
	}
	own := *dp
	a := Answer{
		HTTPMatches: []HTTPMatch{}, listedMatches: []HTTPMatch{}, Resource: metas{}.of(sharedMeta(dp.Resource)), Rules: []PolicyRules{},
	}
	for _, k := range s.kinds {
		if len(types) > 0 && !slices.Contains(types, k.Name) {
			continue
		}
		rules, err := m.rules(&own, k, outline)
		if err != nil {
			return Answer{}, err
		}
		// Also those of the legacy rules, even if these are not part of the
		// answer.
		a.HTTPMatches = append(a.HTTPMatches, httpMatches(rules)...)
		a.listedMatches = append(a.listedMatches, httpMatches(m.matching.listing(rules))...)
		m.hide(&rules)
		if !rules.empty() {
			a.Rules = append(a.Rules, rules)
		}
		if !rules.empty() || slices.ContainsFunc(rules.outgoing, Outgoing.hasRules) {
			a.applied = append(a.applied, rules)
		}
	}
	return a, nil
}

// Rules returns the rules of the policies of one type for one dataplane: the
// element of [Answer.Rules] of that type, or one with empty lists where there
// is none. The error is one of those of [Snapshot.Dataplane], or wraps
// [ErrUnknownPolicy].
func (s *Snapshot) Rules(meshName, name, policyType string) (PolicyRules, error) {
	return s.rules(meshName, name, policyType, false)
}

// Outline is [Snapshot.Rules] for callers that need a few of many rules: those
// by resource and by tags have no Conf and no Origin yet, see [ResourceRule.Merge] and [ResourceRule.Entries]. Labels, also
// those in leaves, and the confs of inbound rules are shared with the snapshot, and read-only.
func (s *Snapshot) Outline(meshName, name, policyType string) (PolicyRules, error) {
	return s.rules(meshName, name, policyType, true)
}

func (s *Snapshot) rules(meshName, name, policyType string, outline bool) (PolicyRules, error) {
	m, dp, err := s.find(meshName, name)
	if err != nil {
		return PolicyRules{}, err
	}
	i := slices.IndexFunc(s.kinds, func(k *kind) bool { return k.Name == policyType })
	if i < 0 {
		return PolicyRules{}, fmt.Errorf("%w type %q", ErrUnknownPolicy, policyType)
	}
	own := *dp
	rules, err := m.rules(&own, s.kinds[i], outline)
	m.hide(&rules)
	return rules, err
}

// rules returns the rules of one kind for a proxy, and counts those by tags in the proxy, which is a copy for one answer.
func (m *mesh) rules(dp *proxy, k *kind, outline bool) (PolicyRules, error) {
	selected := dp.match(m.policies[k.Name])
	r := PolicyRules{
		Type:            k.Name,
		ToResourceRules: selected.resourceRules(k),
		InboundRules:    selected.inboundRules(k),
		ProxyRule:       selected.proxyRule(k),
		Warnings:        selected.warnings,
		kind:            k,
		outline:         true,
		selected:        selected,
	}
	if err := m.addRulesByTags(dp, &r); err != nil {
		return PolicyRules{}, err
	}
	if !outline {
		r.complete()
	}
	return r, nil
}

// addRulesByTags adds the rules that releases before Kuma 3.0 have.
func (m *mesh) addRulesByTags(dp *proxy, r *PolicyRules) (err error) {
	if m.matching.byLabels {
		return nil
	}
	k, selected := r.kind, r.selected
	if r.outgoing, err = m.outgoing(dp, k, selected); err != nil {
		return err
	}
	r.ToRules = []Rule{}
	if !m.exclusive || k.keyed != "" { // matches are explained even if hidden
		if r.ToRules, err = selected.toRules(k); err != nil {
			return fmt.Errorf("%s for dataplane %q in mesh %q: %w", k.Name, dp.Name, dp.Mesh, err)
		}
	}
	if r.FromRules, err = selected.fromRules(k); err != nil {
		return fmt.Errorf("%s for dataplane %q in mesh %q: %w", k.Name, dp.Name, dp.Mesh, err)
	}
	return nil
}

// hide removes the rules by service tag in a mesh in mode Exclusive
// (matching.md §5).
func (m *mesh) hide(r *PolicyRules) {
	if m.exclusive && !m.matching.byLabels {
		r.ToRules = []Rule{}
	}
}
