package impact

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// ReachablePath is the path of a [Change] of whether the proxy has a listener for a service
// that exists on both sides, or lets traffic through to the destination [Outside]. The type of
// the change is that of the Dataplane.
const ReachablePath = "reachable"

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
	known    sync.Map  // lost and gained services as text -> *result
	modes    sync.Map  // *rules.Match -> passthroughMode as text
}

func newReachability(c *comparison) *reachability {
	r := &reachability{comparison: c}
	for _, service := range c.before.Resources(c.before.mesh, rules.DestinationKinds()...) {
		if c.after.ids[service.ID()] != nil && c.before.ids[service.ID()] == service {
			r.services = append(r.services, service.ID())
		}
	}
	slices.SortFunc(r.services, func(a, b kuma.ID) int { return cmp.Compare(kinds.KRI(a), kinds.KRI(b)) })
	return r
}

// canChange reports whether a proxy can reach other services after the change.
func (r *reachability) canChange(dataplane string) bool {
	return r.own[dataplane] || r.changed[kuma.MeshKey(r.after.mesh)] || slices.Contains(r.reached, kinds.MeshPassthrough.Name) || r.before.Release() != r.after.Release() || r.before.RestrictsOutbound() != r.after.RestrictsOutbound() ||
		slices.ContainsFunc(r.differences, func(d difference) bool { return rules.IsDestination(d.key.Type) })
}

// compare returns the changes for a dataplane.
func (r *reachability) compare(dataplane string) (*result, error) {
	before, after := r.before.proxies.Outbounds(dataplane), r.after.proxies.Outbounds(dataplane)
	outside, err := r.outside(dataplane)
	if err != nil {
		return nil, err
	}
	var lost, gained []kuma.ID // what the Dataplane does not list is not gained
	for _, id := range r.services {
		was, is := before.HasService(id), after.HasService(id)
		tag := r.before.proxies.TagOf(id)
		switch {
		case was && !is && (tag == "" || !after.HasTag(tag)):
			lost = append(lost, id)
		case is && !was && !after.Everything && (tag == "" || !before.HasTag(tag)):
			gained = append(gained, id)
		}
	}
	for _, tag := range before.Tags() {
		if !r.after.proxies.ReachesTag(after, tag) && (r.after.HasServiceTag(r.after.mesh, tag) || r.after.Release().Kuma3() && !r.before.Release().Kuma3()) {
			lost = append(lost, kuma.ID{Mesh: r.after.mesh, Name: tag})
		}
	}
	for _, tag := range after.Tags() {
		if !after.Transparent && !r.before.proxies.ReachesTag(before, tag) && r.before.HasServiceTag(r.before.mesh, tag) {
			gained = append(gained, kuma.ID{Mesh: r.after.mesh, Name: tag})
		}
	}
	found, _ := r.known.LoadOrStore(fmt.Sprint(lost, gained, outside), &result{})
	all, _ := found.(*result)
	all.once.Do(func() {
		for _, id := range lost {
			all.changes = append(all.changes, r.change(id, reachable, notReachable))
		}
		for _, id := range gained {
			all.changes = append(all.changes, r.change(id, notReachable, reachable))
		}
		if outside != nil {
			all.changes = append(all.changes, Change{
				Type: kuma.KindDataplane, Direction: To, Destination: Outside, Path: ReachablePath, Cause: CauseSettings,
				Before: &Value{JSON: outside[0]}, After: &Value{JSON: outside[1]}, about: "destinations outside the mesh",
			})
		}
		slices.SortFunc(all.changes, compareChanges)
		all.sum = sumOf(all.changes)
	})
	return all, nil
}

func (r *reachability) change(id kuma.ID, before, after string) Change {
	c := Change{
		Type: kuma.KindDataplane, Direction: To, Destination: kuma.TagService + "=" + id.Name, Path: ReachablePath, Cause: CauseSettings,
		Before: &Value{JSON: before}, After: &Value{JSON: after},
	}
	if c.about = c.Destination; id.Type != "" {
		c.Destination, c.about = kinds.KRI(id), r.after.describe(section{id: id})
	}
	return c
}

// outside returns whether a transparent proxy lets traffic through to everything outside the mesh,
// before and after the change. It returns nil if that does not change, or if a MeshPassthrough sets
// both.
func (r *reachability) outside(dataplane string) ([]string, error) {
	var modes [2]string
	bySetting := true
	for i, s := range []*snapshot{r.before, r.after} {
		if !kinds.IsRedirected(*s.Resource(kuma.Key{Type: kuma.KindDataplane, Mesh: s.mesh, Name: dataplane})) {
			return nil, nil
		}
		mode, err := r.passthroughMode(s, dataplane)
		if err != nil {
			return nil, err
		}
		bySetting = bySetting && mode != ""
		modes[i] = cmp.Or(mode, s.defaultPassthrough())
	}
	switch {
	case bySetting || modes[0] == modes[1]:
		return nil, nil
	case modes[1] == passesAll:
		return []string{notReachable, reachable}, nil
	case modes[1] == passesNone:
		return []string{reachable, notReachable}, nil
	default:
		return nil, nil
	}
}

// Values of passthroughMode.
const passesAll, passesNone, passesMatched = "All", "None", "Matched"

// defaultPassthrough returns the mode of proxies that no MeshPassthrough selects (release3.md §6).
func (s *snapshot) defaultPassthrough() string {
	if s.RestrictsOutbound() || tree.Root(s.Resource(kuma.MeshKey(s.mesh)).Body).Get("networking", "outbound", "passthrough").Value() == false {
		return passesNone
	}
	return passesAll
}

// passthroughMode returns the mode that MeshPassthroughs set for a proxy; empty if none applies.
func (r *reachability) passthroughMode(s *snapshot, dataplane string) (string, error) {
	match, err := s.Match(s.mesh, dataplane, kinds.MeshPassthrough.Name)
	if err != nil {
		return "", err
	}
	if mode, ok := r.modes.Load(match); ok {
		return mode.(string), nil //nolint:forcetypeassert // stored below
	}
	found, err := s.Rules(s.mesh, dataplane, kinds.MeshPassthrough.Name)
	mode := ""
	if found.ProxyRule != nil {
		set, _ := tree.Root(found.ProxyRule.Conf).Get("passthroughMode").Text()
		mode = cmp.Or(set, passesMatched)
	}
	r.modes.Store(match, mode)
	return mode, err
}

// reachableLine describes a change with the path [ReachablePath].
func (c Change) reachableLine() string {
	if c.Destination == Outside {
		if c.After.JSON == reachable {
			return "the proxy lets traffic through now"
		}
		return "the proxy no longer lets traffic through"
	}
	if c.After.JSON == reachable {
		return "the proxy reaches it now"
	}
	return "the proxy no longer reaches it"
}
