package rules

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// mesh is one mesh with everything in it.
type mesh struct {
	matching  *matching
	resources map[string][]*kuma.Resource // by type, in order of name
	policies  map[string][]*policy        // by type, in order of name
	index     index
	name      string
	exclusive bool // services are addressed as resources only
	mutualTLS bool // proxies have certificates of the mesh
	selectors int  // number of different values of [policy.selector]

	identities []identity

	serviceTags func() map[string]bool // reads them once, on demand
	services    func() map[kuma.ID]*kuma.Resource
	proxies     sync.Map             // by name of the dataplane: *proxy, read once
	groupings   map[string]*grouping // by type of policy
}

// meshOf returns the mesh that r is part of, or is itself.
func (s *Snapshot) meshOf(r *kuma.Resource) *mesh {
	name := meshName(r.Key())
	m, ok := s.meshes[name]
	if !ok {
		m = newMesh(name, s.matching)
		s.meshes[name] = m
	}
	return m
}

func newMesh(name string, by *matching) *mesh {
	return &mesh{
		name: name, matching: by, resources: map[string][]*kuma.Resource{}, policies: map[string][]*policy{}, groupings: map[string]*grouping{},
	}
}

// mesh returns a mesh, an empty one if it is unknown.
func (s *Snapshot) mesh(name string) *mesh {
	if m, ok := s.meshes[name]; ok {
		return m
	}
	return s.none
}

// meshName returns the name of the mesh that a resource is part of, or is itself.
func meshName(key kuma.Key) string {
	if key.Type == kuma.KindMesh {
		return key.Name
	}
	return key.Mesh
}

// prepare does all work that is the same for every dataplane.
func (m *mesh) prepare(policyKinds []*kind) {
	if meshes := m.resources[kuma.KindMesh]; len(meshes) > 0 {
		m.exclusive = m.matching.byLabels || kinds.ExclusiveMeshServices(*meshes[0])
		m.mutualTLS = !m.matching.byLabels && kinds.MutualTLS(*meshes[0])
	}
	m.identities = m.readIdentities()
	m.serviceTags = sync.OnceValue(m.readServiceTags)
	m.services = sync.OnceValue(m.readServices)
	m.index = newIndex(m.matching, m.resources)
	for _, k := range policyKinds {
		for _, r := range m.resources[k.Name] {
			m.policies[k.Name] = append(m.policies[k.Name], newPolicy(k, r, m))
		}
		number(m.policies[k.Name])
		m.groupings[k.Name] = newGrouping(m, k)
	}
	routes, selectors := m.policies[kuma.KindMeshHTTPRoute], map[string]int{}
	for _, k := range policyKinds {
		for _, p := range m.policies[k.Name] {
			p.link(routes)
			reference := fmt.Sprintf("%#v %v", p.top, p.named)
			if _, ok := selectors[reference]; !ok {
				selectors[reference] = len(selectors)
			}
			p.selector = selectors[reference]
		}
	}
	m.selectors = len(selectors)
}

// Resources returns the resources of a mesh, including the Mesh itself, in order of
// type and name. If the name is empty, it returns the resources that do not belong
// to a mesh. If types are given, it returns only resources of these types, in the
// given order. The list and the resources are read-only.
func (s *Snapshot) Resources(meshName string, types ...string) []*kuma.Resource {
	m := s.mesh(meshName)
	switch len(types) {
	case 0:
		types = slices.Sorted(maps.Keys(m.resources))
	case 1:
		return slices.Clip(m.resources[types[0]])
	}
	var out []*kuma.Resource
	for _, k := range types {
		out = append(out, m.resources[k]...)
	}
	return out
}

// Resource returns a resource, or nil if the snapshot does not contain it. The
// resource is read-only.
func (s *Snapshot) Resource(key kuma.Key) *kuma.Resource {
	return s.mesh(meshName(key)).resource(key.Type, key.Name)
}

func (m *mesh) resource(kind, name string) *kuma.Resource {
	resources := m.resources[kind]
	i, ok := slices.BinarySearchFunc(resources, name, func(r *kuma.Resource, name string) int {
		return cmp.Compare(r.Name, name)
	})
	if !ok {
		return nil
	}
	return resources[i]
}

// Exclusive reports whether services of a mesh are addressed as resources only,
// and not by the tag kuma.io/service.
func (s *Snapshot) Exclusive(meshName string) bool { return s.mesh(meshName).exclusive }

// Dataplanes returns the names of the dataplanes of a mesh in ascending order;
// none when the mesh is unknown.
func (s *Snapshot) Dataplanes(meshName string) []string {
	var names []string
	for _, r := range s.Resources(meshName, kuma.KindDataplane) {
		names = append(names, r.Name)
	}
	return names
}

// CheckDataplane returns [ErrUnknownMesh] or [ErrUnknownDataplane] if there is no such dataplane.
func (s *Snapshot) CheckDataplane(meshName, name string) error {
	_, _, err := s.find(meshName, name)
	return err
}

// find returns a dataplane and the mesh it is in.
func (s *Snapshot) find(meshName, name string) (*mesh, *proxy, error) {
	m := s.mesh(meshName)
	if len(m.resources[kuma.KindMesh]) == 0 {
		return nil, nil, fmt.Errorf("%w %q", ErrUnknownMesh, meshName)
	}
	if m.resource(kuma.KindDataplane, name) == nil {
		const most = 10
		known := s.Dataplanes(meshName)
		if len(known) == 0 {
			return nil, nil, fmt.Errorf("%w %q: mesh %q has no dataplanes", ErrUnknownDataplane, name, meshName)
		}
		return nil, nil, fmt.Errorf("%w %q; dataplanes of mesh %q: %s.%s", ErrUnknownDataplane, name, meshName, phrase.Some(known, most, ""),
			phrase.Suggest(name, known))
	}
	return m, m.proxy(name), nil
}
