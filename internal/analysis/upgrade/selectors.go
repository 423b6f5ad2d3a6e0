package upgrade

import (
	"cmp"
	"maps"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// selectByLabels proposes labels for the references by which policies select proxies, and
// for the selectors of MeshServices (R2).
func selectByLabels(w *world) []proposal {
	var out []proposal
	for _, r := range w.policies() {
		if ref, ok := tree.Object(r.Spec()["targetRef"]), r.Spec()["targetRef"] != nil; ok {
			out = append(out, w.selector(r, kuma.ParseTargetRef(ref))...)
		}
	}
	for _, r := range w.of(kuma.KindMeshService) {
		if tags := tree.StringMap(tree.At(r.Body, tree.Path{"spec", "selector", "dataplaneTags"})); len(tags) > 0 {
			out = append(out, w.serviceSelector(r, tags)...)
		}
	}
	return out
}

const topRef = "spec.targetRef"

// selector proposes another top-level reference.
func (w *world) selector(r kuma.Resource, ref kuma.TargetRef) []proposal {
	switch ref.Kind {
	case kuma.KindMesh, "":
		return w.withoutProxyTypes(r, ref)
	case kuma.KindMeshSubset, kuma.KindMeshService, kuma.KindMeshServiceSubset:
		return w.byTags(r, ref)
	case kuma.KindDataplane:
		if ref.Name != "" {
			return w.byName(r, ref)
		}
	}
	return nil
}

func withTop(r kuma.Resource, ref map[string]any) kuma.Resource {
	return edited(r, func(body map[string]any) { tree.Object(body["spec"])["targetRef"] = ref })
}

// withoutProxyTypes removes proxyTypes if it excludes no proxy.
func (w *world) withoutProxyTypes(r kuma.Resource, ref kuma.TargetRef) []proposal {
	sidecars := slices.Contains(ref.ProxyTypes, "Sidecar")
	switch {
	case len(ref.ProxyTypes) == 0:
		return nil
	case len(ref.ProxyTypes) == 2 || sidecars && (w.final || !w.hasGateways(r.Mesh)): // in Kuma 3.0, no policy applies to gateways
		return one(withTop(r, map[string]any{"kind": kuma.KindMesh}),
			rewritten(r, topRef+".proxyTypes", "K3-008", "Selects all proxies of the mesh, without proxyTypes."))
	case isDefaultOfGateways(r):
		return nil
	default:
		return w.cannot(r, topRef+".proxyTypes", "K3-008",
			"The mesh has gateways, and Kuma 3.0 does not distinguish them: without proxyTypes, the policy would select all proxies.",
			"Give the gateways, or all other proxies, a label of your own, and select kind Dataplane by it.",
			"Delete the policy if no proxy needs it.")
	}
}

func (w *world) hasGateways(mesh string) bool {
	return slices.ContainsFunc(w.resources, func(r kuma.Resource) bool {
		return r.Mesh == mesh && r.Type == kuma.KindDataplane && isGateway(r)
	})
}

func isGateway(r kuma.Resource) bool { return tree.Root(r.Body).Get("networking", "gateway").Known() }

// byTags replaces tags with the labels of the Dataplanes if these select the same ones.
func (w *world) byTags(r kuma.Resource, ref kuma.TargetRef) []proposal {
	tags := map[string]string{}
	if ref.Kind != kuma.KindMeshSubset {
		tags[kuma.TagService] = ref.Name
	}
	maps.Copy(tags, ref.Tags)
	condition := map[string]string{
		kuma.KindMeshSubset: "K3-001", kuma.KindMeshService: "K3-002",
		kuma.KindMeshServiceSubset: "K3-003",
	}[ref.Kind]
	isSelected := func(d taggedProxy) bool {
		return isGateway(*d.Resource) && slices.ContainsFunc(d.tags, func(have map[string]string) bool { return kuma.HasAll(have, tags) })
	}
	isOfSidecars := slices.Contains(ref.ProxyTypes, "Sidecar") && (w.final || !slices.ContainsFunc(w.proxiesOf(r.Mesh), isSelected))
	if len(ref.ProxyTypes) == 1 && !isOfSidecars && w.hasGateways(r.Mesh) {
		return w.cannot(r, topRef+".proxyTypes", "K3-008", "The mesh has gateways, and Kuma 3.0 does not distinguish them.",
			"Give the gateways, or all other proxies, a label of your own, and select kind Dataplane by it.")
	}
	if len(tags) == 0 {
		return one(withTop(r, map[string]any{"kind": kuma.KindMesh}),
			rewritten(r, topRef, condition, "Selects kind Mesh: the tags selected all proxies."))
	}
	incoming := r.Spec()["from"] != nil || r.Spec()["rules"] != nil
	labels, why := w.labelsFor(r.Mesh, tags, incoming)
	if why != "" {
		choices := []string{"Add a label of your own to the Dataplanes, and select by it."}
		if incoming {
			choices = slices.Insert(choices, 0, "Name the inbounds, and write one policy for each with sectionName.")
		}
		return w.cannot(r, topRef, condition, why, choices...)
	}
	return one(withTop(r, map[string]any{"kind": kuma.KindDataplane, "labels": anyMap(labels)}),
		rewritten(r, topRef, condition, "Selects Dataplanes by the labels "+phrase.Pairs(labels)+", which the same proxies have."))
}

// labelsFor returns labels that select the same proxies as tags, or the same inbounds, or why there are none.
func (w *world) labelsFor(mesh string, tags map[string]string, inbounds bool) (labels map[string]string, why string) {
	labels = map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(tags)) { // in an order that the reason does not depend on
		switch value := tags[key]; {
		case value == "*":
			return nil, "The tag " + key + " may have any value, which labels cannot express."
		case key == kuma.TagService && w.ofSeveral(mesh, value):
			labels[serviceLabel(value)] = "true"
		case key == kuma.TagService:
			labels[kuma.LabelWorkload] = value
		case key == kuma.LabelZone, !def.ReservedLabel(key):
			labels[key] = value
		default:
			return nil, "Kuma 3.0 has no label for the tag " + key + "."
		}
	}
	some := false
	for _, d := range w.proxiesOf(mesh) {
		all := d.tags
		matching := slices.DeleteFunc(slices.Clone(all), func(have map[string]string) bool { return !kuma.HasAll(have, tags) })
		selected := len(matching) > 0
		some = some || selected
		switch {
		case inbounds && selected && len(matching) < len(all):
			return nil, "The tags select only some inbounds of Dataplane " + d.Name + ", and labels select all of them."
		case selected != kuma.HasAll(d.Labels, labels) && len(all) > 0:
			why = "The labels " + phrase.Pairs(labels) + " do not select the same proxies: Dataplane " + d.Name + " differs."
			if selected && w.isCopy(*d.Resource) {
				why += " Apply stage one in zone " + d.Zone() + " first, then rewrite again."
			}
			return nil, why
		}
	}
	if !some {
		return nil, "The tags " + phrase.Pairs(tags) + " select no Dataplane of the documents."
	}
	return labels, ""
}

