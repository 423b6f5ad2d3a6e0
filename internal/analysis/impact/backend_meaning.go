package impact

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/request"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

const backendRefs = "backendRefs"

// withoutUnused returns a list of backends without those to which no requests go, as far as some go to others, and without the weight of
// the only one.
func (s *snapshot) withoutUnused(list []any, missing func(i int) bool) []any {
	var used []any
	for i, item := range list {
		if rules.ParseBackendRef(tree.Root(item)).Weight > 0 && (s.Release().Kuma3() || !missing(i)) {
			used = append(used, item)
		}
	}
	switch len(used) {
	case 0:
		return list
	case 1:
		delete(tree.Object(used[0]), "weight")
	}
	return used
}

// meaning returns a value of a conf with the services instead of the references to backends: a
// reference by name and one by labels can mean the same service.
func (s *snapshot) meaning(of rules.Setting) any {
	if len(tree.Object(of.Value))+len(tree.List(of.Value)) == 0 { // as most values
		return of.Value
	}
	names := slices.DeleteFunc(slices.Clone(of.Path), func(step any) bool { _, ok := step.(string); return !ok })
	policy := s.Resource(of.SetBy.ResourceMeta.Key())
	if len(names) == 0 || policy == nil {
		return of.Value
	}
	field, _ := names[len(names)-1].(string)
	part := kuma.Resource{
		Type: policy.Type, Mesh: policy.Mesh, Name: policy.Name, Labels: policy.Labels,
		Body: map[string]any{"spec": map[string]any{field: of.Value}},
	}
	refs := rules.BackendRefs(part)
	if len(refs) == 0 {
		return of.Value
	}
	part.Body = tree.Object(tree.Clone(any(part.Body)))
	missing := map[int]bool{}
	for i, ref := range refs {
		service, port := s.Backend(part, ref)
		if tags := s.Tags(ref); tags != nil {
			service, port = s.servedBy(tags)
		} else {
			missing[i] = port == (rules.Port{}) || policy.Type == kuma.KindMeshHTTPRoute && !kuma.IsHTTP(port.Protocol)
		}
		if port == (rules.Port{}) {
			continue
		}
		written := tree.Object(tree.At(part.Body, ref.Path))
		for _, name := range []string{"name", "namespace", "labels", "sectionName"} {
			delete(written, name)
		}
		written["kri"], written["port"] = kinds.KRI(service), port.Number
	}
	if field == backendRefs {
		return s.withoutUnused(tree.List(part.Spec()[field]), func(i int) bool { return missing[i] })
	}
	return part.Spec()[field]
}

// sameRoute reports whether a route that differs selects the same proxies in the same way, and refers
// to the same services.
func (c *comparison) sameRoute(key kuma.Key) bool {
	if c.before.Release() != c.after.Release() {
		return false
	}
	var meanings [2]any
	for i, s := range []*snapshot{c.before, c.after} {
		route := s.Resource(key)
		labels := maps.Clone(route.Labels)
		delete(labels, kuma.LabelDisplayName)
		spec := tree.Object(tree.Clone(any(route.Spec())))
		to := tree.List(spec["to"])
		for n, ref := range route.ToRefs() {
			found := s.Resolve(*route, ref, 0)
			if len(found) > 0 {
				tree.Object(to[n])["targetRef"] = phrase.JSON(found)
			}
			list := rules.Setting{Path: tree.Path{"rules"}, Value: tree.Object(to[n])["rules"]}
			list.SetBy.ResourceMeta.Type, list.SetBy.ResourceMeta.Mesh, list.SetBy.ResourceMeta.Name = key.Type, key.Mesh, key.Name
			tree.Object(to[n])["rules"] = s.meaning(list)
		}
		meanings[i] = []any{spec, phrase.Pairs(labels)}
	}
	return tree.Equal(meanings[0], meanings[1])
}

// servedBy returns the only MeshService with one port that selects by exactly these tags, or else that has the same
// endpoints as a reference by the tags. Both sides use the one by the tags, even if only one has it, because the
// tags are the same.
func (s *snapshot) servedBy(tags map[string]string) (service kuma.ID, port rules.Port) {
	for _, side := range s.sides {
		if found := side.selecting()[phrase.Pairs(tags)]; len(found) == 1 {
			return found[0].Resource, found[0]
		}
	}
	if found := s.selecting()[locations(s.proxies.Tagged(tags))]; len(found) == 1 {
		return found[0].Resource, found[0]
	}
	return kuma.ID{}, rules.Port{}
}

// portsBySelection returns the ports of the MeshServices with one port by the tags that they select, and by their
// endpoints.
func (s *snapshot) portsBySelection() map[string][]rules.Port {
	by := map[string][]rules.Port{}
	if s.proxies == nil {
		return by
	}
	for _, service := range s.proxies.Services() {
		ports := s.Ports(service.ID)
		if service.ID.Type != kuma.KindMeshService || len(ports) != 1 {
			continue
		}
		tags := phrase.Pairs(tree.StringMap(tree.Root(s.Service(service.ID).Spec()).Get("selector", "dataplaneTags").Value()))
		by[tags] = append(by[tags], ports[0])
		if at := locations(service.Ports[0].Endpoints); at != "" {
			by[at] = append(by[at], ports[0])
		}
	}
	return by
}

// locations returns where endpoints are, as text.
func locations(endpoints []proxy.Endpoint) string {
	at := func(e proxy.Endpoint) string { return fmt.Sprintf("%s:%d", e.Dataplane, e.Port) }
	return strings.Join(phrase.Sorted(phrase.Each(endpoints, at)), " ")
}

// dropAbsent removes empty lists of backends: Kuma 2 sends requests to the destination with and without them (release3.md §6). It also
// removes the rules that its proxies do not have.
func (s *snapshot) dropAbsent(of flatConf, throughGateway bool) {
	if s.Release().Kuma3() {
		return
	}
	for key, setting := range of.values {
		list, ok := setting.Value.([]any)
		if !ok || len(setting.Path) == 0 || setting.Path[len(setting.Path)-1] != backendRefs {
			continue
		}
		if len(list) == 0 {
			delete(of.values, key)
			continue
		}
		policy := setting.SetBy.ResourceMeta.Key()
		if throughGateway || policy.Type != kuma.KindMeshHTTPRoute || s.simulation.HasRule(policy, map[string]any{backendRefs: list}) {
			continue
		}
		rule := strings.TrimSuffix(setting.path, ".default."+backendRefs)
		maps.DeleteFunc(of.values, func(_ string, v flatValue) bool { return v.path == rule || strings.HasPrefix(v.path, rule+".") })
	}
}

// reorders reports whether the order of rules that two lists have in common decides about
// requests, because the proxy does not sort their matches.
func reorders(before, after []string) bool {
	matches := map[string][]tree.Node{}
	for _, key := range before {
		list, _ := tree.DecodeJSON([]byte(key)) // this package encoded it
		matches[key] = tree.Root(list).Items()
	}
	tied := func(a, b string) bool {
		return slices.ContainsFunc(matches[a], func(x tree.Node) bool {
			return slices.ContainsFunc(matches[b], func(y tree.Node) bool { return request.CompareMatches(x, y) == 0 })
		})
	}
	for i, a := range before {
		for _, b := range before[i+1:] {
			if slices.Index(after, a) > slices.Index(after, b) && tied(a, b) {
				return true
			}
		}
	}
	return false
}
