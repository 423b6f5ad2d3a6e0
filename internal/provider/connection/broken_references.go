package connection

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/runstate"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// ReportDestroyedTarget returns the problems of references to a resource that the plan
// destroys or relabels, or that it gives another key, and of others like them. With await, it
// waits for the plans of what refers to it; it must not where those wait for this one.
func (c *Connection) ReportDestroyedTarget(ctx context.Context, key kuma.Key, await bool) []def.Problem {
	if c == nil || !c.checksReferences() || !isReferenced(key.Type) || key.Type == kuma.KindDataplane || key.Type == kuma.KindMesh {
		return nil
	}
	from := referrers(c.referring(ctx, key.Mesh), key)
	if await && len(from) > 0 {
		from = c.Run.AwaitReferring(ctx, from)
	}
	if len(from) == 0 {
		return nil
	}
	broken := c.brokenReferences(ctx, key.Mesh, from...)
	if !await && len(broken) > 0 {
		c.Run.AwaitPlans(ctx) // which may create another target
		broken = c.brokenReferences(ctx, key.Mesh, from...)
	}
	found := c.Run.Referring(broken.references(), await)
	var problems []def.Problem
	if len(found.Kept) > 0 {
		problems = append(problems, def.Problem{
			Summary: summaryDestroyed, Warning: c.References == ReferencesWarning,
			Detail: fmt.Sprintf(
				"The plan destroys, renames or relabels what these references resolve to, and keeps the resources that have them: %s. "+
					"Change or destroy these in the same plan, or keep what they refer to.", broken.describe(found.Kept)),
		})
	}
	if len(found.Unknown) > 0 {
		problems = append(problems, def.Problem{
			Summary: summaryDestroyed, Warning: true,
			Detail: fmt.Sprintf(
				"The plan destroys what these references resolve to: %s. "+
					"The resources that have them are not in the state, as far as Terraform has planned. "+
					"If this run changes or destroys them later, ignore the warning; if not, change them first where they are managed.",
				broken.describe(found.Unknown)),
		})
	}
	return problems
}

// ReportUnchanged records that the plan keeps a resource as it is, and returns the problem of
// its references to what the plan destroys.
func (c *Connection) ReportUnchanged(ctx context.Context, key kuma.Key) []def.Problem {
	if c == nil || c.Run == nil || !c.Run.RecordUnchanged(key) {
		return nil
	}
	c.Run.AwaitPlans(ctx) // which may create another target
	broken := c.brokenReferences(ctx, key.Mesh, key)
	if found := c.Run.Referring(broken.references(), true); len(found.Kept) == 0 {
		return nil
	}
	return []def.Problem{{
		Summary: summaryDestroyed, Warning: c.References == ReferencesWarning,
		Detail: fmt.Sprintf("The plan keeps this resource as it is, and destroys, renames or relabels what %s refers to: %s. "+
			"Change or destroy it in the same plan, or keep what it refers to.", broken[0].Path, broken[0].to),
	}}
}

const summaryDestroyed = "Reference to a destroyed resource"

// brokenReference is a reference that resolves to a stored resource, and to none after the plan.
type brokenReference struct {
	runstate.Reference
	to string
}

type brokenReferences []brokenReference

func (b brokenReferences) references() []runstate.Reference {
	return phrase.Each(b, func(ref brokenReference) runstate.Reference { return ref.Reference })
}

// describe names some of the references.
func (b brokenReferences) describe(some []runstate.Reference) string {
	const most = 10
	var names []string
	for _, ref := range b {
		if slices.Contains(some, ref.Reference) {
			names = append(names, fmt.Sprintf("%s %q (%s: %s)", ref.From.Type, ref.From.Name, ref.Path, ref.to))
		}
	}
	return phrase.Some(names, most, "")
}

