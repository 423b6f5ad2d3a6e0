package managed

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/connection"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/runstate"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// checkMesh warns about a mesh that does not exist and that this plan has not created
// so far. For a replacement, which would destroy the resource first, that is an error.
func (r resourceClient) checkMesh(ctx context.Context, key kuma.Key, how runstate.Creation, at path.Path, diags *diag.Diagnostics) {
	within := kuma.MeshKey(key.Mesh)
	if planned := r.cp.Run.Get(within); key.Mesh == "" || planned.Creation != runstate.CreationNone || planned.Stage == runstate.StageKept {
		return
	}
	_, exists := r.of(kuma.KindMesh).get(ctx, within, diags)
	switch {
	case exists || diags.HasError():
	case how == runstate.CreationReplacement:
		diags.AddAttributeError(at, summaryMesh, "The plan destroys the resource and creates it in another mesh. "+missingMesh(key.Mesh)+
			" If another provider configuration creates the mesh, create it in an apply of its own, and then move the resource.")
	default:
		diags.AddAttributeWarning(at, "Mesh does not exist yet", missingMesh(key.Mesh))
	}
}

// of returns the client of another kind.
func (r resourceClient) of(kind string) resourceClient {
	k, _ := r.cp.Capabilities().Find(kind)
	return resourceClient{kind: k, cp: r.cp}
}

// missingMesh says what to do about a mesh that does not exist.
func missingMesh(name string) string {
	return fmt.Sprintf("The control plane has no mesh %q. "+
		"If this configuration creates the mesh, refer to it as kuma_mesh.%s.name instead of by its name, so that Terraform creates it first. "+
		"Otherwise create the mesh, or correct the name. A zone gets a mesh of its global control plane within seconds.",
		name, tfschema.LocalName(name))
}

// checkNeeded warns about a resource that the control plane deletes because it needs
// another one with a label, which neither exists nor has been planned so far.
func (r resourceClient) checkNeeded(ctx context.Context, key kuma.Key, at path.Path, diags *diag.Diagnostics) {
	needs := r.kind.Needs
	if needs == nil || !r.Connected() {
		return
	}
	k, ok := r.cp.Capabilities().Find(needs.Kind)
	if !ok {
		return
	}
	stored, err := r.cp.Store.MeshResources(ctx, key.Mesh, []def.Kind{k})
	if err != nil {
		report.Connection(diags, err)
		return
	}
	if !r.cp.Run.HasLabel(stored, needs.Kind, key.Mesh, needs.Label, key.Name) {
		diags.AddAttributeWarning(at, fmt.Sprintf("%s without a %s is deleted", key.Type, needs.Kind),
			fmt.Sprintf("The control plane deletes a %s within seconds if no %s has the label %s with the value %q. "+
				"It creates the %[1]s of such a %[2]s by itself. "+
				"If this configuration creates the %[2]s, set name to its label, as in name = %[5]s.NAME.labels[%[3]q], so that Terraform creates it "+
				"first. Otherwise create the %[2]s, or remove this resource.",
				key.Type, needs.Kind, needs.Label, key.Name, tfschema.TypeName(needs.Kind)))
	}
}

