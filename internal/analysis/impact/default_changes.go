package impact

import (
	"fmt"
	"slices"
	"sync"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// defaultChanges compares the timeouts of inbounds that no policy sets. If a MeshTimeout has
// rules for some clients only, clients that no rule names have other defaults (matching.md §17.4).
type defaultChanges struct {
	*comparison
	before, after request.Simulation
	policies      map[kuma.Key]bool // MeshTimeouts with such rules that change
	known         sync.Map          // changes as text -> *result
}

func newDefaultChanges(c *comparison) *defaultChanges {
	d := &defaultChanges{
		comparison: c, before: c.before.simulation, after: c.after.simulation,
		policies: map[kuma.Key]bool{},
	}
	for _, changed := range c.differences {
		if changed.key.Type != kinds.MeshTimeout.Name || !slices.Contains(c.types, changed.key.Type) {
			continue
		}
		for _, s := range []*snapshot{c.before, c.after} {
			if r := s.Resource(changed.key); r != nil && slices.ContainsFunc(tree.Root(r.Spec()).Find("rules[].matches"), tree.Node.Filled) {
				d.policies[changed.key] = true
			}
		}
	}
	return d
}

// compare returns the changes for a dataplane.
func (d *defaultChanges) compare(dataplane string) (*result, error) {
	if len(d.policies) == 0 {
		return &result{}, nil
	}
	before, err := d.before.IncomingDefaults(d.comparison.before.mesh, dataplane)
	if err != nil {
		return nil, err
	}
	after, err := d.after.IncomingDefaults(d.comparison.after.mesh, dataplane)
	if err != nil {
		return nil, err
	}
	type setting struct{ inbound, path string }
	values := map[setting]any{}
	for _, v := range before {
		values[setting{v.Inbound.String(), v.Path}] = v.Value
	}
	var changes []Change
	for _, v := range after {
		was, ok := values[setting{v.Inbound.String(), v.Path}]
		if !ok || was == v.Value {
			continue
		}
		changes = append(changes, Change{
			Type: v.Kind, Direction: Rules, Destination: fmt.Sprintf("port %d", v.Inbound.Port), Path: v.Path, Cause: CauseSettings,
			Before: &Value{JSON: phrase.JSON(was)}, After: &Value{JSON: phrase.JSON(v.Value)},
			about: v.Inbound.String() + ", clients without a rule", place: place{text: phrase.CodeSpan(v.Path)},
		})
	}
	slices.SortFunc(changes, compareChanges)
	return once(&d.known, fmt.Sprint(phrase.Each(changes, Change.String)), func(r *result) { r.changes, r.causes = changes, d.policies }), nil
}
