package impact

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// defaultChanges compares the settings of inbounds that no policy sets: timeouts, because clients that no rule names have
// other defaults if a MeshTimeout has rules for some clients only (matching.md §17.4), and whether they accept plaintext.
type defaultChanges struct {
	*comparison
	policies map[kuma.Key]bool // MeshTimeouts with such rules that change
}

func newDefaultChanges(c *comparison) *defaultChanges {
	d := &defaultChanges{comparison: c, policies: map[kuma.Key]bool{}}
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
func (d *defaultChanges) compare(dataplane string) *result {
	return d.share(slices.Concat(d.timeouts(dataplane), d.tlsModes(dataplane)), d.policies)
}

func (d *defaultChanges) timeouts(dataplane string) (changes []*Change) {
	if len(d.policies) == 0 {
		return nil
	}
	of := func(s *snapshot) []request.Default {
		found, err := s.simulation.IncomingDefaults(s.mesh, dataplane)
		s.fail(err)
		return found
	}
	type setting struct{ inbound, path string }
	values := map[setting]any{}
	for _, v := range of(d.before) {
		values[setting{v.Inbound.String(), v.Path}] = v.Value
	}
	for _, v := range of(d.after) {
		was, ok := values[setting{v.Inbound.String(), v.Path}]
		if !ok || was == v.Value {
			continue
		}
		c := defaultChange(v.Kind, v.Inbound, v.Path, was, v.Value)
		c.about += ", clients without a rule"
		changes = append(changes, c)
	}
	return changes
}

// tlsModes compares whether inbounds accept plaintext for which no MeshTLS decides it, but the mutual TLS of the mesh or
// the certificate of the proxy.
func (d *defaultChanges) tlsModes(dataplane string) (changes []*Change) {
	const path = "mode"
	before, after := d.before, d.after
	was, is := before.proxies.DefaultTLSMode(dataplane), after.proxies.DefaultTLSMode(dataplane)
	encrypts := func(s *snapshot) bool { return len(s.proxies.Client(dataplane).Names) > 0 }
	if was == is || !encrypts(before) || !encrypts(after) || !slices.Contains(d.types, kinds.MeshTLS.Name) {
		return nil
	}
	set, err := before.proxies.TLSModes(dataplane)
	before.fail(err)
	setAfter, err := after.proxies.TLSModes(dataplane)
	after.fail(err)
	own := after.Resource(kuma.Key{Type: kuma.KindDataplane, Mesh: after.mesh, Name: dataplane})
	for _, item := range tree.Root(own.Body).Get("networking", "inbound").Items() {
		name, _ := item.Get("name").Text()
		in := rules.Inbound{Port: tree.Int(item.Get("port").Value()), Name: name}
		if set[in.Port] == "" && setAfter[in.Port] == "" {
			changes = append(changes, defaultChange(kinds.MeshTLS.Name, in, path, was, is))
		}
	}
	return changes
}

// defaultChange returns a change of a setting of an inbound that no policy sets.
func defaultChange(kind string, in rules.Inbound, path string, before, after any) *Change {
	return &Change{
		Type: kind, Direction: Rules, Destination: fmt.Sprintf("port %d", in.Port), Path: path, Cause: CauseSettings,
		Before: &Value{JSON: phrase.JSON(before)}, After: &Value{JSON: phrase.JSON(after)},
		about: in.String(), place: place{text: phrase.CodeSpan(path)},
	}
}
