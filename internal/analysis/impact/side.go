package impact

import (
	"maps"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// side is the mesh before or after the change.
type side struct {
	*rules.Snapshot
	mesh       string
	resources  map[kuma.Key]kuma.Resource
	ids        map[kuma.ID]kuma.Key // of several with one identity the first
	zones      map[kuma.ID]int      // by identity without the zone: in how many there is such a resource
	dataplanes []string
}

func newSide(resources []kuma.Resource, meshName string) *side {
	s := &side{mesh: meshName, resources: map[kuma.Key]kuma.Resource{}, ids: map[kuma.ID]kuma.Key{}, zones: map[kuma.ID]int{}}
	var own []kuma.Resource
	for _, r := range resources {
		if r.Mesh == meshName || r.Type == kuma.KindMesh && r.Name == meshName {
			own = append(own, r)
			s.resources[r.Key()] = r
			first, taken := s.ids[r.ID()]
			if !taken {
				s.zones[anywhere(r.ID())]++
			}
			if !taken || r.Name < first.Name {
				s.ids[r.ID()] = r.Key()
			}
		}
	}
	s.Snapshot = rules.NewSnapshot(own)
	if s.exists() {
		s.dataplanes = s.Dataplanes(meshName)
	}
	return s
}

func anywhere(id kuma.ID) kuma.ID {
	id.Zone = ""
	return id
}

func (s *side) exists() bool {
	_, ok := s.resources[kuma.Key{Type: kuma.KindMesh, Name: s.mesh}]
	return ok
}

// difference is a resource that is not the same on both sides.
type difference struct {
	key       kuma.Key
	operation Operation
	// inBody is false when only labels and times differ, which a control plane may
	// compute in other ways than we do.
	inBody bool
}

// differences lists what is not the same, by type and name.
func differences(before, after *side) []difference {
	var out []difference
	for key, a := range after.resources {
		b, ok := before.resources[key]
		switch {
		case !ok:
			out = append(out, difference{key, Added, true})
		case !same(b, a):
			out = append(out, difference{key, Changed, !tree.Equal(b.Body, a.Body)})
		}
	}
	for key := range before.resources {
		if _, ok := after.resources[key]; !ok {
			out = append(out, difference{key, Removed, true})
		}
	}
	slices.SortFunc(out, func(a, b difference) int { return kuma.CompareKeys(a.key, b.key) })
	return out
}

// profiles stands for which routes of the given kinds a dataplane has.
func (s *side) profiles(dataplane string, kinds []string) (string, error) {
	var out strings.Builder
	for _, k := range kinds {
		p, err := s.profile(dataplane, k)
		if err != nil {
			return "", err
		}
		out.Write(p[:])
	}
	return out.String(), nil
}

func (s *side) profile(dataplane, policyType string) (rules.Profile, error) {
	m, err := s.Match(s.mesh, dataplane, policyType)
	if err != nil {
		return rules.Profile{}, err
	}
	return m.Profile(), nil
}

// same reports whether matching cannot tell two states of a resource apart.
func same(a, b kuma.Resource) bool {
	return a.CreationTime.Equal(b.CreationTime) && maps.Equal(a.Labels, b.Labels) && tree.Equal(a.Body, b.Body)
}

// wanted returns the types to look at, in the order in which they are processed.
func wanted(types []string) []string {
	var out []string
	for _, k := range kinds.Policies() {
		if len(types) == 0 || slices.Contains(types, k.Name) {
			out = append(out, k.Name)
		}
	}
	return out
}

// split sorts two ascending lists of names into those of both, of the second
// only, and of the first only.
func split(before, after []string) (common, added, removed []string) {
	for _, name := range after {
		if _, ok := slices.BinarySearch(before, name); ok {
			common = append(common, name)
		} else {
			added = append(added, name)
		}
	}
	for _, name := range before {
		if _, ok := slices.BinarySearch(after, name); !ok {
			removed = append(removed, name)
		}
	}
	return common, added, removed
}
