package lint

import (
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// view is a mesh as the checks look at it. It is made once, and never changes.
type view struct {
	mesh      string
	resources []*kuma.Resource            // of the mesh, the mesh itself, and those of no mesh; in order of type and name
	byType    map[string][]*kuma.Resource // the same by type
	byKey     map[kuma.Key]*kuma.Resource // the same by key
	policies  []*kuma.Resource            // those that are in effect, in order of type and name
	exclusive bool                        // services are addressed as resources only
	initial   map[kuma.Key]bool           // what the control plane made with the mesh: nobody wrote it
	tags      map[string]bool             // values of kuma.io/service in use
	problems  map[kuma.Key][]def.Problem  // of each document on its own, that a control plane stores all the same

	snapshot *rules.Snapshot
	groups   map[string][]group    // by type of policy
	selected map[kuma.Key][]string // the dataplanes that a policy selects
	contest  contest
}

func newView(resources []kuma.Resource, meshName string) *view {
	v := &view{
		mesh:   meshName,
		byType: map[string][]*kuma.Resource{}, byKey: map[kuma.Key]*kuma.Resource{},
		initial: map[kuma.Key]bool{}, tags: map[string]bool{}, problems: map[kuma.Key][]def.Problem{},
		groups: map[string][]group{}, selected: map[kuma.Key][]string{},
	}
	for _, r := range resources {
		if r.Mesh == meshName || r.Mesh == "" && (r.Type != kuma.KindMesh || r.Name == meshName) {
			v.byKey[r.Key()] = &r
		}
	}
	v.resources = slices.SortedFunc(maps.Values(v.byKey), func(a, b *kuma.Resource) int {
		return kuma.CompareKeys(a.Key(), b.Key())
	})
	var all []kuma.Resource
	for _, r := range v.resources {
		all = append(all, *r)
		v.byType[r.Type] = append(v.byType[r.Type], r)
		v.add(r)
	}
	v.snapshot = rules.NewSnapshot(all)
	for _, k := range kinds.Policies() {
		v.groups[k.Name] = v.groupsFor(k.Name)
		for _, g := range v.groups[k.Name] {
			for _, p := range g.policies {
				v.selected[p] = append(v.selected[p], g.dataplanes...)
			}
		}
	}
	for _, names := range v.selected {
		slices.Sort(names)
	}
	v.contest = v.hold()
	return v
}

// group is a set of dataplanes that have the same rules of one type.
type group struct {
	dataplanes []string   // in ascending order
	policies   []kuma.Key // that select them
}

// groupsFor divides the dataplanes by their rules of one type, in the order of the
// first names.
func (v *view) groupsFor(policyType string) []group {
	var groups []group
	byProfile := map[rules.Profile]int{}
	for _, dp := range v.byType[kuma.KindDataplane] {
		m, err := v.snapshot.Match(v.mesh, dp.Name, policyType)
		if err != nil {
			continue // there is nothing to match without a mesh
		}
		profile := m.Profile()
		i, ok := byProfile[profile]
		if !ok {
			i = len(groups)
			byProfile[profile] = i
			groups = append(groups, group{policies: m.Policies()})
		}
		groups[i].dataplanes = append(groups[i].dataplanes, dp.Name)
	}
	return groups
}

// add notes what a single resource says about the mesh.
func (v *view) add(r *kuma.Resource) {
	k, _ := kinds.Find(r.Type)
	doc := r.Document()
	stored := slices.DeleteFunc(k.Validate(doc), func(p def.Problem) bool { return !p.Warning })
	v.problems[r.Key()] = append(stored, k.ValidateDesign(doc)...)
	switch {
	case r.Type == kuma.KindMesh:
		mode, _ := tree.Root(r.Body).Get("meshServices", "mode").Text()
		v.exclusive = mode == "Exclusive"
		for _, i := range kinds.Initial(*r) {
			v.initial[i.Key()] = true
		}
	case r.Type == kuma.KindDataplane:
		for _, tags := range serviceTags(r) {
			v.tags[tags[kuma.TagService]] = true
		}
	case k.Policy != nil && !r.OnTrial():
		v.policies = append(v.policies, r)
	}
}

// serviceTags returns the tags of the inbounds of a dataplane, or of its gateway,
// where they name a service.
func serviceTags(dataplane *kuma.Resource) []map[string]string {
	networking := tree.Root(dataplane.Body).Get("networking")
	var all []map[string]string
	for _, n := range append(networking.Get("inbound").Items(), networking.Get("gateway")) {
		if tags := tree.StringMap(n.Get("tags").Value()); tags[kuma.TagService] != "" {
			all = append(all, tags)
		}
	}
	return all
}

// toRef is the place of the reference of an element of `to`.
func toRef(i int) tree.Path { return tree.Path{"spec", "to", i, "targetRef"} }

// reference returns the reference at a place, which may be missing.
func reference(n tree.Node) kuma.TargetRef { return kuma.ParseTargetRef(n.Value()) }
