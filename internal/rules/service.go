package rules

import "github.com/kuma-universal/terraform-provider-kuma/internal/mesh"

// Serves reports whether a MeshService selects an inbound of a dataplane: tags
// are those of the inbound. Zones are not looked at, see [SameZone].
func Serves(service, dataplane mesh.Resource, tags map[string]string) bool {
	selector := object(service.Spec()["selector"])
	byTags, byRef, byLabels := mesh.StringMap(selector["dataplaneTags"]), object(selector["dataplaneRef"]), object(selector["dataplaneLabels"])
	switch {
	case len(byTags) > 0:
		return mesh.HasAll(tags, byTags)
	case byRef != nil:
		return text(byRef["name"]) == dataplane.Name
	case byLabels != nil:
		want := mesh.StringMap(byLabels["matchLabels"])
		return len(want) > 0 && mesh.HasAll(dataplane.Labels, want)
	default:
		return false
	}
}

// SameZone reports whether two resources may be of one zone: their zone labels
// are equal, or one of them has none.
func SameZone(a, b mesh.Resource) bool {
	return a.Zone() == "" || b.Zone() == "" || a.Zone() == b.Zone()
}
