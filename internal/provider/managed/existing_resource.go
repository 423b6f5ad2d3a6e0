package managed

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/connection"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/runstate"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// configBlock is how a configuration manages a resource.
type configBlock struct {
	typeName string // of the Terraform resource
	importID string
	at       path.Path // the attribute that names the resource
	meshAt   path.Path // the attribute that names its mesh
}

// importBlock returns the import block of a resource. Terraform tells a provider no
// addresses, and prints that of the resource above the text of an error.
func (b configBlock) importBlock() string {
	return "# ADDRESS is the address of the resource, as shown after \"with\" above.\n" + configuration.ImportBlock("ADDRESS", b.importID)
}

// existingResource is a resource that exists and that the plan creates.
type existingResource struct {
	resourceClient
	found   kuma.Resource
	planned *kuma.Resource // nil while the plan does not know all of it
	block   configBlock
}

// Key returns the key of the resource.
func (e existingResource) Key() kuma.Key { return e.found.Key() }

// adviceDestroy is part of errors of a plan, because Terraform also plans before it
// destroys.
const adviceDestroy = "To destroy all resources without changing the configuration first, run `terraform destroy -refresh=false`."

// DescribeConflict describes a conflict about a resource and how to resolve it.
func DescribeConflict(c runstate.Conflict, key kuma.Key, r runstate.Resource) diag.Diagnostic {
	inState, planned := r.TypeName, r.NewType
	switch {
	case c == runstate.ConflictTwoBlocks:
		detail := fmt.Sprintf("%s is managed by more than one resource block or instance, and each would overwrite the others. "+
			"Keep one of them, or change the names of the others.", key)
		if inState != "" {
			detail += " " + adviceDestroy
		}
		return diag.NewErrorDiagnostic("Duplicate resource", detail)
	case c == runstate.ConflictDestroyed:
		return diag.NewErrorDiagnostic("Plan would destroy an imported resource",
			fmt.Sprintf(
				"%s is in the state at two addresses, or is imported at a second one, and the plan would destroy it at the address that the "+
					"configuration no longer has, and so delete it for both. "+
					"If the plan shows it as a deposed object, run `terraform state rm` for its address, and apply again. "+
					"Otherwise, to keep it only at the new address, remove the old one from the state:\n\nremoved {\n from = %s.OLD_NAME\n "+
					"lifecycle {\n    destroy = false\n  }\n}", key, inState))
	case c == runstate.ConflictMesh:
		return diag.NewErrorDiagnostic("Plan destroys the mesh of the resource",
			fmt.Sprintf(
				"The plan destroys mesh %q, and the control plane deletes everything in a mesh together with it, but the configuration contains %s. "+
					"Remove both from the configuration, or neither. %s", key.Mesh, key, adviceDestroy))
	case inState == planned:
		remains := "If the plan shows it as a deposed object, it remains from a failed replacement with create_before_destroy: "
		if k, _ := kinds.Find(key.Type); len(k.SecretFields()) == 0 { // it is adopted, see reportConflict
			remains += "set existing = \"adopt_equal\" in the provider block until it is applied, or "
		}
		remains += "run `terraform state rm` for its address, and import it. "
		return diag.NewErrorDiagnostic("Resource address changed without a moved block",
			fmt.Sprintf(
				"%s is in the state at an address that is not in the configuration, and another resource block would create it. "+
					"The plan would delete it and create it again. "+
					remains+"%s If the block was renamed, add a moved block:\n\nmoved {\n from = %s.OLD_NAME\n to   = %s.NEW_NAME\n}", key, adviceDestroy,
				inState, inState))
	default:
		return diag.NewErrorDiagnostic("Resource type changed",
			fmt.Sprintf(
				"%s is in the state as a %s that is not in the configuration, and a %s would create it. The plan would delete it and create it again. "+
					"To change the type, remove the old one from the state and import the new one:\n\nremoved {\n from = %s.OLD_NAME\n lifecycle {\n    "+
					"destroy = false\n  }\n}\n\n%s", key, inState, planned, inState, configuration.ImportBlock(planned+".NEW_NAME", "…")))
	}
}

