package rules

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// httpMatches explains the hashes of all matches in the rules of HTTP routes;
// none in those of another kind.
func httpMatches(rules PolicyRules) []HTTPMatch {
	if rules.Type != kuma.KindMeshHTTPRoute {
		return nil
	}
	found := map[string]HTTPMatch{}
	collect := func(conf any) {
		for _, v := range tree.List(tree.Object(conf)["rules"]) {
			matches := tree.List(tree.Object(v)["matches"])
			hash := matchesHash(matches)
			if _, ok := found[hash]; !ok {
				found[hash] = HTTPMatch{Hash: hash, Match: phrase.Each(matches, tree.Clone)}
			}
		}
	}
	for _, r := range rules.ToRules {
		collect(r.Conf)
	}
	for _, r := range rules.ToResourceRules {
		for _, conf := range r.Conf {
			collect(conf)
		}
	}
	return phrase.Each(slices.Sorted(maps.Keys(found)), func(hash string) HTTPMatch { return found[hash] })
}

// matchesHash is the hash that identifies a list of matches (matching.md
// §10.4).
func matchesHash(matches []any) string {
	sum := sha256.Sum256(matchesJSON(matches))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// hashedMatch lists the fields of a match in the order in which they are hashed.
type hashedMatch struct {
	Path *struct {
		Value string `json:"value"`
		Type  string `json:"type"`
	} `json:"path,omitempty"`
	Method      string `json:"method,omitempty"`
	QueryParams []struct {
		Type  string `json:"type"`
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"queryParams,omitzero"`
	Headers []struct {
		Type  string `json:"type"`
		Name  string `json:"name"`
		Value string `json:"value,omitempty"`
	} `json:"headers,omitzero"`
}

// matchesJSON returns the string that is hashed. Equal matches have equal
// strings.
func matchesJSON(matches any) []byte {
	typed := []hashedMatch{}
	if raw, err := json.Marshal(tree.List(matches)); err == nil {
		// A field of a wrong type is omitted, and all others are still read.
		_ = json.Unmarshal(raw, &typed)
	}
	for _, m := range typed {
		for i := range m.Headers {
			m.Headers[i].Type = cmp.Or(m.Headers[i].Type, "Exact")
		}
	}
	out, _ := json.Marshal(typed) // strings only: cannot fail
	return out
}
