package rules

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// What [Snapshot.Dataplane] cannot answer.
var (
	ErrUnknownMesh      = errors.New("unknown mesh")
	ErrUnknownDataplane = errors.New("unknown dataplane")
	ErrUnknownPolicy    = errors.New("unknown policy type")
	ErrTooManySubsets   = errors.New("the tags combine to too many rules")
)

// Snapshot is a set of resources prepared for matching. It never changes, so
// any number of goroutines may query it.
type Snapshot struct {
	kinds  []*kind
	worlds map[string]*world
}

// world is one mesh with everything in it.
type world struct {
	resources map[string][]*kuma.Resource // by type, in order of name
	policies  map[string][]*policy        // by type, in order of name
	index     index
	exclusive bool // services are addressed as resources only

	serviceTags func() map[string]bool // reads them once, when somebody asks
}

// NewSnapshot prepares resources, which may belong to several meshes. When two
// have the same type, mesh and name, the later one counts. Documents are taken
// as a control plane stores them, with defaults and canonical durations;
// members of a wrong type count as absent. The snapshot reads the bodies and
// labels it was given as long as it is used, and never writes to them.
func NewSnapshot(resources []kuma.Resource) *Snapshot {
	s := &Snapshot{worlds: map[string]*world{}}
	for _, k := range kinds.Policies() {
		s.kinds = append(s.kinds, newKind(k))
	}
	latest := make(map[kuma.Key]*kuma.Resource, len(resources))
	for _, r := range resources {
		latest[r.Key()] = &r
	}
	for _, r := range slices.SortedFunc(maps.Values(latest), func(a, b *kuma.Resource) int { return kuma.CompareKeys(a.Key(), b.Key()) }) {
		w := s.world(r)
		w.resources[r.Type] = append(w.resources[r.Type], r)
	}
	for _, w := range s.worlds {
		w.prepare(s.kinds)
	}
	return s
}

// world returns the mesh that r is part of, or is itself.
func (s *Snapshot) world(r *kuma.Resource) *world {
	name := r.Mesh
	if r.Type == kuma.KindMesh {
		name = r.Name
	}
	w, ok := s.worlds[name]
	if !ok {
		w = &world{resources: map[string][]*kuma.Resource{}, policies: map[string][]*policy{}}
		s.worlds[name] = w
	}
	return w
}

// prepare does all work that is the same for every dataplane.
func (w *world) prepare(kinds []*kind) {
	if meshes := w.resources[kuma.KindMesh]; len(meshes) > 0 {
		w.exclusive = text(object(meshes[0].Body["meshServices"])["mode"]) == "Exclusive"
	}
	w.serviceTags = sync.OnceValue(w.readServiceTags)
	w.index = newIndex(w.resources)
	for _, k := range kinds {
		for _, r := range w.resources[k.Name] {
			w.policies[k.Name] = append(w.policies[k.Name], newPolicy(k, r, w.index))
		}
	}
	routes := w.policies[kuma.KindMeshHTTPRoute]
	for _, k := range kinds {
		for _, p := range w.policies[k.Name] {
			p.link(routes)
		}
	}
}

// Dataplanes returns the names of the dataplanes of a mesh in ascending order;
// none when the mesh is unknown.
func (s *Snapshot) Dataplanes(meshName string) []string {
	w, ok := s.worlds[meshName]
	if !ok {
		return nil
	}
	var names []string
	for _, r := range w.resources[kuma.KindDataplane] {
		names = append(names, r.Name)
	}
	return names
}

// Dataplane returns the rules for one dataplane, those of the given types of
// policy only unless there are none. The error wraps [ErrUnknownMesh] or
// [ErrUnknownDataplane] when the snapshot does not hold what was asked for, and
// [ErrTooManySubsets] when the rules by tags would exhaust the memory.
func (s *Snapshot) Dataplane(meshName, name string, types ...string) (Answer, error) {
	w, dp, err := s.find(meshName, name)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{HTTPMatches: []HTTPMatch{}, Resource: dp.metas.of(dp.Resource), Rules: []PolicyRules{}}
	for _, k := range s.kinds {
		if len(types) > 0 && !slices.Contains(types, k.Name) {
			continue
		}
		rules, err := w.rules(dp, k)
		if err != nil {
			return Answer{}, err
		}
		// Of the legacy rules, too, even if they are not shown.
		a.HTTPMatches = append(a.HTTPMatches, httpMatches(rules)...)
		w.hide(&rules)
		if !rules.empty() {
			a.Rules = append(a.Rules, rules)
		}
	}
	return a, nil
}

// Rules returns what the policies of one type mean for one dataplane: the
// element of [Answer.Rules] of that type, or one with empty lists where there
// is none. The error is one of those of [Snapshot.Dataplane], or wraps
// [ErrUnknownPolicy].
func (s *Snapshot) Rules(meshName, name, policyType string) (PolicyRules, error) {
	w, dp, err := s.find(meshName, name)
	if err != nil {
		return PolicyRules{}, err
	}
	k, err := s.kind(policyType)
	if err != nil {
		return PolicyRules{}, err
	}
	rules, err := w.rules(dp, k)
	if err != nil {
		return PolicyRules{}, err
	}
	w.hide(&rules)
	return rules, nil
}

func (s *Snapshot) kind(policyType string) (*kind, error) {
	i := slices.IndexFunc(s.kinds, func(k *kind) bool { return k.Name == policyType })
	if i < 0 {
		return nil, fmt.Errorf("%w %q", ErrUnknownPolicy, policyType)
	}
	return s.kinds[i], nil
}

// find returns a dataplane and the mesh it is in.
func (s *Snapshot) find(meshName, name string) (*world, *proxy, error) {
	w, ok := s.worlds[meshName]
	if !ok || len(w.resources[kuma.KindMesh]) == 0 {
		return nil, nil, fmt.Errorf("%w %q", ErrUnknownMesh, meshName)
	}
	dataplanes := w.resources[kuma.KindDataplane]
	i, ok := slices.BinarySearchFunc(dataplanes, name, func(r *kuma.Resource, name string) int {
		return cmp.Compare(r.Name, name)
	})
	if !ok {
		return nil, nil, fmt.Errorf("%w %q in mesh %q", ErrUnknownDataplane, name, meshName)
	}
	return w, w.proxy(dataplanes[i]), nil
}

// rules computes everything that one kind says about a proxy.
func (w *world) rules(dp *proxy, k *kind) (PolicyRules, error) {
	m := dp.match(w.policies[k.Name])
	r := PolicyRules{
		Type:            k.Name,
		ToRules:         []Rule{},
		ToResourceRules: m.resourceRules(k),
		InboundRules:    m.inboundRules(),
		ProxyRule:       m.proxyRule(k),
		Warnings:        m.warnings,
	}
	var err error
	if !w.exclusive || k.keyed != "" { // matches are explained even if hidden
		if r.ToRules, err = m.toRules(k); err != nil {
			return PolicyRules{}, fmt.Errorf("%s for dataplane %q in mesh %q: %w", k.Name, dp.Name, dp.Mesh, err)
		}
	}
	if r.FromRules, err = m.fromRules(k); err != nil {
		return PolicyRules{}, fmt.Errorf("%s for dataplane %q in mesh %q: %w", k.Name, dp.Name, dp.Mesh, err)
	}
	return r, nil
}

// hide takes away the rules by service tag where services are addressed as
// resources only (matching.md §5).
func (w *world) hide(r *PolicyRules) {
	if w.exclusive {
		r.ToRules = []Rule{}
	}
}
