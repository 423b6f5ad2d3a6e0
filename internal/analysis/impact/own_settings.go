package impact

import (
	"cmp"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// ownChanges compares what a Dataplane, and the MeshGateway that selects it, set for its proxy that no other comparison shows.
func (c *comparison) ownChanges(dataplane string) *result {
	r := &result{}
	add := func(key kuma.Key, before, after map[string]any) {
		value := func(v any, isSet bool) *Value {
			if !isSet {
				return nil
			}
			return &Value{phrase.JSON(v), Source{Type: key.Type, Name: key.Name}}
		}
		for _, d := range tree.Diff(before, after) {
			c := proxyChange(d.Path.String(), value(d.A, d.InA), value(d.B, d.InB))
			c.Type, c.place = key.Type, place{text: phrase.CodeSpan(c.Path)}
			r.changes = append(r.changes, c)
		}
	}
	if key := (kuma.Key{Type: kuma.KindDataplane, Mesh: c.after.mesh, Name: dataplane}); c.changed[key] {
		add(key, c.before.ownSettings(c.before.Resource(key)), c.after.ownSettings(c.after.Resource(key)))
	}
	was, is := gatewayOf(c.before, dataplane), gatewayOf(c.after, dataplane)
	if gateway := cmp.Or(is.Key(), was.Key()); gateway != (kuma.Key{}) && (c.changed[gateway] || was.Key() != is.Key()) {
		kind, _ := kinds.Find(kuma.KindMeshGateway)
		conf := func(r kuma.Resource) map[string]any {
			if r.Name == "" {
				return map[string]any{}
			}
			return map[string]any{"conf": kind.WithoutSecrets(r).Body["conf"]}
		}
		if add(gateway, conf(was), conf(is)); len(r.changes) == 0 && !tree.Equal(was.Body["conf"], is.Body["conf"]) { // a private key
			add(gateway, map[string]any{"conf": "settings"}, map[string]any{"conf": "other settings"})
		}
	}
	return r
}

// gatewayOf returns the MeshGateway that gives a Dataplane its listeners, without a name if there is none.
func gatewayOf(s *snapshot, dataplane string) kuma.Resource {
	if all := s.Listeners(s.mesh, dataplane); len(all) > 0 {
		return *s.Resource(all[0].Gateway)
	}
	return kuma.Resource{}
}

// ownSettings returns the fields of a Dataplane that change the configuration of its own proxy, without those that other
// comparisons read. Tags, labels and names of inbounds only name listeners. The order of inbounds and outbounds has no effect.
func (s *snapshot) ownSettings(r *kuma.Resource) map[string]any {
	own := tree.Object(tree.Clone(r.Body))
	networking := tree.Object(own["networking"])
	remove := func(from any, names ...string) {
		for _, name := range names {
			delete(tree.Object(from), name)
		}
	}
	remove(networking, "admin", "advertisedAddress")
	remove(networking["transparentProxying"], "reachableBackends", "reachableServices")
	if remove(networking["gateway"], "tags"); tree.Object(networking["gateway"])["type"] != "BUILTIN" {
		remove(networking, "gateway") // the proxy has the listeners of its outbounds
	}
	inbounds := tree.Objects(networking["inbound"])
	for _, in := range inbounds {
		if protocol := cmp.Or(tree.Text(in["protocol"]), tree.Text(tree.Object(in["tags"])[kuma.TagProtocol])); protocol != "" {
			in["protocol"] = protocol
		}
		remove(in, "tags", "name", "state", "health", "serviceProbe")
	}
	transparent := proxy.IsTransparent(r)
	outbounds := slices.DeleteFunc(tree.List(networking["outbound"]), func(out any) bool { // which has no listener
		if transparent {
			return tree.Object(out)["backendRef"] == nil
		}
		return !s.proxies.Listens(r, tree.Root(out))
	})
	if networking["outbound"] = outbounds; len(outbounds) == 0 {
		remove(networking, "outbound")
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
