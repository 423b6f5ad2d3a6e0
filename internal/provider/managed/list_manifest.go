package managed

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// manifestListResource lists the resources of any kind as manifests, including kinds
// that only the control plane knows.
type manifestListResource struct{ manifestResource }

var (
	_ list.ListResource              = (*manifestListResource)(nil)
	_ list.ListResourceWithConfigure = (*manifestListResource)(nil)
)

func (r *manifestListResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: describe("list_manifest"),
		Attributes:          filterAttributes(),
	}
	resp.Schema.Attributes["type"] = schema.StringAttribute{Required: true, MarkdownDescription: "Kind of the resources, such as `MeshTimeout`."}
	resp.Schema.Attributes["mesh"] = schema.StringAttribute{Optional: true, MarkdownDescription: listMeshDoc}
}

func (r *manifestListResource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var m struct {
		filterModel
		Type types.String `tfsdk:"type"`
		Mesh types.String `tfsdk:"mesh"`
	}
	var diags diag.Diagnostics
	if !report.Arguments(ctx, req.Config, &m, &diags) || !r.cp.Ready(&diags) {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	client := r.client(kuma.Key{Type: m.Type.ValueString()})
	if client.kind.Path == "" {
		diags.AddAttributeError(path.Root("type"), "Unsupported kind", phrase.Sentence(document.UnknownKind(client.kind.Name, r.cp.Capabilities().KindNames()...)))
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	stream.Results = client.listed(ctx, m.Mesh.ValueString(), m.filterModel, req.Limit, func(stored kuma.Resource) list.ListResult {
		result := req.NewListResult(ctx)
		result.DisplayName = stored.Key().String()
		identifyManifest(ctx, stored.Key(), result.Identity, &result.Diagnostics)
		if req.IncludeResource {
			manifest := configuration.Manifest(client.kind, stored, kuma.Resource{})
			result.Diagnostics.Append(result.Resource.SetAttribute(ctx, path.Root("manifest"), types.DynamicValue(tfvalue.FromTree(ctx, manifest.Document())))...)
			setComputed(ctx, result.Resource, stored, client.kind, &result.Diagnostics)
		}
		return result
	})
}