// create writes a resource that does not exist, and returns what is stored then. The
// result is also true when it is not known whether the resource was written: what may
// exist belongs in the state. An existing one is adopted if the provider's
// configuration allows that and it is the version that the plan replaces, or if the
// control plane generated it.
func (r resourceClient) create(ctx context.Context, res kuma.Resource, replacedVersion string, b configBlock,
	diags *diag.Diagnostics,
) (stored kuma.Resource, ok bool) {
	run, key := r.cp.Run, res.Key()
	defer func() {
		if ok {
			run.RecordCreated(key)
		}
	}()
	for {
		found, exists, stored, ok := r.createMissing(ctx, res, b, diags)
		known, e := run.Get(key), existingResource{r, found, &res, b}
		switch {
		case diags.HasError():
			return stored, ok
		case !exists && !ok: // the control plane has generated it meanwhile
			continue
		case !exists:
			return stored, true
		case known.Stage == runstate.StageOverwritten:
			stored, written := r.replace(ctx, res, b, known.Version, nil, diags)
			if !written {
				stored = found // the error makes Terraform mark it as tainted, and the next apply replaces it
			}
			return stored, true
		case kuma.Generated(found.Labels): // possibly since the plan, or since this run deleted it
			return r.adopt(ctx, e, true, diags)
		case run.AwaitDeletion(ctx, key, e.adoptable() && (!known.Stage.InState() || e.adopts())):
			continue
		case ctx.Err() != nil:
			diags.AddError("Creation interrupted", fmt.Sprintf("%s was not created.", key))
			return kuma.Resource{}, false
		case run.Get(key).Stage.InState() && !e.adopts():
			diags.AddAttributeError(b.at, "Resource not deleted yet",
				fmt.Sprintf("%s is in the state of another resource, or of the one that this replaces, and was not deleted first. "+
					"If a removed block forgets it, import it at its new address. Otherwise, apply again. "+
					"With create_before_destroy, a replacement needs a new name.", key))
			return kuma.Resource{}, false
		case r.cp.Existing == connection.ExistingAdopt && r.cp.Verifies && r.Resources().Fingerprint(found) != replacedVersion &&
			!r.belongsToNoUser(ctx, found, diags):
			reportChanged(diags, &store.ChangedError{Key: key, At: found.ModificationTime})
			return kuma.Resource{}, false
		default:
			return r.adopt(ctx, e, known.Progress == runstate.ProgressReported, diags)
		}
	}
}

// createMissing returns a resource if it exists, and writes it if not, while nothing else in
// this process writes it.
func (r resourceClient) createMissing(ctx context.Context, res kuma.Resource, b configBlock, diags *diag.Diagnostics) (found kuma.Resource,
	exists bool, stored kuma.Resource, ok bool,
) {
	key := res.Key()
	if !r.cp.Ready(diags) {
		return found, false, stored, false
	}
	_, err := store.Exclusively(ctx, r.cp.Store, key, func(ctx context.Context) (struct{}, error) {
		if found, exists = r.current(ctx, key, diags); exists || diags.HasError() {
			return struct{}{}, nil
		}
		if r.kind.Contains && r.cp.Run.Get(key).Stage == runstate.StageDeleted { // Terraform drops warnings of the plan of a replacement
			diags.AddAttributeWarning(b.at, "Replacement deleted the mesh's resources",
				fmt.Sprintf(
					"The control plane deleted all resources of mesh %q together with the mesh, including those that the plan does not replace. "+
						"Apply again to create them. To avoid this, replace them in the same run with replace_triggered_by.", key.Name))
		}
		var said diag.Diagnostics
		if stored, ok = r.createNew(ctx, res, b, &said); ok || !r.wasGenerated(ctx, key) {
			diags.Append(said...)
		}
		return struct{}{}, nil
	})
	if err != nil {
		diags.AddError("Creation interrupted", phrase.Sentence(err))
	}
	return found, exists, stored, ok
}

// wasGenerated reports whether the control plane generated a resource while it was being
// created.
func (r resourceClient) wasGenerated(ctx context.Context, key kuma.Key) bool {
	var ignored diag.Diagnostics // the creation has failed, and its error is reported
	found, exists := r.current(ctx, key, &ignored)
	return exists && kuma.Generated(found.Labels)
}

// adopt writes a resource over an existing one, if the provider's configuration allows
// that or the control plane generated it. reported says that the plan of this run has
// reported it.
func (r resourceClient) adopt(ctx context.Context, e existingResource, reported bool, diags *diag.Diagnostics) (kuma.Resource, bool) {
	var said diag.Diagnostics
	adopts := e.reportAdoption(e.block.at, &said)
	if !adopts || !reported {
		diags.Append(said...)
	}
	if !adopts {
		return kuma.Resource{}, false
	}
	return r.replace(ctx, *e.planned, e.block, r.Resources().Fingerprint(e.found), nil, diags)
}
