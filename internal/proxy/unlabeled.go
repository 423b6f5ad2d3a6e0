package proxy

import (
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// inZone is a service as the proxies of a zone know it.
type inZone struct {
	service kuma.ID
	zone    string
}

// ByLabel is what refers to a service by the label kuma.io/display-name.
type ByLabel int

// What refers to a service.
const (
	ByNothing ByLabel = iota
	ByPolicy          // in `to` or as a backend
	ByProxy           // an outbound of a Dataplane or a MeshMultiZoneService, so that proxies may not reach the service
)

// Unlabeled returns what refers to a service by the label kuma.io/display-name, which the proxies of a zone may not find: a
// control plane that does not label its MeshServices with their names gets the label only with those of other zones, as the global
// control plane does (proxies.md §3).
func (m *Mesh) Unlabeled(zone string, service kuma.ID) ByLabel {
	return m.unlabeled[inZone{service, zone}]
}

// readUnlabeled finds the references for [Mesh.Unlabeled].
func (m *Mesh) readUnlabeled() {
	copies := map[string][]*kuma.Resource{} // by display name
	for _, r := range m.snapshot.Resources(m.name, kuma.KindMeshService) {
		if !m.snapshot.Release().NamesResources() && isUnlabeled(r) {
			copies[r.DisplayName()] = append(copies[r.DisplayName()], r)
		}
	}
	if len(copies) == 0 {
		return
	}
	m.unlabeled = map[inZone]ByLabel{}
	refer := func(labels map[string]string, by ByLabel, group *kuma.Resource) {
		for _, r := range copies[labels[kuma.LabelDisplayName]] {
			service := r
			if group != nil {
				service = group
			}
			if key := (inZone{service.ID(), r.Zone()}); kuma.HasAll(r.Labels, labels) {
				m.unlabeled[key] = max(m.unlabeled[key], by)
			}
		}
	}
	for _, r := range m.snapshot.Resources(m.name) {
		for _, o := range rules.Outbounds(*r) {
			refer(o.Labels, ByProxy, nil)
		}
		refer(tree.StringMap(tree.Root(r.Spec()).Get("selector", "meshService", "matchLabels").Value()), ByProxy, r)
		for _, ref := range r.ToRefs() {
			refer(ref.Labels, ByPolicy, nil)
		}
		for _, ref := range rules.BackendRefs(*r) {
			refer(ref.Labels, ByPolicy, nil)
		}
	}
}

// isUnlabeled reports whether a MeshService may have no label kuma.io/display-name in its zone: this is a copy, which has a hash in its
// name. Those on Kubernetes and generated ones have the label.
func isUnlabeled(r *kuma.Resource) bool {
	const hash = len("-") + 16
	name, isNamed := r.Labels[kuma.LabelDisplayName]
	return isNamed && r.Labels[kuma.LabelOrigin] == kuma.OriginZone && r.Namespace() == "" && !kuma.Generated(r.Labels) &&
		strings.HasPrefix(r.Name, name+"-") && len(r.Name) == len(name)+hash
}
