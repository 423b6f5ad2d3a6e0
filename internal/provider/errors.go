package provider

import (
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// reportConnection says why the control plane cannot be used at all.
func reportConnection(diags *diag.Diagnostics, err error) {
	var unauthorized *controlplane.UnauthorizedError
	var forbidden *controlplane.ForbiddenError
	switch {
	case errors.As(err, &unauthorized), errors.As(err, &forbidden):
		diags.AddAttributeError(path.Root("token"), "The control plane refuses the token", phrase.Sentence(err))
	default:
		diags.AddAttributeError(path.Root("endpoint"), "The control plane cannot be used", phrase.Sentence(err))
	}
}

// summaryRead is the summary of errors about resources that cannot be read.
const summaryRead = "Cannot read the resource"

// reportFailure says why a request about a resource of kind k failed, on the
// attributes that the control plane names.
func reportFailure(diags *diag.Diagnostics, k def.Kind, summary string, err error) {
	var invalid *controlplane.InvalidError
	if !errors.As(err, &invalid) || len(invalid.Violations) == 0 {
		diags.AddError(summary, phrase.Sentence(err))
		return
	}
	for _, v := range invalid.Violations {
		diags.AddAttributeError(tfschema.AttributePath(k, tree.ParsePath(v.Field)), summary,
			"The control plane refuses "+orText(v.Field, "the document")+": "+v.Reason+".")
	}
}

func orText(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// reportWrite says why a resource could not be written; nothing without an error.
func reportWrite(diags *diag.Diagnostics, k def.Kind, key kuma.Key, b configBlock, err error) {
	const createdByOthers = "Resource created by another client"
	var (
		readError   *store.ReadError
		synced      *store.SyncedError
		changed     *store.ChangedError
		lost        *store.UnknownFieldsError
		overwritten *store.OverwrittenError
		exists      *controlplane.ExistsError
		notFound    *controlplane.NotFoundError
	)
	switch {
	case err == nil:
	case errors.As(err, &readError):
		reportFailure(diags, k, summaryRead, err)
	case errors.As(err, &synced):
		diags.Append(syncedDiagnostic(synced))
	case errors.As(err, &changed):
		reportChanged(diags, changed)
	case errors.As(err, &lost):
		diags.AddError("Update would remove unknown fields", lostDetail(lost))
	case errors.As(err, &exists):
		diags.AddAttributeError(b.at, createdByOthers,
			fmt.Sprintf("Another client created %s after this plan was created. It was left as it is. Choose another name, or import the resource to manage it here.\n\n%s", key, b.importBlock(key.Name)))
	case errors.As(err, &overwritten):
		diags.AddAttributeError(b.at, createdByOthers,
			fmt.Sprintf("Another client created %s at the same moment, and this apply replaced what it wrote: the control plane answered that it updated the resource instead of creating it. "+
				"The resource was not added to the state, because another client may manage it. If it belongs here, import it; otherwise restore it where it is managed, and choose another name.\n\n%s", key, b.importBlock(key.Name)))
	case errors.As(err, &notFound) && notFound.Mesh:
		diags.AddAttributeError(path.Root("mesh"), "Mesh does not exist", missingMesh(key.Mesh))
	default:
		reportFailure(diags, k, "Cannot write the resource", err)
	}
}

// reportDeletion says why a resource could not be deleted.
func reportDeletion(diags *diag.Diagnostics, k def.Kind, err error) {
	var readError *store.ReadError
	var synced *store.SyncedError
	var changed *store.ChangedError
	switch {
	case errors.As(err, &readError):
		reportFailure(diags, k, summaryRead, err)
	case errors.As(err, &synced):
		diags.Append(syncedDiagnostic(synced))
	case errors.As(err, &changed):
		reportChanged(diags, changed)
	default:
		reportFailure(diags, k, "Cannot delete the resource", err)
	}
}

// syncedDiagnostic says where a resource can be changed of which the control plane
// only has a copy.
func syncedDiagnostic(synced *store.SyncedError) diag.Diagnostic {
	owner := "the global control plane"
	if synced.Zone != "" {
		owner = fmt.Sprintf("the control plane of zone %q", synced.Zone)
	}
	return diag.NewErrorDiagnostic("The resource belongs to another control plane",
		fmt.Sprintf("%s. Change it with a provider that is configured with the endpoint of %s. To stop managing the copy here, remove it from the state with a removed block, or with terraform state rm.", phrase.Sentence(synced), owner))
}

// reportChanged says that another client changed a resource after the plan.
func reportChanged(diags *diag.Diagnostics, changed *store.ChangedError) {
	diags.AddError("Resource changed since the plan was created",
		fmt.Sprintf("%s, and applying this plan would overwrite that change. Run terraform plan again to review it. To overwrite such changes, set concurrent_changes = \"overwrite\" in the provider block.", changed))
}

func isUnknownOutcome(err error) bool {
	var unknown *controlplane.UnknownOutcomeError
	return errors.As(err, &unknown)
}
