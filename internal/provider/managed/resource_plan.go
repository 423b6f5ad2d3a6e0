package managed

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/configuration"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// ModifyPlan keeps the state's spelling, predicts the identifier, and reports why a
// resource cannot be created.
func (r *Resource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	before, _ := r.Key(req.State.Raw) // the zero value without a state
	if req.Plan.Raw.IsNull() {
		r.planDeletion(ctx, before, r.block(before), &resp.Diagnostics)
		r.planContents(ctx, before, forcesDestroy(req.State.Raw), false, resp.Private, &resp.Diagnostics)
		return
	}
	values, err := r.PlanValues(req, resp)
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the plan", phrase.Sentence(err))
		return
	}
	m := modification{create: req.State.Raw.IsNull(), before: before}
	var errAfter error
	m.after, errAfter = r.Key(req.Plan.Raw)
	m.named = errAfter == nil
	switch {
	case m.create:
		r.cp.CurrentRun().BeginCreation(m.after)
	case r.Connected():
		r.planKey(ctx, before, m.after, r.block(before), resp.Private, &resp.Diagnostics)
		if m.renames() {
			r.planContents(ctx, before, forcesDestroy(req.State.Raw), true, resp.Private, &resp.Diagnostics)
		}
	}
	changes := m.create || !values.Equal(req.State.Raw)
	if changes && m.named && before == m.after && r.Connected() {
		var ok bool
		if m.stored, ok = r.readPlanned(ctx, m.after, req.Private, &resp.Diagnostics); !ok {
			return
		}
		if keepEqualLabels(values.attributes, values.state, m.stored, r.cp.Capabilities().ControlPlane.Release) {
			changes = !values.Equal(req.State.Raw)
		}
	}
	var planned encodedPlan
	if changes {
		planned = r.planDocument(ctx, m, values, &resp.Diagnostics)
	} else {
		report.Document(&resp.Diagnostics, path.Empty(), r.cp.ReportUnchanged(ctx, m.after))
	}
	if m.stored.Name != "" {
		for _, at := range r.immutableFields(m.stored, planned.document) {
			resp.RequiresReplace = append(resp.RequiresReplace, tfschema.AttributePath(r.kind, at))
		}
	}
	if m.create {
		values.attributes[tfschema.ReplacedVersion] = r.planReplacedVersion(ctx, m.after, m.named, &resp.Diagnostics)
	}
	resp.Plan.Raw = values.value()
	if !r.Connected() {
		if m.create && !r.cp.IsUnknown() {
			r.cp.Ready(&resp.Diagnostics)
		}
		return
	}
	switch {
	case m.create && m.named: // otherwise the key is not known yet, and the apply checks it
		r.planCreation(ctx, m.after, r.resourceToCreate(planned, req, resp), r.block(m.after), resp.Private, &resp.Diagnostics)
	case !m.create && changes && !m.renames() && len(resp.RequiresReplace) == 0:
		r.planUpdate(ctx, planned, m.stored, resp)
	}
	if relabels := !m.renames() && len(resp.RequiresReplace) > 0; !m.create && (relabels || m.renames()) {
		r.planReplacement(ctx, before, r.plannedDocument(resp.Plan.Raw, req.Config.Raw, &resp.Diagnostics), relabels, r.block(before),
			resp.Private, &resp.Diagnostics)
	}
}

// modification is what a plan does with a resource that exists afterwards.
type modification struct {
	create        bool
	before, after kuma.Key      // before is the zero value of a creation
	named         bool          // after is known
	stored        kuma.Resource // what an update replaces; the zero value otherwise, and if it is not known
}

// renames reports whether the resource gets another name, mesh or kind, and is replaced.
func (m modification) renames() bool { return !m.create && m.before != m.after }

// planDocument encodes the plan of a resource that is created or changed, predicts its identifier, and reports problems.
func (r *Resource) planDocument(ctx context.Context, m modification, values plannedValues, diags *diag.Diagnostics) encodedPlan {
	planned := r.encode(values, diags)
	values.attributes["kri"] = r.predictKRI(planned, m.stored)
	known := m.stored
	if m.create && m.named {
		known, _ = r.storedSecret(ctx, m.after, diags)
	}
	report.Problems(diags, r.kind, omittedSecrets(r.kind, planned.document, known))
	if !r.Connected() {
		return planned
	}
	r.recordChange(m.after, tree.StringMap(planned.document["labels"]), diags)
	r.cp.RecordReferenced(r.kind, planned.document)
	report.Problems(diags, r.kind, r.cp.Problems(ctx, r.kind, planned.document, m.create))
	report.Problems(diags, r.kind, r.cp.DanglingReferences(ctx, r.kind, planned.document))
	if m.renames() || !m.create && !values.attributes["labels"].Equal(values.state["labels"]) {
		report.Document(diags, path.Empty(), r.cp.ReportDestroyedTarget(ctx, m.before, false))
	}
	return planned
}

// plannedValues are the attributes of a plan in progress, and those of the state.
type plannedValues struct {
	typ        tftypes.Type
	attributes map[string]tftypes.Value
	state      map[string]tftypes.Value // nil without a state
}

func (v plannedValues) value() tftypes.Value { return tftypes.NewValue(v.typ, v.attributes) }

func (v plannedValues) Equal(state tftypes.Value) bool { return v.value().Equal(state) }

