package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// ModifyPlan keeps the state's spelling, predicts the identifier, and reports what
// keeps a resource from being created.
func (r *kindResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	before, errBefore := r.key(req.State.Raw)
	if req.Plan.Raw.IsNull() {
		if errBefore == nil {
			r.plans(before, actionDelete, r.block(before), &resp.Diagnostics)
		}
		return
	}
	plan, errPlan := tfvalue.Attributes(req.Plan.Raw)
	state, errState := tfvalue.Attributes(req.State.Raw)
	config, errConfig := tfvalue.Attributes(req.Config.Raw)
	if err := errors.Join(errPlan, errState, errConfig); err != nil {
		resp.Diagnostics.AddError("Unreadable plan", phrase.Sentence(err))
		return
	}
	if config["labels"].IsNull() {
		plan["labels"] = unsetLabels(state["labels"])
	}
	if state != nil {
		if err := r.settle(plan, state, resp); err != nil {
			resp.Diagnostics.AddError("Unreadable state", phrase.Sentence(err))
			return
		}
	}
	warnOfLostSecrets(r.kind, req.State.Raw, req.Config.Raw, &resp.Diagnostics)
	after, errAfter := r.key(req.Plan.Raw)
	var stored kuma.Resource
	t := req.Plan.Raw.Type()
	plan["kri"] = tfvalue.OrNull(state["kri"], tftypes.String)
	changes := state == nil || !tftypes.NewValue(t, plan).Equal(req.State.Raw)
	if changes && errAfter == nil && before == after && r.connected() {
		stored, _ = r.refresh(ctx, after, &resp.Diagnostics)
		if !r.asSeen(ctx, stored, req.Private, &resp.Diagnostics) {
			return
		}
		settleLabels(plan, state, stored)
		changes = !tftypes.NewValue(t, plan).Equal(req.State.Raw)
	}
	if changes {
		plan["kri"] = r.predictKRI(tftypes.NewValue(t, plan), stored)
		r.checkWrite(tftypes.NewValue(t, plan), state == nil, &resp.Diagnostics)
	}
	resp.Plan.Raw = tftypes.NewValue(t, plan)
	if !r.connected() {
		if state == nil && !r.cp.isUnknown() {
			r.cp.ready(&resp.Diagnostics)
		}
		return
	}
	switch {
	case state == nil && errAfter == nil:
		r.planCreation(ctx, after, req, resp)
	case state == nil: // not known yet; creating it looks
	case errAfter != nil || before != after:
		r.plans(before, actionRename, r.block(before), &resp.Diagnostics)
		markKeyChange(ctx, resp.Private, &resp.Diagnostics)
	default:
		r.plans(before, actionKeep, r.block(before), &resp.Diagnostics)
		if changes && len(resp.RequiresReplace) == 0 {
			r.planUpdate(stored, resp)
		}
	}
}

// connected reports whether there is a control plane to plan with.
func (r remote) connected() bool { return r.cp != nil && r.cp.client != nil }

// settleLabels keeps the labels of the state in the plan where both are stored the
// same: a configuration may spell out labels that an import leaves to the control
// plane. Terraform accepts that where both set any.
func settleLabels(plan, state map[string]tftypes.Value, stored kuma.Resource) {
	wanted, err := labelsOf(plan["labels"])
	if err != nil || plan["labels"].IsNull() || state["labels"].IsNull() || !plan["labels"].IsFullyKnown() {
		return
	}
	for key, value := range stored.Labels {
		if tfvalue.HiddenLabel(key) {
			wanted = withDefault(wanted, key, value)
		}
	}
	if maps.Equal(wanted, stored.Labels) {
		plan["labels"] = state["labels"]
	}
}

// labelsOf reads the attribute of that name, as far as it is known.
func labelsOf(v tftypes.Value) (map[string]string, error) {
	values, err := tfvalue.Attributes(v)
	labels := make(map[string]string, len(values))
	for key, value := range values {
		if value.IsKnown() && !value.IsNull() {
			var text string
			err = errors.Join(err, value.As(&text))
			labels[key] = text
		}
	}
	return labels, err
}

// plans records what the plan does with a resource of the state.
func (r remote) plans(key kuma.Key, action plannedAction, b configBlock, diags *diag.Diagnostics) {
	if r.cp == nil || r.cp.run == nil {
		return
	}
	r.reportConflict(r.cp.run.recordPlan(key, b.typeName, action), key, b, diags)
}

