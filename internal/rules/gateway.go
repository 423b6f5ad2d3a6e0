package rules

import (
	"cmp"
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// attachGateway finds the MeshGateway that the proxy belongs to and gives the
// proxy its listeners (matching.md §2.5). A sidecar whose tags match a selector
// is attached as well: the control plane does not check the type of the proxy.
func (dp *proxy) attachGateway(gateways []*kuma.Resource) {
	var best map[string]string
	for _, g := range gateways {
		if !dp.mayBelongTo(g) {
			continue
		}
		for _, s := range tree.List(g.Body["selectors"]) {
			match := tree.StringMap(tree.Object(s)["match"])
			if !dp.hasTags(match) {
				continue
			}
			c := compareGatewaySelectors(match, best)
			if dp.meshGateway == nil || c > 0 || c == 0 && kuma.CompareCreation(g, dp.meshGateway) > 0 {
				dp.meshGateway, best = g, match
			}
		}
	}
	if dp.meshGateway != nil {
		dp.listeners = dp.listenersOf(dp.meshGateway)
	}
}

// compareGatewaySelectors compares how specific the tags of selectors are: more tags, then fewer
// wildcards.
func compareGatewaySelectors(a, b map[string]string) int {
	wildcards := func(tags map[string]string) (n int) {
		for _, v := range tags {
			if v == wildcard {
				n++
			}
		}
		return n
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(wildcards(b), wildcards(a)))
}

// mayBelongTo excludes the gateways of other zones. A proxy without a zone may
// belong to any gateway.
func (dp *proxy) mayBelongTo(g *kuma.Resource) bool {
	if dp.Zone() == "" {
		return true
	}
	switch g.Labels[kuma.LabelOrigin] {
	case "", kuma.OriginGlobal:
		return true
	case kuma.OriginZone:
		return g.Zone() == "" || g.Zone() == dp.Zone()
	default:
		return false
	}
}

// hasTags reports whether one inbound, or the gateway section, has the tags.
func (dp *proxy) hasTags(want map[string]string) bool {
	return slices.ContainsFunc(dp.inbounds, func(in proxyInbound) bool { return HasTags(in.tags, want) }) ||
		dp.gateway != noGateway && HasTags(dp.gatewayTags, want)
}

// listenersOf returns the listeners of g with the tags they have on this
// proxy: its own, overlaid by those of g, overlaid by those of the listener.
func (dp *proxy) listenersOf(g *kuma.Resource) []proxyInbound {
	var out []proxyInbound
	for _, v := range tree.List(tree.Object(g.Body["conf"])["listeners"]) {
		l := tree.Object(v)
		tags := map[string]string{}
		maps.Copy(tags, dp.gatewayTags)
		maps.Copy(tags, tree.StringMap(g.Body["tags"]))
		maps.Copy(tags, tree.StringMap(l["tags"]))
		out = append(out, proxyInbound{at: address{dp.address, tree.Int(l["port"])}, tags: tags})
	}
	return out
}
