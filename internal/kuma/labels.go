package kuma

import (
	"slices"
)

// ComputedLabel reports whether a control plane may set the label by itself.
func ComputedLabel(key string) bool {
	return slices.Contains([]string{
		LabelMesh, LabelOrigin, LabelZone, LabelEnv,
		LabelProxyType, LabelZoneIngress, LabelZoneEgress, LabelManagedBy,
	}, key)
}

// ImmutableLabels are the labels that a later write may neither change nor,
// once stored, leave out.
func ImmutableLabels() []string {
	return []string{LabelOrigin, LabelZone, LabelDisplayName}
}

// ServerLabel reports whether a label belongs to the control plane where a write
// does not set it: it is computed, or kept.
func ServerLabel(key string) bool {
	return ComputedLabel(key) || slices.Contains(ImmutableLabels(), key)
}
