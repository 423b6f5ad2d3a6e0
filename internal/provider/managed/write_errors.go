package managed

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane"
	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Summaries of errors that have more than one place.
const (
	summaryRead = "Cannot read the resource"
	summaryMesh = "Mesh does not exist"
)

// reportFailure reports why a request for a resource of kind k failed, on the
// attributes that the control plane names.
func reportFailure(diags *diag.Diagnostics, k def.Kind, summary string, err error) {
	var invalid *controlplane.InvalidError
	if !errors.As(err, &invalid) || len(invalid.Violations) == 0 {
		detail := report.RequestDetail(err)
		if _, ok := errors.AsType[*controlplane.UnknownKindError](err); ok && k.Since != "" {
			detail += fmt.Sprintf(" Kuma supports the kind %s since %s.", k.Name, k.Since)
		}
		diags.AddError(summary, detail)
		return
	}
	for _, v := range invalid.Violations {
		detail := "The control plane rejected " + cmp.Or(v.Field, "the document") + ": " + strings.TrimRight(v.Reason, ".") + "."
		if k.Remedy != nil {
			detail = strings.TrimRight(detail+" "+k.Remedy(v.Reason), " ")
		}
		diags.AddAttributeError(tfschema.AttributePath(k, tree.ParsePath(v.Field)), summary, detail)
	}
}

// reportWrite reports why a resource could not be written; nothing without an error.
func reportWrite(diags *diag.Diagnostics, k def.Kind, key kuma.Key, b configBlock, err error) {
	const createdByOthers = "Resource created by another client"
	var (
		lost        *store.UnknownFieldsError
		overwritten *store.OverwrittenError
		exists      *controlplane.ExistsError
		notFound    *controlplane.NotFoundError
		noValue     *store.MissingSecretError
	)
	switch {
	case err == nil || reportUnchanged(diags, k, err):
	case errors.As(err, &noValue):
		b.reportMissingSecret(newSecretDetail(key), k, diags)
	case errors.As(err, &lost):
		diags.AddError("Update would remove unknown fields", lostDetail(lost))
	case errors.As(err, &exists):
		diags.AddAttributeError(b.at, createdByOthers,
			fmt.Sprintf("Another client created %s after this plan was created. The resource was not changed. "+
				"Choose another name, or import the resource to manage it here.\n\n%s", key, b.importBlock()))
	case errors.As(err, &overwritten):
		diags.AddAttributeError(b.at, createdByOthers,
			fmt.Sprintf(
				"Another client created %s at the same time, and this apply overwrote it: the control plane reported an update instead of a creation. "+
					"The resource was not added to the state, because another client may manage it. To manage it here, import it. "+
					"Otherwise restore it where it is managed, and choose another name.\n\n%s", key, b.importBlock()))
	case errors.As(err, &notFound) && notFound.Mesh:
		diags.AddAttributeError(path.Root("mesh"), summaryMesh, missingMesh(key.Mesh))
	default:
		reportFailure(diags, k, "Cannot write the resource", err)
	}
}

// reportUnchanged reports an error because of which the control plane was not asked to write
// or delete a resource. It returns false for another error, and for none.
func reportUnchanged(diags *diag.Diagnostics, k def.Kind, err error) bool {
	var readError *store.ReadError
	var synced *store.SyncedError
	var changed *store.ChangedError
	switch {
	case errors.As(err, &readError):
		reportFailure(diags, k, summaryRead, err)
	case errors.As(err, &synced):
		reportSynced(diags, synced)
	case errors.As(err, &changed):
		reportChanged(diags, changed)
	default:
		return false
	}
	return true
}

// reportDeletion reports why a resource could not be deleted. It names the resource,
// because Terraform does not show the address of a resource that is destroyed.
func reportDeletion(diags *diag.Diagnostics, k def.Kind, key kuma.Key, err error) {
	var orphaned *store.OrphanedError
	switch {
	case reportUnchanged(diags, k, err):
	case errors.As(err, &orphaned):
		diags.AddError("Cannot delete the resource", fmt.Sprintf("%s was not deleted: %s. It will be in the next mesh with this name. "+
			"To delete it, create the mesh again, and delete the %s before the mesh. "+
			"If the same configuration manages the mesh, set mesh to its name attribute, such as kuma_mesh.example.name: "+
			"Terraform then destroys them in this order.", key, orphaned, key.Type))
	default:
		diags.AddError("Cannot delete the resource", fmt.Sprintf("%s was not deleted. %s", key, deletionDetail(k, err)))
	}
}

// deletionDetail returns why a deletion failed; a rejected one without the path in
// the document.
func deletionDetail(k def.Kind, err error) string {
	var invalid *controlplane.InvalidError
	if !errors.As(err, &invalid) || len(invalid.Violations) == 0 {
		return report.RequestDetail(err)
	}
	reasons := phrase.Each(invalid.Violations, func(v controlplane.Violation) string { return strings.TrimRight(v.Reason, ".") })
	return strings.TrimRight("The control plane rejected the deletion: "+strings.Join(reasons, "; ")+". "+k.Undeletable, " ")
}

// reportSynced reports that this control plane only has a copy of a resource. It names the
// control plane where the resource can be changed.
func reportSynced(diags *diag.Diagnostics, synced *store.SyncedError) {
	owner := "the global control plane"
	if synced.Zone != "" {
		owner = fmt.Sprintf("the control plane of zone %q", synced.Zone)
	}
	diags.AddError("Resource owned by another control plane",
		fmt.Sprintf("%s Manage it with a provider whose endpoint is %s. "+
			"To stop managing the copy here, remove it from the state with a removed block or with terraform state rm.", phrase.Sentence(synced),
			owner))
}

// reportChanged reports that another client changed a resource after the plan.
func reportChanged(diags *diag.Diagnostics, changed *store.ChangedError) {
	diags.AddError("Resource changed since the plan was created",
		fmt.Sprintf("%s, and applying this plan would overwrite that change. Run terraform plan again to review it. "+
			"To overwrite such changes, set concurrent_changes = \"overwrite\" in the provider block.", changed))
}

func isUnknownOutcome(err error) bool {
	_, unknown := errors.AsType[*controlplane.UnknownOutcomeError](err)
	return unknown
}

// warnOfUnknownFields warns about fields that a later release stored in a resource.
func (r resourceClient) warnOfUnknownFields(stored kuma.Resource, diags *diag.Diagnostics) {
	if unknown := r.Resources().UnknownFields(stored); len(unknown) > 0 {
		diags.AddWarning("Unknown fields on the control plane",
			fmt.Sprintf("The control plane stores fields of %s that this version of the provider does not know: %s. "+
				"They are not shown as differences, and updates keep them. Upgrade the provider to manage them.", stored.Key(), pathList(unknown)))
	}
}

// lostDetail returns which fields of a later release prevent an update, and
// what to do.
func lostDetail(lost *store.UnknownFieldsError) string {
	return fmt.Sprintf(
		"The control plane stores fields of %s that this version of the provider does not know, in parts that the plan changes or removes, so "+
			"it is not clear where they belong: %s. "+
			"Nothing was written. Upgrade the provider, remove these fields with another client first, or replace the resource without them: "+
			"terraform apply -replace=ADDRESS.", lost.Key, pathList(lost.Paths))
}

func pathList(paths []tree.Path) string {
	return strings.Join(phrase.Each(paths, tree.Path.String), ", ")
}