// reportConflict reports a conflict, unless the resource may be adopted at its new
// address. One with a sensitive value may not: it would be lost if it were deleted before.
func (r resourceClient) reportConflict(ctx context.Context, c runstate.Conflict, key kuma.Key, b configBlock, diags *diag.Diagnostics) {
	if c == runstate.ConflictNone {
		return
	}
	if _, secret := r.storedSecret(ctx, key, diags); c == runstate.ConflictMovedBlock && r.cp.Existing != connection.ExistingRefuse &&
		!secret {
		return
	}
	d := DescribeConflict(c, key, r.cp.Run.Get(key))
	diags.AddAttributeError(b.at, d.Summary(), d.Detail())
}

// planNew reports why a resource cannot be created, and how an existing one is
// handled. res is nil while the plan does not know all of it.
func (r resourceClient) planNew(ctx context.Context, key kuma.Key, res *kuma.Resource, b configBlock, how runstate.Creation,
	diags *diag.Diagnostics,
) {
	run := r.cp.Run
	c, mayExist := run.RecordCreation(key, b.typeName, how)
	var all []runstate.Unresolved
	if mayExist {
		found, ok := r.get(ctx, key, diags)
		if !ok {
			return
		}
		r.warnOfProxy(ctx, key, diags)
		e := existingResource{r, found, res, b}
		c, all = run.Resolve(ctx, e, e.adoptable())
	}
	r.reportConflict(ctx, c, key, b, diags)
	for _, u := range all {
		at := path.Empty() // the conflict is about another resource
		if u.Key() == key {
			at = b.at
		}
		if e, ok := u.(existingResource); ok {
			e.reportAdoption(at, diags)
		}
	}
}

// replacedVersion returns the fingerprint of the stored version that a creation replaces,
// empty for none. Terraform plans a creation again in the apply and keeps no private
// state of the first plan. It only compares the planned values, and fails if they
// differ. Therefore the result does not depend on what the run knows of the state.
func (r resourceClient) replacedVersion(ctx context.Context, key kuma.Key, diags *diag.Diagnostics) string {
	if r.cp.Existing != connection.ExistingAdopt || !r.cp.Verifies {
		return ""
	}
	found, exists := r.get(ctx, key, diags)
	if deleted := r.cp.Run.Get(key).Version; deleted != "" {
		return deleted
	}
	if !exists || r.belongsToNoUser(ctx, found, diags) {
		return ""
	}
	return r.Resources().Fingerprint(found)
}

// belongsToNoUser reports whether the control plane created a stored resource, and no
// user has changed it: it may appear between a plan and its apply.
func (r resourceClient) belongsToNoUser(ctx context.Context, found kuma.Resource, diags *diag.Diagnostics) bool {
	owners, err := r.cp.Store.MeshResources(ctx, found.Mesh, kinds.Owners(r.kind))
	if err != nil {
		reportFailure(diags, r.kind, summaryRead, err)
	}
	return kuma.Generated(found.Labels) || kinds.ManagedBy(r.kind, found, owners, r.cp.Store.ControlPlane) == kinds.ManagedByMesh
}

// advice says what to do about a resource that is not adopted; an import block follows.
func (e existingResource) advice() []string {
	known := e.cp.Run.Get(e.Key())
	switch {
	case known.Stage.InState() && known.TypeName == e.block.typeName:
		return []string{
			"The state has it at another address, where a removed block forgets it without deleting it. " +
				"To manage it at its new address, replace the removed block with a moved block:",
			fmt.Sprintf("moved {\n  from = %s.OLD_NAME\n  to   = %[1]s.NEW_NAME\n}", known.TypeName),
			"Or keep the removed block, and import the resource:",
		}
	case known.Stage.InState():
		return []string{fmt.Sprintf(
			"The state has it as a %s, which a removed block forgets without deleting it. "+
				"To manage it as a %s, keep the removed block, and import the resource:", known.TypeName, e.block.typeName)}
	}
	advice := "To manage it, import it with the block below. To create another resource, choose another name."
	if e.cp.Existing == connection.ExistingRefuse {
		advice += " To adopt it if it is stored exactly as it would be written, set existing = \"adopt_equal\" in the provider block."
	}
	advice += " With create_before_destroy, a replacement is created before the old one is destroyed, so it needs another name, or " +
		"existing = \"adopt_equal\". If such a replacement has failed, run `terraform state rm` for its address before the import."
	return []string{advice +
		" If another resource of this configuration releases the name, apply that change first; to swap two names, use a third one in between. " +
		"To destroy all resources, run `terraform destroy -refresh=false`."}
}

