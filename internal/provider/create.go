package provider

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// checkMesh warns of a mesh that does not exist and that this plan has not
// created so far.
func (r remote) checkMesh(ctx context.Context, key kuma.Key, at path.Path, diags *diag.Diagnostics) {
	within := kuma.Key{Type: kuma.KindMesh, Name: key.Mesh}
	if planned := r.cp.run.look(within); key.Mesh == "" || planned.creation != creationNone || planned.action == actionKeep {
		return
	}
	k, ok := r.cp.find(kuma.KindMesh)
	if !ok {
		return
	}
	if _, exists := (remote{kind: k, cp: r.cp}).get(ctx, within, diags); !exists && !diags.HasError() {
		diags.AddAttributeWarning(at, "Mesh does not exist yet", missingMesh(key.Mesh))
	}
}

// missingMesh says what to do about a mesh that does not exist.
func missingMesh(name string) string {
	return fmt.Sprintf("The control plane has no mesh %q. If this configuration creates it, refer to it as kuma_mesh.%s.name instead of by its name, so that Terraform creates the mesh first; otherwise create it or correct the name.", name, tfschema.LocalName(name))
}

// create writes a resource that is not there, and returns what is stored then. It
// is true as well when it is not known whether it was written: what may be there
// belongs into the state. One that exists is adopted where the provider's
// configuration allows that.
func (r remote) create(ctx context.Context, res kuma.Resource, b configBlock, diags *diag.Diagnostics) (stored kuma.Resource, ok bool) {
	run, key := r.cp.run, res.Key()
	defer func() {
		if ok {
			run.recordCreated(key)
		}
	}()
	for {
		found, exists := r.current(ctx, key, diags)
		known := run.look(key)
		timeout := run.deleteTimeout
		if r.cp.existing != existingRefuse && known.typeName == "" {
			timeout = min(timeout, adoptTimeout)
		}
		switch {
		case diags.HasError():
			return kuma.Resource{}, false
		case !exists:
			if known.deleted && key.Type == kuma.KindMesh { // Terraform drops warnings of the plan of a replacement
				diags.AddAttributeWarning(b.at, "Replacement deleted everything in the mesh",
					fmt.Sprintf("The control plane deleted all resources of mesh %q with it, also those that were not to be replaced. Apply again to create them. To avoid that, replace them in the same run with replace_triggered_by.", key.Name))
			}
			return r.createNew(ctx, withSecrets(res, known.secrets), b, diags)
		case run.awaitDeletion(ctx, key, timeout):
			continue
		case ctx.Err() != nil:
			diags.AddError("Creation interrupted", fmt.Sprintf("%s was not created.", key))
			return kuma.Resource{}, false
		case run.look(key).typeName != "":
			diags.AddAttributeError(b.at, "Resource not deleted yet",
				fmt.Sprintf("%s is in the state of another resource, or of the one that this replaces, and was not deleted first. Apply again. With create_before_destroy, a replacement needs a new name.", key))
			return kuma.Resource{}, false
		default:
			return r.adopt(ctx, existing{r, found, &res, b}, known.reported, diags)
		}
	}
}

// adopt writes a resource over one that exists, where the provider's configuration
// allows that. reported says that the plan of this run has said so.
func (r remote) adopt(ctx context.Context, e existing, reported bool, diags *diag.Diagnostics) (kuma.Resource, bool) {
	var said diag.Diagnostics
	adopts := e.adopts(e.block.at, &said)
	if !adopts || !reported {
		diags.Append(said...)
	}
	if !adopts {
		return kuma.Resource{}, false
	}
	return r.replace(ctx, *e.res, e.block, r.fingerprint(e.found), nil, diags)
}

// createNew writes a resource that was not there a moment ago.
func (r remote) createNew(ctx context.Context, res kuma.Resource, b configBlock, diags *diag.Diagnostics) (kuma.Resource, bool) {
	look := func(ctx context.Context) error {
		switch found, err := r.cp.client.Get(ctx, r.kind, res.Mesh, res.Name); {
		case isNotFound(err):
			return nil
		case err != nil:
			return err
		case r.wrote(res, found):
			return controlplane.ErrDone
		default:
			return &controlplane.ExistsError{}
		}
	}
	outcome, stored, err := r.write(ctx, res, diags, controlplane.OnlyCreate, controlplane.BeforeRetry(look))
	var exists *controlplane.ExistsError
	switch {
	case errors.As(err, &exists):
		diags.AddAttributeError(b.at, "Resource created by another client",
			fmt.Sprintf("Another client created %s after this plan was created. It was left as it is. Choose another name, or import the resource to manage it here.\n\n%s", res.Key(), b.importBlock(res.Name)))
		return kuma.Resource{}, false
	case err == nil && outcome == controlplane.Updated && r.cp.changes != changesOverwrite:
		diags.AddAttributeError(b.at, "Resource created by another client",
			fmt.Sprintf("Another client created %s at the same moment, and this apply replaced what it wrote: the control plane answered that it updated the resource instead of creating it. "+
				"The resource was not added to the state, because another client may manage it. If it belongs here, import it; otherwise restore it where it is managed, and choose another name.\n\n%s", res.Key(), b.importBlock(res.Name)))
		return kuma.Resource{}, false
	case err != nil:
		r.reportWrite(diags, res.Key(), err)
	}
	return stored, err == nil || isUnknownOutcome(err)
}
