package provider

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

// effectiveRules tells what the policies of a mesh mean for one dataplane.
type effectiveRules struct{ cp *connection }

var (
	_ datasource.DataSource              = (*effectiveRules)(nil)
	_ datasource.DataSourceWithConfigure = (*effectiveRules)(nil)
)

func (d *effectiveRules) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "kuma_effective_rules"
}

func (d *effectiveRules) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	d.cp, _ = req.ProviderData.(*connection)
}

func (d *effectiveRules) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Tells which settings the policies of a mesh give to one proxy: which rules apply, what they merge to, and which policies that comes from. " +
			"The answer is the one that the control plane's inspect API gives, computed by the provider, so that it can be had for resources that are only planned.",
		Attributes: map[string]schema.Attribute{
			"mesh":      schema.StringAttribute{Optional: true, MarkdownDescription: "Mesh of the proxy. Defaults to `default`."},
			"dataplane": schema.StringAttribute{Required: true, MarkdownDescription: "Name of the Dataplane."},
			"planned": schema.DynamicAttribute{Optional: true, MarkdownDescription: "Resources of this configuration to lay over what is stored, as a list of whole resources: " +
				"they are added, or replace what has the same kind, mesh and name. Write the list as a `local` value and refer to that: then the data source is read when planning, also while the resources have changes."},
			"types":   schema.SetAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Kinds of policies to tell about, such as `MeshHTTPRoute`. All kinds when unset."},
			"removed": schema.ListAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Identifiers (KRIs) of resources to leave out, as if they were deleted."},
			"documents": schema.ListAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "YAML or JSON documents, in universal or Kubernetes format, to use instead of what the control plane stores. " +
				"Each text may hold several. No control plane is needed then. A mesh without a document is taken as one with default settings."},
			"rules": schema.ListNestedAttribute{
				Computed: true, NestedObject: schema.NestedAttributeObject{Attributes: policyRulesAttributes()},
				MarkdownDescription: "The rules per kind of policy, in the order in which the control plane processes the kinds.",
			},
			"conf": schema.DynamicAttribute{Computed: true, MarkdownDescription: "The settings per destination: `conf[KIND][KRI]` is the merged conf of the resource rule for the destination with that KRI, whose last part is the section. " +
				"The conf of the proxy itself stands under the KRI of the Dataplane. A route with hostnames has a list of confs."},
			"explain": schema.ListNestedAttribute{
				Computed: true, NestedObject: schema.NestedAttributeObject{Attributes: explainAttributes()},
				MarkdownDescription: "Where each value comes from: one element for every value in the confs of the resource rules, and of the proxy itself.",
			},
			"digest": schema.StringAttribute{Computed: true, MarkdownDescription: "Hash of what the rules do: it changes when a conf or a condition changes, and not when the same comes from other policies."},
			"json":   schema.StringAttribute{Computed: true, MarkdownDescription: "The whole answer as JSON, in the shape of the inspect API."},
		},
	}
}

func (d *effectiveRules) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m effectiveRulesModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	meshName := mesh.DefaultMesh
	if !m.Mesh.IsNull() {
		meshName = m.Mesh.ValueString()
	}
	w := world{cp: d.cp, mesh: meshName, kinds: rules.Kinds(), diags: &resp.Diagnostics}
	w.load(ctx, m.Documents)
	w.plan(req.Config.Raw)
	w.remove(ctx, m.Removed)
	if resp.Diagnostics.HasError() {
		return
	}
	wanted := m.wantedTypes(ctx, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	answer, err := rules.NewSnapshot(w.resources).Dataplane(meshName, m.Dataplane.ValueString())
	switch {
	case errors.Is(err, rules.ErrUnknownMesh):
		resp.Diagnostics.AddAttributeError(path.Root("mesh"), "There is no such mesh", fmt.Sprintf("Mesh %q is neither stored nor planned. Check the name, or add the mesh to planned.", meshName))
		return
	case errors.Is(err, rules.ErrUnknownDataplane):
		resp.Diagnostics.AddAttributeError(path.Root("dataplane"), "There is no such dataplane",
			fmt.Sprintf("Dataplane %q of mesh %q is neither stored nor planned.%s", m.Dataplane.ValueString(), meshName, w.known()))
		return
	case err != nil:
		resp.Diagnostics.AddError("The rules cannot be computed", sentence(err))
		return
	}
	if wanted != nil {
		answer.Rules = slices.DeleteFunc(answer.Rules, func(r rules.PolicyRules) bool { return !slices.Contains(wanted, r.Type) })
	}
	if err := m.show(ctx, answer); err != nil {
		resp.Diagnostics.AddError("The rules cannot be shown", sentence(err))
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}

// wantedTypes returns the kinds to tell about, nil for all.
func (m *effectiveRulesModel) wantedTypes(ctx context.Context, diags *diag.Diagnostics) []string {
	var wanted []string
	diags.Append(m.Types.ElementsAs(ctx, &wanted, false)...)
	var known []string
	for _, k := range kinds.Policies() {
		known = append(known, k.Name)
	}
	for _, t := range wanted {
		if !slices.Contains(known, t) {
			diags.AddAttributeError(path.Root("types"), "Unknown kind of policy", fmt.Sprintf("%q is no kind of policy. Write %s.%s", t, spec.Or(known...), spec.Suggest(t, known)))
		}
	}
	return wanted
}
