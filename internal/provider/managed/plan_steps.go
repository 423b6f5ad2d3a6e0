package managed

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/runstate"
)

// The steps that the plans of typed resources and of manifests share, in order.

// planDeletion records that the plan deletes a resource of the state, and
// reports why if that is not possible.
func (r resourceClient) planDeletion(ctx context.Context, key kuma.Key, b configBlock, diags *diag.Diagnostics) {
	r.cp.CurrentRun().BeginPlan()
	r.recordStage(ctx, key, runstate.StageDestroyed, b, diags)
	r.reportReadOnly(diags)
	r.warnOfProxy(ctx, key, diags)
	report.Document(diags, path.Empty(), r.cp.ReportDestroyedTarget(ctx, key, true))
	if cp := r.cp.Capabilities().ControlPlane; !r.Connected() || !cp.Federated && cp.Mode != kuma.ModeGlobal {
		return // no resource is a copy
	}
	if stored, ok := r.Refresh(ctx, key, diags); ok {
		reportUnchanged(diags, r.kind, r.cp.Store.CheckOwned(r.kind, stored))
	}
}

// planChange reports why the planned change of a stored resource cannot be made or will not
// last.
func (r resourceClient) planChange(ctx context.Context, stored kuma.Resource, diags *diag.Diagnostics) {
	r.reportReadOnly(diags)
	reportUnchanged(diags, r.kind, r.cp.Store.CheckOwned(r.kind, stored))
	r.warnOfProxy(ctx, stored.Key(), diags)
}

// warnOfProxy warns if the plan changes a Dataplane that kuma-dp manages as well.
func (r resourceClient) warnOfProxy(ctx context.Context, key kuma.Key, diags *diag.Diagnostics) {
	if r.cp == nil || !r.cp.OwnedByProxy(ctx, key) {
		return
	}
	diags.AddWarning("Dataplane belongs to kuma-dp",
		fmt.Sprintf(
			"kuma-dp was started with %s in a file, and both manage it: "+
				"the control plane writes the Dataplane of the file when the proxy connects, and deletes it 10 seconds after the "+
				"proxy has disconnected. "+
				"To manage it here, start kuma-dp with --name and --mesh instead of --dataplane-file. "+
				"To leave it to kuma-dp, remove the resource with a removed block that sets destroy = false.", key))
}

// planKey records whether a resource of the state keeps its key. The new key is the
// zero value while it is not known.
func (r resourceClient) planKey(ctx context.Context, before, after kuma.Key, b configBlock, private privateState, diags *diag.Diagnostics) {
	if before == after {
		r.recordStage(ctx, before, runstate.StageKept, b, diags)
		return
	}
	r.recordStage(ctx, before, runstate.StageRenamed, b, diags)
	save(ctx, private, replacesKey, true, diags)
}

// recordStage records what the plan does with a resource of the state, and reports
// the conflict with others of the same key.
func (r resourceClient) recordStage(ctx context.Context, key kuma.Key, stage runstate.Stage, b configBlock, diags *diag.Diagnostics) {
	if r.cp == nil || key == (kuma.Key{}) {
		return
	}
	r.reportConflict(ctx, r.cp.Run.RecordPlan(key, b.typeName, stage), key, b, diags)
	if stage.Destroys() {
		r.warnOfAnalyses(key, diags)
	}
}

// warnOfAnalyses warns about analyses that were read before the plan destroyed a
// resource, and therefore include it.
func (r resourceClient) warnOfAnalyses(key kuma.Key, diags *diag.Diagnostics) {
	names, kri := r.cp.Run.OutdatedAnalyses(key)
	if len(names) == 0 {
		return
	}
	advice := "Review the saved plan with `terraform-provider-kuma review`, which covers it"
	if kri != "" {
		advice += fmt.Sprintf(", or add %q to removed of the data source", kri)
	}
	diags.AddWarning("Destroy not covered by an analysis",
		fmt.Sprintf("Terraform planned to destroy %s after it had read %s, which therefore still includes the resource. "+
			"Its results and the conditions on them do not cover this destroy. %s.", key, phrase.And(names...), advice))
}

// recordChange records that the plan creates or changes a resource, and warns about analyses
// that were read before and do not cover it.
func (r resourceClient) recordChange(key kuma.Key, labels map[string]string, diags *diag.Diagnostics) {
	if names := r.cp.Run.RecordChange(key, labels); len(names) > 0 {
		diags.AddWarning("Change not covered by an analysis",
			fmt.Sprintf("The plan changes %s, which is not in planned of %s. Its results and the conditions on them do not cover this change. "+
				"Add the resource to planned.", key, phrase.And(names...)))
	}
}

