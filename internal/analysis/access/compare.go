package access

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// Change is an answer on clients at a port that exists on both sides, of which one is that
// they can connect, and the other one that they cannot.
type Change struct {
	Clients       []string // names of groups of clients, sorted
	Port          rules.Port
	Before, After Answer
	Reachable     bool // the clients have a listener for the port on the side on which they can connect

	groups [][]string // dataplanes of the clients, on both sides
}

// Dataplanes returns the dataplanes of the clients, in no order.
func (c Change) Dataplanes() []string { return slices.Concat(c.groups...) }

// WithDataplanes returns the change with other dataplanes of its clients.
func (c Change) WithDataplanes(of func([]string) []string) Change {
	c.groups = slices.Clone(c.groups)
	for i := range c.groups {
		c.groups[i] = of(c.groups[i])
	}
	return c
}

// Gained reports whether the clients can connect after the change only.
func (c Change) Gained() bool { return c.After.Verdict.Connects() }

// Compare returns who gains or loses access to services of others, by port, and with the
// changes that concern clients with a listener first. A client that only some proxies of a
// service accept counts as one that they refuse.
func Compare(before, after Matrix) []Change {
	pairs := pairsOf(before, after)
	was, is := before.columns(), after.columns()
	var changes []Change
	for _, row := range after.Rows {
		for _, port := range row.Ports {
			old, ok := was[numbered(port)]
			if !ok {
				continue
			}
			now := is[numbered(port)]
			changes = append(changes, changesAt(port, pairs, old.byClient(len(before.Clients)), now.byClient(len(after.Clients)))...)
		}
	}
	last := map[bool]int{false: 1} // what the clients have no listener for
	slices.SortStableFunc(changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(last[a.Reachable], last[b.Reachable]), strings.Compare(a.Port.Resource.Name, b.Port.Resource.Name),
			cmp.Compare(a.Port.Number, b.Port.Number),
			strings.Compare(a.Clients[0], b.Clients[0]))
	})
	return changes
}

// clientPair is a client on both sides.
type clientPair struct {
	before, after int // positions
	name          string
	services      []string
	dataplanes    []string
}

// pairsOf returns each pair of groups that have a dataplane in common.
func pairsOf(before, after Matrix) []clientPair {
	was := map[string]int{} // positions from 1
	for i, g := range before.Clients {
		for _, dataplane := range g.Dataplanes {
			was[dataplane] = i + 1
		}
	}
	var pairs []clientPair
	for i, g := range after.Clients {
		for _, same := range phrase.Grouped(g.Dataplanes, func(dataplane string) int { return was[dataplane] }) {
			if old := was[same[0]] - 1; old >= 0 {
				pairs = append(pairs, clientPair{old, i, g.Name, g.Services, same})
			}
		}
	}
	return pairs
}

// numbered identifies a port of a service by its number.
func numbered(p rules.Port) rules.Port { return rules.Port{Resource: p.Resource, Number: p.Number} }

// columns returns the row of each port.
func (m Matrix) columns() map[rules.Port]Row {
	out := map[rules.Port]Row{}
	for _, row := range m.Rows {
		for _, port := range row.Ports {
			out[numbered(port)] = row
		}
	}
	return out
}

// byClient returns the position of the answer for each client.
func (r Row) byClient(clients int) []*Access {
	out := make([]*Access, clients)
	for i := range r.Access {
		for _, client := range r.Access[i].Clients {
			out[client] = &r.Access[i]
		}
	}
	return out
}

func changesAt(port rules.Port, pairs []clientPair, before, after []*Access) []Change {
	type key struct {
		before, after Answer
		reachable     bool
	}
	of := func(p clientPair) key {
		was, is := before[p.before], after[p.after]
		return key{was.Answer, is.Answer, was.Verdict.Connects() && was.Reachable || is.Verdict.Connects() && is.Reachable}
	}
	var differing []clientPair
	for _, p := range pairs {
		if before[p.before].Verdict.Connects() != after[p.after].Verdict.Connects() && !slices.Contains(p.services, port.Resource.Name) {
			differing = append(differing, p)
		}
	}
	return phrase.Each(phrase.Grouped(differing, of), func(same []clientPair) Change {
		answers := of(same[0])
		return Change{
			Clients: phrase.Sorted(phrase.Each(same, func(p clientPair) string { return p.name })), Port: port,
			Before: answers.before, After: answers.after, Reachable: answers.reachable,
			groups: phrase.Each(same, func(p clientPair) []string { return p.dataplanes }),
		}
	})
}
