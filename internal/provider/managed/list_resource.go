package managed

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// kindListResource lists the resources of a kind for `terraform query`.
type kindListResource struct{ Resource }

var (
	_ list.ListResource              = (*kindListResource)(nil)
	_ list.ListResourceWithConfigure = (*kindListResource)(nil)
)

func (r *kindListResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest,
	resp *list.ListResourceSchemaResponse,
) {
	resp.Schema = listSchema[filterModel](fmt.Sprintf("Lists resources of kind %s.", r.kind.Name))
	if r.kind.Scope == def.InMesh {
		resp.Schema = listSchema[listModel](resp.Schema.MarkdownDescription)
	}
}

// listSchema returns the schema of arguments that select resources.
func listSchema[Model any](doc string) schema.Schema {
	attributes, _ := report.Schema[Model, schema.Attribute, schema.Block](filterValidators)
	attributes["unmanaged"] = schema.BoolAttribute{Optional: true, MarkdownDescription: describe("list_resource.unmanaged")}
	return schema.Schema{MarkdownDescription: doc, Attributes: attributes}
}

// listModel is the configuration for kinds that belong to a mesh.
type listModel struct {
	filterModel
	Mesh types.String `tfsdk:"mesh"`
}

// manifestListModel is the configuration for documents of any kind.
type manifestListModel struct {
	listModel
	Type types.String `tfsdk:"type" schema:"required"`
}

func (r *kindListResource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var m listModel
	var diags diag.Diagnostics
	var arguments any = &m
	if r.kind.Scope != def.InMesh {
		arguments = &m.filterModel
	}
	if !report.Arguments(ctx, req.Config, arguments, &diags) || !r.cp.Ready(&diags) {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	stream.Results = r.listed(ctx, m.Mesh.ValueString(), m.filterModel, req.Limit, func(stored kuma.Resource) list.ListResult {
		return r.result(ctx, req, stored)
	})
}

// listed streams the resources of the kind that match the arguments, page by page; no
// more than limit, unless it is zero. mesh is empty for all meshes.
func (r resourceClient) listed(ctx context.Context, mesh string, arguments filterModel, limit int64,
	result func(kuma.Resource) list.ListResult,
) iter.Seq[list.ListResult] {
	var diags diag.Diagnostics
	filter := arguments.filter(ctx, r.cp.Store, &diags)
	if diags.HasError() {
		return list.ListResultsStreamDiagnostics(diags)
	}
	return func(push func(list.ListResult) bool) {
		fail := func(err error) {
			var diags diag.Diagnostics
			if missing, ok := errors.AsType[*controlplane.NotFoundError](err); ok && missing.Mesh {
				diags.AddError("Mesh not found", fmt.Sprintf("The control plane has no mesh %q. Check the name.", mesh))
			} else {
				reportFailure(&diags, r.kind, "Cannot list the resources", err)
			}
			push(list.ListResult{Diagnostics: diags})
		}
		count := int64(0)
		for stored, err := range r.cp.Store.All(ctx, r.kind, mesh) {
			if err != nil {
				fail(err)
				return
			}
			_, chosen, err := filter.check(ctx, r.kind, stored)
			if err != nil {
				fail(err)
				return
			}
			if !chosen {
				continue
			}
			if !push(result(stored)) {
				return
			}
			if count++; limit > 0 && count >= limit {
				return
			}
		}
	}
}

// result shows a resource as an import does.
func (r *kindListResource) result(ctx context.Context, req list.ListRequest, stored kuma.Resource) list.ListResult {
	result := req.NewListResult(ctx)
	result.DisplayName = stored.Key().String()
	r.identify(ctx, stored.Key(), result.Identity, &result.Diagnostics)
	if !req.IncludeResource {
		return result
	}
	t, _ := result.Resource.Raw.Type().(tftypes.Object)
	values, err := r.StateValues(stored, t, tftypes.NewValue(t, nil))
	if err != nil {
		result.Diagnostics.AddError("Invalid response from the control plane", phrase.Sentence(err))
		return result
	}
	result.Resource.Raw = tftypes.NewValue(t, values)
	return result
}

// ListResources returns the list resources of all kinds.
func ListResources() []func() list.ListResource {
	out := []func() list.ListResource{func() list.ListResource { return &manifestListResource{} }}
	for _, k := range kinds.All() {
		out = append(out, func() list.ListResource { return &kindListResource{Resource{resourceClient{kind: k}}} })
	}
	return out
}

// manifestListResource lists the resources of any kind as manifests, including kinds
// that only the control plane knows.
type manifestListResource struct{ manifestResource }

var (
	_ list.ListResource              = (*manifestListResource)(nil)
	_ list.ListResourceWithConfigure = (*manifestListResource)(nil)
)

func (r *manifestListResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest,
	resp *list.ListResourceSchemaResponse,
) {
	resp.Schema = listSchema[manifestListModel](describe("list_manifest"))
}

func (r *manifestListResource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var m manifestListModel
	var diags diag.Diagnostics
	if !report.Arguments(ctx, req.Config, &m, &diags) || !r.cp.Ready(&diags) {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	client := r.client(kuma.Key{Type: m.Type.ValueString()})
	if client.kind.Path == "" {
		diags.AddAttributeError(path.Root("type"), "Unsupported kind",
			phrase.Sentence(document.UnknownKind(client.kind.Name, r.cp.Capabilities().KindNames()...)))
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	stream.Results = client.listed(ctx, m.Mesh.ValueString(), m.filterModel, req.Limit, func(stored kuma.Resource) list.ListResult {
		result := req.NewListResult(ctx)
		result.DisplayName = stored.Key().String()
		identifyManifest(ctx, stored.Key(), result.Identity, &result.Diagnostics)
		if req.IncludeResource {
			manifest := configuration.Manifest(client.kind, stored, kuma.Resource{})
			result.Diagnostics.Append(result.Resource.SetAttribute(ctx, path.Root("manifest"),
				types.DynamicValue(tfvalue.FromTree(ctx, manifest.Document())))...)
			setComputed(ctx, result.Resource, stored, client.kind, &result.Diagnostics)
		}
		return result
	})
}
