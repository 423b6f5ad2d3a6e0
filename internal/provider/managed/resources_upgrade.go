package managed

import (
	"context"
	"errors"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/upgrade"
	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// This file rewrites the listed mesh for Kuma 3.0.

// ValidateConfig implements [datasource.DataSourceWithValidateConfig]: a rewriting needs the
// whole mesh.
func (d *resourcesDataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest,
	resp *datasource.ValidateConfigResponse,
) {
	var m resourcesArguments
	if !report.ReadArguments(ctx, req.Config, &m, &resp.Diagnostics) || m.KumaVersion.IsNull() {
		return
	}
	if m.Mesh.IsNull() {
		resp.Diagnostics.AddAttributeError(path.Root("mesh"), "Missing mesh", "kuma_version rewrites a whole mesh. Set mesh to its name.")
	}
	for name, set := range map[string]bool{
		"type": !m.Type.IsNull(), "name_pattern": !m.NamePattern.IsNull(), "labels": !m.Labels.IsNull(), "origin": !m.Origin.IsNull(),
		"unmanaged": !m.Unmanaged.IsNull(),
	} {
		if set {
			resp.Diagnostics.AddAttributeError(path.Root(name), "Conflicting arguments", "kuma_version rewrites a whole mesh, of which "+name+
				" selects a part. Remove one of them.")
		}
	}
}

// rewrite returns the resources of stage one that a configuration can manage, and describes
// them in the options: those that are new, and what the report says about others. It adds the
// report to the answer, and the configuration of stage two if a configuration is included.
func rewrite(include []string, listed []listedResource, cp kuma.ControlPlane, o *configuration.Options,
	found *answer.Resources,
) ([]kuma.Resource, error) {
	if cp.Release.Kuma3() {
		return nil, errors.New("the control plane runs Kuma 3.0 already. Remove kuma_version")
	}
	stored := phrase.Each(listed, func(l listedResource) kuma.Resource { return l.resource })
	result, err := upgrade.Rewrite(stored, upgrade.Options{ControlPlane: cp})
	if err != nil {
		return nil, err
	}
	found.UpgradeReport = result.Report.String() + "\n" + result.Proof.String()
	if slices.Contains(include, includeConfiguration) {
		two := configuration.Options{
			Release: upgrade.Release3(), DisplayNames: true,
			Comments: comments(result.Report, upgrade.Manual, upgrade.Kept),
			Unstored: func(key kuma.Key, path tree.Path) bool {
				return !slices.ContainsFunc(stored, func(s kuma.Resource) bool { return s.Key() == key && tree.At(s.Document(), path) != nil })
			},
		}
		text, err := configuration.File(manageable(result.StageTwo, listed), two)
		if err != nil {
			return nil, err
		}
		found.StageTwo = &text
	}
	out := manageable(result.StageOne, listed)
	o.New, o.Comments = map[kuma.Key]bool{}, comments(result.Report, upgrade.Manual, upgrade.Deferred, upgrade.Kept)
	for _, r := range out {
		o.New[r.Key()] = !slices.ContainsFunc(stored, func(s kuma.Resource) bool { return s.Key() == r.Key() })
	}
	return out, nil
}

// comments returns what a report says about each document.
func comments(r upgrade.Report, actions ...upgrade.Action) map[kuma.Key][]string {
	all := r.Notes(actions...)
	for _, notes := range all {
		for i := range notes {
			notes[i] = "Kuma 3.0: " + notes[i]
		}
	}
	return all
}

// manageable returns the rewritten resources that users manage, or that the rewriting has added or
// changed.
func manageable(rewritten []kuma.Resource, listed []listedResource) []kuma.Resource {
	at := map[kuma.Key]listedResource{}
	for _, l := range listed {
		at[l.resource.Key()] = l
	}
	return slices.DeleteFunc(slices.Clone(rewritten), func(r kuma.Resource) bool {
		l, ok := at[r.Key()]
		return ok && (l.managedBy == kinds.ManagedByOther || l.managedBy != "" && tree.Equal(l.resource.Document(), r.Document()))
	})
}
