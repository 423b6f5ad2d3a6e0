package upgrade

import (
	"maps"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// writePassthrough proposes a policy for what the Mesh says about traffic to the outside,
// which Kuma 3.0 denies without a policy (R8).
func writePassthrough(w *world) []proposal {
	const path = "networking.outbound.passthrough"
	var out []proposal
	for _, mesh := range w.of(kuma.KindMesh) {
		policies := w.snapshot().Resources(mesh.Name, kinds.MeshPassthrough.Name)
		mode := passthroughMode(mesh)
		if len(policies) > 0 {
			if without := w.withoutPassthrough(mesh.Name, policies); len(without) > 0 && mode == "All" {
				out = append(out, w.cannot(mesh, path, "K3-202", "No MeshPassthrough selects "+phrase.Some(without, 5, "Dataplanes")+": Kuma 3.0 denies traffic to the outside, which 2.14 allows.",
					"Select these Dataplanes with a MeshPassthrough with passthroughMode: All.", "Leave it denied.")...)
			}
			continue
		}
		policy := kuma.Resource{Type: kinds.MeshPassthrough.Name, Mesh: mesh.Name, Name: "passthrough-" + strings.ToLower(mode), Body: map[string]any{"spec": map[string]any{
			"targetRef": map[string]any{"kind": kuma.KindMesh}, "default": map[string]any{"passthroughMode": mode},
		}}}
		item := Item{Key: policy.Key(), Condition: "K3-077", Action: Added, Text: "Denies traffic to the outside of the mesh, as the Mesh does on 2.14."}
		if mode == "All" {
			item.Condition, item.Text = "K3-202", "Allows traffic to the outside of the mesh, as 2.14 does. Without it, Kuma 3.0 denies it."
			item.Choices = []string{"Allow only what the applications use, with passthroughMode: Matched."}
		}
		out = append(out, one(policy, item)...)
	}
	return out
}

// passthroughMode returns what a Mesh of 2.14 says about traffic to the outside.
func passthroughMode(mesh kuma.Resource) string {
	if n := tree.Root(mesh.Body).Get("networking", "outbound", "passthrough"); n.Known() && !n.True() {
		return "None"
	}
	return "All"
}

const exclusive = "Exclusive"

// withoutPassthrough returns the Dataplanes that no MeshPassthrough selects.
func (w *world) withoutPassthrough(mesh string, policies []*kuma.Resource) []string {
	selected := map[string]bool{}
	for _, p := range policies {
		for _, name := range w.snapshot().Selected(p.Key()) {
			selected[name] = true
		}
	}
	return slices.DeleteFunc(w.snapshot().Dataplanes(mesh), func(name string) bool { return selected[name] })
}

// listBackends proposes the services that proxies reach, by labels, where a Dataplane names
// or omits them: Kuma 3.0 does not read the names, and lets a proxy reach nothing that its
// Dataplane does not list (R9).
func listBackends(w *world) []proposal {
	var out []proposal
	for _, r := range w.of(kuma.KindDataplane) {
		changed, items := r.Clone(), []Item(nil)
		for _, o := range rules.Outbounds(r) {
			if o.Tag != "" || o.Name == "" {
				continue
			}
			labels, _, why := w.labelsOf(r, o.BackendRef)
			if why != nil {
				why.Key, why.Path, why.Condition, why.Action = r.Key(), o.Path.String(), "K3-215", Manual
				out = append(out, proposal{items: []Item{*why}})
				continue
			}
			setAt(changed.Body, o.Path, reference(r.Body, o.BackendRef, labels, ""))
			items = append(items, Item{Key: r.Key(), Path: o.Path.String(), Condition: "K3-214", Action: Rewritten, Text: "Refers to " + o.String() + " by the labels " + phrase.Pairs(labels) + "."})
		}
		if item, ok := w.listAll(r, changed); ok {
			items = append(items, item)
		}
		if items != nil {
			out = append(out, one(changed, items...)...)
		}
	}
	return out
}

// listAll lists all services of the mesh in a Dataplane that lists none and reaches all. The
// label of the mesh selects them, also those that are created later.
func (w *world) listAll(r, changed kuma.Resource) (Item, bool) {
	_, all, err := w.snapshot().ReachableServices(r.Mesh, r.Name)
	if err != nil || !all {
		return Item{}, false
	}
	var refs []any
	for _, kind := range rules.DestinationKinds() {
		refs = append(refs, map[string]any{"kind": kind, "labels": map[string]any{kuma.LabelMesh: r.Mesh}})
	}
	networking := tree.Object(changed.Body["networking"])
	transparent := maps.Clone(tree.Object(networking["transparentProxying"]))
	if transparent == nil {
		transparent = map[string]any{}
	}
	transparent["reachableBackends"] = map[string]any{"refs": refs}
	networking["transparentProxying"] = transparent
	return Item{
		Key: r.Key(), Path: "networking.transparentProxying", Condition: "K3-201", Action: Rewritten,
		Text:    "Lists all services of the mesh as reachable, as 2.14 does. Without it, Kuma 3.0 lets the proxy reach none.",
		Choices: []string{"List only the services that the application calls."},
	}, true
}
