package rules

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
)

// What [Snapshot.Dataplane] cannot answer.
var (
	ErrUnknownMesh      = errors.New("unknown mesh")
	ErrUnknownDataplane = errors.New("unknown dataplane")
	ErrTooManySubsets   = errors.New("the tags combine to too many subsets")
)

// Snapshot is a set of resources prepared for matching. It never changes, so
// any number of goroutines may query it.
type Snapshot struct {
	kinds  []*kind
	worlds map[string]*world
}

// world is one mesh with everything in it.
type world struct {
	resources map[string][]*mesh.Resource // by type, in order of name
	policies  map[string][]*policy        // by type, in order of name
	index     index
}

// NewSnapshot prepares resources, which may belong to several meshes. When two
// have the same type, mesh and name, the later one counts. Documents are taken
// as a control plane stores them, with defaults and canonical durations;
// members of a wrong type count as absent. The snapshot reads the bodies and
// labels it was given as long as it is used, and never writes to them.
func NewSnapshot(resources []mesh.Resource) *Snapshot {
	s := &Snapshot{worlds: map[string]*world{}}
	for _, k := range kinds.Policies() {
		s.kinds = append(s.kinds, newKind(k))
	}
	latest := make(map[mesh.Key]*mesh.Resource, len(resources))
	for _, r := range resources {
		latest[r.Key()] = &r
	}
	for _, r := range slices.SortedFunc(maps.Values(latest), compareKeys) {
		w := s.world(r)
		w.resources[r.Type] = append(w.resources[r.Type], r)
	}
	for _, w := range s.worlds {
		w.prepare(s.kinds)
	}
	return s
}

func compareKeys(a, b *mesh.Resource) int {
	return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Mesh, b.Mesh))
}

// world returns the mesh that r is part of, or is itself.
func (s *Snapshot) world(r *mesh.Resource) *world {
	name := r.Mesh
	if r.Type == mesh.KindMesh {
		name = r.Name
	}
	w, ok := s.worlds[name]
	if !ok {
		w = &world{resources: map[string][]*mesh.Resource{}, policies: map[string][]*policy{}}
		s.worlds[name] = w
	}
	return w
}

// prepare does all work that is the same for every dataplane.
func (w *world) prepare(kinds []*kind) {
	w.index = newIndex(w.resources)
	for _, k := range kinds {
		for _, r := range w.resources[k.Name] {
			w.policies[k.Name] = append(w.policies[k.Name], newPolicy(k, r, w.index))
		}
	}
	routes := w.policies[mesh.KindMeshHTTPRoute]
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
	for _, r := range w.resources[mesh.KindDataplane] {
		names = append(names, r.Name)
	}
	return names
}

// Dataplane returns the rules for one dataplane. The error wraps
// [ErrUnknownMesh] or [ErrUnknownDataplane] when the snapshot does not hold
// what was asked for, and [ErrTooManySubsets] for policies that would exhaust
// the memory of a control plane.
func (s *Snapshot) Dataplane(meshName, name string) (Answer, error) {
	w, ok := s.worlds[meshName]
	if !ok || len(w.resources[mesh.KindMesh]) == 0 {
		return Answer{}, fmt.Errorf("%w %q", ErrUnknownMesh, meshName)
	}
	dataplanes := w.resources[mesh.KindDataplane]
	i, ok := slices.BinarySearchFunc(dataplanes, name, func(r *mesh.Resource, name string) int {
		return cmp.Compare(r.Name, name)
	})
	if !ok {
		return Answer{}, fmt.Errorf("%w %q in mesh %q", ErrUnknownDataplane, name, meshName)
	}
	return s.answer(w, w.proxy(dataplanes[i]))
}

func (s *Snapshot) answer(w *world, dp *proxy) (Answer, error) {
	a := Answer{HTTPMatches: []HTTPMatch{}, Resource: metaOf(dp.Resource), Rules: []PolicyRules{}}
	for _, k := range s.kinds {
		rules, err := dp.match(w.policies[k.Name]).rules(k)
		if err != nil {
			return Answer{}, fmt.Errorf("%s for dataplane %q in mesh %q: %w", k.Name, dp.Name, dp.Mesh, err)
		}
		// Of the legacy rules, too, even if they are not shown.
		a.HTTPMatches = append(a.HTTPMatches, httpMatches(rules)...)
		if w.exclusive() {
			rules.ToRules = []Rule{}
		}
		if !rules.empty() {
			a.Rules = append(a.Rules, rules)
		}
	}
	return a, nil
}

// rules computes everything that one kind says about the proxy.
func (m matched) rules(k *kind) (PolicyRules, error) {
	r := PolicyRules{
		Type:            k.Name,
		ToResourceRules: m.resourceRules(k),
		InboundRules:    m.inboundRules(),
		ProxyRule:       m.proxyRule(k),
		Warnings:        m.warnings,
	}
	var err error
	if r.ToRules, err = m.toRules(k); err != nil {
		return PolicyRules{}, err
	}
	if r.FromRules, err = m.fromRules(k); err != nil {
		return PolicyRules{}, err
	}
	return r, nil
}

// exclusive reports whether services are addressed as resources only, so that
// rules by kuma.io/service tag are not shown (spec/matching.md §5).
func (w *world) exclusive() bool {
	services := object(w.resources[mesh.KindMesh][0].Body["meshServices"])
	return text(services["mode"]) == "Exclusive"
}
