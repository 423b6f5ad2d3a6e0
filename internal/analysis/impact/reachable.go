package impact

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// ReachablePath is the path of a [Change] of whether the proxy has a listener for a service
// that exists on both sides. The type of the change is that of the Dataplane.
const ReachablePath = "reachable"

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
	return r.own[dataplane] || r.before.Release() != r.after.Release() || r.before.RestrictsOutbound() != r.after.RestrictsOutbound() ||
		slices.ContainsFunc(r.differences, func(d difference) bool { return rules.IsDestination(d.key.Type) })
}

// compare returns the changes for a dataplane.
func (r *reachability) compare(dataplane string) (*result, error) {
	before, allBefore, err := r.before.ReachableServices(r.before.mesh, dataplane)
	if err != nil {
		return nil, err
	}
	after, allAfter, err := r.after.ReachableServices(r.after.mesh, dataplane)
	if err != nil || allBefore && allAfter {
		return &result{}, err
	}
	var lost, gained []kuma.ID // what the Dataplane does not list is not gained
	for _, id := range r.services {
		was, is := allBefore || before[id], allAfter || after[id]
		switch {
		case was && !is:
			lost = append(lost, id)
		case is && !was && !allAfter:
			gained = append(gained, id)
		}
	}
	found, _ := r.known.LoadOrStore(fmt.Sprint(lost, gained), &result{})
	all, _ := found.(*result)
	all.once.Do(func() {
		for _, id := range lost {
			all.changes = append(all.changes, r.change(id, reachable, notReachable))
		}
		for _, id := range gained {
			all.changes = append(all.changes, r.change(id, notReachable, reachable))
		}
		slices.SortFunc(all.changes, compareChanges)
		all.sum = sumOf(all.changes)
	})
	return all, nil
}

func (r *reachability) change(id kuma.ID, before, after string) Change {
	return Change{
		Type: kuma.KindDataplane, Direction: To, Destination: kinds.KRI(id), Path: ReachablePath, Cause: CauseSettings,
		Before: &Value{JSON: before}, After: &Value{JSON: after}, about: r.after.describe(section{id: id}),
	}
}

// reachableLine describes a change with the path [ReachablePath].
func (c Change) reachableLine() string {
	if c.After.JSON == reachable {
		return "the proxy reaches it now"
	}
	return "the proxy no longer reaches it"
}
