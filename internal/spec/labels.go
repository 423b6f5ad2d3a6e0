package spec

import (
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
)

// envUniversal is the value of kuma.io/env outside Kubernetes.
const envUniversal = "universal"

// Labels returns the labels with which a control plane stores r: those of the
// document, and the computed ones that it does not carry (spec/rest-api.md §8).
// Labels of proxies about their role are always overwritten; an empty one is
// taken away.
func (k Kind) Labels(r mesh.Resource, cp ControlPlane) map[string]string {
	out := maps.Clone(r.Labels)
	if out == nil {
		out = map[string]string{}
	}
	add := func(key, value string) {
		if _, ok := out[key]; !ok {
			out[key] = value
		}
	}
	if k.Scope == InMesh {
		add(mesh.LabelMesh, r.Mesh)
	}
	if k.ZoneOwned && cp.Mode == ModeZone {
		add(mesh.LabelOrigin, mesh.OriginZone)
		if out[mesh.LabelOrigin] != mesh.OriginGlobal {
			add(mesh.LabelZone, cp.Zone)
			add(mesh.LabelEnv, envUniversal)
		}
	}
	if k.ProxyLabels != nil {
		for key, value := range k.ProxyLabels(r) {
			if value == "" {
				delete(out, key)
				continue
			}
			out[key] = value
		}
	}
	return out
}

// ComputedLabel reports whether a control plane may set the label by itself.
func ComputedLabel(key string) bool {
	return slices.Contains([]string{
		mesh.LabelMesh, mesh.LabelOrigin, mesh.LabelZone, mesh.LabelEnv,
		mesh.LabelProxyType, mesh.LabelZoneIngress, mesh.LabelZoneEgress, mesh.LabelManagedBy,
	}, key)
}

// ImmutableLabels are the labels that a later write may neither change nor,
// once stored, leave out.
func ImmutableLabels() []string {
	return []string{mesh.LabelOrigin, mesh.LabelZone, mesh.LabelDisplayName}
}