// unsetLabels returns the labels to plan where the configuration has none. Those
// of an import are an empty map, which means the same.
func unsetLabels(state tftypes.Value) tftypes.Value {
	none := tftypes.NewValue(tftypes.Map{ElementType: tftypes.String}, nil)
	if labels, err := tfvalue.Attributes(tfvalue.OrNull(state, none.Type())); err == nil && len(labels) == 0 {
		return tfvalue.OrNull(state, none.Type())
	}
	return none
}

// planCreation plans a resource that the state does not have, or the second half
// of a replacement.
func (r *kindResource) planCreation(ctx context.Context, key kuma.Key, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	r.checkMesh(ctx, key, path.Root("mesh"), &resp.Diagnostics)
	var known *kuma.Resource
	if req.Config.Raw.IsFullyKnown() {
		planned, ok := r.planned(resp.Plan.Raw, req.Config.Raw, &resp.Diagnostics)
		if !ok {
			return
		}
		known = &planned
	}
	how := creationOf(ctx, req.Private, &resp.Diagnostics)
	if !resp.Diagnostics.HasError() {
		r.planCreate(ctx, key, known, r.block(key), how, &resp.Diagnostics)
	}
}

// planUpdate asks for a replacement where the plan sets a label differently that
// cannot be changed, and says so when an update would write nothing new.
func (r *kindResource) planUpdate(stored kuma.Resource, resp *resource.ModifyPlanResponse) {
	doc, err := tfvalue.Encode(r.kind, resp.Plan.Raw)
	if err != nil || !tree.FullyKnown(doc) || stored.Name == "" {
		return
	}
	planned, err := kuma.FromDocument(doc, kinds.Form)
	if err != nil {
		return // reported where it is written
	}
	for _, key := range immutableChanges(nil, planned.Labels, stored.Labels) {
		resp.RequiresReplace = append(resp.RequiresReplace, path.Root("labels").AtMapKey(key))
	}
	if len(resp.RequiresReplace) == 0 && !tfvalue.WritesOnly(r.kind, resp.Plan.Raw) && r.same(planned, stored) {
		resp.Diagnostics.AddWarning("Update changes only the state",
			fmt.Sprintf("The control plane already stores %s as it is configured. The update records the configuration in the state, such as arguments that are set to Kuma's defaults, and writes nothing to the control plane.", stored.Key()))
	}
}

// settle keeps the state's spelling in the plan, and asks for a replacement where
// labels change that cannot be changed.
func (r *kindResource) settle(plan, state map[string]tftypes.Value, resp *resource.ModifyPlanResponse) error {
	before, errBefore := labelsOf(state["labels"])
	after, errAfter := labelsOf(plan["labels"])
	if err := errors.Join(errBefore, errAfter); err != nil {
		return err
	}
	if plan["labels"].IsFullyKnown() {
		for _, key := range immutableChanges(before, after, nil) {
			resp.RequiresReplace = append(resp.RequiresReplace, path.Root("labels").AtMapKey(key))
		}
	}
	return tfvalue.KeepSpelling(r.kind, plan, state)
}

// block is how the configuration manages the resource with a key.
func (r *kindResource) block(key kuma.Key) configBlock {
	return configBlock{tfschema.TypeName(r.kind.Name), importID(r.kind, key.Mesh, key.Name), path.Root("name")}
}

// checkWrite reports what this control plane cannot do of what is to be written,
// and what it would store and should not be planned. The provider's
// configuration decides, so validating cannot.
func (r *kindResource) checkWrite(plan tftypes.Value, create bool, diags *diag.Diagnostics) {
	if !r.connected() {
		return
	}
	if doc, err := tfvalue.Encode(r.kind, plan); err == nil {
		report(diags, r.kind, r.cp.problems(r.kind, doc, create))
	}
}

// predictKRI returns the identifier that the control plane will give, unknown
// while that depends on values that are. stored is the resource that is updated.
func (r *kindResource) predictKRI(plan tftypes.Value, stored kuma.Resource) tftypes.Value {
	doc, err := tfvalue.Encode(r.kind, plan)
	if err != nil || !r.connected() {
		return tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
	}
	for _, part := range []string{"name", "mesh", "labels"} {
		if !tree.FullyKnown(doc[part]) {
			return tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
		}
	}
	res, err := kuma.FromDocument(doc, kinds.Form)
	if err != nil {
		return tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
	}
	res, _ = r.completed(res, stored)
	res.Labels = r.kind.Labels(res, r.cp.about)
	return tfvalue.StringOrNull(r.kind.KRI(res))
}
