package provider

import (
	"bytes"
	"context"
	"os"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// NewServer returns the constructor of a protocol server for the provider, which
// reports the given version.
func NewServer(version string) func() tfprotov6.ProviderServer {
	return func() tfprotov6.ProviderServer {
		return server{providerserver.NewProtocol6(New(version)())()}
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
// else.
type server struct{ tfprotov6.ProviderServer }

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
func during[Request, Response any](ctx context.Context, call func(context.Context, Request) (Response, error), req Request) (Response, error) {
	ctx, giveBack := lend(ctx)
	defer giveBack()
	return call(ctx, req)
}

func (s server) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return during(ctx, s.ProviderServer.UpgradeResourceState, req)
}

func (s server) UpgradeResourceIdentity(ctx context.Context, req *tfprotov6.UpgradeResourceIdentityRequest) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	return during(ctx, s.ProviderServer.UpgradeResourceIdentity, req)
}

func (s server) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return during(ctx, s.ProviderServer.ValidateResourceConfig, req)
}

func (s server) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return during(ctx, s.ProviderServer.ReadResource, req)
}

// PlanResourceChange leaves resources as they are where nothing is proposed. The
// framework comes to the same end after as much work as for a change, which is
// most of the plan of a big mesh.
func (s server) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	if req.PriorState != nil && req.ProposedNewState != nil && len(req.PriorState.MsgPack) > 0 && bytes.Equal(req.PriorState.MsgPack, req.ProposedNewState.MsgPack) {
		return &tfprotov6.PlanResourceChangeResponse{PlannedState: req.PriorState, PlannedPrivate: req.PriorPrivate, PlannedIdentity: req.PriorIdentity}, nil
	}
	return during(ctx, s.ProviderServer.PlanResourceChange, req)
}

func (s server) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return during(ctx, s.ProviderServer.ApplyResourceChange, req)
}

func (s server) ImportResourceState(ctx context.Context, req *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	return during(ctx, s.ProviderServer.ImportResourceState, req)
}

func (s server) ValidateDataResourceConfig(ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return during(ctx, s.ProviderServer.ValidateDataResourceConfig, req)
}

func (s server) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	return during(ctx, s.ProviderServer.ReadDataSource, req)
}

func (s server) CallFunction(ctx context.Context, req *tfprotov6.CallFunctionRequest) (*tfprotov6.CallFunctionResponse, error) {
	return during(ctx, s.ProviderServer.CallFunction, req)
}
