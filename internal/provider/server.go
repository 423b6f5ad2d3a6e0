package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// NewServer returns the constructor of a protocol server for the provider, which
// reports the given version.
func NewServer(version string) func() tfprotov6.ProviderServer {
	return func() tfprotov6.ProviderServer {
		p := newProvider(version)
		inner, ok := providerserver.NewProtocol6(p)().(frameworkServer)
		if !ok {
			panic("provider: the framework has no list resources") // it has since 1.16
		}
		return server{
			framework: inner, provider: p,
			types: sync.OnceValue(func() map[string]tftypes.Type { return resourceTypes(inner) }),
			kinds: sync.OnceValue(directKinds),
		}
	}
}

// frameworkServer is the protocol server of the framework.
type frameworkServer interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
}

// server is the protocol server for Terraform: that of the framework with additions.
// It records what Terraform shows of its state, see [runState].
type server struct {
	framework frameworkServer
	provider  *kumaProvider
	types     func() map[string]tftypes.Type // of the states of resources, by their type
	kinds     func() map[string]directKind   // by the type of their resource
}

var _ frameworkServer = server{}

// resourceTypes returns the types of the states of resources, none if the schemas are
// invalid, which the framework reports.
func resourceTypes(s frameworkServer) map[string]tftypes.Type {
	resp, err := s.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return nil
	}
	types := make(map[string]tftypes.Type, len(resp.ResourceSchemas))
	for name, schema := range resp.ResourceSchemas {
		types[name] = schema.ValueType()
	}
	return types
}

// handle calls the handler of a request of Terraform. Every method of the server goes
// through it: it counts the request in the run, and does not retain its context.
func handle[Request, Response any](ctx context.Context, s server, answer func(context.Context, Request) (Response, error), req Request) (Response, error) {
	ctx, release := withRequest(ctx)
	defer release()
	defer s.provider.run.Load().call()()
	return answer(ctx, req)
}

// validateProviderConfig is called before Terraform configures a provider for one plan
// or one apply.
func (s server) validateProviderConfig(ctx context.Context, req *tfprotov6.ValidateProviderConfigRequest) (*tfprotov6.ValidateProviderConfigResponse, error) {
	s.provider.validated.Store(true)
	return s.framework.ValidateProviderConfig(ctx, req)
}

// upgradeResourceState is the first call for each resource of the state, even without
// a refresh.
func (s server) upgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	s.recordState(req.RawState, req.TypeName)
	if resp, ok := s.upgradeDirectly(req); ok {
		return resp, nil
	}
	return s.framework.UpgradeResourceState(ctx, req)
}

// moveResourceState is called instead for a resource that a `moved` block brings from
// another type.
func (s server) moveResourceState(ctx context.Context, req *tfprotov6.MoveResourceStateRequest) (*tfprotov6.MoveResourceStateResponse, error) {
	s.recordState(req.SourceState, req.TargetTypeName)
	return s.framework.MoveResourceState(ctx, req)
}

// recordState records that the resource that raw describes is in the state,
// unless raw does not name one.
func (s server) recordState(raw *tfprotov6.RawState, typeName string) {
	var state struct{ Type, Mesh, Name string }
	if raw != nil && json.Unmarshal(raw.JSON, &state) == nil && state.Name != "" {
		s.provider.run.Load().recordState(kuma.Key{Type: state.Type, Mesh: state.Mesh, Name: state.Name}, typeName)
	}
}

// planResourceChange returns resources unchanged if no change is proposed. The
// framework has the same result after as much work as for a change, which is most of
// the plan of a large mesh.
func (s server) planResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	if key, ok := s.unchanged(req); ok {
		return s.planUnchanged(req, key), nil
	}
	if resp, ok := s.planDirectly(ctx, req); ok {
		return resp, nil
	}
	return s.framework.PlanResourceChange(ctx, req)
}

// planUnchanged plans to keep the resource with a key as it is.
func (s server) planUnchanged(req *tfprotov6.PlanResourceChangeRequest, key kuma.Key) *tfprotov6.PlanResourceChangeResponse {
	resp := unchangedPlan(req)
	run := s.provider.run.Load()
	if found := run.recordPlan(key, req.TypeName, actionKeep); found != conflictNone {
		resp.Diagnostics = protocolDiagnostics(diag.Diagnostics{found.diagnostic(key, run.get(key))})
	}
	return resp
}

// unchangedPlan keeps a resource as it is.
func unchangedPlan(req *tfprotov6.PlanResourceChangeRequest) *tfprotov6.PlanResourceChangeResponse {
	return &tfprotov6.PlanResourceChangeResponse{PlannedState: req.PriorState, PlannedPrivate: req.PriorPrivate, PlannedIdentity: req.PriorIdentity}
}

// unchanged reports whether a resource is planned without changes, and returns its
// key. Terraform proposes the labels of the state if the configuration has none; the
// plan decides whether that is a change.
func (s server) unchanged(req *tfprotov6.PlanResourceChangeRequest) (kuma.Key, bool) {
	if req.PriorState == nil || req.ProposedNewState == nil || req.Config == nil || len(req.PriorState.MsgPack) == 0 || !bytes.Equal(req.PriorState.MsgPack, req.ProposedNewState.MsgPack) {
		return kuma.Key{}, false
	}
	t, ok := s.types()[req.TypeName]
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

func (s server) applyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	s.provider.run.Load().recordApply()
	if resp, ok := s.deleteDirectly(ctx, req); ok {
		return resp, nil
	}
	return s.framework.ApplyResourceChange(ctx, req)
}

func (s server) validateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	if resp, ok := s.validateDirectly(ctx, req); ok {
		return resp, nil
	}
	return s.framework.ValidateResourceConfig(ctx, req)
}

func (s server) readResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	if resp, ok := s.readDirectly(ctx, req); ok {
		return resp, nil
	}
	return s.framework.ReadResource(ctx, req)
}
