package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// OnlyForAll reports whether a builtin gateway applies policies of a kind only by entries for Mesh
// (matching.md §18.4).
func OnlyForAll(policyType string) bool {
	k, _ := kinds.Find(policyType)
	return k.Policy != nil && slices.Contains(k.Policy.Gateway.ForAll, "")
}

// unusedOnGateway warns about entries for services that a builtin gateway sends to, and that set what
// it takes only from entries for Mesh.
func (c *collector) unusedOnGateway(policies []kuma.Key) {
	backends := c.backends()
	for _, key := range policies {
		policy := c.Resource(key)
		k, _ := kinds.Find(key.Type)
		confs := tree.Root(policy.Spec()).Get("to").Items()
		var unused []string
		count := 0
		for i, ref := range policy.ToRefs() {
			if ref.Kind == kuma.KindMesh || rules.IsRoute(ref.Kind) || !backends.contain(c, policy, ref) {
				continue
			}
			entry := fmt.Sprintf("to[%d]", i)
			if OnlyForAll(key.Type) {
				unused, count = append(unused, entry), count+1
				continue
			}
			var paths []string
			for _, path := range k.Policy.Gateway.ForAll {
				if !confs[i].Get("default").Get(strings.Split(path, ".")...).Absent() {
					paths = append(paths, path)
				}
			}
			if len(paths) > 0 {
				unused, count = append(unused, phrase.And(paths...)+" of "+entry), count+len(paths)
			}
		}
		if count == 0 {
			continue
		}
		c.warn("%s: %s %s no effect on requests through %s: a builtin gateway takes these settings only from entries for Mesh.",
			key.Local(), phrase.And(unused...), phrase.Form(count, "has", "have"), c.of.Key().Local())
	}
}

// gatewayBackends are the services to which the routes of a builtin gateway send.
type gatewayBackends struct {
	services map[kuma.ID]bool
	tags     map[string]bool
}

func (c *collector) backends() gatewayBackends {
	b := gatewayBackends{map[kuma.ID]bool{}, map[string]bool{}}
	for _, kind := range rules.RouteKinds() {
		for _, key := range c.Match(c.of.Mesh, c.of.Name, kind).Policies() {
			route := c.Resource(key)
			for _, ref := range rules.BackendRefs(*route) {
				if service, _ := c.Backend(*route, ref); service != (kuma.ID{}) {
					b.services[service] = true
				}
				if ref.Kind == kuma.KindMeshService && ref.Port == 0 && ref.SectionName == "" || ref.Kind == kuma.KindMeshServiceSubset {
					b.tags[ref.Name] = true
				}
			}
		}
	}
	return b
}

// contain reports whether an entry refers to one of them.
func (b gatewayBackends) contain(c *collector, policy *kuma.Resource, ref kuma.TargetRef) bool {
	if ref.Name != "" && b.tags[ref.Name] && ref.Kind != kuma.KindMeshExternalService && ref.Kind != kuma.KindMeshMultiZoneService {
		return true
	}
	return slices.ContainsFunc(c.Resolve(*policy, ref, 0), func(t rules.Target) bool { return b.services[c.Resource(t.Resource).ID()] })
}
