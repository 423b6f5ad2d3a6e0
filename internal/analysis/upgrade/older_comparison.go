package upgrade

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// differs compares what the policies set with what the older resources do, for each kind of proxy
// and each service.
func (o olderResources) differs(resources []kuma.Resource) (why string) {
	byTags := edited(o.mesh, func(body map[string]any) { delete(body, "meshServices") }) // mode Exclusive hides the rules by tags
	s := rules.NewSnapshotFor(o.w.ControlPlane.Release, o.w.stored(with(resources, proposal{put: []kuma.Resource{byTags}}), o.w.ControlPlane))
	sidecars := slices.DeleteFunc(slices.Clone(o.w.proxiesOf(o.mesh.Name)), func(d taggedProxy) bool { return isBuiltin(*d.Resource) })
	for _, d := range differentTags(sidecars) {
		if len(d.tags) == 0 {
			continue
		}
		found, err := s.Rules(o.mesh.Name, d.Name, o.policy)
		if err != nil {
			return err.Error()
		}
		for _, service := range slices.Sorted(maps.Keys(o.services)) {
			want, why := o.ofProxy(d.tags, service)
			if why != "" {
				return why
			}
			rule, _ := found.ByTags(map[string]string{kuma.TagService: service})
			if !o.same(o.stored(want), rule.Conf) {
				return fmt.Sprintf("For connections from Dataplane %s to service %s, the policies have other settings than the most specific %s: "+
					"several of them overlap.", d.Name, service, o.name)
			}
		}
	}
	return ""
}

// differentTags returns the first one of the proxies with the same tags.
func differentTags(all []taggedProxy) []taggedProxy {
	same := phrase.Grouped(all, func(d taggedProxy) string { return phrase.JSON(d.tags) })
	return phrase.Each(same, func(of []taggedProxy) taggedProxy { return of[0] })
}

// stored returns settings as the control plane stores them, with defaults.
func (o olderResources) stored(settings map[string]any) map[string]any {
	if settings == nil {
		return nil
	}
	k, _ := kinds.Find(o.policy)
	r := kuma.Resource{
		Type: o.policy, Mesh: o.mesh.Name,
		Body: map[string]any{"spec": map[string]any{"to": []any{map[string]any{
			"targetRef": map[string]any{"kind": kuma.KindMesh},
			"default":   settings,
		}}}},
	}
	r = k.Store(r, def.StoreContext{ControlPlane: o.w.ControlPlane, Mesh: o.mesh})
	return tree.Object(tree.At(r.Body, tree.Path{"spec", "to", 0, "default"}))
}

// ofProxy returns the settings of connections from a proxy to a service. A selector selects a proxy
// by the tags of one of its inbounds.
func (o olderResources) ofProxy(tags []map[string]string, service string) (want map[string]any, why string) {
	best := o
	best.resources = nil
	for _, r := range o.resources {
		r = r.Clone()
		r.Body["sources"] = slices.DeleteFunc(tree.List(r.Body["sources"]), func(v any) bool {
			s := selector(tree.StringMap(tree.Object(v)["match"]))
			return !slices.ContainsFunc(tags, func(inbound map[string]string) bool { return s.selects(inbound) })
		})
		best.resources = append(best.resources, r)
	}
	all := map[string]string{}
	for _, inbound := range tags {
		maps.Copy(all, inbound)
	}
	return best.settings(all, service, o.services[service])
}

// same reports whether settings of a policy have all fields of others, and no other ones with an
// effect.
func (o olderResources) same(want map[string]any, is any) bool {
	if want == nil || is == nil {
		return want == nil && is == nil
	}
	for _, field := range leaves(nil, want) {
		if !tree.Equal(tree.At(want, field), tree.At(is, field)) {
			return false
		}
	}
	for _, field := range leaves(nil, is) {
		if value := tree.At(is, field); tree.At(want, field) == nil {
			if o.absent == nil {
				return false
			}
			if same, ok := o.absent(want, field, value); !ok || !tree.Equal(same, value) {
				return false
			}
		}
	}
	return true
}
