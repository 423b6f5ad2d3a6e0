package analysis

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/document"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/connection"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// analysisArguments are the arguments that select the resources of an analysis.
type analysisArguments struct {
	Mesh      types.String  `tfsdk:"mesh"`
	Planned   types.Dynamic `tfsdk:"planned"`
	Removed   types.List    `tfsdk:"removed"`
	Documents types.List    `tfsdk:"documents"`

	KumaVersion types.String `tfsdk:"kuma_version"`
	WithShadow  types.Bool   `tfsdk:"with_shadow"`
}

func (m analysisArguments) meshName() string {
	if m.Mesh.IsNull() {
		return kuma.DefaultMesh
	}
	return m.Mesh.ValueString()
}

// requestedRelease returns the release of the argument kuma_version, the zero value for none.
func (m analysisArguments) requestedRelease(diags *diag.Diagnostics) kuma.Release {
	if m.KumaVersion.IsNull() || m.KumaVersion.IsUnknown() {
		return kuma.Release{}
	}
	r, err := input.ParseVersion(m.KumaVersion.ValueString())
	if err != nil {
		diags.AddAttributeError(path.Root("kuma_version"), "Unknown release of Kuma", phrase.Sentence(err))
	}
	return r
}

// input collects the resources of the given kinds for the data source of type
// typeName; config is its whole configuration, and written are further planned documents.
func (m analysisArguments) input(ctx context.Context, cp *connection.Connection, typeName string, looked []def.Kind, config tftypes.Value,
	diags *diag.Diagnostics, written ...document.Document,
) analysisInput {
	in := analysisInput{Mesh: input.Mesh{Name: m.meshName()}, relevant: looked, diags: diags}
	run, planned := cp.CurrentRun(), !m.Planned.IsNull()
	if planned {
		defer run.BeginAnalysis(ctx)()
	}
	requested := m.requestedRelease(diags)
	if diags.HasError() {
		return in
	}
	written = append(in.readPlanned(config), written...)
	if m.Documents.IsNull() {
		in.ofControlPlane(ctx, cp, requested, written, planned)
	} else {
		in.ofDocuments(ctx, m.Documents, requested, written)
	}
	in.excludeRemoved(ctx, m.Removed)
	if planned {
		in.excludeDestroyed(run, typeName)
	}
	in.WithShadow = m.WithShadow.ValueBool()
	return in
}

// ofControlPlane reads what the control plane stores, and adds what will be written.
func (in *analysisInput) ofControlPlane(ctx context.Context, cp *connection.Connection, requested kuma.Release, written []document.Document,
	planned bool,
) {
	stored, ok := in.stored(ctx, cp)
	if !ok {
		return
	}
	var before []kuma.Resource
	run := cp.CurrentRun()
	if run.HasWritten(in.Name) {
		in.applied = true
		before = append([]kuma.Resource{}, run.BeforeWrites(stored, in.Name)...) // not nil
		if planned {
			in.reportLateRead()
		}
	}
	var resources []kuma.Resource
	for _, d := range written {
		resources = append(resources, d.Resource)
	}
	in.Mesh = input.Stored(in.Name, cp.Capabilities().ControlPlane, before, stored, resources)
	if requested != (kuma.Release{}) && !requested.IsMinorOf(in.Release) {
		in.Release = requested
	}
	in.checkRelease()
}

// reportLateRead warns that the data source was read too late to prevent a change.
func (in *analysisInput) reportLateRead() {
	in.diags.AddAttributeWarning(path.Root("planned"), "Data source read after the apply",
		fmt.Sprintf(
			"Terraform could not read this data source during the plan. "+
				"It read it after this run had written to mesh %q, too late for conditions on it to prevent the change. "+
				"Either planned contains a value that is known only after the apply, or the data source depends on resources that change: "+
				"it refers to them directly or in depends_on, or has a precondition or postcondition. "+
				"Move the list of resources into a local value, and the conditions out of the data block. "+
				"For values that stay unknown, use the functions access, effective_rules, mesh_lint, policy_impact and request.", in.Name))
}

// failed reports why there is no result, and whether that is so.
func (in *analysisInput) failed(err error, summary string) bool {
	if errors.Is(err, rules.ErrUnknownMesh) {
		in.reportMissingMesh()
	} else if err != nil {
		in.diags.AddError(summary, phrase.Sentence(err))
	}
	return err != nil
}

// reportMissingMesh reports that the mesh does not exist.
func (in *analysisInput) reportMissingMesh() {
	in.diags.AddAttributeError(path.Root("mesh"), "Mesh not found",
		fmt.Sprintf("Mesh %q is neither stored nor planned, or the plan destroys it. Check the name, or add the mesh to planned.", in.Name))
}

// reportMissingDataplane reports that the Dataplane does not exist.
func (in *analysisInput) reportMissingDataplane(name string) {
	in.diags.AddAttributeError(path.Root("dataplane"), "Dataplane not found",
		fmt.Sprintf("Dataplane %q of mesh %q is neither stored nor planned, or the plan destroys it.%s", name, in.Name, in.knownDataplanes()))
}

// ReportArguments reports those of an error that are about arguments, and returns whether there are
// errors.
func ReportArguments(diags *diag.Diagnostics, err error) bool {
	for _, err := range phrase.Errors(err) {
		if e, ok := errors.AsType[*answer.ArgumentError](err); ok {
			at := path.Empty()
			for _, name := range e.Argument {
				at = at.AtName(name)
			}
			diags.AddAttributeError(at, e.Summary, e.Detail)
		}
	}
	return diags.HasError()
}

// readKnown reads a collection whose elements are all known, and reports whether they are.
func readKnown(ctx context.Context, from collection, into any, diags *diag.Diagnostics) bool {
	value, err := from.ToTerraformValue(ctx)
	if err != nil || !value.IsFullyKnown() {
		return false
	}
	diags.Append(from.ElementsAs(ctx, into, false)...)
	return true
}

// collection is a set, a list or a map.
type collection interface {
	attr.Value
	ElementsAs(ctx context.Context, target any, allowUnhandled bool) diag.Diagnostics
}
