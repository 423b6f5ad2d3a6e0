package impact

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/access"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// Impact is the effect of a change on a mesh. All lists of names are sorted.
type Impact struct {
	Mesh         string
	Groups       []Group       // dataplanes with values that change, in order of their first name
	Unchanged    []string      // dataplanes that keep all values, services and destinations of requests
	Added        []string      // dataplanes that exist only after the change
	Removed      []string      // dataplanes that exist only before the change
	Frozen       []Frozen      // dataplanes whose proxies can no longer be configured, by the reason
	LostServices []LostService // removed services that dataplanes have outbounds to, in order of type and name
	// AccessGained and AccessLost are the clients that can call services of others after the
	// change only, and before it only: by [access.Compare].
	AccessGained, AccessLost []access.Change
	// RequestsChanged are requests that go to other destinations, or that proxies answer
	// differently: by port, clients and request.
	RequestsChanged     []RequestChange
	RequestsNotCompared int            // how many requests a change of many routes left out
	WithoutEffect       []PolicyChange // changed policies that have no effect, in order of type and name

	restricts bool     // outbounds, only after the change
	assumed   []string // dataplanes in groups that do not say for what their proxies listen

	notes      []string // sentences about what is not compared or not known
	uncertain  bool     // some of that changes
	unbalanced []string // gateways of which one listener decides about the load balancer of all
}

// Group is a set of dataplanes with exactly the same changes.
type Group struct {
	Dataplanes []string
	Changes    []*Change // in order of processing of the types, then by direction, destination and path
}

// Direction names the list of a policy that contains the settings.
type Direction string

// Directions, in the order in which they are reported.
const (
	To    Direction = "to"      // outgoing traffic
	From  Direction = "from"    // incoming traffic, by the tags of the client
	Rules Direction = "rules"   // incoming traffic, by the request
	Proxy Direction = "default" // the proxy itself
)

// Change is one value that is added, removed or changed for a dataplane.
type Change struct {
	Type      string // of the policies, or Dataplane
	Direction Direction
	// Destination is what the value applies to: the KRI of a resource, including its
	// section; the tags of a peer, as in "key=value,key=value", or "any"; for incoming
	// traffic, and for traffic through a builtin gateway, the same after the port, as in
	// "port 8080, any"; "proxy" for the proxy itself.
	Destination string
	// Path is the path of the value in the conf. A rule of an HTTP route is identified
	// by its matches as JSON, and an element of a concatenated list by empty brackets:
	// `rules[{"method":"GET"}].default.backendRefs`, `appendModifications[]`. In confs
	// for a hostname, the path begins with that hostname:
	// `hostnames["shop.example"].rules…`. The path of a list itself is for the order of
	// its elements. It is "(conf)" for a conf without values. The path [ReachablePath] is
	// not part of a conf: its values are true and false, and it is set by the Dataplane itself.
	// Neither is the path [AccessPath]: its values are values of [rules.Access], and no single
	// entry sets them.
	Path   string
	Before *Value // nil if not set before the change
	After  *Value // nil if not set after the change
	Cause  Cause

	about  string // the destination in words
	why    string // a sentence about the value after the change, or empty
	gone   bool   // the destination is removed
	place  place  // the path in words
	target target
}

// Cause is the reason why a value changes.
type Cause string

// Causes.
const (
	// CauseSettings means that a policy sets, or no longer sets, the value.
	CauseSettings Cause = "settings"
	// CauseOrder means that the order of two unchanged policies is reversed:
	// the order of policies is not transitive, and depends on the other
	// policies (matching.md §3.3).
	CauseOrder Cause = "order"
)

// Value is a value and the entry that sets it.
type Value struct {
	JSON  string
	SetBy Source
}

// Source is an entry of a policy.
type Source struct {
	Type, Name, KRI string
	Index           int // in the list given by the direction
}

// Operation is what happens to a policy.
type Operation string

// Operations.
const (
	Added   Operation = "added"
	Changed Operation = "changed"
	Removed Operation = "removed"
)

// PolicyChange is a change of a policy that affects no dataplane.
type PolicyChange struct {
	Type      string    `json:"type"`
	Name      string    `json:"name"`
	KRI       string    `json:"kri"`
	Operation Operation `json:"operation"`
	Reason    string    `json:"reason"` // a clause about the policy: "selects no dataplane"
}

// Row is a change with all dataplanes that it affects.
type Row struct {
	*Change
	Dataplanes []string
}

