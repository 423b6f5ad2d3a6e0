package managed

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// parseImportID parses the result of [configuration.KindImportID].
func parseImportID(k def.Kind, id string) (kuma.Key, error) {
	meshName, name, ok := strings.Cut(id, "/")
	if k.Scope == def.Global {
		meshName, name, ok = "", id, true
	}
	if !ok || name == "" || strings.Contains(name, "/") || k.Scope == def.InMesh && meshName == "" {
		example := configuration.KindImportID(k, kuma.DefaultMesh, cmp.Or(id[strings.LastIndex(id, "/")+1:], "NAME"))
		if before, after, ok := strings.Cut(id, ":"); ok && k.Scope == def.InMesh {
			example = configuration.KindImportID(k, before, after)
		}
		if kri, err := kuma.ParseKRI(id); err == nil {
			example = configuration.KindImportID(k, kri.Mesh, kri.Name)
		}
		return kuma.Key{}, fmt.Errorf("%q is not a valid import ID of a %s. Use %s, such as %q", id, k.Name,
			configuration.KindImportID(k, "MESH", "NAME"), example)
	}
	return kuma.Key{Type: k.Name, Mesh: meshName, Name: name}, nil
}

// warnOfImport warns about an imported resource that the control plane maintains by itself.
func (r resourceClient) warnOfImport(ctx context.Context, stored kuma.Resource, diags *diag.Diagnostics) {
	owners, err := r.cp.Store.MeshResources(ctx, stored.Mesh, kinds.Owners(r.kind))
	if err != nil {
		reportFailure(diags, r.kind, summaryRead, err)
		return
	}
	switch by := kinds.ManagedBy(r.kind, stored, owners, r.cp.Store.ControlPlane); by {
	case "", kinds.ManagedByMesh: // as stage one of an upgrade does with default policies
	case kinds.ManagedByOther: // the plan of a change says that it is read-only
	default:
		diags.AddWarning("Imported resource belongs to the control plane",
			fmt.Sprintf("The control plane created %s by itself: managed_by of the data source kuma_resources is %q. "+
				"Remove its import and resource blocks, unless this configuration takes it over, as stage one of an upgrade to Kuma 3.0 does.",
				stored.Key(), by))
	}
}

// ImportState implements [resource.ResourceWithImportState].
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	key := kuma.Key{Type: r.kind.Name}
	if req.ID != "" {
		var err error
		if key, err = parseImportID(r.kind, req.ID); err != nil {
			resp.Diagnostics.AddError("Invalid import ID", phrase.Sentence(err))
			return
		}
	} else {
		var name, meshName types.String
		resp.Diagnostics.Append(req.Identity.GetAttribute(ctx, path.Root("name"), &name)...)
		if r.kind.Scope == def.InMesh {
			resp.Diagnostics.Append(req.Identity.GetAttribute(ctx, path.Root("mesh"), &meshName)...)
		}
		key.Name, key.Mesh = name.ValueString(), meshName.ValueString()
	}
	if resp.Diagnostics.HasError() {
		return
	}
	r.setKey(ctx, key, &resp.State, resp.Identity, &resp.Diagnostics)
}

// setKey sets a state that contains only the key of a resource, and its identity. The
// refresh that follows reads the rest.
func (r *Resource) setKey(ctx context.Context, key kuma.Key, state attributes, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	diags.Append(state.SetAttribute(ctx, path.Root("name"), key.Name)...)
	if r.kind.Scope == def.InMesh {
		diags.Append(state.SetAttribute(ctx, path.Root("mesh"), key.Mesh)...)
	}
	r.identify(ctx, key, identity, diags)
}
