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
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

func (r *manifestResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	var key kuma.Key
	if req.ID != "" {
		var err error
		if key, err = r.parseID(req.ID); err != nil {
			resp.Diagnostics.AddError("Invalid import ID", phrase.Sentence(err))
			return
		}
	} else {
		for name, field := range map[string]*string{"type": &key.Type, "mesh": &key.Mesh, "name": &key.Name} {
			var v types.String
			resp.Diagnostics.Append(req.Identity.GetAttribute(ctx, path.Root(name), &v)...)
			*field = v.ValueString()
		}
	}
	setManifestKey(ctx, key, &resp.State, resp.Identity, &resp.Diagnostics)
}

// setManifestKey sets a state that contains only the key of a resource, and its
// identity. The refresh that follows reads the rest.
func setManifestKey(ctx context.Context, key kuma.Key, state attributes, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	diags.Append(state.SetAttribute(ctx, path.Root("type"), key.Type)...)
	diags.Append(state.SetAttribute(ctx, path.Root("mesh"), tfvalue.OptionalString(key.Mesh))...)
	diags.Append(state.SetAttribute(ctx, path.Root("name"), key.Name)...)
	identifyManifest(ctx, key, identity, diags)
}

// isManifestImport reports whether a state is that of an import, which only identifies
// the resource.
func isManifestImport(state tftypes.Value) bool {
	values, err := tfvalue.Attributes(state)
	return err == nil && values["manifest"].IsNull()
}

// parseID parses the result of [configuration.ManifestImportID].
func (r *manifestResource) parseID(id string) (kuma.Key, error) {
	kind, rest, _ := strings.Cut(id, "/")
	k := r.find(kind)
	if k.Path == "" {
		return kuma.Key{}, fmt.Errorf("%q is not a valid import ID. Use TYPE/MESH/NAME, such as MeshService/default/web.%s", id, phrase.Suggest(kind, store.Capabilities{}.KindNames()))
	}
	key, err := parseImportID(k, rest)
	if err != nil {
		example := kuma.Key{Type: k.Name, Mesh: kuma.DefaultMesh, Name: cmp.Or(rest[strings.LastIndex(rest, "/")+1:], "NAME")}
		if k.Scope == def.Global {
			example.Mesh = ""
		}
		return kuma.Key{}, fmt.Errorf("%q is not a valid import ID. Use TYPE/MESH/NAME, such as %q", id, configuration.ManifestImportID(example))
	}
	return key, nil
}
