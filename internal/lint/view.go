package lint

import (
	"cmp"
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// view is a mesh as the checks look at it.
type view struct {
	mesh      string
	resources []*mesh.Resource            // of the mesh, the mesh itself, and those of no mesh; in order of type and name
	byType    map[string][]*mesh.Resource // the same by type
	snapshot  *rules.Snapshot
}

func newView(resources []mesh.Resource, meshName string) *view {
	latest := map[mesh.Key]*mesh.Resource{}
	for _, r := range resources {
		if r.Mesh == meshName || r.Mesh == "" && (r.Type != mesh.KindMesh || r.Name == meshName) {
			latest[r.Key()] = &r
		}
	}
	v := &view{mesh: meshName, byType: map[string][]*mesh.Resource{}}
	v.resources = slices.SortedFunc(maps.Values(latest), func(a, b *mesh.Resource) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Mesh, b.Mesh), cmp.Compare(a.Name, b.Name))
	})
	var all []mesh.Resource
	for _, r := range v.resources {
		v.byType[r.Type] = append(v.byType[r.Type], r)
		all = append(all, *r)
	}
	v.snapshot = rules.NewSnapshot(all)
	return v
}