// PlanValues keeps the state's spelling in the plan, and requires replacement if
// immutable labels change.
func (r *Resource) PlanValues(req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) (plannedValues, error) {
	plan, errPlan := tfvalue.Attributes(req.Plan.Raw)
	state, errState := tfvalue.Attributes(req.State.Raw)
	config, errConfig := tfvalue.Attributes(req.Config.Raw)
	if err := errors.Join(errPlan, errState, errConfig); err != nil {
		return plannedValues{}, err
	}
	values := plannedValues{req.Plan.Raw.Type(), plan, state}
	if config["labels"].IsNull() {
		plan["labels"] = unsetLabels(state["labels"])
	}
	plan["kri"] = tfvalue.OrNull(state["kri"], tftypes.String)
	plan[tfschema.ReplacedVersion] = tfvalue.OrNull(state[tfschema.ReplacedVersion], tftypes.String)
	if state == nil {
		return values, keepOmittedSecrets(r.kind, values, req.State.Raw, config)
	}
	before, errBefore := labelsOf(state["labels"])
	after, errAfter := labelsOf(plan["labels"])
	if err := errors.Join(errBefore, errAfter); err != nil {
		return plannedValues{}, err
	}
	if plan["labels"].IsFullyKnown() {
		key, _ := r.Key(req.Plan.Raw) // while it is not known, Terraform replaces the resource
		requireReplacement(resp, r.immutableChanges(key, before, after, nil))
	}
	if err := tfvalue.KeepSpelling(r.kind, plan, state); err != nil {
		return plannedValues{}, err
	}
	return values, keepOmittedSecrets(r.kind, values, req.State.Raw, config)
}

// requireReplacement requires replacement because of labels.
func requireReplacement(resp *resource.ModifyPlanResponse, labels []string) {
	for _, key := range labels {
		resp.RequiresReplace = append(resp.RequiresReplace, path.Root("labels").AtMapKey(key))
	}
}

// encodedPlan is the document of a plan, without write-only values.
type encodedPlan struct {
	document map[string]any // includes values that are not known yet
	resource kuma.Resource
	named    bool // resource is set, and everything that its identifier depends on is known
}

// encode encodes the plan once for all of its users.
func (r *Resource) encode(values plannedValues, diags *diag.Diagnostics) encodedPlan {
	doc, err := tfvalue.Encode(r.kind, values.value())
	if err != nil {
		diags.AddError("Cannot read the plan", phrase.Sentence(err))
		return encodedPlan{}
	}
	planned := encodedPlan{document: doc}
	for _, part := range []string{"name", "mesh", "labels"} {
		if !tree.FullyKnown(doc[part]) {
			return planned
		}
	}
	planned.resource, err = kuma.FromDocument(doc, kinds.Form)
	planned.named = err == nil // an error is reported by the write
	return planned
}

// predictKRI returns the identifier that the control plane will assign, unknown while
// it depends on unknown values. stored is the resource that is updated.
func (r *Resource) predictKRI(planned encodedPlan, stored kuma.Resource) tftypes.Value {
	if !planned.named || !r.Connected() {
		return tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
	}
	res := planned.resource
	res.Labels = r.Resources().LabelsAfter(res, stored)
	return tfvalue.StringOrNull(r.kind.KRI(res))
}

// planReplacedVersion returns the attribute of a creation, unknown while the key or the
// control plane is.
func (r *Resource) planReplacedVersion(ctx context.Context, key kuma.Key, known bool, diags *diag.Diagnostics) tftypes.Value {
	if !known || !r.Connected() {
		return tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
	}
	return tfvalue.StringOrNull(r.replacedVersion(ctx, key, diags))
}

// resourceToCreate returns the resource that the plan creates, nil while it is not
// fully known.
func (r *Resource) resourceToCreate(planned encodedPlan, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) *kuma.Resource {
	if !req.Config.Raw.IsFullyKnown() {
		return nil
	}
	if planned.named && tfschema.SecretNames(r.kind) == nil {
		return &planned.resource
	}
	res, ok := r.planned(resp.Plan.Raw, req.Config.Raw, &resp.Diagnostics)
	if !ok {
		return nil
	}
	return &res
}

// planUpdate requires replacement if the plan changes an immutable label, and warns if
// an update would change nothing on the control plane.
func (r *Resource) planUpdate(ctx context.Context, planned encodedPlan, stored kuma.Resource, resp *resource.ModifyPlanResponse) {
	if !planned.named || !tree.FullyKnown(planned.document) || stored.Name == "" {
		return
	}
	requireReplacement(resp, r.immutableChanges(planned.resource.Key(), nil, planned.resource.Labels, stored.Labels))
	if !resp.Diagnostics.HasError() && len(resp.RequiresReplace) == 0 && !tfvalue.WritesOnly(r.kind, resp.Plan.Raw) &&
		r.Resources().UpToDate(planned.resource, stored) {
		resp.Diagnostics.AddWarning("Update changes only the state",
			fmt.Sprintf("The control plane already stores %s as it is configured. "+
				"The update records the configuration in the state, such as arguments that are set to Kuma's defaults, and writes nothing "+
				"to the control plane.", stored.Key()))
		return
	}
	r.planChange(ctx, stored, &resp.Diagnostics)
}

// block is how the configuration manages the resource with a key.
func (r *Resource) block(key kuma.Key) configBlock {
	return configBlock{
		typeName: tfschema.TypeName(r.kind.Name), importID: configuration.KindImportID(r.kind, key.Mesh, key.Name),
		at: path.Root("name"), meshAt: path.Root("mesh"),
	}
}
