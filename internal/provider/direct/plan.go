package direct

import (
	"bytes"
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/managed"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/report"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/runstate"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// Plan plans a resource that stays as it is (in 0.1 instead of 5.4 ms), is created (0.6
// instead of 6.2 ms), deleted (0.1 instead of 0.9 ms), or only spelled differently (0.3
// instead of 6.1 ms). Most resources of the plan of a large mesh stay as they are.
func (a Answers) Plan(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, bool) {
	if key, ok := a.unchanged(req); ok {
		return a.planUnchanged(ctx, req, key), true
	}
	p, ok := a.decode(req)
	switch {
	case !ok:
		return nil, false
	case p.state.IsNull():
		return p.creation(ctx)
	case p.proposed.IsNull():
		return p.deletion(ctx)
	}
	key, ok := p.respelled()
	if !ok {
		return nil, false
	}
	return a.planUnchanged(ctx, req, key), true
}

// plan is a decoded request to plan a resource of a kind.
type plan struct {
	*tfprotov6.PlanResourceChangeRequest
	resource                *managed.Resource
	kind                    tfvalue.ResourceType
	state, proposed, config tftypes.Value
}

func (a Answers) decode(req *tfprotov6.PlanResourceChangeRequest) (plan, bool) {
	r, k, ok := a.resource(req.TypeName)
	if !ok || req.PriorState == nil || req.ProposedNewState == nil || req.Config == nil {
		return plan{}, false
	}
	state, errState := req.PriorState.Unmarshal(k.Values)
	proposed, errProposed := req.ProposedNewState.Unmarshal(k.Values)
	config, errConfig := req.Config.Unmarshal(k.Values)
	return plan{req, r, k, state, proposed, config}, errors.Join(errState, errProposed, errConfig) == nil
}

// modify calls ModifyPlan with a plan.
func (p plan) modify(ctx context.Context, plan tftypes.Value) resource.ModifyPlanResponse {
	resp := resource.ModifyPlanResponse{Plan: tfsdk.Plan{Raw: plan}}
	p.resource.ModifyPlan(ctx, resource.ModifyPlanRequest{
		Config: tfsdk.Config{Raw: p.config}, State: tfsdk.State{Raw: p.state},
		Plan: resp.Plan,
	}, &resp)
	return resp
}

// creation plans a resource that is not in the state.
func (p plan) creation(ctx context.Context) (*tfprotov6.PlanResourceChangeResponse, bool) {
	if !p.resource.Configured() || p.kind.HoldsSecrets() || len(p.PriorPrivate) > 0 || p.proposed.IsNull() {
		return nil, false
	}
	planned, err := tfvalue.Attributes(p.proposed)
	if err != nil {
		return nil, false
	}
	planned["type"] = tftypes.NewValue(tftypes.String, p.kind.Name)
	if mesh, ok := planned["mesh"]; ok && mesh.IsNull() {
		planned["mesh"] = tftypes.NewValue(tftypes.String, kuma.DefaultMesh)
	}
	resp := p.modify(ctx, tftypes.NewValue(p.kind.Values, planned))
	value, errValue := tfprotov6.NewDynamicValue(p.kind.Values, resp.Plan.Raw)
	identity, errIdentity := identityOf(p.kind.Kind, nil)
	if err := errors.Join(errValue, errIdentity); err != nil {
		resp.Diagnostics.AddError("Cannot read the plan", err.Error())
	}
	return &tfprotov6.PlanResourceChangeResponse{
		PlannedState: &value, PlannedIdentity: identity,
		Diagnostics: report.Protocol(resp.Diagnostics),
	}, true
}

// respelled reports whether the configuration is equivalent to the state but written
// differently, as after an import, and returns the key of the resource.
func (p plan) respelled() (kuma.Key, bool) {
	if len(p.kind.SecretFields()) > 0 {
		return kuma.Key{}, false
	}
	var resp resource.ModifyPlanResponse
	values, err := p.resource.PlanValues(resource.ModifyPlanRequest{
		Config: tfsdk.Config{Raw: p.config}, State: tfsdk.State{Raw: p.state},
		Plan: tfsdk.Plan{Raw: p.proposed},
	}, &resp)
	if err != nil || len(resp.Diagnostics) > 0 || len(resp.RequiresReplace) > 0 || !values.Equal(p.state) {
		return kuma.Key{}, false
	}
	key, err := p.resource.Key(p.state)
	return key, err == nil
}

// deletion plans the deletion of a resource of the state.
func (p plan) deletion(ctx context.Context) (*tfprotov6.PlanResourceChangeResponse, bool) {
	identity, err := p.PriorIdentity, error(nil)
	if identity == nil { // the command line has none
		identity, err = identityOf(p.kind.Kind, nil)
	}
	if err != nil || !p.resource.Configured() || p.kind.Contains { // whose plan has a private state
		return nil, false
	}
	resp := p.modify(ctx, p.proposed)
	return &tfprotov6.PlanResourceChangeResponse{
		PlannedState: p.ProposedNewState, PlannedPrivate: p.PriorPrivate, PlannedIdentity: identity,
		Diagnostics: report.Protocol(resp.Diagnostics),
	}, true
}

// planUnchanged plans to keep the resource with a key as it is.
func (a Answers) planUnchanged(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest,
	key kuma.Key,
) *tfprotov6.PlanResourceChangeResponse {
	resp := unchangedPlan(req)
	run := a.run()
	run.BeginPlan()
	if found := run.RecordPlan(key, req.TypeName, runstate.StageKept); found != runstate.ConflictNone {
		resp.Diagnostics = report.Protocol(diag.Diagnostics{managed.DescribeConflict(found, key, run.Get(key))})
		return resp
	}
	var diags diag.Diagnostics
	report.Document(&diags, path.Empty(), a.cp().ReportUnchanged(ctx, key))
	resp.Diagnostics = report.Protocol(diags)
	return resp
}

// unchangedPlan keeps a resource as it is.
func unchangedPlan(req *tfprotov6.PlanResourceChangeRequest) *tfprotov6.PlanResourceChangeResponse {
	return &tfprotov6.PlanResourceChangeResponse{
		PlannedState: req.PriorState, PlannedPrivate: req.PriorPrivate,
		PlannedIdentity: req.PriorIdentity,
	}
}

// unchanged reports whether a resource is planned without changes, and returns its
// key. Terraform proposes the labels of the state if the configuration has none; the
// plan decides whether that is a change.
func (a Answers) unchanged(req *tfprotov6.PlanResourceChangeRequest) (kuma.Key, bool) {
	if req.PriorState == nil || req.ProposedNewState == nil || req.Config == nil || len(req.PriorState.MsgPack) == 0 ||
		!bytes.Equal(req.PriorState.MsgPack, req.ProposedNewState.MsgPack) {
		return kuma.Key{}, false
	}
	t, ok := a.stateType(req.TypeName)
	if !ok {
		return kuma.Key{}, false
	}
	read := func(v *tfprotov6.DynamicValue) map[string]tftypes.Value {
		raw, err := v.Unmarshal(t)
		if err != nil {
			return nil
		}
		values, _ := tfvalue.Attributes(raw) // none if the value is not an object
		return values
	}
	state := read(req.PriorState)
	var key kuma.Key
	for name, field := range map[string]*string{"type": &key.Type, "mesh": &key.Mesh, "name": &key.Name} {
		if v, ok := state[name]; ok && !v.IsNull() && v.As(field) != nil {
			return kuma.Key{}, false
		}
	}
	if labels, ok := state["labels"]; ok && !labels.IsNull() && read(req.Config)["labels"].IsNull() {
		return kuma.Key{}, false
	}
	return key, state != nil
}
