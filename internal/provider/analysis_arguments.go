package provider

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// analysisArguments are the arguments that say which resources an analysis looks at.
type analysisArguments struct {
	Mesh      types.String  `tfsdk:"mesh"`
	Planned   types.Dynamic `tfsdk:"planned"`
	Removed   types.List    `tfsdk:"removed"`
	Owned     types.Map     `tfsdk:"owned"`
	Documents types.List    `tfsdk:"documents"`
}

func analysisAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"mesh": schema.StringAttribute{Optional: true, MarkdownDescription: "Mesh to look at. Defaults to `default`."},
		"planned": schema.DynamicAttribute{Optional: true, MarkdownDescription: "Resources of this configuration to lay over what is stored, as a list of whole resources such as `kuma_mesh_timeout.web`, or of documents as objects: " +
			"they are added, or replace what has the same kind, mesh and name. Resources of other meshes are left out. " +
			"With values that are not known yet, Terraform reads the data source after the apply; the functions `effective_rules`, `mesh_lint` and `policy_impact` do not wait. " +
			"What the plan destroys is left out, as far as Terraform has planned it when it reads the data source; a warning tells of each later destroy. " +
			"Write the list as a `local` value and refer to that: then the data source is read when planning, also while the resources have changes."},
		"owned": schema.MapAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Labels that all resources of this configuration carry, such as `{ team = \"payments\" }`. " +
			"What is stored with all of them and is not in `planned` is left out, because the configuration no longer has it. Without this, destroys that Terraform plans after it has read the data source are not seen. " +
			"Resources that the control plane manages or synchronizes are never left out. Needs `planned`."},
		"removed": schema.ListAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Identifiers (KRIs) of resources to leave out, as if they were deleted."},
		"documents": schema.ListAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "YAML or JSON documents, in universal or Kubernetes format, to use instead of what the control plane stores. " +
			"Each text may hold several. No control plane is needed then. A mesh without a document is taken as one with default settings."},
	}
}

func (m analysisArguments) meshName() string {
	if m.Mesh.IsNull() {
		return kuma.DefaultMesh
	}
	return m.Mesh.ValueString()
}

// input collects the resources of the given kinds for the data source of a type;
// config is its whole configuration.
func (m analysisArguments) input(ctx context.Context, cp *connection, typeName string, looked []def.Kind, config tftypes.Value, diags *diag.Diagnostics) analysisInput {
	in := analysisInput{cp: cp, mesh: m.meshName(), relevant: looked, diags: diags}
	run, planned := cp.currentRun(), !m.Planned.IsNull()
	if planned {
		defer run.beginAnalysis(ctx)()
	}
	in.loadResources(ctx, m.Documents)
	in.before = slices.Clone(in.resources)
	if m.Documents.IsNull() && run.hasWritten(in.mesh) {
		in.applied = true
		in.before = run.beforeWrites(in.resources, in.mesh)
		if planned {
			in.reportLateRead()
		}
	}
	in.addPlanned(config)
	in.leaveOutRemoved(ctx, m.Removed)
	in.leaveOutOwned(ctx, m.Owned, planned)
	if planned {
		in.leaveOutDestroyed(run, typeName)
	}
	return in
}

// reportLateRead warns that the data source comes too late for what it is used for.
func (in *analysisInput) reportLateRead() {
	in.diags.AddAttributeWarning(path.Root("planned"), "Read after the apply has changed the mesh",
		fmt.Sprintf("Terraform could not read this data source while planning: it read it after this run had written to mesh %q, when conditions on it could not prevent anything any more. "+
			"Either planned contains a value that is known only after the apply, or the data source depends on resources that change: it names them directly, in depends_on, or has a precondition or postcondition. "+
			"Put the list of resources into a local value and conditions outside of the data block. For values that stay unknown, use the functions effective_rules, mesh_lint and policy_impact.", in.mesh))
}

// reportMissingMesh reports that the mesh to look at does not exist.
func (in *analysisInput) reportMissingMesh() {
	in.diags.AddAttributeError(path.Root("mesh"), "There is no such mesh", fmt.Sprintf("Mesh %q is neither stored nor planned, or the plan destroys it. Check the name, or add the mesh to planned.", in.mesh))
}

// typesAttribute is the argument that [wantedTypes] reads.
func typesAttribute() schema.Attribute {
	return schema.SetAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Kinds of policies to tell about, such as `MeshHTTPRoute`. All kinds when unset. Others are not computed."}
}

// wantedTypes returns the kinds of policies to tell about, nil for all.
func wantedTypes(ctx context.Context, set types.Set, diags *diag.Diagnostics) []string {
	var wanted []string
	diags.Append(set.ElementsAs(ctx, &wanted, false)...)
	for _, t := range wanted {
		if problem := notAPolicy(t); problem != "" {
			diags.AddAttributeError(path.Root("types"), "Unknown kind of policy", problem)
		}
	}
	return wanted
}

// notAPolicy says that a kind is none of the policies; empty when it is one.
func notAPolicy(kind string) string {
	var known []string
	for _, k := range kinds.Policies() {
		known = append(known, k.Name)
	}
	if slices.Contains(known, kind) {
		return ""
	}
	return fmt.Sprintf("%q is no kind of policy. Write %s.%s", kind, phrase.Or(known...), phrase.Suggest(kind, known))
}
