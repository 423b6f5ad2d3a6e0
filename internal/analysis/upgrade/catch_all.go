package upgrade

import (
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// catchAll matches all requests, see kuma3.md, K3-203. Without a path it comes after all other
// matches, whereas the path prefix / precedes regular expressions and matches without a path.
func catchAll() []any { return []any{map[string]any{}} }

// addCatchAlls proposes a rule for the rest of the requests in routes, which 2.14 sends to
// the destination and Kuma 3.0 answers with 404, and removes empty lists of backends (R10). If policies
// have settings for the route, another route has the rule, so that the settings do not apply to it.
func addCatchAlls(w *world) []proposal {
	var out []proposal
	taken, configured := map[string]map[rules.Entry]bool{}, map[string]map[kuma.Key]bool{} // by mesh
	restTaken := func(mesh string) map[rules.Entry]bool {
		if taken[mesh] == nil {
			taken[mesh] = lint.RestTaken(w.snapshot(), mesh)
			maps.Copy(taken[mesh], lint.RestTaken(w.readBy(Release3()), mesh)) // of stage two, whose references 2.14 does not resolve
		}
		return taken[mesh]
	}
	for _, r := range w.of(kinds.MeshHTTPRoute.Name) {
		if r.TopRef().Kind == kuma.KindMeshGateway { // until it selects proxies that Kuma 3.0 has
			continue
		}
		if configured[r.Mesh] == nil {
			configured[r.Mesh] = w.configured(r.Mesh)
		}
		var items []Item
		var rest []any // of the other route
		changed := r
		other := kuma.Key{Type: r.Type, Mesh: r.Mesh, Name: r.Name + restSuffix}
		divided := configured[r.Mesh][r.Key()] && len(w.snapshot().Selected(r.Key())) > 0 && len(other.Name) <= kuma.MaxNameLength &&
			(w.final || !w.routesAtGateway(proposal{put: []kuma.Resource{r}}))
		for i, n := range tree.Root(r.Body).Get("spec", "to").Items() {
			for _, rule := range n.Get("rules").Items() {
				if refs := rule.Get("default", "backendRefs"); refs.Known() && len(refs.Items()) == 0 {
					conf := maps.Clone(tree.Object(rule.Get("default").Value()))
					delete(conf, "backendRefs")
					changed = withValue(changed, rule.Path.Child("default"), conf)
					items = append(items, rewritten(r, refs.Path.String(), "K3-204", "Has no empty backendRefs: requests go to the destination."))
				}
			}
			if !lint.TakesRest(n) && !restTaken(r.Mesh)[rules.Entry{Policy: r.Key(), Index: i}] {
				rule := map[string]any{"matches": catchAll(), "default": map[string]any{}}
				if divided {
					rest = append(rest, map[string]any{"targetRef": n.Get("targetRef").Value(), "rules": []any{rule}})
					continue
				}
				path := n.Path.Child("rules")
				changed = withValue(changed, path, append(slices.Clone(tree.List(tree.At(changed.Body, path))), rule))
				items = append(items, Item{
					Key: r.Key(), Path: n.Path.String() + ".rules", Condition: "K3-203", Action: Rewritten,
					Text:    "Has a rule for all other requests, which go to the destination as on 2.14. Without it, Kuma 3.0 answers them with 404.",
					Choices: []string{"Remove the rule if they are to be rejected."},
				})
			}
		}
		out = append(out, one(changed, items...)...)
		if rest != nil && w.find(other) == nil {
			own := withValue(labelled(r, map[string]string{kuma.LabelDisplayName: other.Name}), tree.Path{"spec", "to"}, rest)
			own.Name = other.Name
			maps.DeleteFunc(own.Labels, func(key, _ string) bool { return !def.ReservedLabel(key) }) // by which policies find the other route
			out = append(out, one(own, Item{
				Key: other, Condition: "K3-203", Action: Added,
				Text: "Takes the requests that no rule of the MeshHTTPRoute " + r.Name +
					" matches. The settings of policies for that route do not apply to them. Without it, Kuma 3.0 answers them with 404.",
				Choices: []string{"Delete it if they are to be rejected."},
			})...)
		}
	}
	return out
}

const restSuffix = "-rest"

// configured returns the routes of a mesh for whose requests a policy sets something.
func (w *world) configured(mesh string) map[kuma.Key]bool {
	s, routes := w.snapshot(), map[kuma.Key]bool{}
	for _, p := range s.Resources(mesh, kinds.PolicyTypes()...) {
		for _, ref := range p.ToRefs() {
			if ref.Kind != kuma.KindMeshHTTPRoute {
				continue
			}
			for _, t := range s.Resolve(*p, ref, 0) {
				routes[t.Resource] = true
			}
		}
	}
	return routes
}

// isDefaultOfGateways reports whether a control plane created a policy for the gateways of a
// mesh.
func isDefaultOfGateways(r kuma.Resource) bool {
	return r.Type == kinds.MeshTimeout.Name && r.Name == "mesh-gateways-timeout-all-"+r.Mesh
}

// removeDefaultsOfGateways proposes to remove these policies: in Kuma 3.0 they would apply to
// all proxies (R13). Stage one removes them from a mesh without gateways.
var removeDefaultsOfGateways = forEach(func(w *world, r kuma.Resource) []proposal {
	if !isDefaultOfGateways(r) || len(r.TopRef().ProxyTypes) == 0 || w.hasGateways(r.Mesh) && !w.final {
		return nil
	}
	return []proposal{{remove: []kuma.Key{r.Key()}, items: []Item{{
		Key: r.Key(), Condition: "K3-111", Action: Removed,
		Text: "Its timeouts are for gateways. Kuma 3.0 would apply them to all proxies, and slow responses would fail with 504. " +
			"Delete the policy on 2.14, at the latest with the gateways.",
		Choices: []string{"To keep the timeouts for gateways of your own, write a policy that selects kind Dataplane by a label of your own."},
	}}}}
}, kinds.MeshTimeout.Name)
