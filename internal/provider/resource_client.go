package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// resourceClient does for Terraform what package store does with the resources of
// one kind: errors end up in the diagnostics, and what happens in the record of
// the run.
type resourceClient struct {
	kind def.Kind
	cp   *connection
	// document says that resources are whole documents, which show the members of
	// free-form objects that the description of the kind does not have.
	document bool
}

// configure tells which control plane it is.
func (r *resourceClient) configure(providerData any) {
	cp, ok := providerData.(*connection)
	if !ok {
		return // validating: the provider is not configured
	}
	r.cp = cp
	if k, ok := cp.capabilities().Find(r.kind.Name); ok {
		r.kind = k
	}
}

// connected reports whether there is a control plane to plan with.
func (r resourceClient) connected() bool { return r.cp != nil && r.cp.store != nil }

// resources are those of the kind; there has to be a control plane.
func (r resourceClient) resources() store.Resources {
	if r.document {
		return r.cp.store.Resources(r.kind).Whole()
	}
	return r.cp.store.Resources(r.kind)
}

// get returns what is stored, as it was when it was first asked for; false when
// there is nothing, or an error.
func (r resourceClient) get(ctx context.Context, key kuma.Key, diags *diag.Diagnostics) (kuma.Resource, bool) {
	return r.read(ctx, store.Resources.Get, key, diags)
}

// refresh is [resourceClient.get] for a resource that was there.
func (r resourceClient) refresh(ctx context.Context, key kuma.Key, diags *diag.Diagnostics) (kuma.Resource, bool) {
	return r.read(ctx, store.Resources.Refresh, key, diags)
}

// current returns what is stored now. Writes are decided by it.
func (r resourceClient) current(ctx context.Context, key kuma.Key, diags *diag.Diagnostics) (kuma.Resource, bool) {
	return r.read(ctx, store.Resources.Current, key, diags)
}

func (r resourceClient) read(ctx context.Context, read func(store.Resources, context.Context, kuma.Key) (kuma.Resource, error), key kuma.Key, diags *diag.Diagnostics) (kuma.Resource, bool) {
	if !r.cp.ready(diags) {
		return kuma.Resource{}, false
	}
	stored, err := read(r.resources(), ctx, key)
	if err != nil && !store.IsNotFound(err) {
		reportFailure(diags, r.kind, summaryRead, err)
	}
	return stored, err == nil
}

// replace writes a resource over the one that the plan has seen, and returns what
// is stored then. The kept members stay as they are stored.
func (r resourceClient) replace(ctx context.Context, res kuma.Resource, b configBlock, fingerprint string, kept []string, diags *diag.Diagnostics) (kuma.Resource, bool) {
	if !r.cp.ready(diags) {
		return kuma.Resource{}, false
	}
	written, err := r.resources().Replace(ctx, store.Update{Resource: res, Fingerprint: fingerprint, Keep: kept, Recreate: r.deletedMesh(res.Key())})
	return r.finishWrite(ctx, res, b, written, err, diags)
}

// createNew writes a resource that was not there a moment ago.
func (r resourceClient) createNew(ctx context.Context, res kuma.Resource, b configBlock, diags *diag.Diagnostics) (kuma.Resource, bool) {
	written, err := r.resources().Create(ctx, res)
	return r.finishWrite(ctx, res, b, written, err, diags)
}

// deletedMesh reports whether this run deleted the mesh of a resource, and so all
// that was in it.
func (r resourceClient) deletedMesh(key kuma.Key) bool {
	return key.Mesh != "" && r.cp.run.get(kuma.Key{Type: kuma.KindMesh, Name: key.Mesh}).deleted
}

// finishWrite says what a write did. The result is true as well when it is not
// known whether a new resource was written: what may be there belongs into the
// state.
func (r resourceClient) finishWrite(ctx context.Context, res kuma.Resource, b configBlock, written store.Written, err error, diags *diag.Diagnostics) (kuma.Resource, bool) {
	r.reportWarnings(ctx, res, written.Warnings, diags)
	if written.ReadBack != nil {
		diags.AddWarning("Cannot read the resource after writing", fmt.Sprintf("%s was written, but reading it back failed: %s The next plan reads it again.", res.Key(), phrase.Sentence(written.ReadBack)))
	}
	reportWrite(diags, r.kind, res.Key(), b, err)
	if (err == nil || isUnknownOutcome(err)) && (written.New || written.Replaced.Name != "") {
		r.recordWrite(res.Key(), written.Replaced)
	}
	return written.Resource, err == nil || written.New && isUnknownOutcome(err)
}

// recordWrite records what was stored before a write, without keeping secrets in
// memory, which no analysis looks at.
func (r resourceClient) recordWrite(key kuma.Key, before kuma.Resource) {
	if len(r.kind.SecretFields()) == 0 {
		r.cp.run.recordWrite(key, before)
	}
}

// reportWarnings passes on what the control plane warns about, unless validation
// warned already: the same in other words helps nobody.
func (r resourceClient) reportWarnings(ctx context.Context, res kuma.Resource, warnings []string, diags *diag.Diagnostics) {
	if len(warnings) == 0 {
		return
	}
	problems := r.kind.Validate(res.Document())
	known := len(problems) > len(def.Errors(problems))
	for _, w := range warnings {
		tflog.Warn(ctx, "warning of the control plane: "+w, map[string]any{"kind": res.Type, "mesh": res.Mesh, "name": res.Name})
		if !known {
			diags.AddWarning("Control plane warning for "+res.Type, w)
		}
	}
}

// delete deletes a resource that is what the plan saw; one that is gone already
// is fine.
func (r resourceClient) delete(ctx context.Context, key kuma.Key, fingerprint string, diags *diag.Diagnostics) {
	if r.cp.run.get(key).created {
		return // another resource of this run took the name, and what was there with it
	}
	if !r.cp.ready(diags) {
		return
	}
	deleted, err := r.resources().Delete(ctx, key, fingerprint)
	if err != nil {
		reportDeletion(diags, r.kind, key, err)
		return
	}
	r.cp.run.recordDeleted(key, r.resources().Secrets(deleted))
	if deleted.Name != "" {
		r.recordWrite(key, deleted)
	}
}
