package provider

import (
	"context"
	"encoding/json"
	"reflect"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/direct"
)

// NewServer returns the constructor of a protocol server for the provider, which
// reports the given version.
func NewServer(version string, waits Waits) func() tfprotov6.ProviderServer {
	return func() tfprotov6.ProviderServer {
		p := newProvider(version, waits)
		inner, ok := providerserver.NewProtocol6(p)().(frameworkServer)
		if !ok {
			panic("provider: the framework has no list resources or actions") // it has since 1.16
		}
		s := server{framework: inner, provider: p}
		s.direct = direct.New(s.getProviderSchema, p.run.Load, p.connection.Load)
		return s
	}
}

// frameworkServer is the protocol server of the framework.
type frameworkServer interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
}

// server is the protocol server for Terraform: that of the framework with additions.
// It records what Terraform shows of its state, see [runstate.State].
type server struct {
	framework frameworkServer
	provider  *kumaProvider
	direct    direct.Answers
}

var _ frameworkServer = server{}

// handle calls the handler of a request of Terraform. Every method of the server goes
// through it: it counts the request in the run, and does not retain its context.
func handle[Request, Response any](ctx context.Context, s server, answer func(context.Context, Request) (Response, error),
	req Request,
) (Response, error) {
	ctx, release := withRequest(ctx)
	defer release()
	defer s.provider.run.Load().Call()()
	resp, err := answer(ctx, req)
	printable(resp)
	return resp, err
}

// printable escapes what a terminal would interpret in the diagnostics of a response: they quote
// values, and what control planes answer.
func printable(response any) {
	if called, ok := response.(*tfprotov6.CallFunctionResponse); ok && called != nil && called.Error != nil {
		called.Error.Text = phrase.PrintableLines(called.Error.Text)
	}
	v := reflect.Indirect(reflect.ValueOf(response))
	if v.Kind() != reflect.Struct || !v.FieldByName("Diagnostics").IsValid() {
		return
	}
	diags, _ := reflect.TypeAssert[[]*tfprotov6.Diagnostic](v.FieldByName("Diagnostics"))
	for _, d := range diags {
		d.Summary, d.Detail = phrase.PrintableLines(d.Summary), phrase.PrintableLines(d.Detail)
	}
}

// either answers a request with first or, if that does not handle it, through the framework.
func either[Request, Response any](first func(context.Context, Request) (Response, bool),
	framework func(context.Context, Request) (Response, error),
) func(context.Context, Request) (Response, error) {
	return func(ctx context.Context, req Request) (Response, error) {
		if resp, ok := first(ctx, req); ok {
			return resp, nil
		}
		return framework(ctx, req)
	}
}

// StartRun forgets what the server knows of its run. Terraform starts a server for each plan
// and for each apply; tests in process use one for many.
func (s server) StartRun() { s.provider.run.Load().Restart() }

// schemas has the answer of the framework to the first request for the schemas. It takes 25 ms,
// is the same in all servers of a process, and tests start one for each command.
var schemas struct {
	sync.Mutex
	answer *tfprotov6.GetProviderSchemaResponse
}

func (s server) getProviderSchema(ctx context.Context, req *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse,
	error,
) {
	schemas.Lock()
	defer schemas.Unlock()
	if schemas.answer != nil {
		return schemas.answer, nil
	}
	answer, err := s.framework.GetProviderSchema(ctx, req)
	if err == nil {
		schemas.answer = answer
	}
	return answer, err
}

// validateProviderConfig is called before Terraform configures a provider for one plan
// or one apply.
func (s server) validateProviderConfig(ctx context.Context,
	req *tfprotov6.ValidateProviderConfigRequest,
) (*tfprotov6.ValidateProviderConfigResponse, error) {
	s.provider.validated.Store(true)
	return s.framework.ValidateProviderConfig(ctx, req)
}

// upgradeResourceState is the first call for each resource of the state, even without
// a refresh.
func (s server) upgradeResourceState(ctx context.Context,
	req *tfprotov6.UpgradeResourceStateRequest,
) (*tfprotov6.UpgradeResourceStateResponse, error) {
	s.recordState(req.RawState, req.TypeName)
	if resp, ok := s.direct.Upgrade(req); ok {
		return resp, nil
	}
	return s.framework.UpgradeResourceState(ctx, req)
}

// moveResourceState is called instead for a resource that a `moved` block brings from
// another type.
func (s server) moveResourceState(ctx context.Context, req *tfprotov6.MoveResourceStateRequest) (*tfprotov6.MoveResourceStateResponse,
	error,
) {
	s.recordState(req.SourceState, req.TargetTypeName)
	return s.framework.MoveResourceState(ctx, req)
}

// recordState records that the resource that raw describes is in the state,
// unless raw does not name one.
func (s server) recordState(raw *tfprotov6.RawState, typeName string) {
	var state struct{ Type, Mesh, Name string }
	if raw != nil && json.Unmarshal(raw.JSON, &state) == nil && state.Name != "" {
		s.provider.run.Load().RecordState(kuma.Key{Type: state.Type, Mesh: state.Mesh, Name: state.Name}, typeName)
	}
}

func (s server) applyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse,
	error,
) {
	s.provider.run.Load().RecordApply()
	return either(s.direct.Delete, s.framework.ApplyResourceChange)(ctx, req)
}
