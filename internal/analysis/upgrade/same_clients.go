package upgrade

import (
	"maps"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/impact"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// inboundValue is a value that clients get or lose on an inbound.
type inboundValue struct{ kind, port, path, json string }

// withoutSameClients returns the changes of a group of proxies without the values that clients have by their tags
// before the change, and the same clients by their SPIFFE IDs after it.
func withoutSameClients(changes []*impact.Change, before, after *rules.Snapshot, mesh string) []*impact.Change {
	byTags, byID := map[inboundValue][]string{}, map[inboundValue][]string{}
	valueOf := func(c *impact.Change) (v inboundValue, clients []string, isClients bool) {
		port, who, _ := strings.Cut(c.Destination, ", ")
		switch {
		case c.Direction == impact.From && c.Before != nil && c.After == nil:
			return inboundValue{c.Type, port, c.Path, c.Before.JSON}, clientsWithTags(before, mesh, who), true
		case c.Direction == impact.Rules && c.Before == nil && c.After != nil:
			return inboundValue{c.Type, port, c.Path, c.After.JSON}, clientsWithID(after, mesh, who), true
		default:
			return v, nil, false
		}
	}
	for _, c := range changes {
		v, clients, ok := valueOf(c)
		switch {
		case ok && c.Direction == impact.From:
			byTags[v] = append(byTags[v], clients...)
		case ok:
			byID[v] = append(byID[v], clients...)
		}
	}
	isSame := func(v inboundValue) bool {
		alone := !slices.ContainsFunc(slices.Collect(maps.Keys(byTags)), func(o inboundValue) bool { // no tags are more specific
			return o != v && o.kind == v.kind && o.port == v.port && o.path == v.path &&
				slices.ContainsFunc(byTags[o], func(name string) bool { return slices.Contains(byTags[v], name) })
		})
		return alone && len(byTags[v]) > 0 && slices.Equal(phrase.Sorted(byTags[v]), phrase.Sorted(byID[v]))
	}
	return slices.DeleteFunc(slices.Clone(changes), func(c *impact.Change) bool {
		v, _, ok := valueOf(c)
		return ok && isSame(v)
	})
}

// clientsWithTags returns the Dataplanes with tags, written as in the destination of a change.
func clientsWithTags(s *rules.Snapshot, mesh, tags string) (names []string) {
	wanted := map[string]string{}
	for tag := range strings.SplitSeq(tags, ",") {
		key, value, _ := strings.Cut(tag, "=")
		wanted[key] = value
	}
	for _, d := range s.Resources(mesh, kuma.KindDataplane) {
		if certified(inboundTags(*d), wanted) {
			names = append(names, d.Name)
		}
	}
	return names
}

// clientsWithID returns the Dataplanes whose SPIFFE ID has a match, written as in the destination of a change.
func clientsWithID(s *rules.Snapshot, mesh, match string) (names []string) {
	want, err := tree.DecodeJSON([]byte(match))
	if err != nil {
		return nil
	}
	for _, d := range s.Resources(mesh, kuma.KindDataplane) {
		identity := s.Resource(s.Identity(mesh, d.Name))
		if identity == nil {
			continue
		}
		if id, err := kinds.SPIFFEID(*identity, *d); err == nil &&
			rules.Covers(want, map[string]any{"spiffeID": map[string]any{"type": "Exact", "value": id}}) {
			names = append(names, d.Name)
		}
	}
	return names
}
