package rules

import (
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// addresses returns the selected inbounds by port. Those that share a port are
// sorted by address, whereas the order of a control plane is random.
func (m matchedPolicies) addresses() []address {
	return slices.SortedFunc(maps.Keys(m.inbounds), compareAddresses)
}

// inboundRules lists the entries of `rules` for each inbound, once for each of
// their matches. Nothing is merged (matching.md §7), unless the release does.
func (m matchedPolicies) inboundRules(k *kind) []InboundRules {
	out := []InboundRules{}
	for _, at := range m.addresses() {
		var rules []InboundRule
		switch m.proxy.mesh.matching.inbound {
		case inboundNone:
		case inboundMerged:
			rules = m.mergedInboundRules(k, at)
		case inboundByEntry:
			for _, e := range m.inboundEntries(at) {
				rules = append(rules, m.inboundRule(matchedEntry{e, nil}))
			}
		default:
			for _, e := range m.matchedEntries(at) {
				rules = append(rules, m.inboundRule(e))
			}
		}
		if len(rules) > 0 {
			out = append(out, InboundRules{Inbound: m.proxy.describe(at), Rules: rules})
		}
	}
	return out
}

func (m matchedPolicies) inboundRule(e matchedEntry) InboundRule {
	return InboundRule{e.match, []any{e.conf.value}, []Origin{e.origin()}}
}

// mergedInboundRules returns one rule for all entries, none if there are none. Inbounds
// that share an address and a port have their entries several times, but once as origin.
func (m matchedPolicies) mergedInboundRules(k *kind, at address) []InboundRule {
	layers := phrase.Each(m.inboundEntries(at), func(e *entry) *layer { return &e.layer })
	if len(layers) == 0 {
		return nil
	}
	once := phrase.Grouped(layers, func(l *layer) *layer { return l })
	return []InboundRule{{Conf: k.merge(layers, nil), Origin: phrase.Each(once, func(same []*layer) Origin { return same[0].origin() })}}
}

// matchRank sorts by how specifically a match identifies the client: its SPIFFE
// ID exactly, by prefix or not at all; then by the server name.
func matchRank(match any) int {
	m := tree.Object(match)
	rank := 0
	switch id := tree.Object(m["spiffeID"]); {
	case id == nil:
		rank = 4
	case tree.Text(id["type"]) != "Exact":
		rank = 2
	}
	if tree.Object(m["sni"]) == nil {
		rank++
	}
	return rank
}

// proxyRule merges the confs of a kind that configures the proxy as a whole; nil
// when nothing matches (matching.md §8).
func (m matchedPolicies) proxyRule(k *kind) *ProxyRule {
	var layers []*layer
	for _, p := range m.policies {
		layers = append(layers, p.single...)
	}
	if len(layers) == 0 {
		return nil
	}
	return &ProxyRule{mergeInput{kind: k, layers: layers}, k.merge(layers, nil)[0], metasOf(layers)}
}
