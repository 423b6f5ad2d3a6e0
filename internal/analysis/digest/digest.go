package digest

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Of returns the digest of an answer of the snapshot as a hexadecimal string. The
// error is one of [rules.Snapshot.Match], or reports that a conf cannot be encoded
// as JSON.
func Of(s *rules.Snapshot, a rules.Answer) (string, error) {
	matches, err := matchRoutes(s, a.Resource.Mesh, a.Resource.Name)
	if err != nil {
		return "", err
	}
	routes := matches.applied()
	var sums []sum
	for _, p := range a.Applied() {
		of, err := sumOf(p, routes)
		if err != nil {
			return "", err
		}
		sums = append(sums, of)
	}
	return combine(sums), nil
}

// sum is the hash of the rules of one type, or zero if they have no effect.
type sum [sha256.Size]byte

// combine returns the digest for the sums of several types, in order of processing.
func combine(sums []sum) string {
	h := sha256.New()
	for _, s := range sums {
		if s != (sum{}) {
			h.Write(s[:])
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// sumOf hashes the rules of one type on a proxy to which the given routes apply.
func sumOf(p rules.PolicyRules, routes map[kuma.Key]bool) (sum, error) {
	e, err := newEffect(p, routes)
	if err != nil || e.empty() {
		return sum{}, err
	}
	text, err := tree.EncodeJSON(e)
	return sha256.Sum256([]byte(text)), err
}
