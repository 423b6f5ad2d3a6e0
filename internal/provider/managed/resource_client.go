package managed

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/connection"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/runstate"
)

// resourceClient adapts package store to Terraform for the resources of one kind: it
// reports errors in the diagnostics, and records events in the state of the run.
type resourceClient struct {
	kind def.Kind
	cp   *connection.Connection
	// document is true if resources are whole documents, including the fields
	// of free-form objects that the description of the kind does not have.
	document bool
}

// Connect sets the control plane.
func (r *resourceClient) Connect(providerData any) {
	cp, ok := providerData.(*connection.Connection)
	if !ok {
		return // validation: the provider is not configured
	}
	r.cp = cp
	if k, ok := cp.Capabilities().Find(r.kind.Name); ok {
		r.kind = k
	}
}

// Configured reports whether Terraform has configured the provider.
func (r resourceClient) Configured() bool { return r.cp != nil }

// Connected reports whether there is a control plane to plan with.
func (r resourceClient) Connected() bool { return r.cp != nil && r.cp.Store != nil }

// Resources returns the resources of the kind; it needs a control plane.
func (r resourceClient) Resources() store.Resources {
	if r.document {
		return r.cp.Store.Resources(r.kind).Whole()
	}
	return r.cp.Store.Resources(r.kind)
}

// get returns a stored resource, possibly from the cache; false when it does not
// exist, or with an error.
func (r resourceClient) get(ctx context.Context, key kuma.Key, diags *diag.Diagnostics) (kuma.Resource, bool) {
	return r.read(ctx, store.Resources.Get, key, diags)
}

// Refresh is [resourceClient.get] for a resource that existed.
func (r resourceClient) Refresh(ctx context.Context, key kuma.Key, diags *diag.Diagnostics) (kuma.Resource, bool) {
	return r.read(ctx, store.Resources.Refresh, key, diags)
}

// current returns what is stored now. Writes depend on it.
func (r resourceClient) current(ctx context.Context, key kuma.Key, diags *diag.Diagnostics) (kuma.Resource, bool) {
	return r.read(ctx, store.Resources.Current, key, diags)
}

func (r resourceClient) read(ctx context.Context, read func(store.Resources, context.Context, kuma.Key) (kuma.Resource, error),
	key kuma.Key, diags *diag.Diagnostics,
) (kuma.Resource, bool) {
	if !r.cp.Ready(diags) {
		return kuma.Resource{}, false
	}
	stored, err := read(r.Resources(), ctx, key)
	if err != nil && !store.IsNotFound(err) {
		reportFailure(diags, r.kind, summaryRead, err)
	}
	return stored, err == nil
}

// replace writes a resource over the version that the plan has read, and returns what
// is stored then. The kept fields keep their stored values.
func (r resourceClient) replace(ctx context.Context, res kuma.Resource, b configBlock, fingerprint string, kept []string,
	diags *diag.Diagnostics,
) (kuma.Resource, bool) {
	if !r.cp.Ready(diags) {
		return kuma.Resource{}, false
	}
	written, err := r.Resources().Replace(ctx,
		store.Update{Resource: res, Fingerprint: fingerprint, Keep: kept, Recreate: r.deletedMesh(res.Key())})
	return r.finishWrite(ctx, res, b, written, err, diags)
}

// createNew writes a resource that did not exist when it was last read.
func (r resourceClient) createNew(ctx context.Context, res kuma.Resource, b configBlock, diags *diag.Diagnostics) (kuma.Resource, bool) {
	written, err := r.Resources().Create(ctx, res)
	return r.finishWrite(ctx, res, b, written, err, diags)
}

// deletedMesh reports whether this run deleted the mesh of a resource, and thereby its
// resources.
func (r resourceClient) deletedMesh(key kuma.Key) bool {
	return key.Mesh != "" && r.cp.Run.Get(kuma.MeshKey(key.Mesh)).Stage == runstate.StageDeleted
}

