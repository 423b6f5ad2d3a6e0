package managed

import (
	"context"
	"errors"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/upgrade"
	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// This file rewrites the listed mesh for Kuma 3.0.

// ValidateConfig implements [datasource.DataSourceWithValidateConfig]: a rewriting needs the
// whole mesh.
func (d *resourcesDataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	var m resourcesModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() || m.KumaVersion.IsNull() {
		return
	}
	if m.Mesh.IsNull() {
		resp.Diagnostics.AddAttributeError(path.Root("mesh"), "Missing mesh", "kuma_version rewrites a whole mesh. Set mesh to its name.")
	}
	for name, set := range map[string]bool{
		"type": !m.Type.IsNull(), "name_pattern": !m.NamePattern.IsNull(), "labels": !m.Labels.IsNull(), "origin": !m.Origin.IsNull(), "unmanaged": !m.Unmanaged.IsNull(),
	} {
		if set {
			resp.Diagnostics.AddAttributeError(path.Root(name), "Conflicting arguments", "kuma_version rewrites a whole mesh, of which "+name+" selects a part. Remove one of them.")
		}
	}
}

// rewrite returns the resources of stage one that a configuration can manage, and describes
// them in the options: those that are new, and what the report says about others.
func (m *resourcesModel) rewrite(listed []listedResource, cp kuma.ControlPlane, o *configuration.Options) ([]kuma.Resource, error) {
	if cp.Release.Kuma3() {
		return nil, errors.New("the control plane runs Kuma 3.0 already. Remove kuma_version")
	}
	stored, managed := make([]kuma.Resource, len(listed)), map[kuma.Key]string{}
	for i, l := range listed {
		stored[i], managed[l.resource.Key()] = l.resource, l.managedBy
	}
	result, err := upgrade.Rewrite(stored, upgrade.Options{ControlPlane: cp})
	if err != nil {
		return nil, err
	}
	m.UpgradeReport = types.StringValue(result.Report.String() + "\n" + result.Proof.String())
	o.New, o.Comments = map[kuma.Key]bool{}, map[kuma.Key][]string{}
	for key, notes := range result.Report.Notes() {
		for _, note := range notes {
			o.Comments[key] = append(o.Comments[key], "Kuma 3.0: "+note)
		}
	}
	var out []kuma.Resource
	for _, r := range result.StageOne {
		by, exists := managed[r.Key()]
		i := slices.IndexFunc(stored, func(s kuma.Resource) bool { return s.Key() == r.Key() })
		if by == "" || !tree.Equal(stored[i].Document(), r.Document()) {
			o.New[r.Key()] = !exists
			out = append(out, r)
		}
	}
	return out, nil
}
