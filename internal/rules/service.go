package rules

import (
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Serves reports whether a MeshService selects an inbound of a dataplane: tags
// are those of the inbound. Zones are not compared, see [SameZone].
func Serves(service, dataplane kuma.Resource, tags map[string]string) bool {
	selector := tree.Object(service.Spec()["selector"])
	byTags, byRef, byLabels := tree.StringMap(selector["dataplaneTags"]), tree.Object(selector["dataplaneRef"]), tree.Object(selector["dataplaneLabels"])
	switch {
	case len(byTags) > 0:
		return kuma.HasAll(tags, byTags)
	case byRef != nil:
		return tree.Text(byRef["name"]) == dataplane.Name
	case byLabels != nil:
		want := tree.StringMap(byLabels["matchLabels"])
		return len(want) > 0 && kuma.HasAll(dataplane.Labels, want)
	default:
		return false
	}
}

// SameZone reports whether two resources may belong to the same zone: their
// zone labels are equal, or one of them has none.
func SameZone(a, b kuma.Resource) bool {
	return a.Zone() == "" || b.Zone() == "" || a.Zone() == b.Zone()
}
