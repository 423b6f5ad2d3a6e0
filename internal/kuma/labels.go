package kuma

import (
	"maps"
	"slices"
	"strings"
)

// ComputedLabel reports whether a control plane may set the label by itself.
func ComputedLabel(key string) bool {
	return slices.Contains([]string{
		LabelMesh, LabelOrigin, LabelZone, LabelEnv,
		LabelProxyType, LabelZoneIngress, LabelZoneEgress,
	}, key) || GeneratorLabel(key)
}

// WithoutMeshLabel returns a resource without the label kuma.io/mesh if it repeats the mesh:
// the control plane adds it to resources of all kinds (rest-api.md §8).
func (r Resource) WithoutMeshLabel() Resource {
	if r.Labels[LabelMesh] != r.Mesh {
		return r
	}
	r.Labels = maps.Clone(r.Labels)
	delete(r.Labels, LabelMesh)
	return r
}

// ImmutableLabels are the labels that a later write can neither change nor,
// once stored, omit.
func ImmutableLabels() []string {
	return []string{LabelOrigin, LabelZone, LabelDisplayName}
}

// GeneratorLabel reports whether generators of the control plane use the label.
func GeneratorLabel(key string) bool { return key == LabelManagedBy || key == LabelGracePeriod }

// Generated reports whether a generator of the control plane created the resource with
// these labels. The generator maintains it until a write omits the label
// kuma.io/managed-by (rest-api.md §10).
func Generated(labels map[string]string) bool {
	return strings.HasSuffix(labels[LabelManagedBy], "-generator")
}

// ServerLabel reports whether the control plane determines a label that a write
// does not set: it is computed, or kept.
func ServerLabel(key string) bool {
	return ComputedLabel(key) || slices.Contains(ImmutableLabels(), key)
}

// KeptLabel reports whether a write has to carry a label of a stored resource that the
// control plane determines. A generated resource loses the labels of its generator, which
// would undo the write. Kuma 3.0 rejects labels of generators, and the type of a proxy, which
// an older release has stored (release3.md §3).
func KeptLabel(key string, stored map[string]string, r Release) bool {
	switch {
	case !ServerLabel(key):
		return false
	case GeneratorLabel(key):
		return !Generated(stored) && !r.Kuma3()
	default:
		return key != LabelProxyType || !r.Kuma3()
	}
}