// readPlanned returns the stored version of a resource that the plan changes,
// and reports in the diagnostics if it differs from what the last refresh or
// write left: Terraform plans again during the apply, and must arrive at the
// same plan.
func (r resourceClient) readPlanned(ctx context.Context, key kuma.Key, private privateReader, diags *diag.Diagnostics) (kuma.Resource,
	bool,
) {
	stored, ok := r.Refresh(ctx, key, diags)
	if !ok {
		return kuma.Resource{}, true // deleted or not readable: the apply reports it
	}
	return stored, !reportUnchanged(diags, r.kind, r.Resources().CheckUnchanged(stored, SavedFingerprint(ctx, private, diags)))
}

// planCreation plans a resource that is not in the state, or the second half of
// a replacement. res is nil while the plan does not know all of it.
func (r resourceClient) planCreation(ctx context.Context, key kuma.Key, res *kuma.Resource, b configBlock, private privateState,
	diags *diag.Diagnostics,
) {
	how := creationOf(ctx, private, diags)
	r.checkMesh(ctx, key, how, b.meshAt, diags)
	r.checkNeeded(ctx, key, b.at, diags)
	r.reportReadOnly(diags)
	r.planSecret(ctx, key, res, b, private, diags)
	if !diags.HasError() {
		r.planNew(ctx, key, res, b, how, diags)
	}
	if how == runstate.CreationReplacement && !diags.HasError() {
		r.saveReplacement(ctx, key, private, diags)
	}
}

// replacement is what a plan has seen that creates a resource with another key than that
// which it destroys: the creation needs it in the apply, after the deletion.
type replacement struct {
	Key    kuma.Key
	InMesh bool // its mesh exists
	New    bool // no resource has its key
}

func (r resourceClient) saveReplacement(ctx context.Context, key kuma.Key, private privateState, diags *diag.Diagnostics) {
	seen := replacement{Key: key}
	if key.Mesh != "" {
		_, seen.InMesh = r.of(kuma.KindMesh).get(ctx, kuma.MeshKey(key.Mesh), diags)
	}
	_, exists := r.get(ctx, key, diags)
	seen.New = !exists
	save(ctx, private, replacementKey, seen, diags)
}

// checkReplacement reports that the resource with a key must not be deleted, because its
// replacement cannot be created any more.
func (r resourceClient) checkReplacement(ctx context.Context, key kuma.Key, private privateReader, diags *diag.Diagnostics) {
	var seen replacement
	if !saved(ctx, private, replacementKey, &seen, diags) {
		return
	}
	why := fmt.Sprintf("%s was not deleted, because its replacement cannot be created: ", key)
	if seen.InMesh && !r.deletedMesh(seen.Key) {
		if _, exists := r.of(kuma.KindMesh).current(ctx, kuma.MeshKey(seen.Key.Mesh), diags); !exists && !diags.HasError() {
			diags.AddError(summaryMesh, why+fmt.Sprintf("the control plane has no mesh %q any more. Create it, and plan again.", seen.Key.Mesh))
		}
	}
	if seen.New && !diags.HasError() {
		if found, exists := r.of(seen.Key.Type).current(ctx, seen.Key, diags); exists && !kuma.Generated(found.Labels) {
			diags.AddError("Resource created by another client", why+
				fmt.Sprintf("%s already exists, which it did not when the plan was created. Plan again.", seen.Key))
		}
	}
}

// reportReadOnly reports that a control plane does not accept changes.
func (r resourceClient) reportReadOnly(diags *diag.Diagnostics) {
	if !r.Connected() {
		return
	}
	var readOnly *store.ReadOnlyError
	switch {
	case !errors.As(r.cp.Store.CheckWritable(), &readOnly):
	case readOnly.Kubernetes:
		diags.AddError("Control plane runs on Kubernetes",
			"A control plane on Kubernetes does not accept changes through its API, so this plan cannot be applied. "+
				"Data sources and functions work. Change the resource with kubectl, or set endpoint to a control plane in universal mode.")
	default:
		diags.AddError("Control plane is read-only",
			"The API of the control plane is configured as read-only (KUMA_API_SERVER_READ_ONLY), so this plan cannot be applied. "+
				"Data sources and functions work. Set endpoint to a control plane that accepts changes.")
	}
}
