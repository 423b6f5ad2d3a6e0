package impact

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// Impact is what a change does to a mesh. All lists of names are sorted.
type Impact struct {
	Mesh          string
	Groups        []Group        // of dataplanes that change, in order of their first name
	Unchanged     []string       // dataplanes that get what they got
	Added         []string       // dataplanes that are new
	Removed       []string       // dataplanes that are gone
	WithoutEffect []PolicyChange // policies whose change does nothing, in order of type and name
}

// Group are dataplanes to which exactly the same happens.
type Group struct {
	Dataplanes []string
	Changes    []Change // by type as processed, direction, destination and path
}

// Direction says in which list of a policy the settings stand.
type Direction string

// Directions, in the order in which they are reported.
const (
	To    Direction = "to"      // outgoing traffic
	From  Direction = "from"    // incoming traffic, by the tags of the client
	Rules Direction = "rules"   // incoming traffic, by the request
	Proxy Direction = "default" // the proxy itself
)

// Change is one value that a dataplane gets anew, no longer, or with another
// content.
type Change struct {
	Type      string // of the policies
	Direction Direction
	// Destination is what the value is for: the KRI of a resource, its section
	// included; the tags of a peer as "key=value,key=value", or "any"; behind the
	// port, "port 8080, any", for incoming traffic; "proxy" for the proxy itself.
	Destination string
	// Path leads from the conf to the value. A rule of an HTTP route is named by
	// its matches as JSON, an element of a list that is concatenated by nothing:
	// `rules[{"method":"GET"}].default.backendRefs`, `appendModifications[]`.
	// Confs for a hostname begin with it: `hostnames["shop.example"].rules…`.
	// The path of a list itself stands for the order of its elements.
	Path   string
	Before *Value // nil when the value is new
	After  *Value // nil when the value is gone
	Cause  Cause

	about string // the destination for people
}

// Cause says why a value changes.
type Cause string

// Causes.
const (
	// CauseSettings is that a policy sets, or no longer sets, the value.
	CauseSettings Cause = "settings"
	// CauseOrder is that two policies that are not changed trade places: the order of
	// policies is not transitive, and depends on the others (matching.md §3.3).
	CauseOrder Cause = "order"
)

// Value is a value with the entry that it comes from.
type Value struct {
	JSON  string
	SetBy Source
}

// Source is an entry of a policy.
type Source struct {
	Type, Name, KRI string
	Index           int // in the list that the direction names
}

// Operation says what becomes of a policy.
type Operation string

// Operations.
const (
	Added   Operation = "added"
	Changed Operation = "changed"
	Removed Operation = "removed"
)

// PolicyChange is the change of a policy that has no effect on any dataplane.
type PolicyChange struct {
	Type, Name, KRI string
	Operation       Operation
	Reason          string // a clause about the policy: "selects no dataplane"
}

// Row is a change with all dataplanes that it happens to.
type Row struct {
	Change
	Dataplanes []string
}

// Rows lists each change once, in the order of changes of a [Group].
func (i Impact) Rows() []Row {
	var out []Row
	at := map[identity]int{}
	for _, g := range i.Groups {
		for _, c := range g.Changes {
			key := c.identity()
			n, ok := at[key]
			if !ok {
				n = len(out)
				at[key] = n
				out = append(out, Row{Change: c})
			}
			out[n].Dataplanes = append(out[n].Dataplanes, g.Dataplanes...)
		}
	}
	sortRows(out)
	return out
}

// Largest returns at most n rows, in the order given: those with the most dataplanes.
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
	return sorted(out)
}

// Values counts the values that change, on each dataplane.
func (i Impact) Values() int {
	n := 0
	for _, g := range i.Groups {
		n += len(g.Dataplanes) * len(g.Changes)
	}
	return n
}

// Compare tells what happens to the dataplanes of a mesh when the resources
// before become those after. Policies of other types than the given ones are left
// out; none stand for all. The error wraps [rules.ErrUnknownMesh] when neither snapshot has the mesh, and
// else is one of [rules.Snapshot.Rules].
func Compare(before, after *rules.Snapshot, meshName string, types ...string) (Impact, error) {
	c := comparison{before: newSnapshot(before, meshName), after: newSnapshot(after, meshName), types: wanted(types)}
	if !c.before.exists() && !c.after.exists() {
		return Impact{}, fmt.Errorf("%w %q", rules.ErrUnknownMesh, meshName)
	}
	c.findChanges()
	out := Impact{Mesh: meshName}
	var common []string
	common, out.Added, out.Removed = split(c.before.dataplanes, c.after.dataplanes)
	results, err := c.results(common)
	if err != nil {
		return Impact{}, err
	}
	out.group(common, results)
	out.WithoutEffect, err = c.withoutEffect(results)
	return out, err
}
