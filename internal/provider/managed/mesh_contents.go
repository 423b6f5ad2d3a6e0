package managed

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// A control plane deletes a mesh together with its resources, also with those that another
// client or another provider configuration manages, or that the run keeps. The plan reports
// those of which it knows that they stay. The apply deletes a mesh only if everything in it
// was deleted before, or if the plan destroys it too.

// forcesDestroy reports whether a state allows deleting a mesh with its contents.
func forcesDestroy(state tftypes.Value) bool {
	values, err := tfvalue.Attributes(state)
	var force bool
	return err == nil && values[tfschema.ForceDestroy].Type() != nil && values[tfschema.ForceDestroy].As(&force) == nil && force
}

// contents returns what a mesh contains that its deletion would lose, or that prevents the
// deletion: with force, only Dataplanes. Kinds that survive are not listed, because a client
// that may delete a mesh may not have the right to its Secrets.
func (r resourceClient) contents(ctx context.Context, key kuma.Key, force bool,
	list func(*store.Store, context.Context, string, []def.Kind) ([]kuma.Resource, error), diags *diag.Diagnostics,
) []kuma.Resource {
	if !r.kind.Contains || !r.Connected() {
		return nil
	}
	mesh, exists := r.Refresh(ctx, key, diags)
	if !exists {
		return nil
	}
	inside := slices.DeleteFunc(r.cp.Store.Manageable(), func(k def.Kind) bool { return !kinds.BlocksDeletion(k, force) })
	stored, err := list(r.cp.Store, ctx, key.Name, inside)
	if err != nil {
		reportFailure(diags, r.kind, "Cannot list the resources of the mesh", err)
		return nil
	}
	return kinds.MeshContents(stored, mesh, r.cp.Store.ControlPlane, r.cp.Store.Find)
}

// planContents reports that a mesh that the plan deletes contains resources that stay. It
// saves those that the plan destroys, with their fingerprints, in the private state for the
// apply. In the plan of a replacement, the resources of the mesh come after it.
func (r resourceClient) planContents(ctx context.Context, key kuma.Key, force, replaces bool, private privateState,
	diags *diag.Diagnostics,
) {
	if !r.kind.Contains || !r.Connected() {
		return
	}
	found := map[kuma.Key]kuma.Resource{}
	for _, res := range r.contents(ctx, key, force, (*store.Store).MeshResources, diags) {
		found[res.Key()] = res
	}
	planned := r.cp.Run.RecordMeshDeletion(ctx, key, slices.Collect(maps.Keys(found)), !replaces)
	switch {
	case len(planned.Kept) > 0:
		diags.AddError(summaryContents,
			fmt.Sprintf(
				"The control plane deletes mesh %q together with everything in it, and this plan does not destroy %s: "+
					"the configuration keeps them, or a removed block forgets them. Destroy both, or neither. "+
					"To delete policies and services with the mesh anyway, set %s = true for the mesh and apply that first. %s", key.Name,
				someKeys(planned.Kept), tfschema.ForceDestroy, adviceDestroy))
	case len(planned.Unknown) > 0 && replaces && !force:
		diags.AddWarning("Replaced mesh contains resources",
			fmt.Sprintf(
				"The control plane deletes mesh %q together with everything in it: %s. "+
					"The apply fails before it deletes the mesh, unless this plan destroys all of them first. "+
					"To delete those of others with the mesh, set %s = true and apply that first. Dataplanes must be deleted in any case.", key.Name,
				someKeys(planned.Unknown), tfschema.ForceDestroy))
	case len(planned.Unknown) > 0 && !replaces:
		diags.AddWarning(summaryContents, contentsDetail(key, "no destroy is planned so far of", planned.Unknown, force,
			" The apply fails before it deletes the mesh, unless the same run destroys them first: "+
				"with another provider configuration, or because they refer to the name attribute of the mesh."))
	}
	destroyed := make(map[string]string, len(planned.Destroyed))
	for _, k := range planned.Destroyed {
		destroyed[k.String()] = r.fingerprint(found[k])
	}
	save(ctx, private, contentsKey, destroyed, diags)
}

