package rules

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
)

// The number of combinations doubles with every tag that may be combined with
// the others. Most of them do not result in a rule when entries require many
// tags at once; this bounds the work, and [maxRuleBytes] the memory.
const maxSubsets = 1 << 18

// subsetEntry is an entry together with the tags that it requires of a peer.
type subsetEntry struct {
	*layer

	tags  []Matcher // all positive, in order of key
	key   string    // the tags as a string, quoted and in order of key
	named bool      // refers to a service by its name, which is one of the tags
}

func newSubsetEntry(e *entry, tags []Matcher, named bool) subsetEntry {
	slices.SortFunc(tags, compareMatchers)
	s := subsetEntry{layer: &e.layer, tags: slices.Compact(tags), named: named}
	for _, tag := range s.tags {
		s.key += strconv.Quote(tag.Key) + strconv.Quote(tag.Value)
	}
	return s
}

func matchersOf(tags map[string]string) []Matcher {
	out := make([]Matcher, 0, len(tags))
	for key, value := range tags {
		out = append(out, Matcher{Key: key, Value: value})
	}
	return out
}

func compareMatchers(a, b Matcher) int {
	return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Value, b.Value))
}

// subset is what entries with the same tags have in common.
type subset struct {
	tags  []Matcher
	nodes []int // positions of the entries, ascending
	named bool  // one of them refers to a service by its name
}

// toRules returns the legacy rules for outgoing traffic (matching.md §5).
func (m matchedPolicies) toRules(k *kind) ([]Rule, error) {
	var entries []subsetEntry
	for _, p := range m.policies {
		entries = append(entries, p.toTags...)
	}
	return m.subsetRules(k, entries, fewestRules)
}

// fromRules returns the legacy rules for each inbound (matching.md §6).
func (m matchedPolicies) fromRules(k *kind) ([]FromRules, error) {
	out := []FromRules{}
	for _, at := range m.addresses() {
		var entries []subsetEntry
		for _, p := range m.inbounds[at] {
			entries = append(entries, p.fromTags...)
		}
		rules, err := m.subsetRules(k, entries, allRules)
		if err != nil {
			return nil, err
		}
		if len(rules) > 0 {
			out = append(out, FromRules{Inbound: m.proxy.describe(at), Rules: rules, at: at})
		}
	}
	return out, nil
}

// subsetEntries keeps the entries that select peers by tags. A service that is
// referenced by labels has no name and becomes a tag without value.
func subsetEntries(entries []*entry) []subsetEntry {
	var out []subsetEntry
	for _, e := range entries {
		tags := []Matcher{}
		switch e.ref.Kind {
		case kuma.KindMesh:
		case kuma.KindMeshSubset, kuma.KindMeshServiceSubset:
			tags = matchersOf(e.ref.Tags)
		case kuma.KindMeshService:
		default:
			continue
		}
		named := e.ref.Kind == kuma.KindMeshService || e.ref.Kind == kuma.KindMeshServiceSubset
		if named {
			// Together with a tag of another service, the name is a second
			// condition, which no peer meets.
			tags = append(tags, Matcher{Key: kuma.TagService, Value: e.ref.Name})
		}
		out = append(out, newSubsetEntry(e, tags, named))
	}
	return out
}

func serviceTags(service string, tags map[string]string) map[string]string {
	out := map[string]string{kuma.TagService: service}
	maps.Copy(out, tags)
	return out
}

// completeness selects which rules are built from subsets.
type completeness int

const (
	fewestRules completeness = iota // one per subset, where that is enough
	allRules                        // always negations, too
)

// subsetRules divides the peers by all tags that entries require, and merges
// for each part the entries that cover it, in the order given.
func (m matchedPolicies) subsetRules(k *kind, entries []subsetEntry, want completeness) ([]Rule, error) {
	subsets := distinctSubsets(entries)
	b := ruleBuilder{kind: k, proxy: m.proxy, entries: entries, rules: []Rule{}}
	add := b.addCombinations
	if want == fewestRules && m.proxy.mesh.matching.plainToRules && countKeys(subsets) <= 1 {
		add = b.addEach
	}
	if !add(subsets) {
		return nil,
			fmt.Errorf(
				"%w: the entries select peers by %d sets of tags with %d different keys, each key can double the number of rules, and the rules of "+
					"one dataplane may take %d MB at most; use fewer keys and sets of tags in the targetRef of the entries",
				ErrTooManySubsets, len(subsets), countKeys(subsets), maxRuleBytes>>20)
	}
	slices.SortStableFunc(b.rules, func(a, b Rule) int {
		return cmp.Compare(countPositive(b.Matchers), countPositive(a.Matchers))
	})
	return b.rules, nil
}

// distinctSubsets groups entries by their tags, in order of first appearance.
// An entry whose tags contradict each other is not compatible with any other
// that has one of them, and forms its own subset.
func distinctSubsets(entries []subsetEntry) []subset {
	var subsets []subset
	seen := map[string]int{}
	for node, e := range entries {
		i, ok := seen[e.key]
		if !ok || repeatsKey(e.tags) {
			i = len(subsets)
			seen[e.key] = i
			subsets = append(subsets, subset{tags: e.tags})
		}
		subsets[i].nodes = append(subsets[i].nodes, node)
		subsets[i].named = subsets[i].named || e.named
	}
	return subsets
}

func countKeys(subsets []subset) int {
	keys := map[string]bool{}
	for _, s := range subsets {
		for _, tag := range s.tags {
			keys[tag.Key] = true
		}
	}
	return len(keys)
}

func countPositive(matchers []Matcher) int {
	n := 0
	for _, m := range matchers {
		if !m.Not {
			n++
		}
	}
	return n
}