// Rows returns each change once, in the order of the changes of a [Group].
func (i Impact) Rows() []Row {
	var all []Row
	for _, g := range i.Groups {
		all = append(all, phrase.Each(g.Changes, func(c *Change) Row { return Row{c, g.Dataplanes} })...)
	}
	out := phrase.Each(phrase.Grouped(all, func(r Row) identity { return r.identity() }), func(same []Row) Row {
		return Row{same[0].Change, slices.Concat(phrase.Each(same, func(r Row) []string { return r.Dataplanes })...)}
	})
	sortRows(out)
	return out
}

// Largest returns the n rows with the most dataplanes, or all rows if there are
// fewer, in their original order.
func Largest(rows []Row, n int) []Row {
	positions := make([]int, len(rows))
	for i := range rows {
		positions[i] = i
	}
	slices.SortStableFunc(positions, func(a, b int) int { return cmp.Compare(len(rows[b].Dataplanes), len(rows[a].Dataplanes)) })
	positions = positions[:min(n, len(positions))]
	slices.Sort(positions)
	out := make([]Row, len(positions))
	for i, position := range positions {
		out[i] = rows[position]
	}
	return out
}

// Changed returns the names of the dataplanes that change.
func (i Impact) Changed() []string {
	var out []string
	for _, g := range i.Groups {
		out = append(out, g.Dataplanes...)
	}
	for _, l := range i.LostServices {
		out = append(out, l.Dataplanes...)
	}
	for _, r := range i.RequestsChanged {
		out = append(out, r.Clients...)
	}
	for _, f := range i.Frozen {
		for _, name := range f.Dataplanes {
			if !has(i.Added, name) {
				out = append(out, name)
			}
		}
	}
	return phrase.Sorted(out)
}

// Values returns the number of values that change, counted on each dataplane.
func (i Impact) Values() int {
	n := 0
	for _, g := range i.Groups {
		n += len(g.Dataplanes) * len(g.Changes)
	}
	return n
}

// Kinds returns the kinds of resources that an impact depends on.
func Kinds() []def.Kind { return append(request.Kinds(), kinds.MeshOpenTelemetryBackend) }

// Compare computes how the dataplanes of a mesh are affected when the resources in
// before are replaced with those in after. It includes only policies of the given
// types, or of all types if none are given. The error wraps [rules.ErrUnknownMesh]
// if neither snapshot contains the mesh; all other errors come from
// [rules.Snapshot.Rules].
func Compare(before, after *rules.Snapshot, meshName string, types ...string) (Impact, error) {
	c := &comparison{types: kinds.PolicyTypes(types...), allTypes: len(types) == 0, asksForCauses: true}
	c.compared = c.types
	out, err := c.proxies(before, after, meshName)
	if err != nil {
		return Impact{}, err
	}
	out.WithoutEffect = slices.DeleteFunc(c.withoutEffect(), func(p PolicyChange) bool {
		return c.takesChanged(p, out.RequestsChanged) || len(out.unbalanced) > 0 && p.Type == kinds.MeshLoadBalancingStrategy.Name
	})
	return out, c.failure()
}

// CompareProxies is [Compare] without the changed policies that have no effect. With types, it compares only the settings
// of policies of these types, who can call services if they decide it, requests, and which proxies are frozen.
func CompareProxies(before, after *rules.Snapshot, meshName string, types ...string) (Impact, error) {
	c := &comparison{types: kinds.PolicyTypes(), allTypes: len(types) == 0, compared: kinds.PolicyTypes(types...)}
	return c.proxies(before, after, meshName)
}

func (c *comparison) proxies(before, after *rules.Snapshot, meshName string) (Impact, error) {
	c.before, c.after = newSnapshot(before, meshName), newSnapshot(after, meshName)
	if !c.before.exists() && !c.after.exists() {
		return Impact{}, fmt.Errorf("%w %q", rules.ErrUnknownMesh, meshName)
	}
	c.findChanges()
	out := Impact{Mesh: meshName, restricts: after.RestrictsOutbound() && !before.RestrictsOutbound()}
	c.common, out.Added, out.Removed = split(c.before.dataplanes, c.after.dataplanes)
	c.lost = c.lostServices(c.common)
	results := c.compareRules(c.common)
	if err := c.failure(); err != nil {
		return Impact{}, err
	}
	out.group(c.common, results)
	c.causes = causesOf(results)
	out.assumed = c.assumed(out.Groups)
	out.LostServices = c.lost
	out.Frozen = c.frozen()
	out.AccessGained, out.AccessLost = c.access()
	out.RequestsChanged, out.RequestsNotCompared = c.requests(c.common)
	changed := out.Changed()
	for _, name := range c.common {
		if !has(changed, name) {
			out.Unchanged = append(out.Unchanged, name)
		}
	}
	out.findUnread(c)
	out.findIdentities(c)
	out.findUnlabeled(c)
	out.findAmbiguous(c)
	out.findUnbalanced(c)
	out.findOlder(c)
	return out, c.failure()
}