// finishWrite reports the outcome of a write. The result is also true when it is not
// known whether a new resource was written: what may exist belongs in the state.
func (r resourceClient) finishWrite(ctx context.Context, res kuma.Resource, b configBlock, written store.Written, err error,
	diags *diag.Diagnostics,
) (kuma.Resource, bool) {
	r.reportWarnings(ctx, res, written.Warnings, diags)
	if written.ReadBack != nil {
		diags.AddWarning("Cannot read the resource after writing",
			fmt.Sprintf("%s was written, but reading it back failed: %s The next plan reads it again.", res.Key(),
				phrase.Sentence(written.ReadBack)))
	}
	reportWrite(diags, r.kind, res.Key(), b, err)
	if (err == nil || isUnknownOutcome(err)) && (written.New || written.Replaced.Name != "") {
		r.recordWrite(res.Key(), written.Replaced)
	}
	return written.Resource, err == nil || written.New && isUnknownOutcome(err)
}

// recordWrite records what was stored before a write, except secrets, which no
// analysis reads and which should not stay in memory.
func (r resourceClient) recordWrite(key kuma.Key, before kuma.Resource) {
	if len(r.kind.SecretFields()) == 0 {
		r.cp.Run.RecordWrite(key, before)
	}
}

// reportWarnings reports warnings of the control plane, unless validation has already
// warned: the two would only differ in wording.
func (r resourceClient) reportWarnings(ctx context.Context, res kuma.Resource, warnings []string, diags *diag.Diagnostics) {
	if len(warnings) == 0 {
		return
	}
	problems := r.kind.ValidateIn(res.Document(), r.cp.Capabilities().ControlPlane.Release)
	known := len(problems) > len(def.Errors(problems))
	for _, w := range warnings {
		tflog.Warn(ctx, "warning of the control plane: "+w, map[string]any{"kind": res.Type, "mesh": res.Mesh, "name": res.Name})
		if !known {
			diags.AddWarning("Control plane warning for "+res.Type, w)
		}
	}
}

// Remove deletes a resource that is as the plan has read it. Deleting a missing
// resource succeeds. If the creation of its replacement writes over it, it is not
// deleted. force is whether a mesh may be deleted with what it contains.
func (r resourceClient) Remove(ctx context.Context, key kuma.Key, force bool, private privateState, diags *diag.Diagnostics) {
	if r.cp.Run.Get(key).Progress == runstate.ProgressDone {
		return // another resource of this run took over the name
	}
	defer func() {
		if diags.HasError() {
			forgetPlan(ctx, private, diags)
		}
	}()
	if !r.cp.Ready(diags) {
		return
	}
	if r.CheckInstallation(ctx, key, private, diags); diags.HasError() {
		return
	}
	r.checkContents(ctx, key, force, private, diags)
	r.checkReplacement(ctx, key, private, diags)
	if diags.HasError() {
		return
	}
	remove := r.Resources().Delete
	var overwritten kuma.Key // by the creation of its replacement
	overwrites := saved(ctx, private, overwritesKey, &overwritten, diags) && overwritten == key
	if overwrites {
		remove = r.Resources().Deletable
	}
	if r.cp.Existing == connection.ExistingAdopt {
		found, exists := r.current(ctx, key, diags)
		if diags.HasError() {
			return
		}
		if exists { // before replacedVersion may miss it
			r.cp.Run.RecordDeletion(key, r.Resources().Fingerprint(found))
		}
	}
	removed, err := remove(ctx, key, SavedFingerprint(ctx, private, diags))
	switch {
	case err != nil:
		reportDeletion(diags, r.kind, key, err)
	case removed.Name == "":
		r.cp.Run.RecordDeleted(key)
	case overwrites:
		r.cp.Run.RecordOverwritten(key, r.Resources().Fingerprint(removed))
	default:
		r.cp.Run.RecordDeleted(key)
		r.recordWrite(key, removed)
		r.warnOfSecrets(ctx, key, private, diags)
	}
}
