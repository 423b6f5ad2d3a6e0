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

// excludeDestroyed drops the resources that this plan destroys, and records the
// others: unlike a review of the whole plan, an analysis cannot wait for what is planned
// later, so the plan must warn of it.
func (in *analysisInput) excludeDestroyed(run *runstate.State, typeName string) {
	still, planned := map[kuma.Key]string{}, map[kuma.Key]bool{}
	for _, key := range in.Planned {
		planned[key] = true
	}
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
