package rules

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// DataplaneSelector selects dataplanes of a mesh. All of its conditions must be
// met, those on tags by one inbound or by the gateway. The zero value selects
// all dataplanes.
type DataplaneSelector struct {
	// Service is the name or display name of a MeshService, in any zone; or a value of
	// the tag kuma.io/service, if there is no such MeshService.
	Service string
	Labels  map[string]string
	Tags    map[string]string // "*" matches any value
}

// SelectDataplanes returns the names of the selected dataplanes in ascending
// order. The error wraps [ErrUnknownMesh].
func (s *Snapshot) SelectDataplanes(meshName string, by DataplaneSelector) ([]string, error) {
	m := s.mesh(meshName)
	if len(m.resources[kuma.KindMesh]) == 0 {
		return nil, fmt.Errorf("%w %q", ErrUnknownMesh, meshName)
	}
	services := slices.DeleteFunc(slices.Clone(m.resources[kuma.KindMeshService]), func(r *kuma.Resource) bool {
		return r.Name != by.Service && r.DisplayName() != by.Service
	})
	var names []string
	for _, r := range m.resources[kuma.KindDataplane] {
		fits := func(tags map[string]string) bool {
			return HasTags(tags, by.Tags) && (by.Service == "" || len(services) > 0 || tags[kuma.TagService] == by.Service)
		}
		if len(services) > 0 && !slices.ContainsFunc(services, func(service *kuma.Resource) bool { return Selects(*service, *r) }) {
			continue
		}
		if kuma.HasAll(r.Labels, by.Labels) && slices.ContainsFunc(m.proxy(r.Name).tagSets(), fits) {
			names = append(names, r.Name)
		}
	}
	return names, nil
}

// tagSets returns the tags of each inbound and those of the gateway, which are
// nil for other proxies.
func (dp *proxy) tagSets() []map[string]string {
	return append(phrase.Each(dp.inbounds, func(in proxyInbound) map[string]string { return in.tags }), dp.gatewayTags)
}
