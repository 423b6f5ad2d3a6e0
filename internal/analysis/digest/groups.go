package digest

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
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
	d := divider{Snapshot: s, mesh: meshName, types: kinds.PolicyTypes(types...), sums: map[input]sum{}}
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

// divider computes digests, and caches sums by their input.
type divider struct {
	*rules.Snapshot
	mesh  string
	types []string
	sums  map[input]sum
}

// input is everything that the sum of one type depends on.
type input struct {
	policyType string
	policies   *rules.Match
	routes     routeMatches
}

func (d *divider) digest(dataplane string) (string, error) {
	routes, err := matchRoutes(d.Snapshot, d.mesh, dataplane)
	if err != nil {
		return "", err
	}
	sums := make([]sum, 0, len(d.types))
	for _, t := range d.types {
		m, err := d.Match(d.mesh, dataplane, t)
		if err != nil {
			return "", err
		}
		of, err := d.sum(dataplane, input{t, m, routes})
		if err != nil {
			return "", err
		}
		sums = append(sums, of)
	}
	return combine(sums), nil
}

// sum hashes the rules of one type, once for equal input.
func (d *divider) sum(dataplane string, in input) (sum, error) {
	if of, ok := d.sums[in]; ok || len(in.policies.Policies()) == 0 {
		return of, nil
	}
	p, err := d.Outline(d.mesh, dataplane, in.policyType)
	if err != nil {
		return sum{}, err
	}
	of, err := sumOf(p, in.routes.applied())
	d.sums[in] = of
	return of, err
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
