package rules

import (
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// addresses returns the selected inbounds by port. Those that share a port are
// sorted by address, whereas the order of a control plane is random.
func (m matchedPolicies) addresses() []address {
	return slices.SortedFunc(maps.Keys(m.inbounds), compareAddresses)
}

// inboundRules lists the entries of `rules` for each inbound, once for each of
// their matches. Nothing is merged (matching.md §7).
func (m matchedPolicies) inboundRules() []InboundRules {
	out := []InboundRules{}
	for _, at := range m.addresses() {
		var rules []InboundRule
		for _, e := range m.matchedEntries(at) {
			rules = append(rules, InboundRule{
				Match:  tree.Clone(e.match),
				Conf:   []any{tree.Clone(e.conf.value)},
				Origin: []Origin{m.proxy.metas.origin(e.layer)},
			})
		}
		if len(rules) > 0 {
			out = append(out, InboundRules{Inbound: m.proxy.describe(at), Rules: rules})
		}
	}
	return out
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
	var layers []layer
	for _, p := range m.policies {
		layers = append(layers, p.single...)
	}
	if len(layers) == 0 {
		return nil
	}
	return &ProxyRule{Conf: k.merge(layers, nil)[0], Origin: m.proxy.metas.policiesOf(layers), from: mergeInput{kind: k, layers: layers, order: orderOfPolicies(m.policies)}}
}
