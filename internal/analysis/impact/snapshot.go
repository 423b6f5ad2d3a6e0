package impact

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// snapshot is the mesh before or after the change.
type snapshot struct {
	*rules.Snapshot
	mesh       string
	ids        map[kuma.ID]*kuma.Resource // the first resource of each identity
	zones      map[kuma.ID]int            // number of zones with such a resource, by identity without the zone
	dataplanes []string
	proxies    *proxy.Mesh                    // nil without the Mesh
	sides      []*snapshot                    // before and after the change
	selecting  func() map[string][]rules.Port // portsBySelection, once
	simulation request.Simulation
	failed     atomic.Pointer[error] // see fail

	ofRoute      memo[*kuma.Resource, map[int]routeBackends] // the backends of its entries
	ofRoutes     memo[routesOfProxy, routeBackends]
	localities   memo[rules.Input, []tree.Node] // the locality awareness in rules
	modes        memo[*rules.Match, string]     // passthroughMode
	tagProtocols memo[[2]string, tagProtocol]   // by the zone and the value of kuma.io/service
}

// fail keeps the first error of other packages. After one, what is computed means nothing.
func (s *snapshot) fail(err error) {
	if err != nil {
		s.failed.CompareAndSwap(nil, &err)
	}
}

func newSnapshot(of *rules.Snapshot, meshName string) *snapshot {
	s := &snapshot{
		Snapshot: of, mesh: meshName, ids: map[kuma.ID]*kuma.Resource{}, zones: map[kuma.ID]int{}, simulation: request.New(of),
	}
	for _, r := range s.Resources(meshName) {
		if _, taken := s.ids[r.ID()]; !taken {
			s.ids[r.ID()] = r
			s.zones[anywhere(r.ID())]++
		}
	}
	if s.exists() {
		s.dataplanes = s.Dataplanes(meshName)
		s.proxies, _ = proxy.New(of, meshName)
	}
	s.selecting = sync.OnceValue(s.portsBySelection)
	return s
}

func anywhere(id kuma.ID) kuma.ID {
	id.Zone = ""
	return id
}

func (s *snapshot) exists() bool {
	return s.Resource(kuma.MeshKey(s.mesh)) != nil
}

// difference is a resource that differs between the two sides.
type difference struct {
	key       kuma.Key
	operation Operation
	// inBody is false if only labels and times differ, which a control plane may compute
	// differently.
	inBody bool
}

// differences returns the resources that differ, in order of type and name.
func differences(before, after *snapshot) []difference {
	var out []difference
	for _, a := range after.Resources(after.mesh) {
		b := before.Resource(a.Key())
		switch {
		case b == nil:
			out = append(out, difference{a.Key(), Added, true})
		case !same(b, a):
			out = append(out, difference{a.Key(), Changed, !tree.Equal(b.Body, a.Body)})
		}
	}
	for _, b := range before.Resources(before.mesh) {
		if after.Resource(b.Key()) == nil {
			out = append(out, difference{b.Key(), Removed, true})
		}
	}
	slices.SortFunc(out, func(a, b difference) int { return kuma.CompareKeys(a.key, b.key) })
	return out
}

// matches is what the settings of a dataplane depend on, for one type of policy.
type matches struct {
	policies *rules.Match
	routes   [2]*rules.Match // by index in rules.RouteKinds; nil for kinds that are not relevant
	byTag    bool            // the proxy has outbounds by tags
}

// matches returns the matches of a dataplane, including those of routes of the given
// kinds.
func (s *snapshot) matches(dataplane, policyType string, routeKinds []string) matches {
	out := matches{policies: s.Match(s.mesh, dataplane, policyType)}
	outbounds := s.proxies.Outbounds(dataplane)
	out.byTag = outbounds != nil && outbounds.HasTags()
	for i, k := range rules.RouteKinds() {
		if slices.Contains(routeKinds, k) {
			out.routes[i] = s.Match(s.mesh, dataplane, k)
		}
	}
	return out
}

// same reports whether two states of a resource are equal as far as matching is
// concerned.
func same(a, b *kuma.Resource) bool {
	return a.CreationTime.Equal(b.CreationTime) && maps.Equal(a.Labels, b.Labels) && tree.Equal(a.Body, b.Body)
}

// split divides two sorted lists of names into the names in both, only in after, and
// only in before.
func split(before, after []string) (common, added, removed []string) {
	for _, name := range after {
		if has(before, name) {
			common = append(common, name)
		} else {
			added = append(added, name)
		}
	}
	for _, name := range before {
		if !has(after, name) {
			removed = append(removed, name)
		}
	}
	return common, added, removed
}

// has reports whether a sorted list contains a name.
func has(sorted []string, name string) bool {
	_, ok := slices.BinarySearch(sorted, name)
	return ok
}
