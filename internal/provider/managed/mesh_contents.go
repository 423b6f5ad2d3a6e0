package managed

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/runstate"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// A control plane deletes a mesh together with its resources, also with those of other
// clients. What belongs to this configuration depends on the order of Terraform's requests:
//
//   - In the plan of a full destroy, the mesh comes after the resources that refer to it.
//     Blocks that were removed come in any order. The plan of the mesh waits for them.
//   - In the plan of a replacement, the mesh comes first, and the others wait for it. The
//     plan can only warn, and the apply, which deletes the mesh last, checks what is left.

// forcesDestroy reports whether a state allows deleting a mesh with its contents.
func forcesDestroy(state tftypes.Value) bool {
	values, err := tfvalue.Attributes(state)
	var force bool
	return err == nil && values[tfschema.ForceDestroy].Type() != nil && values[tfschema.ForceDestroy].As(&force) == nil && force
}

// contents returns what a mesh contains that its deletion would lose, or that prevents the
// deletion: with force, only Dataplanes.
func (r resourceClient) contents(ctx context.Context, key kuma.Key, force bool, list func(*store.Store, context.Context, string, []def.Kind) ([]kuma.Resource, error), diags *diag.Diagnostics) []kuma.Key {
	if !r.kind.Contains || !r.Connected() {
		return nil
	}
	mesh, exists := r.Refresh(ctx, key, diags)
	if !exists {
		return nil
	}
	inside := slices.DeleteFunc(r.cp.Store.Manageable(), func(k def.Kind) bool {
		return k.Scope != def.InMesh || force && k.Name != kuma.KindDataplane
	})
	stored, err := list(r.cp.Store, ctx, key.Name, inside)
	if err != nil {
		reportFailure(diags, r.kind, "Cannot list the resources of the mesh", err)
		return nil
	}
	var keys []kuma.Key
	for _, found := range kinds.MeshContents(stored, mesh, r.cp.Store.ControlPlane, r.cp.Store.Find) {
		keys = append(keys, found.Key())
	}
	return keys
}

// planContents reports that a mesh of the state that is to be destroyed contains resources
// of others. It saves those of the state in the private state for the apply.
func (r resourceClient) planContents(ctx context.Context, key kuma.Key, force bool, private privateState, diags *diag.Diagnostics) {
	found := r.contents(ctx, key, force, (*store.Store).MeshResources, diags)
	if len(found) == 0 {
		return
	}
	if others := r.cp.Run.NotInState(ctx, found); len(others) > 0 {
		diags.AddError(summaryContents, contentsDetail(key, others, force)+" If this configuration manages them, run Terraform without -parallelism=1.")
		return
	}
	value, _ := json.Marshal(found) // marshaling strings cannot fail
	diags.Append(private.SetKey(ctx, contentsKey, value)...)
}

// warnOfContents warns about the replacement of a mesh that contains resources which the
// plan may not replace.
func (r resourceClient) warnOfContents(ctx context.Context, key kuma.Key, force bool, diags *diag.Diagnostics) {
	found := r.contents(ctx, key, force, (*store.Store).MeshResources, diags)
	if len(found) > 0 && !force {
		diags.AddWarning("Replaced mesh contains resources", fmt.Sprintf("The control plane deletes mesh %q together with everything in it: %s. The apply fails before it deletes the mesh, unless this plan destroys all of them first. "+
			"To delete those of others with the mesh, set %s = true and apply that first. Dataplanes must be deleted in any case.", key.Name, someKeys(found), tfschema.ForceDestroy))
	}
}

// checkContents reports that a mesh that is to be deleted now contains resources that the
// plan does not know of; false if it must not be deleted.
func (r resourceClient) checkContents(ctx context.Context, key kuma.Key, force bool, private privateReader, diags *diag.Diagnostics) bool {
	if r.cp.CurrentRun().Get(key).Progress == runstate.ProgressDone {
		return true // another resource of this run took over the name
	}
	value, d := private.GetKey(ctx, contentsKey)
	diags.Append(d...)
	var planned []kuma.Key
	_ = json.Unmarshal(value, &planned) // there may be no value
	others := slices.DeleteFunc(r.contents(ctx, key, force, (*store.Store).CurrentMeshResources, diags), func(found kuma.Key) bool { return slices.Contains(planned, found) })
	if len(others) > 0 {
		diags.AddError(summaryContents, "The mesh was not deleted. "+contentsDetail(key, others, force))
	}
	return !diags.HasError()
}

const summaryContents = "Mesh contains other resources"

// contentsDetail names the first resources of others in a mesh, and says what to do.
func contentsDetail(mesh kuma.Key, others []kuma.Key, force bool) string {
	names := someKeys(others)
	if force {
		return fmt.Sprintf("Mesh %q has Dataplanes that this run does not destroy: %s. A mesh with Dataplanes cannot be deleted. Delete them first.", mesh.Name, names)
	}
	return fmt.Sprintf("The control plane deletes mesh %q together with everything in it, and this run does not destroy %s. "+
		"Delete them where they are managed, or set %s = true for the mesh and apply that first. To replace the mesh with resources of this configuration, list the mesh in replace_triggered_by of their lifecycle block. Dataplanes must be deleted in any case.", mesh.Name, names, tfschema.ForceDestroy)
}

// someKeys names the first ten resources in a mesh.
func someKeys(keys []kuma.Key) string {
	const most = 10
	slices.SortFunc(keys, kuma.CompareKeys)
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = fmt.Sprintf("%s %q", k.Type, k.Name)
	}
	return phrase.Some(names, most, "")
}