// fingerprint returns the fingerprint of a resource in a mesh.
func (r resourceClient) fingerprint(stored kuma.Resource) string {
	k, _ := r.cp.Store.Find(stored.Type)
	return r.cp.Store.Resources(k).Fingerprint(stored)
}

// checkContents reports that a mesh that is to be deleted now contains resources that the
// plan does not destroy, or that have changed since.
func (r resourceClient) checkContents(ctx context.Context, key kuma.Key, force bool, private privateReader, diags *diag.Diagnostics) {
	var planned map[string]string
	saved(ctx, private, contentsKey, &planned, diags)
	var others []kuma.Key
	for _, found := range r.contents(ctx, key, force, (*store.Store).CurrentMeshResources, diags) {
		if fingerprint, ok := planned[found.Key().String()]; !ok || r.cp.Verifies && fingerprint != r.fingerprint(found) {
			others = append(others, found.Key())
		}
	}
	if len(others) > 0 {
		diags.AddError(summaryContents, "The mesh was not deleted. "+contentsDetail(key, "this run has not destroyed", others, force,
			" If this run destroys them after the mesh, set their mesh to its name attribute, such as kuma_mesh.example.name, or apply again."+
				" To replace the mesh with resources of this configuration, list the mesh in replace_triggered_by of their lifecycle block."))
	}
}

// warnOfSecrets warns about Secrets of a mesh that was deleted, unless this run creates it again:
// then, nothing was planned for its contents.
func (r resourceClient) warnOfSecrets(ctx context.Context, mesh kuma.Key, private privateReader, diags *diag.Diagnostics) {
	var planned map[string]string
	if !saved(ctx, private, contentsKey, &planned, diags) || !r.kind.Contains {
		return
	}
	var left []kuma.Key
	for secret, err := range r.cp.Store.All(ctx, kinds.Secret, "") {
		if err != nil {
			return // only administrators may list them
		}
		if secret.Mesh == mesh.Name {
			left = append(left, secret.Key())
		}
	}
	if len(left) > 0 {
		diags.AddWarning("Secrets outlive the mesh",
			fmt.Sprintf(
				"The control plane keeps %s of the deleted mesh %q. A mesh that is created with this name has them again: "+
					"with a signing key, tokens for proxies of the deleted mesh are valid in it. "+
					"To delete them, create the mesh again, then delete the Secrets, and then the mesh.", someKeys(left), mesh.Name))
	}
}

const summaryContents = "Mesh contains other resources"

// contentsDetail names the first resources in a mesh with which the run does not do what
// the deletion of the mesh requires, and says what to do.
func contentsDetail(mesh kuma.Key, lacks string, others []kuma.Key, force bool, advice string) string {
	names := someKeys(others)
	if force || !slices.ContainsFunc(others, func(k kuma.Key) bool { return k.Type != kinds.Dataplane.Name }) { // which force does not delete
		return fmt.Sprintf("Mesh %q has Dataplanes, and %s %s. A mesh with Dataplanes cannot be deleted. Delete them first.%s", mesh.Name, lacks,
			names, advice)
	}
	return fmt.Sprintf("The control plane deletes mesh %q together with everything in it, and %s %s. "+
		"Delete them where they are managed, or set %s = true for the mesh and apply that first. Dataplanes must be deleted in any case.%s",
		mesh.Name, lacks, names, tfschema.ForceDestroy, advice)
}

// someKeys names the first ten resources in a mesh.
func someKeys(keys []kuma.Key) string {
	const most = 10
	slices.SortFunc(keys, kuma.CompareKeys)
	return phrase.Some(phrase.Each(keys, func(k kuma.Key) string { return fmt.Sprintf("%s %q", k.Type, k.Name) }), most, "")
}
