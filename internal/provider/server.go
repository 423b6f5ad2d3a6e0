package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"sync"
	"sync/atomic"

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
		inner := providerserver.NewProtocol6(p)()
		return server{inner, p, sync.OnceValues(func() (*tfprotov6.GetProviderSchemaResponse, error) {
			return inner.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
		})}
	}
}

// Quiet turns off the logs of the libraries when nobody asked for logs. They
// write some 180 lines per resource, which Terraform reads and throws away.
func Quiet() error {
	for _, asked := range []string{"TF_LOG", "TF_LOG_PROVIDER"} {
		if os.Getenv(asked) != "" {
			return nil
		}
	}
	for _, level := range []string{"TF_LOG_SDK", "TF_LOG_SDK_FRAMEWORK", "TF_LOG_SDK_PROTO"} {
		if os.Getenv(level) != "" {
			continue
		}
		if err := os.Setenv(level, "ERROR"); err != nil {
			return err
		}
	}
	return nil
}

// server lends the framework the context of a request. The framework (1.19)
// keeps what it gets until it is stopped, and to the context of a request belong
// its loggers: with a thousand resources they take more memory than everything
// else. It also records what Terraform shows of its state, see [runState].
type server struct {
	tfprotov6.ProviderServer
	provider *kumaProvider
	schemas  func() (*tfprotov6.GetProviderSchemaResponse, error)
}

// lent is a context that looks up values in another while that is lent.
type lent struct {
	context.Context
	from atomic.Pointer[context.Context]
}

func (l *lent) Value(key any) any {
	if v := l.Context.Value(key); v != nil {
		return v
	}
	if from := l.from.Load(); from != nil {
		return (*from).Value(key)
	}
	return nil
}

// lend returns a context that ends with ctx, or when it is given back.
func lend(ctx context.Context) (_ context.Context, giveBack func()) {
	own, cancel := context.WithCancel(context.Background())
	stop := context.AfterFunc(ctx, cancel)
	l := &lent{Context: own}
	l.from.Store(&ctx)
	return l, func() {
		stop()
		cancel()
		l.from.Store(nil)
	}
}

// during calls a method of a server with a lent context.
func during[Request, Response any](ctx context.Context, s server, call func(context.Context, Request) (Response, error), req Request) (Response, error) {
	ctx, giveBack := lend(ctx)
	defer giveBack()
	defer s.provider.run.Load().call()()
	return call(ctx, req)
}

// UpgradeResourceState is what Terraform asks first about each resource of its
// state, even without a refresh.
func (s server) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	var state struct{ Type, Mesh, Name string }
	if req.RawState != nil && json.Unmarshal(req.RawState.JSON, &state) == nil && state.Name != "" {
		s.provider.run.Load().recordState(kuma.Key{Type: state.Type, Mesh: state.Mesh, Name: state.Name}, req.TypeName)
	}
	return during(ctx, s, s.ProviderServer.UpgradeResourceState, req)
}

func (s server) UpgradeResourceIdentity(ctx context.Context, req *tfprotov6.UpgradeResourceIdentityRequest) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	return during(ctx, s, s.ProviderServer.UpgradeResourceIdentity, req)
}

func (s server) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return during(ctx, s, s.ProviderServer.ValidateResourceConfig, req)
}

func (s server) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return during(ctx, s, s.ProviderServer.ReadResource, req)
}

// PlanResourceChange leaves resources as they are where nothing is proposed. The
// framework comes to the same end after as much work as for a change, which is
// most of the plan of a big mesh.
func (s server) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	if key, ok := s.unchanged(req); ok {
		resp := &tfprotov6.PlanResourceChangeResponse{PlannedState: req.PriorState, PlannedPrivate: req.PriorPrivate, PlannedIdentity: req.PriorIdentity}
		run := s.provider.run.Load()
		if found := run.recordPlan(key, req.TypeName, actionKeep); found != conflictNone {
			d := found.diagnostic(key, run.get(key))
			resp.Diagnostics = append(resp.Diagnostics, &tfprotov6.Diagnostic{Severity: tfprotov6.DiagnosticSeverityError, Summary: d.Summary(), Detail: d.Detail()})
		}
		return resp, nil
	}
	return during(ctx, s, s.ProviderServer.PlanResourceChange, req)
}

// unchanged reports whether a resource is planned as it is, and what names it.
// Terraform proposes the labels of the state where the configuration has none;
// whether that is a change is for the plan to say.
func (s server) unchanged(req *tfprotov6.PlanResourceChangeRequest) (kuma.Key, bool) {
	if req.PriorState == nil || req.ProposedNewState == nil || len(req.PriorState.MsgPack) == 0 || !bytes.Equal(req.PriorState.MsgPack, req.ProposedNewState.MsgPack) {
		return kuma.Key{}, false
	}
	schemas, err := s.schemas()
	if err != nil || schemas.ResourceSchemas[req.TypeName] == nil {
		return kuma.Key{}, false
	}
	t := schemas.ResourceSchemas[req.TypeName].ValueType()
	read := func(v *tfprotov6.DynamicValue) map[string]tftypes.Value {
		raw, err := v.Unmarshal(t)
		if err != nil {
			return nil
		}
		values, _ := tfvalue.Attributes(raw) // none of what is no object
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

func (s server) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	s.provider.run.Load().recordApply()
	return during(ctx, s, s.ProviderServer.ApplyResourceChange, req)
}

func (s server) ImportResourceState(ctx context.Context, req *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	return during(ctx, s, s.ProviderServer.ImportResourceState, req)
}

func (s server) ValidateDataResourceConfig(ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return during(ctx, s, s.ProviderServer.ValidateDataResourceConfig, req)
}

func (s server) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	return during(ctx, s, s.ProviderServer.ReadDataSource, req)
}

func (s server) CallFunction(ctx context.Context, req *tfprotov6.CallFunctionRequest) (*tfprotov6.CallFunctionResponse, error) {
	return during(ctx, s, s.ProviderServer.CallFunction, req)
}
