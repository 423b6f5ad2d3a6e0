package rules

// maxRuleBytes bounds the rules by tags of one answer. What callers derive from
// an answer (texts, explanations, Terraform values) takes about 14 times as
// much, which adds up to about 256 MB.
const maxRuleBytes = 20 << 20

// Sizes in memory, in bytes and at most, as far as this bound needs them. A map is
// allocated with room for eight keys.
const (
	ruleSize    = 144
	matcherSize = 40
	layerSize   = 32
	metaSize    = 56
	valueSize   = 16
	mapSize     = 48
	mapKeySize  = 8 + 8*2*valueSize
	mapKeys     = 8
)

// size estimates the memory of the rule, without what it shares with other
// rules and without its matchers.
func (r Rule) size() int {
	return ruleSize + metaSize*len(policiesOf(r.layers)) + layerSize*len(r.layers) + sizeOf(r.Merge())
}

// hasRoom counts a rule by tags, and reports whether there is room for it.
// Most answers are far below the bound. The sizes of their rules are estimated, because
// they are known only after merging.
func (dp *proxy) hasRoom(f mergeInput, matchers int) bool {
	dp.ruleBytes += f.maxSize() + matcherSize*matchers
	dp.estimated = append(dp.estimated, f)
	if dp.ruleBytes <= maxRuleBytes {
		return true
	}
	for _, e := range dp.estimated {
		dp.ruleBytes += Rule{mergeInput: e}.size() - e.maxSize()
	}
	dp.estimated = nil
	return dp.ruleBytes <= maxRuleBytes
}

// maxSize is at least the size of the rule that is merged from the layers: a merged
// conf takes no more than all its parts.
func (f mergeInput) maxSize() int {
	size := ruleSize + (metaSize+layerSize)*len(f.layers)
	for _, l := range f.layers {
		size += l.conf.size
	}
	return size
}

// sizeOf estimates the memory of a decoded JSON value, without its strings:
// merged confs share them.
func sizeOf(v any) int {
	size := valueSize
	switch v := v.(type) {
	case map[string]any:
		size += mapSize + mapKeySize*((len(v)+mapKeys-1)/mapKeys)
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