// byName replaces the name of a Dataplane with the label of its display name.
func (w *world) byName(r kuma.Resource, ref kuma.TargetRef) []proposal {
	policy := w.snapshot().Resource(r.Key())
	named := kuma.ID{
		Type: kuma.KindDataplane, Mesh: r.Mesh, Zone: policy.Zone(), Namespace: cmp.Or(ref.Namespace, policy.Namespace()),
		Name: ref.Name,
	}
	var found []kuma.Key
	for _, d := range w.snapshot().Resources(r.Mesh, kuma.KindDataplane) {
		if d.ID() == named {
			found = append(found, d.Key())
		}
	}
	if len(found) != 1 || w.kept[found[0]] {
		return w.cannot(r, topRef+".name", "K3-006", "The name is that of "+phrase.Count(len(found), "Dataplane", "Dataplanes")+
			" of the documents. Kuma 3.0 ignores the name, and the policy would select all proxies.",
			"Delete the policy.", "Select Dataplanes by labels of your own.")
	}
	dataplane := w.find(found[0])
	labels := map[string]any{kuma.LabelDisplayName: dataplane.DisplayName()}
	top := map[string]any{"kind": kuma.KindDataplane, "labels": labels}
	if ref.SectionName != "" {
		top["sectionName"] = ref.SectionName
	}
	p := one(withTop(r, top),
		rewritten(r, topRef, "K3-006", "Selects the Dataplane by the label "+kuma.LabelDisplayName+" instead of its name."))
	p[0].put = append(p[0].put, labelled(*dataplane, map[string]string{kuma.LabelDisplayName: dataplane.DisplayName()}))
	return p
}

// serviceSelector replaces the tags by which a MeshService selects Dataplanes.
func (w *world) serviceSelector(r kuma.Resource, tags map[string]string) []proposal {
	const path = "spec.selector.dataplaneTags"
	labels, why := w.labelsFor(r.Mesh, tags, true)
	if why != "" {
		return w.cannot(r, path, "K3-060", why, "Add a label of your own to the Dataplanes, and select by it.")
	}
	changed := edited(r, func(body map[string]any) {
		tree.Object(body["spec"])["selector"] = map[string]any{"dataplaneLabels": map[string]any{"matchLabels": anyMap(labels)}}
	})
	return one(changed, rewritten(r, path, "K3-060", "Selects Dataplanes by the labels "+phrase.Pairs(labels)+"."))
}

// forEach returns a rewrite that proposes something for each document of some kinds.
func forEach(propose func(w *world, r kuma.Resource) []proposal, types ...string) func(*world) []proposal {
	return func(w *world) (out []proposal) {
		for _, r := range w.of(types...) {
			out = append(out, propose(w, r)...)
		}
		return out
	}
}

// one returns a proposal with one document.
func one(r kuma.Resource, items ...Item) []proposal {
	return []proposal{{put: []kuma.Resource{r}, items: items}}
}

// rewritten reports what a part of a document is after it was rewritten.
func rewritten(r kuma.Resource, path, condition, text string) Item {
	return Item{Key: r.Key(), Path: path, Condition: condition, Action: Rewritten, Text: text}
}

// cannot reports what is not rewritten.
func (w *world) cannot(r kuma.Resource, path, condition, why string, choices ...string) []proposal {
	return []proposal{{items: []Item{{Key: r.Key(), Path: path, Condition: condition, Action: Manual, Text: why, Choices: choices}}}}
}
