package impact

import (
	"cmp"
	"slices"
	"sync"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// ReachablePath is the path of a [Change] of whether the proxy has a listener for a service
// that exists on both sides, or that its Dataplane lists, or lets traffic through to the
// destination [Outside]. The type of the change is Dataplane.
const ReachablePath = "reachable"

// CertificatePath is the path of a [Change] of the certificate of the proxy: its first one, another one, or none any more. Values are its
// SPIFFE ID, or its issuer.
const CertificatePath = "certificate"

// TrustPath is the path of a [Change] of the trust domains that MeshTrusts and the Mesh give the proxy, a list.
const TrustPath = "trust"

// Outside is the destination of a change of everything that does not belong to the mesh. What a
// MeshPassthrough allows is a setting, and a change of its own.
const Outside = "outside"

// Values of a change with the path [ReachablePath], as JSON.
const (
	reachable    = "true"
	notReachable = "false"
)

// reachability compares the services that proxies reach.
type reachability struct {
	*comparison
	services []kuma.ID // that exist on both sides
	single   []kuma.ID // that exist on one side; they count only if a Dataplane lists them
	// filled are the provided ports of MeshMultiZoneServices that select a MeshService only after the change.
	filled map[kuma.ID][]int
	// otherMode is whether the mesh has other services by another mode.
	otherMode bool
	egresses  [2][]proxy.Endpoint // through which requests leave the mesh, before and after
	// changedTags are values of kuma.io/service of Dataplanes that differ themselves.
	changedTags func() []string
	different   func() map[kuma.ID][]serviceChange
}

func newReachability(c *comparison) *reachability {
	r := &reachability{comparison: c, filled: map[kuma.ID][]int{}}
	r.different, r.changedTags = sync.OnceValue(r.serviceChanges), sync.OnceValue(r.tagsOfOwn)
	mode := func(s *snapshot) any {
		return tree.Root(s.Resource(kuma.MeshKey(s.mesh)).Body).Get("meshServices", "mode").Value()
	}
	if c.before.Release() == c.after.Release() {
		r.otherMode = c.before.exists() && c.after.exists() && mode(c.before) != mode(c.after)
		r.egresses = [2][]proxy.Endpoint{c.before.egresses(), c.after.egresses()}
	}
	add := func(of, other *snapshot, both bool) {
		for _, service := range of.Resources(of.mesh, rules.DestinationKinds()...) {
			switch id := service.ID(); {
			case of.ids[id] != service:
			case other.ids[id] == nil:
				r.single = append(r.single, id)
			case both:
				r.services = append(r.services, id)
				if id.Type == kuma.KindMeshMultiZoneService && len(c.before.Behind(id)) == 0 {
					r.filled[id] = c.after.providedPorts(id)
				}
			}
		}
	}
	add(c.before, c.after, true)
	add(c.after, c.before, false)
	for _, list := range [][]kuma.ID{r.services, r.single} {
		slices.SortFunc(list, func(a, b kuma.ID) int { return cmp.Compare(kinds.KRI(a), kinds.KRI(b)) })
	}
	return r
}

// canChange reports whether a proxy can reach other services after the change.
func (r *reachability) canChange(dataplane string) bool {
	return r.own[dataplane] || r.changed[kuma.MeshKey(r.after.mesh)] || slices.Contains(r.reached, kinds.MeshPassthrough.Name) ||
		r.before.Release() != r.after.Release() || r.before.RestrictsOutbound() != r.after.RestrictsOutbound() ||
		r.egressesOf(dataplane, 0) != r.egressesOf(dataplane, 1) ||
		slices.ContainsFunc(r.differences, func(d difference) bool {
			return rules.IsDestination(d.key.Type) || d.key.Type == kinds.MeshIdentity.Name || d.key.Type == kinds.MeshTrust.Name
		}) || len(r.different()) > 0 || len(r.changedTags()) > 0
}

// providedPorts returns the ports of a MeshMultiZoneService that have endpoints, which services of other zones count as.
func (s *snapshot) providedPorts(id kuma.ID) (numbers []int) {
	elsewhere := slices.ContainsFunc(s.Behind(id), func(to kuma.ID) bool { return rules.IsElsewhere(*s.ids[to]) })
	for _, p := range s.Ports(id) {
		if elsewhere || s.exists() && len(s.proxies.Endpoints(p)) > 0 {
			numbers = append(numbers, p.Number)
		}
	}
	return numbers
}

// listensForAny reports whether a proxy has a listener for one of the ports of a service.
func listensForAny(o *proxy.Outbounds, id kuma.ID, ports []int) bool {
	return slices.ContainsFunc(ports, func(number int) bool { return o.Has(id, number) })
}

// isLost reports whether a service is removed to which a Dataplane still has an outbound.
func (r *reachability) isLost(id kuma.ID, dataplane string) bool {
	return slices.ContainsFunc(r.lost, func(l LostService) bool {
		return has(l.Dataplanes, dataplane) && r.before.Resource(l.Service) == r.before.ids[id]
	})
}

// change returns a change of what a proxy has for a section, with the values as JSON.
func (r *reachability) change(to section, path, before, after string) *Change {
	c := &Change{
		Type: kuma.KindDataplane, Direction: To, Destination: kuma.TagService + "=" + to.id.Name, Path: path, Cause: CauseSettings,
		Before: &Value{JSON: before}, After: &Value{JSON: after}, target: target{section: to},
	}
	if to.id.Type == "" && to.name != "" { // the other tags
		c.Destination += ", " + to.name
	}
	if c.about = c.Destination; to.id.Type != "" {
		in := r.after
		if in.ids[to.id] == nil {
			in = r.before
		}
		c.Destination, c.about = kinds.KRI(to.id)+to.name, in.describe(to)
	}
	return c
}

// AddsService reports whether the change is that the proxy reaches a service that it did not reach.
func (c Change) AddsService() bool {
	return c.Path == ReachablePath && c.Destination != Outside && c.After.JSON == reachable
}

// reachableLine describes a change with the path [ReachablePath].
func (c Change) reachableLine() string {
	switch isReachable := c.After.JSON == reachable; {
	case c.Destination == Outside && isReachable:
		return "the proxy lets traffic through now"
	case c.Destination == Outside:
		return "the proxy no longer lets traffic through"
	case isReachable:
		return "the proxy reaches it now"
	default:
		return "the proxy no longer reaches it"
	}
}