// brokenReferences returns the references of stored resources of a mesh that the plan leaves
// without a target, in order. Those that depend on unknown values are not included.
func (c *Connection) brokenReferences(ctx context.Context, meshName string, from ...kuma.Key) brokenReferences {
	stored := c.referring(ctx, meshName)
	planned, unknown := c.Run.Referenced()
	destroyed, _ := c.Run.Destroyed(stored)
	before, after := c.snapshot(meshName, stored), c.snapshot(meshName, afterPlan(stored, planned, destroyed))
	if before == nil || after == nil || unknown[kuma.KindMesh] {
		return nil // with the mesh, all references are gone
	}
	var broken brokenReferences
	for _, r := range stored {
		if !slices.Contains(from, r.Key()) || r.IsShadow() || after.Resource(r.Key()) == nil {
			continue
		}
		was := map[string]bool{}
		for _, d := range danglingIn(before, r) {
			was[d.Path] = true
		}
		for _, d := range danglingIn(after, r) {
			generatedLater := d.kind == kuma.KindMeshService && unknown[kuma.KindDataplane]
			if !was[d.Path] && !unknown[d.kind] && !generatedLater {
				broken = append(broken, brokenReference{runstate.Reference{From: r.Key(), Path: d.Path}, d.to})
			}
		}
	}
	slices.SortFunc(broken, func(a, b brokenReference) int { return kuma.CompareKeys(a.From, b.From) })
	return broken
}

// referring returns the stored resources of a mesh that may refer to others, and those that
// they refer to.
func (c *Connection) referring(ctx context.Context, meshName string) []kuma.Resource {
	all := slices.Clone(referenced)
	for _, k := range kinds.All() {
		if k.Policy != nil && !isReferenced(k.Name) {
			all = append(all, k)
		}
	}
	stored, err := c.Store.MeshResources(ctx, meshName, all)
	if err != nil {
		return nil // the refresh and the apply report it
	}
	return stored
}

// referrers returns the resources with a reference that may resolve to the one with a key, by
// name or labels.
func referrers(stored []kuma.Resource, key kuma.Key) []kuma.Key {
	i := slices.IndexFunc(stored, func(r kuma.Resource) bool { return r.Key() == key })
	if i < 0 {
		return nil
	}
	target := stored[i]
	labels := maps.Clone(target.Labels)
	if labels == nil {
		labels = map[string]string{}
	}
	labels[kuma.LabelDisplayName] = target.DisplayName()
	var found []kuma.Key
	for _, r := range stored {
		refs := append(r.ToRefs(), r.TopRef())
		for _, b := range rules.BackendRefs(r) {
			refs = append(refs, b.TargetRef)
		}
		for _, o := range rules.Outbounds(r) {
			if o.Tag != "" {
				o.Kind, o.Name = target.Type, o.Tag
			}
			refs = append(refs, o.TargetRef)
		}
		if r.Mesh == key.Mesh && slices.ContainsFunc(refs, func(ref kuma.TargetRef) bool {
			return ref.Kind == key.Type &&
				(ref.Name != "" && strings.Contains(ref.Name, target.DisplayName()) || len(ref.Labels) > 0 && kuma.HasAll(labels, ref.Labels))
		}) {
			found = append(found, r.Key())
		}
	}
	return found
}

type danglingReference struct{ Path, kind, to string }

// danglingIn returns the references of a policy or Dataplane that have no target in a snapshot.
func danglingIn(s *rules.Snapshot, r kuma.Resource) []danglingReference {
	var found []danglingReference
	add := func(path tree.Path, kind, to string) {
		found = append(found, danglingReference{path.String(), kind, to})
	}
	if r.Type == kuma.KindDataplane {
		for _, o := range rules.Outbounds(r) {
			if len(s.Consumed(r.Mesh, o)) == 0 && !s.HasServiceTag(r.Mesh, cmp.Or(o.Tag, o.Name)) {
				add(o.Path, o.Kind, o.String())
			}
		}
		return found
	}
	if s.SelectorIsDangling(&r) {
		add(tree.Path{"spec", "targetRef"}, r.TopRef().Kind, r.TopRef().String())
	}
	for i, ref := range r.ToRefs() {
		if whole := ref.WithoutSection(); s.IsDangling(r, whole) {
			add(tree.Path{"spec", "to", i, "targetRef"}, ref.Kind, whole.String())
		}
	}
	for _, b := range rules.BackendRefs(r) {
		if !s.HasBackend(r, b) {
			add(b.Path, b.Kind, b.WithoutSection().String())
		}
	}
	return found
}
