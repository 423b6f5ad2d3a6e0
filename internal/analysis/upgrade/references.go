package upgrade

import (
	"fmt"
	"slices"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// addDisplayNames proposes the label kuma.io/display-name for what references in `to` and
// in routes can select: Kuma 3.0 does not find a resource there without it (R3).
var addDisplayNames = forEach(func(w *world, r kuma.Resource) []proposal {
	switch name, ok := r.Labels[kuma.LabelDisplayName]; {
	case !ok:
		p := one(labelled(r, map[string]string{kuma.LabelDisplayName: r.Name}),
			rewritten(r, "labels", "K3-022", "Has the label "+kuma.LabelDisplayName+", by which references find it."))
		if zone := r.Zone(); r.Type == kuma.KindMeshService && zone != "" && zone != w.ControlPlane.Zone {
			p[0].unseen = "the label changes the SNI by which proxies reach the service in zone " + zone
		}
		return p
	case name != r.Name && name+"."+r.Namespace() != r.Name && r.Labels[kuma.LabelOrigin] != kuma.OriginGlobal:
		return w.cannot(r, `labels["kuma.io/display-name"]`, "K3-023", "Kuma 3.0 sets this label to the name, "+r.Name+".",
			"Rename the resource.", "Use a label of your own in references.")
	}
	return nil
}, kuma.KindMeshService, kuma.KindMeshExternalService, kuma.KindMeshMultiZoneService, kuma.KindMeshHTTPRoute,
	kinds.MeshOpenTelemetryBackend.Name)

// referToLabels proposes labels instead of names in references to services and routes (R3).
var referToLabels = forEach((*world).namesAsLabels, kinds.PolicyTypes()...)

func (w *world) namesAsLabels(r kuma.Resource) (out []proposal) {
	changed, items, unseen := r, []Item(nil), ""
	for _, ref := range namedRefs(r) {
		if !w.final && isTag(ref) {
			continue
		}
		if ref.Kind == kuma.KindMeshService {
			ref.Kind = w.kindOf(r.Mesh, ref.Name)
		}
		value, section, why := w.labelsOf(r, ref)
		if why != nil {
			why.Key, why.Path, why.Condition, why.Action = r.Key(), ref.Path.String(), conditionOf(ref), Manual
			out = append(out, proposal{items: []Item{*why}})
			continue
		}
		to, text := reference(r.Body, ref, value, section), "Refers to "+ref.String()+" by the labels "+phrase.Pairs(value)+"."
		proxy := w.reachingTag(r, ref)
		if proxy != "" && w.final && ref.SectionName != "" {
			delete(to, "sectionName")
			text = phrase.Paragraph(text, "Without sectionName, which the tag ignores: an outbound refers to the port by its number.")
		}
		changed = withValue(changed, ref.Path, to)
		items = append(items, rewritten(r, ref.Path.String(), conditionOf(ref), text))
		if proxy != "" {
			unseen = "a reference by labels does not apply to the outbound of Dataplane " + proxy + " by the tag kuma.io/service"
		}
	}
	return append(out, proposal{put: []kuma.Resource{changed}, items: items, unseen: unseen})
}

// kindOf returns the kind of the service with the name of a value of the tag kuma.io/service: in stage two, a
// MeshExternalService replaces an ExternalService.
func (w *world) kindOf(mesh, tag string) string {
	external := kuma.Key{Type: kuma.KindMeshExternalService, Mesh: mesh, Name: tag}
	if !w.fromMesh[external] || slices.ContainsFunc(w.proxiesOf(mesh), func(d taggedProxy) bool {
		return slices.ContainsFunc(d.tags, selector{kuma.TagService: tag}.selects)
	}) {
		return kuma.KindMeshService
	}
	return external.Type
}

// reachingTag returns a Dataplane that a policy selects, with an outbound by the tag
// kuma.io/service whose value is the name in a reference. On 2.14, settings and routes for the
// MeshService with this name also apply to the outbound, which `_rules` does not show (kuma3.md §6.2).
func (w *world) reachingTag(r kuma.Resource, ref rules.BackendRef) (dataplane string) {
	if ref.Kind != kuma.KindMeshService || conditionOf(ref) != "K3-020" {
		return ""
	}
	tags := w.special().tags
	if len(tags) == 0 {
		return ""
	}
	for _, name := range w.snapshot().Selected(r.Key()) {
		if slices.Contains(tags[kuma.Key{Type: kuma.KindDataplane, Mesh: r.Mesh, Name: name}], ref.Name) {
			return name
		}
	}
	return ""
}

// isTag reports whether a reference of a route to a service represents the value of the tag
// kuma.io/service, as it does on 2.14 if it has no port. By labels, it breaks the configuration of proxies.
func isTag(ref rules.BackendRef) bool {
	return ref.Port == 0 && ref.SectionName == "" && conditionOf(ref) != "K3-020"
}

func conditionOf(ref rules.BackendRef) string {
	if ref.Path[len(ref.Path)-1] == "targetRef" {
		return "K3-020"
	}
	return "K3-041"
}

// namedRefs returns the references of a policy to destinations and routes by name.
func namedRefs(r kuma.Resource) []rules.BackendRef {
	refs := append(rules.BackendRefs(r), phrase.Each(tree.Root(r.Body).Find("spec.to[].targetRef"), rules.ParseBackendRef)...)
	return slices.DeleteFunc(refs, func(ref rules.BackendRef) bool {
		return ref.Name == "" || !rules.IsDestination(ref.Kind) && ref.Kind != kuma.KindMeshHTTPRoute
	})
}

// labelsOf returns the labels of the only resource that a reference selects, and the name of
// the port if the reference contained one in its name; or why there are none.
func (w *world) labelsOf(policy kuma.Resource, ref rules.BackendRef) (labels map[string]string, section string, why *Item) {
	stored := w.snapshot()
	policy = *stored.Resource(policy.Key())
	targets := stored.Resolve(policy, ref.TargetRef, ref.Port)
	if len(targets) == 0 && w.final {
		return w.labelsIn3(policy, ref)
	}
	if len(targets) == 0 {
		return nil, "", &Item{Text: "On 2.14, " + ref.String() + " does not exist as a resource. It can be the value of the tag kuma.io/service."}
	}
	target := stored.Resource(targets[0].Resource)
	labels = identifying(*target)
	found := stored.Candidates(policy.Mesh, target.Type, "", labels)
	if len(found) != 1 {
		return nil, "", ambiguous(ref, found)
	}
	if ref.SectionName == "" && ref.Port == 0 {
		section = targets[0].Section
	}
	return labels, section, nil
}

// identifying returns the labels that identify a resource in references.
func identifying(r kuma.Resource) map[string]string {
	labels := map[string]string{kuma.LabelDisplayName: r.DisplayName()}
	for _, key := range []string{kuma.LabelZone, kuma.LabelK8sNamespace} {
		if value := r.Labels[key]; value != "" {
			labels[key] = value
		}
	}
	return labels
}

// labelsIn3 returns the labels of the only resource of Kuma 3.0 with the name of a
// reference, which on 2.14 is the value of a tag.
func (w *world) labelsIn3(policy kuma.Resource, ref rules.BackendRef) (labels map[string]string, section string, why *Item) {
	labels = map[string]string{kuma.LabelDisplayName: ref.Name}
	everywhere := w.readBy(Release3()).Candidates(policy.Mesh, ref.Kind, "", labels)
	found := slices.DeleteFunc(slices.Clone(everywhere), func(c rules.Candidate) bool { return c.Labels[kuma.LabelZone] != policy.Zone() })
	if zone := policy.Zone(); zone != "" && len(found) > 0 {
		labels[kuma.LabelZone] = zone
	} else if ref.Namespace == "" && (isTag(ref) || conditionOf(ref) == "K3-020") { // a tag has no zone
		found = everywhere
	}
	if len(found) > 1 && conditionOf(ref) == "K3-020" { // settings for all of them, as by the tag
		return labels, "", nil
	}
	if mesh := w.find(kuma.MeshKey(policy.Mesh)); mesh != nil && len(found) == 0 && ref.Kind == kuma.KindMeshService {
		for _, service := range w.generated(*mesh) { // which Kuma 3.0 does not generate, as the report says (K3-069)
			if service.Name == ref.Name {
				return identifying(service), "", nil
			}
		}
	}
	if len(found) == 0 && len(everywhere) > 0 {
		return nil, "", &Item{
			Text:    "No " + ref.String() + " is in the zone of the policy, in which a name is looked up.",
			Choices: []string{"Remove the entry.", "Refer to it by the label kuma.io/display-name, by which it then has an effect."},
		}
	}
	if len(found) != 1 {
		return nil, "", ambiguous(ref, found)
	}
	return labels, "", nil
}

func ambiguous(ref rules.BackendRef, found []rules.Candidate) *Item {
	if len(found) == 0 {
		return &Item{Text: ref.String() + " does not exist.", Choices: []string{"Remove the entry.", "Create the resource."}}
	}
	names := phrase.Each(found, func(c rules.Candidate) string {
		return fmt.Sprintf("%s (%s)", c.Name, phrase.Pairs(identifying(kuma.Resource{Name: c.Name, Labels: c.Labels})))
	})
	return &Item{
		Text:    "Several resources have the labels of " + ref.String() + ": " + phrase.And(names...) + ".",
		Choices: []string{"Refer to one of them by labels that only it has."},
	}
}

// reference returns a reference by labels.
func reference(body any, ref rules.BackendRef, labels map[string]string, section string) map[string]any {
	value := map[string]any{"kind": ref.Kind, "labels": anyMap(labels)}
	old := tree.Object(tree.At(body, ref.Path))
	for _, key := range []string{"sectionName", "port", "weight"} {
		if v, ok := old[key]; ok {
			value[key] = v
		}
	}
	if section != "" {
		value["sectionName"] = section
	}
	return value
}
