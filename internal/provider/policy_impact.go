package provider

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/impact"
	"github.com/kuma-universal/terraform-provider-kuma/internal/mesh"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// policyImpact tells what a change does to all dataplanes of a mesh.
type policyImpact struct{ cp *connection }

var (
	_ datasource.DataSource              = (*policyImpact)(nil)
	_ datasource.DataSourceWithConfigure = (*policyImpact)(nil)
)

func (d *policyImpact) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "kuma_policy_impact"
}

func (d *policyImpact) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	d.cp, _ = req.ProviderData.(*connection)
}

func (d *policyImpact) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := impactAttributes()
	attributes["mesh"] = schema.StringAttribute{Optional: true, MarkdownDescription: "Mesh to look at. Defaults to `default`."}
	attributes["planned"] = schema.DynamicAttribute{Optional: true, MarkdownDescription: "Resources of this configuration to lay over what is stored, as a list of whole resources: " +
		"they are added, or replace what has the same kind, mesh and name. Resources of other meshes are left out. " +
		"Write the list as a `local` value and refer to that: then the data source is read when planning, also while the resources have changes."}
	attributes["removed"] = schema.ListAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Identifiers (KRIs) of resources to leave out, as if they were deleted."}
	attributes["documents"] = schema.ListAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "YAML or JSON documents, in universal or Kubernetes format, to use instead of what the control plane stores. " +
		"Each text may hold several. No control plane is needed then. A mesh without a document is taken as one with default settings."}
	attributes["types"] = schema.SetAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Kinds of policies to tell about, such as `MeshHTTPRoute`. All kinds when unset."}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Tells what a change does to the proxies of a mesh before it is applied: which of them get other settings, from which value to which, because of which policies, and which policies change nothing. " +
			"What is stored is compared with what is stored once the planned resources are applied and the removed ones are gone. " +
			"Values are compared for the same traffic: where a new entry takes the place of a more general one, only those that become others are told, and those that get lost.",
		Attributes: attributes,
	}
}

func (d *policyImpact) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m policyImpactModel
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
	before := slices.Clone(w.resources)
	w.plan(req.Config.Raw)
	w.remove(ctx, m.Removed)
	wanted := (&effectiveRulesModel{Types: m.Types}).wantedTypes(ctx, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	i, err := impact.Compare(before, w.resources, meshName, wanted...)
	switch {
	case errors.Is(err, rules.ErrUnknownMesh):
		resp.Diagnostics.AddAttributeError(path.Root("mesh"), "There is no such mesh", fmt.Sprintf("Mesh %q is neither stored nor planned. Check the name, or add the mesh to planned.", meshName))
		return
	case err != nil:
		resp.Diagnostics.AddError("The impact cannot be computed", sentence(err))
		return
	}
	m.show(i)
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}
