package rules

import "sync"

// maxRuleBytes bounds the rules by tags of one answer. What callers make of an
// answer (texts, explanations, Terraform values) takes about 14 times as much,
// which adds up to some 256 MB.
const maxRuleBytes = 20 << 20

// Sizes in memory, in bytes, as far as this bound needs them. A map has room for
// eight members at once.
const (
	ruleSize      = 144
	matcherSize   = 40
	layerSize     = 32
	metaSize      = 56
	valueSize     = 16
	mapSize       = 48
	mapMemberSize = 8 + 8*2*valueSize
	mapMembers    = 8
)

// size estimates what the rule takes, without what it shares with other rules and
// without its matchers.
func (r Rule) size() int {
	return ruleSize + metaSize*len(policiesOf(r.from.layers)) + layerSize*len(r.from.layers) + sizeOf(r.Merge())
}

// ruleSizes remembers the sizes of rules that are not kept, by [Input].
type ruleSizes struct{ known sync.Map }

// of returns the size that a rule of an outline has when it is merged.
func (s *ruleSizes) of(r Rule) int {
	input := r.Input()
	size, ok := s.known.Load(input)
	if !ok {
		size, _ = s.known.LoadOrStore(input, r.size())
	}
	n, _ := size.(int)
	return n
}

// sizeOf estimates what a decoded JSON value takes, without its texts: merged
// confs share them.
func sizeOf(v any) int {
	size := valueSize
	switch v := v.(type) {
	case map[string]any:
		size += mapSize + mapMemberSize*((len(v)+mapMembers-1)/mapMembers)
		for _, e := range v {
			size += sizeOf(e)
		}
	case []any:
		for _, e := range v {
			size += sizeOf(e)
		}
	}
	return size
}
