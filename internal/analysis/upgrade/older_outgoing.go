package upgrade

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// outgoing returns a policy for each selector of proxies. All of them have the settings for all
// services, and what one overrides has no other fields: the one that wins decides alone, as older resources do.
func (o olderResources) outgoing() (p proposal, why string) {
	o.services = o.named()
	sources := o.selectorsOf("sources")
	if o.implied {
		sources[phrase.JSON(everything)] = everything
	}
	for i, source := range inOrder(sources) {
		to, why := o.entries(source)
		if why != "" {
			return p, why
		}
		ref, why := source.ref()
		if why != "" {
			return p, why
		}
		if gateway := o.w.gateway(o.mesh.Name, source); gateway != "" {
			for _, d := range o.w.proxiesOf(o.mesh.Name) {
				delegated := tree.Root(d.Body).Get("networking", "gateway").Known() && !isBuiltin(*d.Resource)
				if delegated && slices.ContainsFunc(d.tags, source.selects) {
					return p, "It selects Dataplane " + gateway + ", a builtin gateway, and " + d.Name + ", a delegated one, which a " + o.policy +
						" does not tell apart."
				}
			}
			if ref["proxyTypes"] = []any{"Sidecar"}; o.replaces {
				p.unseen = "Dataplane " + gateway + ", a builtin gateway, reads it as well"
			}
		}
		if o.policy == kinds.MeshAccessLog.Name && o.logsOutside(source, to) {
			p.unseen = "a MeshAccessLog without a format logs only the text tcp for connections to the outside of the mesh"
		}
		if to != nil {
			o.add(&p, o.nameOf("sources", source, i, len(sources)), map[string]any{"targetRef": ref, "to": to})
		}
	}
	if why := o.fill(p.put); why != "" {
		return p, why
	}
	return p, o.differs(with(o.w.resources, p))
}

// logsOutside reports whether entries of a MeshAccessLog log the connections of transparent proxies to the outside of the mesh
// without a format (proxies.md §6).
func (o olderResources) logsOutside(source selector, to []any) bool {
	withoutFormat := slices.ContainsFunc(to, func(entry any) bool {
		backends := tree.Root(entry).Find("default.backends[]")
		return tree.Root(entry).Get("targetRef", "kind").Value() == kuma.KindMesh && slices.ContainsFunc(backends, func(b tree.Node) bool {
			return !b.Get("file", "format").Known() && !b.Get("tcp", "format").Known()
		})
	})
	return withoutFormat && slices.ContainsFunc(o.w.proxiesOf(o.mesh.Name), func(d taggedProxy) bool {
		return kinds.IsRedirected(*d.Resource) && slices.ContainsFunc(d.tags, source.selects)
	})
}

// inOrder returns selectors, the most specific ones first.
func inOrder(all map[string]selector) []selector {
	return slices.SortedFunc(maps.Values(all), func(a, b selector) int {
		n, open := a.specific()
		m, more := b.specific()
		return cmp.Or(cmp.Compare(m, n), cmp.Compare(more, open), strings.Compare(phrase.JSON(a), phrase.JSON(b)))
	})
}

// nameOf returns the name of the policy for a selector: that of a resource with the selector. Of
// several, the more specific one must come first.
func (o olderResources) nameOf(list string, s selector, i, n int) string {
	name := strings.ToLower(o.name) + "-all"
	for _, r := range o.resources {
		if slices.ContainsFunc(selectors(r, list), func(other selector) bool { return maps.Equal(other, s) }) {
			name = r.Name
			break
		}
	}
	if n > 1 {
		name = fmt.Sprintf("%02d-%s", i+1, name)
	}
	return name
}

// entries returns the entries of `to` of the policy for a selector of proxies.
func (o olderResources) entries(source selector) (to []any, why string) {
	const anyProtocol = ""
	base, why := o.settings(source, "*", anyProtocol)
	if why != "" {
		return nil, why
	}
	if base != nil {
		to = append(to, map[string]any{"targetRef": map[string]any{"kind": kuma.KindMesh}, "default": base})
	}
	for _, service := range slices.Sorted(maps.Keys(o.services)) {
		settings, why := o.settings(source, service, o.services[service])
		if why != "" {
			return nil, why
		}
		general, _ := o.settings(source, "*", o.services[service])
		if isGeneral := tree.Equal(any(general), any(settings)) && base != nil && o.same(general, base); settings != nil && !isGeneral {
			to = append(to, map[string]any{"targetRef": map[string]any{"kind": kuma.KindMeshService, "name": service}, "default": settings})
		}
	}
	return to, ""
}

// fill gives the settings of each entry the fields of those that it overrides: of entries for all services, and of policies for
// less specific selectors, which come later.
func (o olderResources) fill(policies []kuma.Resource) (why string) {
	type entry struct {
		service  string // empty for all services
		settings map[string]any
	}
	var overridden []entry
	for _, p := range slices.Backward(policies) {
		for _, n := range tree.Root(p.Body).Get("spec", "to").Items() {
			service, _ := n.Get("targetRef", "name").Text()
			e := entry{service, tree.Object(n.Get("default").Value())}
			for _, other := range overridden {
				if e.service != "" && other.service != "" && e.service != other.service {
					continue
				}
				if why := o.override(e.settings, other.settings); why != "" {
					return why
				}
			}
			overridden = append(overridden, e)
		}
	}
	return ""
}

// override adds the fields to settings that others have.
func (o olderResources) override(settings, other map[string]any) (why string) {
	var missing []tree.Path
	var values []any
	for _, field := range leaves(nil, other) {
		if tree.At(settings, field) != nil {
			continue
		}
		value, ok := o.absent(settings, field, tree.At(other, field))
		if !ok {
			return "One sets " + field.String() + " and another, more specific one does not, which a " + o.policy +
				" cannot express: its settings are merged."
		}
		missing, values = append(missing, field), append(values, tree.Clone(value))
	}
	for i, field := range missing {
		setAt(settings, field, values[i])
	}
	return ""
}

// leaves returns the paths of the values of settings that are not merged any further.
func leaves(at tree.Path, v any) (all []tree.Path) {
	object, ok := v.(map[string]any)
	if !ok || len(object) == 0 {
		return []tree.Path{slices.Clone(at)}
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		all = append(all, leaves(at.Child(name), object[name])...)
	}
	return all
}