// adoptable reports whether the resource may be adopted: generated ones always, because
// they belong to no user.
func (e existingResource) adoptable() bool {
	return e.cp.Existing != connection.ExistingRefuse || kuma.Generated(e.found.Labels)
}

// adopts reports whether the resource is adopted as it will be written.
func (e existingResource) adopts() bool {
	return e.adoptable() && (e.cp.Existing == connection.ExistingAdopt || e.Resources().Differences(e.found, *e.planned) == nil)
}

// reportAdoption reports whether an existing resource may be adopted, and explains the
// decision in the diagnostics.
func (e existingResource) reportAdoption(at path.Path, diags *diag.Diagnostics) bool {
	key, mode := e.found.Key(), e.cp.Existing
	var changes []string
	if e.planned != nil {
		changes = e.Resources().Differences(e.found, *e.planned)
	}
	because := fmt.Sprintf("The control plane already has %s, and existing = %q.", key, mode)
	if mode == connection.ExistingAdopt && e.cp.Verifies {
		because += fmt.Sprintf(
			" If another client changes it first, Terraform reports an inconsistent final plan for %s, and nothing is written: plan again.",
			tfschema.ReplacedVersion)
	}
	list := "  " + strings.Join(changes, "\n  ")
	switch {
	case kuma.Generated(e.found.Labels):
		diags.AddAttributeWarning(at, "Generated resource will be adopted", // one summary, so that Terraform groups the warnings
			fmt.Sprintf("The control plane generated %s for Dataplanes (%s = %q). "+
				"The apply replaces it, and the control plane then no longer changes it.", key, kuma.LabelManagedBy,
				e.found.Labels[kuma.LabelManagedBy]))
		return true
	case mode == connection.ExistingAdopt && e.planned == nil:
		diags.AddAttributeWarning(at, key.String()+" will be adopted", because+
			" Some values are unknown until apply, so the changes cannot be listed.")
		return true
	case mode == connection.ExistingAdopt && changes != nil:
		diags.AddAttributeWarning(at, key.String()+" will be adopted and updated", because+" The apply changes these values:\n\n"+list)
		return true
	case mode == connection.ExistingAdoptEqual && e.planned == nil:
		diags.AddAttributeWarning(at, key.String()+" will be adopted if it is equal", because+
			" Some values are unknown until apply, so the apply compares them.")
		return true
	case mode != connection.ExistingRefuse && changes == nil:
		diags.AddAttributeWarning(at, key.String()+" will be adopted", because+" It is stored exactly as it would be written.")
		return true
	}
	importBlock := e.block.importBlock()
	if len(at.Steps()) == 0 { // Terraform prints the address of the resource that reports it
		importBlock = "# ADDRESS is that of the resource named above, not the one after \"with\".\n" +
			configuration.ImportBlock("ADDRESS", e.block.importID)
	}
	paragraphs := []string{"The control plane already has this resource, and creating it would overwrite it."}
	if mode == connection.ExistingAdoptEqual {
		paragraphs = append(paragraphs, fmt.Sprintf("It is not adopted (existing = %q), because these values differ from what would be written:",
			mode), list)
	}
	paragraphs = append(append(paragraphs, e.advice()...), importBlock)
	diags.AddAttributeError(at, key.String()+" already exists", strings.Join(paragraphs, "\n\n"))
	return false
}
