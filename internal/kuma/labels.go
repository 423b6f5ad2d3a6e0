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

// ImmutableLabels are the labels that a later write can neither change nor,
// once stored, omit.
func ImmutableLabels() []string {
	return []string{LabelOrigin, LabelZone, LabelDisplayName}
}

// ServerLabel reports whether the control plane determines a label that a write
// does not set: it is computed, or kept.
func ServerLabel(key string) bool {
	return ComputedLabel(key) || slices.Contains(ImmutableLabels(), key)
}
