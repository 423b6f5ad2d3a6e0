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

// References are what refers to a service by the label kuma.io/display-name.
type References uint8

// What refers to a service.
const (
	ByPolicy    References = 1 << iota // in `to` or as a backend
	ByDataplane                        // as an outbound
	BySelector                         // of a MeshMultiZoneService
	ToMember                           // from the service, a MeshMultiZoneService
)

// Unlabeled returns what refers to a service by the label kuma.io/display-name, which the proxies of a zone may not find: a
// control plane that does not label its MeshServices with their names gets the label only with those of other zones, as the global
// control plane does (proxies.md §3).
func (m *Mesh) Unlabeled(zone string, service kuma.ID) References {
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
	m.unlabeled = map[inZone]References{}
	for _, from := range m.snapshot.Resources(m.name) {
		refer := func(labels map[string]string, by References) {
			for _, r := range copies[labels[kuma.LabelDisplayName]] {
				if !kuma.HasAll(r.Labels, labels) {
					continue
				}
				m.unlabeled[inZone{r.ID(), r.Zone()}] |= by
				if by == BySelector {
					m.unlabeled[inZone{from.ID(), r.Zone()}] |= ToMember
				}
			}
		}
		for _, o := range rules.Outbounds(*from) {
			refer(o.Labels, ByDataplane)
		}
		refer(tree.StringMap(tree.Root(from.Spec()).Get("selector", "meshService", "matchLabels").Value()), BySelector)
		for _, ref := range from.ToRefs() {
			refer(ref.Labels, ByPolicy)
		}
		for _, ref := range rules.BackendRefs(*from) {
			refer(ref.Labels, ByPolicy)
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
