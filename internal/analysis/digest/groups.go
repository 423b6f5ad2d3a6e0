package digest

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// Group is a set of proxies with the same digest.
type Group struct {
	Digest     string
	Dataplanes []string // sorted
}

// Groups groups dataplanes of a mesh by the effect of the policies of the given
// types, or of all types if none are given. Groups are sorted by size, largest
// first, and then by their first name. The rules of each type are computed once for
// all dataplanes that the same policies select in the same way. The error is one of
// those of [rules.Snapshot.Rules].
func Groups(s *rules.Snapshot, meshName string, dataplanes []string, types ...string) ([]Group, error) {
	d := divider{Snapshot: s, mesh: meshName, types: kinds.PolicyTypes(types...), parts: map[input]part{}, taken: map[takenBy]sum{}}
	byDigest := map[string]*Group{}
	var groups []*Group
	for _, name := range dataplanes {
		digest, err := d.digest(name)
		if err != nil {
			return nil, err
		}
		g, ok := byDigest[digest]
		if !ok {
			g = &Group{Digest: digest}
			byDigest[digest] = g
			groups = append(groups, g)
		}
		g.Dataplanes = append(g.Dataplanes, name)
	}
	out := make([]Group, 0, len(groups))
	for _, g := range groups {
		slices.Sort(g.Dataplanes)
		out = append(out, *g)
	}
	slices.SortFunc(out, func(a, b Group) int {
		return cmp.Or(cmp.Compare(len(b.Dataplanes), len(a.Dataplanes)), cmp.Compare(a.Dataplanes[0], b.Dataplanes[0]))
	})
	return out, nil
}

// divider computes digests, and caches parts by their input.
type divider struct {
	*rules.Snapshot
	mesh  string
	types []string
	parts map[input]part
	taken map[takenBy]sum
}

// takenBy is everything that the requests depend on that routes with settings take.
type takenBy struct {
	*rules.Match
	routes string
}

// input is everything that the part of one type depends on.
type input struct {
	policyType string
	policies   *rules.Match
	routes     routeMatches
}

func (d *divider) digest(dataplane string) (string, error) {
	if err := d.CheckDataplane(d.mesh, dataplane); err != nil {
		return "", err
	}
	routes := matchRoutes(d.Snapshot, d.mesh, dataplane)
	parts := make([]part, 0, len(d.types))
	for _, t := range d.types {
		of, err := d.part(dataplane, input{t, d.Match(d.mesh, dataplane, t), routes})
		if err != nil {
			return "", err
		}
		parts = append(parts, of)
	}
	withSettings := routesIn(parts)
	by := takenBy{routes[0], fmt.Sprint(withSettings)}
	taken, ok := d.taken[by]
	if !ok {
		var err error
		if taken, err = sumOfTaken(d.Snapshot, d.mesh, dataplane, withSettings); err != nil {
			return "", err
		}
		d.taken[by] = taken
	}
	return combine(parts, taken), nil
}

// part computes the part of one type, once for equal input.
func (d *divider) part(dataplane string, in input) (part, error) {
	if of, ok := d.parts[in]; ok || len(in.policies.Policies()) == 0 {
		return of, nil
	}
	p, err := d.Outline(d.mesh, dataplane, in.policyType)
	if err != nil {
		return part{}, err
	}
	d.parts[in] = partOf(p, in.routes.applied())
	return d.parts[in], nil
}

// OfGroups returns one digest for several groups as a hexadecimal string. For a
// single group, it is the digest of that group. For several, it changes when a group
// is added or removed, but not when only the number of proxies changes.
func OfGroups(groups []Group) string {
	if len(groups) == 1 {
		return groups[0].Digest
	}
	digests := make([]string, 0, len(groups))
	for _, g := range groups {
		digests = append(digests, g.Digest)
	}
	slices.Sort(digests)
	of := sha256.Sum256([]byte(strings.Join(digests, "\n")))
	return hex.EncodeToString(of[:])
}
