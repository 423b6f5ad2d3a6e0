package analysis

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/runstate"
)

// Resources that a plan destroys are not among the planned ones. This file excludes
// them from an analysis.

// excludeRemoved drops the resources with the given identifiers.
func (in *analysisInput) excludeRemoved(ctx context.Context, removed types.List) {
	var ids []string
	in.diags.Append(removed.ElementsAs(ctx, &ids, false)...)
	var excluded []kuma.Key
	for i, id := range ids {
		at := path.Root("removed").AtListIndex(i)
		kind, name, named := strings.Cut(id, "/")
		if _, err := kuma.ParseKRI(id); err != nil && !named {
			in.diags.AddAttributeError(at, "Invalid KRI", phrase.Sentence(err)+
				" Write an identifier, or the kind and the name of a resource, such as \"MeshTimeout/checkout\".")
			continue
		}
		var found []kuma.Key
		for _, r := range in.Resources {
			if named && r.Type == kind && r.Name == name || !named && kinds.KRI(r.ID()) == id {
				found = append(found, r.Key())
			}
		}
		switch len(found) {
		case 0:
			in.diags.AddAttributeWarning(at, "Removed resource not found",
				fmt.Sprintf("No resource of mesh %q is %s, so excluding it has no effect.", in.Name, id))
		case 1:
			excluded = append(excluded, found[0])
		default:
			in.reportAmbiguous(at, id, found)
		}
	}
	in.Resources = slices.DeleteFunc(in.Resources, func(r kuma.Resource) bool { return slices.Contains(excluded, r.Key()) })
}

// reportAmbiguous reports an identifier that several resources share, because it
// contains their display name.
func (in *analysisInput) reportAmbiguous(at path.Path, id string, found []kuma.Key) {
	const most = 10
	names := phrase.Each(found, func(key kuma.Key) string { return fmt.Sprintf("%q", key.Type+"/"+key.Name) })
	slices.Sort(names)
	in.diags.AddAttributeError(at, "Ambiguous KRI",
		fmt.Sprintf("%s of mesh %q have the identifier %s, because they have the same display name. "+
			"To exclude one of them, write its kind and name: %s.", phrase.Count(len(found), "resource", "resources"), in.Name, id,
			phrase.Some(names, most, "")))
}

// excludeOwned drops stored resources that have the labels and are not planned.
func (in *analysisInput) excludeOwned(ctx context.Context, owned types.Map, withPlanned bool) {
	if owned.IsNull() {
		return
	}
	at := path.Root("owned")
	var labels map[string]string
	in.diags.Append(owned.ElementsAs(ctx, &labels, false)...)
	switch {
	case len(labels) == 0:
		in.diags.AddAttributeError(at, "Invalid value for owned",
			"owned must not be empty. Set it to at least one label that all resources of this configuration have, and no other resources.")
		return
	case !withPlanned:
		in.diags.AddAttributeError(at, "Missing planned resources",
			"owned requires planned: a stored resource that has the labels of owned and is not in planned counts as destroyed. "+
				"Set planned to all resources of this configuration in the mesh.")
		return
	}
	planned := in.plannedKeys()
	in.reportUnowned(labels, planned)
	owners := slices.Clone(in.Resources)
	in.Resources = slices.DeleteFunc(in.Resources, func(r kuma.Resource) bool {
		k, _ := kinds.Find(r.Type)
		return kuma.HasAll(r.Labels, labels) && !planned[r.Key()] && kinds.ManagedBy(k, r, owners, in.ControlPlane) == ""
	})
}

// reportUnowned warns about planned resources that owned does not cover when they are
// destroyed later.
func (in *analysisInput) reportUnowned(labels map[string]string, planned map[kuma.Key]bool) {
	const most = 10
	var without []string
	for _, r := range in.Resources {
		if planned[r.Key()] && !kuma.HasAll(r.Labels, labels) {
			without = append(without, r.Key().Local())
		}
	}
	slices.Sort(without)
	if without != nil {
		in.diags.AddAttributeWarning(path.Root("owned"), "Planned resources without owned labels",
			fmt.Sprintf("These planned resources do not have the labels of owned: %s. Add the labels. "+
				"Otherwise the analysis may not recognize that a plan destroys one of them.", phrase.Some(without, most, "")))
	}
}

// excludeDestroyed drops the resources that this plan destroys, and records the
// others, to warn if they are destroyed later.
func (in *analysisInput) excludeDestroyed(run *runstate.State, typeName string) {
	still, planned := map[kuma.Key]string{}, in.plannedKeys()
	for _, r := range in.Resources {
		if !planned[r.Key()] {
			still[r.Key()] = kinds.KRI(r.ID())
		}
	}
	destroyed, uncovered := run.RecordAnalysis(runstate.Analysis{
		Name: fmt.Sprintf("%s of mesh %q", typeName, in.Name), Mesh: in.Name,
		Kinds: input.KindNames(in.relevant), Planned: planned, Still: still,
	})
	if len(uncovered) > 0 {
		const most = 10
		in.diags.AddAttributeWarning(path.Root("planned"), "Change not covered by an analysis",
			fmt.Sprintf("The plan also changes resources that planned does not contain: %s. The result does not include these changes. "+
				"Add the resources to planned.", phrase.Some(phrase.Each(uncovered, kuma.Key.Local), most, "")))
	}
	withMesh := destroyed[kuma.MeshKey(in.Name)]
	in.Resources = slices.DeleteFunc(in.Resources, func(r kuma.Resource) bool { return destroyed[r.Key()] || withMesh && r.Mesh == in.Name })
}

func (in *analysisInput) plannedKeys() map[kuma.Key]bool {
	keys := make(map[kuma.Key]bool, len(in.Planned))
	for _, key := range in.Planned {
		keys[key] = true
	}
	return keys
}
