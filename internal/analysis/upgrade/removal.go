package upgrade

import (
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/lint"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma3"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// remove removes what only 2.14 has from the documents of stage two (R14): removed kinds,
// and the fields of Meshes and Dataplanes that Kuma 3.0 silently drops. Other documents are
// kept as they are, so that no setting of a policy is lost, and are reported.
func (w *world) remove() {
	var left []kuma.Resource
	byTags := w.selectedByTags()
	for _, r := range w.resources {
		k, described := kinds.Find(r.Type)
		switch {
		case w.isCopy(r):
		case isRemovedKind(r.Type), described && k.Removed.AppliesTo(Release3()):
			w.report.add(w.removedKind(r)...)
			continue
		case !described || w.kept[r.Key()]:
		case k.Proto():
			r = w.reduced(k, r, byTags[r.Mesh])
		default:
			r = withoutEmpty(k, r)
		}
		if described && !isGenerated(r) && !w.isCopy(r) {
			w.reportLeft(k, r)
		}
		left = append(left, r)
	}
	w.set(left)
	w.reportMesh()
}

// reportMesh reports what the linter finds in the documents of stage two that no item says, of the
// conditions that involve several resources.
func (w *world) reportMesh() {
	s := w.readBy(Release3())
	var found []Item
	for _, mesh := range meshes(w.resources...) {
		for _, f := range lint.Kuma3OfSeveral(s, mesh) {
			known := slices.Contains(replaced, f.Code) ||
				slices.ContainsFunc(w.report.of[f.Resource], func(i Item) bool { return i.Condition == f.Code })
			if !known && w.find(f.Resource) != nil && !w.kept[f.Resource] && f.Severity != lint.Info {
				found = append(found, Item{
					Key: f.Resource, Path: f.Path.String(), Condition: f.Code, Action: Manual,
					Text: phrase.Paragraph(f.Message, f.Detail), Choices: nonEmpty(f.Here, f.Suggestion),
				})
			}
		}
	}
	w.report.add(found...)
}

// withoutEmpty returns a document without the removed fields that say nothing: empty ones, which a
// control plane of 2.14 adds, and false.
func withoutEmpty(k def.Kind, r kuma.Resource) kuma.Resource {
	empty := slices.DeleteFunc(k.DropUnsupported(r.Clone().Body, Release3()), func(path tree.Path) bool {
		v := tree.At(r.Body, path)
		return v != "" && v != false
	})
	if len(empty) == 0 {
		return r
	}
	r = r.Clone()
	for _, path := range empty {
		deleteAt(r.Body, path)
	}
	return r
}

func isRemovedKind(name string) bool {
	_, ok := kinds.FindOlder(name)
	return ok
}

// removedKind reports that a document is not part of stage two, and what to do instead unless
// stage two contains a policy that replaces it.
func (w *world) removedKind(r kuma.Resource) []Item {
	if slices.ContainsFunc(w.report.of[r.Key()], func(i Item) bool { return i.Rewrite == rewriteOlder && i.Action == Removed }) {
		return nil
	}
	items := []Item{{Key: r.Key(), Rewrite: "R14", Action: Removed, Stage: 2, Text: "Kuma 3.0 does not have this kind."}}
	if slices.ContainsFunc(w.report.of[r.Key()], func(i Item) bool { return i.Rewrite == rewriteOlder }) {
		return items // which say what to do
	}
	for _, p := range kuma3.Check(r) {
		if len(p.Path) == 0 {
			items = append(items, Item{Key: r.Key(), Condition: p.ID, Action: Manual, Text: p.Message(), Choices: nonEmpty(p.Suggestion())})
		}
	}
	return items
}

// replaced are the conditions that other rewrites have solved or reported: traffic to the
// outside, and the services that a proxy reaches.
var replaced = []string{"K3-077", "K3-092", "K3-093", "K3-096", "K3-202"}

// reduced returns a document without the fields and labels that Kuma 3.0 does not have. It keeps
// the tags of a Dataplane if something selects by them.
func (w *world) reduced(k def.Kind, r kuma.Resource, byTags []string) kuma.Resource {
	problems := kuma3.Check(r)
	stored := r
	r = r.Clone()
	var gone []tree.Path
	for _, label := range []string{kuma.LabelProxyReady, kuma.LabelProxyType} {
		if _, ok := r.Labels[label]; ok {
			delete(r.Labels, label)
			gone = append(gone, tree.Path{"labels", label})
		}
	}
	for _, path := range k.DropUnsupported(r.Body, Release3()) {
		if !isNeeded(stored, path, len(byTags) > 0) {
			gone = append(gone, path)
			continue
		}
		setAt(r.Body, path, tree.Clone(tree.At(stored.Body, path)))
		if slices.Contains(path, any("inbound")) {
			w.report.add(Item{
				Key: r.Key(), Path: path.String(), Rewrite: "R14", Condition: "K3-091", Action: Kept,
				Text: "Stage two keeps the tags, which Kuma 3.0 does not read, because the documents still select by them: " +
					phrase.Some(byTags, maxNames, "") + ". Decide about these first, then rewrite again.",
			})
		}
	}
	for _, path := range gone {
		whole := Item{Key: r.Key(), Path: path.String(), Rewrite: "R14", Action: Removed, Stage: 2, Text: "Kuma 3.0 does not have it."}
		items := []Item{whole}
		for _, p := range problems {
			if i := whole; strings.HasPrefix(p.Path.String(), i.Path) {
				i.Condition, i.Text = p.ID, phrase.Paragraph(p.Message(), p.Suggestion())
				if unused := w.unused(r.Name, p.ID); unused != "" {
					i.Text = "No " + unused + " uses these backends, so they have no effect, and Kuma 3.0 does not have them."
				} else if p.Effect < kuma3.Rejects && !slices.Contains(replaced, p.ID) && !w.added(r.Name, p.ID) {
					i.Action, i.Choices = Manual, []string{"Do this on 2.14, or accept that the setting is gone."}
				}
				items = append(items, i)
			}
		}
		if last := items[len(items)-1]; whole.Path == "mtls" {
			items = []Item{w.mutualTLS(stored, last)}
		} else if last.Condition != "" {
			items = items[1:]
		}
		w.report.add(items...)
	}
	if r.Type == kuma.KindMesh && !kinds.ExclusiveMeshServices(r) {
		r.Body["meshServices"] = map[string]any{"mode": exclusive}
		mode, first := w.wayToExclusive(r.Name)
		w.report.add(Item{
			Key: r.Key(), Path: "meshServices.mode", Rewrite: "R8", Condition: "K3-073", Action: Manual, Stage: 2,
			Text: "Kuma 3.0 only has the mode Exclusive, " + mode + ". On 2.14, it changes how services are addressed: " +
				"by MeshServices instead of tags.",
			Choices: []string{first + ", then rewrite again: more can then be done in stage one."},
		})
	}
	return r
}

// wayToExclusive returns what the mode Exclusive does to proxies of 2.14, and what to do first.
func (w *world) wayToExclusive(mesh string) (effect, first string) {
	var modes []bool // by Dataplanes with reachableServices
	for key, adds := range w.addsListeners {
		if key.Mesh == mesh {
			modes = append(modes, adds)
		}
	}
	next, alone := exclusive, "in which a proxy of 2.14 with reachableServices alone reaches no service"
	if slices.Contains(modes, false) {
		next = "Everywhere"
	}
	switch {
	case len(w.older(mesh, kinds.TrafficRoute)) > 0: // proxies.md §6
		return "in which transparent proxies of 2.14 reach no service beside a TrafficRoute",
			"Apply stage one on 2.14, delete all TrafficRoutes, and change to " + next
	case slices.Contains(modes, true):
		return alone, "Apply stage one on 2.14, and change to " + next
	case len(modes) > 0:
		return alone, "Change to " + next + " on 2.14 first"
	default:
		return "which stage two sets", "Change to " + next + " on 2.14 first"
	}
}

// added reports whether a policy replaces what a condition is about in a Mesh.
func (w *world) added(mesh, condition string) bool {
	return slices.ContainsFunc(w.report.items, func(i Item) bool {
		return i.Action == Added && i.Condition == condition && i.Key.Mesh == mesh
	})
}

// unused returns the older kind that uses the backends of a Mesh which a condition is about, if no resource of it is
// replaced or left to decide.
func (w *world) unused(mesh, condition string) string {
	for _, k := range olderKinds() {
		if k.condition == condition && condition != "K3-102" && !w.added(mesh, condition) &&
			!slices.ContainsFunc(w.report.items, func(i Item) bool {
				return i.Action == Manual && i.Key.Mesh == mesh && i.Key.Type == k.name
			}) {
			return k.name
		}
	}
	return ""
}

// mutualTLS says what replaces the mutual TLS of a Mesh: a MeshIdentity, whose certificates all
// proxies must have before the Mesh loses its own.
func (w *world) mutualTLS(mesh kuma.Resource, i Item) Item {
	i.Condition = "K3-070"
	if enabled, _ := tree.Root(mesh.Body).Get("mtls", "enabledBackend").Text(); enabled != "" && w.clientIDs(mesh.Name, w.final).why != "" {
		i.Condition, i.Action = "K3-071", Manual
		i.Text = "Proxies get their certificates from the mutual TLS of the Mesh, which Kuma 3.0 does not read. " +
			"Without a MeshIdentity they speak plaintext, and permissions do not apply. " +
			"No rewriting adds one, because it changes proxies on 2.14: " +
			"those with a MeshIdentity deny all clients that only from allows, and Exact in rules never matches a certificate of the Mesh."
		first := "On 2.14"
		if len(w.older(mesh.Name, kinds.TrafficRoute)) > 0 {
			first = "Delete all TrafficRoutes, beside which proxies do not listen for backendRef. Then, on 2.14"
		}
		i.Choices = []string{first + ", let outbounds by tags refer to services with backendRef, because they fail " +
			"in proxies with a MeshIdentity. Then create a MeshIdentity that selects all Dataplanes, together with permissions in rules, wait " +
			"until all proxies have its certificate, then rewrite again. The trust domain, the paths of SPIFFE IDs and the authority cannot be " +
			"derived: clients outside the mesh depend on them."}
	}
	return i
}

// isNeeded reports whether a field that Kuma 3.0 drops is kept in stage two, because what
// replaces it does not follow from the documents: gateways, outbounds by tags that refer to no
// service, and tags while something selects by them.
func isNeeded(r kuma.Resource, path tree.Path, byTags bool) bool {
	isTags, ofOutbound := path[len(path)-1] == "tags", slices.Contains(path, any("outbound"))
	return r.Type == kuma.KindDataplane && (path.String() == "networking.gateway" || isTags && (byTags || ofOutbound))
}

// selectedByTags returns by mesh the documents that select Dataplanes by tags.
func (w *world) selectedByTags() map[string][]string {
	found := map[string][]string{}
	for _, r := range w.resources {
		if slices.Contains([]string{kuma.KindMeshSubset, kuma.KindMeshService, kuma.KindMeshServiceSubset}, r.TopRef().Kind) ||
			tree.At(r.Body, tree.Path{"spec", "selector", "dataplaneTags"}) != nil && !isGenerated(r) {
			found[r.Mesh] = append(found[r.Mesh], r.Key().Local())
		}
	}
	return found
}

// reportLeft reports what Kuma 3.0 treats differently in a document of stage two.
func (w *world) reportLeft(k def.Kind, r kuma.Resource) {
	if role := r.Role(); role != kuma.RoleSystem && k.Policy != nil &&
		(w.ControlPlane.Mode != kuma.ModeGlobal || r.Labels[kuma.LabelEnv] != "kubernetes") {
		path, choice := kuma.LabelPolicyRole, "Remove the label, which changes the order of policies."
		if r.FollowsFromNamespace() {
			path, choice = kuma.LabelK8sNamespace, "Remove the namespace, from which the role follows. "+
				"This changes the order of policies, and which proxies they select."
		}
		w.report.add(Item{
			Key: r.Key(), Path: tree.Path{"labels", path}.String(), Condition: "K3-213", Action: Manual, Choices: []string{choice},
			Text: "On universal, Kuma 3.0 accepts only the role system, and the policy has the role " + string(role) + ".",
		})
	}
	for _, p := range kuma3.Check(def.InZones(r, w.ControlPlane)) {
		known := slices.ContainsFunc(w.report.of[r.Key()], func(i Item) bool {
			return i.Action == Manual && i.Condition != "" && i.Path != "" &&
				(strings.HasPrefix(p.Path.String(), i.Path) || strings.HasPrefix(i.Path, p.Path.String()))
		})
		if whole := k.Removed.In == "" || len(p.Path) == 0; whole && !known && p.Effect != kuma3.Cosmetic {
			w.report.add(Item{
				Key: r.Key(), Path: p.Path.String(), Condition: p.ID, Action: Manual, Text: p.Message(),
				Choices: nonEmpty(p.Here, p.Suggestion()),
			})
		}
	}
	cp := w.ControlPlane
	cp.Release = Release3()
	doc := r.Document()
	for _, p := range def.Errors(slices.Concat(k.ValidateIn(doc, cp.Release), k.ValidateLabels(doc, cp))) {
		dropped := k.Proto() && p.Topic == def.Unsupported
		if !dropped && !slices.ContainsFunc(w.report.of[r.Key()], func(i Item) bool { return i.Action == Manual }) {
			w.report.add(Item{Key: r.Key(), Path: p.Path.String(), Action: Manual, Text: "Kuma 3.0 rejects the document: " + p.Detail})
		}
	}
}

func nonEmpty(texts ...string) []string {
	return slices.DeleteFunc(texts, func(s string) bool { return s == "" })
}
