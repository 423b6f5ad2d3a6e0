package impact

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// defaultChanges compares the timeouts of inbounds that no policy sets. They are others for clients that
// no rule names where a MeshTimeout has rules for some clients only (matching.md §17.4).
type defaultChanges struct {
	*comparison
	before, after request.Simulation
	policies      map[kuma.Key]bool // MeshTimeouts that change
}

func newDefaultChanges(c *comparison) *defaultChanges {
	d := &defaultChanges{c, request.New(c.before.Snapshot), request.New(c.after.Snapshot), map[kuma.Key]bool{}}
	for _, changed := range c.differences {
		if changed.key.Type == kinds.MeshTimeout.Name && slices.Contains(c.types, changed.key.Type) {
			d.policies[changed.key] = true
		}
	}
	return d
}

// compare returns the changes for a dataplane.
func (d *defaultChanges) compare(dataplane string) (*result, error) {
	r := &result{}
	if len(d.policies) == 0 {
		return r, nil
	}
	before, err := d.before.IncomingDefaults(d.comparison.before.mesh, dataplane)
	if err != nil {
		return nil, err
	}
	after, err := d.after.IncomingDefaults(d.comparison.after.mesh, dataplane)
	if err != nil {
		return nil, err
	}
	type setting struct {
		inbound string
		path    string
	}
	values := map[setting]any{}
	for _, v := range before {
		values[setting{v.Inbound.String(), v.Path}] = v.Value
	}
	for _, v := range after {
		was, ok := values[setting{v.Inbound.String(), v.Path}]
		if !ok || was == v.Value {
			continue
		}
		r.causes = d.policies
		r.changes = append(r.changes, Change{
			Type: v.Kind, Direction: Rules, Destination: fmt.Sprintf("port %d", v.Inbound.Port), Path: v.Path, Cause: CauseSettings,
			Before: &Value{JSON: phrase.JSON(was)}, After: &Value{JSON: phrase.JSON(v.Value)},
			about: v.Inbound.String() + ", clients without a rule", place: place{text: phrase.CodeSpan(v.Path)},
		})
	}
	slices.SortFunc(r.changes, compareChanges)
	r.sum = sumOf(r.changes)
	return r, nil
}
