package impact

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// ownChanges compares what a Dataplane, the MeshGateway that selects it, and the mode of the Mesh set for its proxy that no
// other comparison shows. In mode Exclusive, all listeners and clusters have other names.
func (c *comparison) ownChanges(dataplane string) *result {
	r, isExclusive := &result{}, c.after.Exclusive(c.after.mesh)
	add := func(key kuma.Key, before, after map[string]any) {
		value := func(v any, isSet bool) *Value {
			if !isSet {
				return nil
			}
			return &Value{phrase.JSON(v), Source{Type: key.Type, Name: key.Name}}
		}
		for _, d := range tree.Diff(before, after) {
			path := d.Path.String()
			r.changes = append(r.changes, Change{
				Type: key.Type, Direction: Proxy, Destination: "proxy", Path: path, Cause: CauseSettings,
				Before: value(d.A, d.InA), After: value(d.B, d.InB), about: "the proxy", place: place{text: phrase.CodeSpan(path)},
			})
		}
	}
	if key := (kuma.Key{Type: kuma.KindDataplane, Mesh: c.after.mesh, Name: dataplane}); c.changed[key] {
		var unread []string
		if c.before.Release() != c.after.Release() { // 3.0 has no tags
			unread = append(unread, "tags")
		}
		if !isExclusive { // listeners do not have the names of inbounds
			unread = append(unread, "name")
		}
		was, is := ownSettings(c.before.Resource(key), unread...), ownSettings(c.after.Resource(key), unread...)
		if c.before.Release().Kuma3() { // instead of tags
			was["labels"], is["labels"] = ownLabels(c.before.Resource(key)), ownLabels(c.after.Resource(key))
		}
		add(key, was, is)
	}
	if mesh := kuma.MeshKey(c.after.mesh); c.before.Release() == c.after.Release() && c.before.Exclusive(mesh.Name) != isExclusive {
		add(mesh, map[string]any{"meshServices": c.before.Resource(mesh).Body["meshServices"]},
			map[string]any{"meshServices": c.after.Resource(mesh).Body["meshServices"]})
	}
	before, after := c.before.Listeners(c.before.mesh, dataplane), c.after.Listeners(c.after.mesh, dataplane)
	if len(before)*len(after) > 0 && before[0].Gateway == after[0].Gateway && c.changed[after[0].Gateway] {
		gateway, _ := kinds.Find(kuma.KindMeshGateway)
		was, is := *c.before.Resource(after[0].Gateway), *c.after.Resource(after[0].Gateway)
		conf := func(r kuma.Resource) map[string]any {
			return map[string]any{"conf": gateway.WithoutSecrets(r).Body["conf"]}
		}
		if add(was.Key(), conf(was), conf(is)); len(r.changes) == 0 && !tree.Equal(was.Body["conf"], is.Body["conf"]) { // a private key
			add(was.Key(), map[string]any{"conf": "settings"}, map[string]any{"conf": "other settings"})
		}
	}
	return r
}

// ownLabels returns the labels of a Dataplane without those of Kuma, which a control plane can compute.
func ownLabels(r *kuma.Resource) map[string]any {
	labels := map[string]any{}
	for key, value := range r.Labels {
		if !strings.HasPrefix(key, "kuma.io/") {
			labels[key] = value
		}
	}
	return labels
}

// ownSettings returns the fields of a Dataplane that change the configuration of its own proxy, without those that other
// comparisons read, and unread ones of inbounds. The order of inbounds and outbounds has no effect.
func ownSettings(r *kuma.Resource, unread ...string) map[string]any {
	own := tree.Object(tree.Clone(r.Body))
	networking := tree.Object(own["networking"])
	remove := func(from any, names ...string) {
		for _, name := range names {
			delete(tree.Object(from), name)
		}
	}
	remove(networking, "admin", "advertisedAddress")
	remove(networking["transparentProxying"], "reachableBackends", "reachableServices")
	remove(networking["gateway"], "tags")
	inbounds := tree.Objects(networking["inbound"])
	for _, in := range inbounds {
		if protocol := cmp.Or(tree.Text(in["protocol"]), tree.Text(tree.Object(in["tags"])[kuma.TagProtocol])); protocol != "" {
			in["protocol"] = protocol
		}
		remove(in, append(unread, "state", "health", "serviceProbe")...)
	}
	for _, out := range tree.Objects(networking["outbound"]) {
		remove(out, "backendRef")
		if remove(out["tags"], kuma.TagService); len(tree.Object(out["tags"])) == 0 {
			remove(out, "tags")
		}
	}
	for _, l := range tree.Objects(networking["listeners"]) {
		remove(l, "state")
	}
	for _, name := range []string{"inbound", "outbound"} {
		slices.SortStableFunc(tree.List(networking[name]), func(a, b any) int {
			return cmp.Compare(tree.Int(tree.Object(a)["port"]), tree.Int(tree.Object(b)["port"]))
		})
	}
	return own
}
