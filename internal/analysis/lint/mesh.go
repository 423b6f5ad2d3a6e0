package lint

import (
	"slices"
	"sync"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// mesh is the input of the checks. It is immutable.
type mesh struct {
	*rules.Snapshot
	name      string
	resources []*kuma.Resource  // of the mesh, and resources without a mesh, sorted by type and name
	policies  []*kuma.Resource  // all policies except shadow policies, sorted by type and name
	initial   map[kuma.Key]bool // those that the control plane creates with the mesh
	services  map[string]bool   // display names of MeshServices

	// Computed once, on first use.
	sections   func() map[string]bool            // names by which backends of routes refer to ports
	proxies    func() *proxy.Mesh                // nil without the Mesh
	in3        func() *rules.Snapshot            // the same resources as Kuma 3.0 reads them
	problems   func() map[kuma.Key][]def.Problem // of single documents that a control plane accepts
	precedence func() precedence
	inbounds   func() []inbound                    // with the gateways, of all Dataplanes
	providers  func() map[*kuma.Resource][]inbound // what MeshServices select
	gateways   func() map[string][]rules.Listener  // the builtin gateways
}

func newMesh(s *rules.Snapshot, name string) *mesh {
	m := &mesh{
		Snapshot: s, name: name,
		resources: append(s.Resources(name), s.Resources("")...),
		initial:   map[kuma.Key]bool{}, services: map[string]bool{},
	}
	slices.SortStableFunc(m.resources, func(a, b *kuma.Resource) int { return kuma.CompareKeys(a.Key(), b.Key()) })
	for _, r := range m.resources {
		k, _ := kinds.Find(r.Type)
		switch {
		case r.Type == kuma.KindMesh:
			for _, i := range kinds.Initial(*r, kuma.Newest2()) {
				m.initial[i.Key()] = true
			}
		case k.Policy != nil && !r.IsShadow():
			m.policies = append(m.policies, r)
		}
	}
	for _, service := range m.ofKind(kuma.KindMeshService) {
		m.services[service.DisplayName()] = true
	}
	m.sections = sync.OnceValue(func() map[string]bool {
		named := map[string]bool{}
		for _, r := range m.Resources(m.name, rules.RouteKinds()...) {
			for _, ref := range rules.BackendRefs(*r) {
				named[ref.SectionName] = true
			}
		}
		return named
	})
	m.proxies = sync.OnceValue(func() *proxy.Mesh {
		found, _ := proxy.New(s, name)
		return found
	})
	m.problems = sync.OnceValue(m.findProblems)
	m.providers = sync.OnceValue(m.findProviders)
	m.in3 = sync.OnceValue(func() *rules.Snapshot {
		stored := phrase.Each(m.resources, func(r *kuma.Resource) kuma.Resource { return *r })
		return rules.NewSnapshotFor(kuma.Release{Major: 3}, stored)
	})
	m.gateways = sync.OnceValue(func() map[string][]rules.Listener {
		found := map[string][]rules.Listener{}
		for _, name := range m.Dataplanes(m.name) {
			if listeners := m.Listeners(m.name, name); len(listeners) > 0 && !m.Release().Kuma3() {
				found[name] = listeners
			}
		}
		return found
	})
	m.inbounds = sync.OnceValue(func() (all []inbound) {
		for _, dp := range m.ofKind(kuma.KindDataplane) {
			networking := tree.Root(dp.Body).Get("networking")
			for _, n := range append(networking.Get("inbound").Items(), networking.Get("gateway")) {
				if n.Known() {
					all = append(all, inbound{n, dp, tree.StringMap(n.Get("tags").Value())})
				}
			}
		}
		return all
	})
	m.precedence = sync.OnceValue(func() precedence { return newPrecedence(m) })
	return m
}

// inbound is an inbound, or the gateway, of a Dataplane.
type inbound struct {
	tree.Node
	dataplane *kuma.Resource
	tags      map[string]string
}

func (in inbound) gateway() bool { return in.Key() == "gateway" }

func (m *mesh) findProblems() map[kuma.Key][]def.Problem {
	found := make(map[kuma.Key][]def.Problem, len(m.resources))
	for _, r := range m.resources {
		k, _ := kinds.Find(r.Type)
		doc := r.Document()
		stored := slices.DeleteFunc(k.Validate(doc), func(p def.Problem) bool { return !p.Warning })
		found[r.Key()] = append(stored, k.ValidateDesign(doc, m.Release())...)
	}
	return found
}

// outbounds returns what the proxy of a Dataplane of the mesh listens for, nil without the Mesh.
func (m *mesh) outbounds(dataplane string) *proxy.Outbounds {
	if proxies := m.proxies(); proxies != nil {
		return proxies.Outbounds(dataplane)
	}
	return &proxy.Outbounds{}
}

// ofKind returns the resources of a kind in the mesh, sorted by name.
func (m *mesh) ofKind(kind string) []*kuma.Resource { return m.Resources(m.name, kind) }

// uses reports whether a policy of a kind has one of some fields of its spec, such as `from`.
func (m *mesh) uses(kind string, fields ...string) bool {
	return slices.ContainsFunc(m.ofKind(kind), func(p *kuma.Resource) bool {
		return slices.ContainsFunc(fields, func(name string) bool { return p.Spec()[name] != nil })
	})
}

// pathOfToRef returns the path of the reference in an element of `to`.
func pathOfToRef(i int) tree.Path { return tree.Path{"spec", "to", i, "targetRef"} }
