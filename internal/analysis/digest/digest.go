package digest

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// Of returns the digest of an answer of the snapshot as a hexadecimal string. The
// error is one of those of [rules.Snapshot.Rules].
func Of(s *rules.Snapshot, a rules.Answer) (string, error) {
	routes := matchRoutes(s, a.Resource.Mesh, a.Resource.Name).applied()
	var parts []part
	for _, p := range a.Applied() {
		parts = append(parts, partOf(p, routes))
	}
	taken, err := sumOfTaken(s, a.Resource.Mesh, a.Resource.Name, routesIn(parts))
	return combine(parts, taken), err
}

// sum is the hash of the rules of one type, or zero if they have no effect.
type sum [sha256.Size]byte

// part is what the rules of one type add to a digest.
type part struct {
	sum
	routes []kuma.Key // for which it has settings
}

// combine returns the digest for the parts of several types, in order of processing, and for the
// requests that routes with settings take.
func combine(parts []part, taken sum) string {
	h := sha256.New()
	for _, s := range append(slices.Clone(parts), part{sum: taken}) {
		if s.sum != (sum{}) {
			h.Write(s.sum[:])
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// partOf hashes the rules of one type on a proxy to which the given routes apply.
func partOf(p rules.PolicyRules, routes map[kuma.Key]bool) part {
	e := newEffect(p, routes)
	if e.empty() {
		return part{}
	}
	return part{sha256.Sum256([]byte(phrase.JSON(e))), e.routes}
}
