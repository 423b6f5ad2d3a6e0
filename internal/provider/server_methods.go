package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// The methods of the plugin protocol, each through [handle].

func (s server) GetMetadata(ctx context.Context, req *tfprotov6.GetMetadataRequest) (*tfprotov6.GetMetadataResponse, error) {
	return handle(ctx, s, s.framework.GetMetadata, req)
}

func (s server) GetProviderSchema(ctx context.Context, req *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse,
	error,
) {
	return handle(ctx, s, s.getProviderSchema, req)
}

func (s server) GetResourceIdentitySchemas(ctx context.Context,
	req *tfprotov6.GetResourceIdentitySchemasRequest,
) (*tfprotov6.GetResourceIdentitySchemasResponse, error) {
	return handle(ctx, s, s.framework.GetResourceIdentitySchemas, req)
}

func (s server) ValidateProviderConfig(ctx context.Context,
	req *tfprotov6.ValidateProviderConfigRequest,
) (*tfprotov6.ValidateProviderConfigResponse, error) {
	return handle(ctx, s, s.validateProviderConfig, req)
}

func (s server) ConfigureProvider(ctx context.Context, req *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse,
	error,
) {
	return handle(ctx, s, s.framework.ConfigureProvider, req)
}

// StopProvider returns when the interrupted actions have reported their errors: the plugin
// server then drops all events, and Terraform treats an action without an error as a success.
func (s server) StopProvider(ctx context.Context, req *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	resp, err := handle(ctx, s, s.framework.StopProvider, req)
	s.provider.actions.Lock()
	defer s.provider.actions.Unlock()
	return resp, err
}

func (s server) ValidateResourceConfig(ctx context.Context,
	req *tfprotov6.ValidateResourceConfigRequest,
) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return handle(ctx, s, either(s.direct.Validate, s.framework.ValidateResourceConfig), req)
}

func (s server) UpgradeResourceState(ctx context.Context,
	req *tfprotov6.UpgradeResourceStateRequest,
) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return handle(ctx, s, s.upgradeResourceState, req)
}

func (s server) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return handle(ctx, s, either(s.direct.Read, s.framework.ReadResource), req)
}

func (s server) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse,
	error,
) {
	return handle(ctx, s, either(s.direct.Plan, s.framework.PlanResourceChange), req)
}

func (s server) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse,
	error,
) {
	return handle(ctx, s, s.applyResourceChange, req)
}

func (s server) ImportResourceState(ctx context.Context, req *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse,
	error,
) {
	return handle(ctx, s, s.framework.ImportResourceState, req)
}

func (s server) MoveResourceState(ctx context.Context, req *tfprotov6.MoveResourceStateRequest) (*tfprotov6.MoveResourceStateResponse,
	error,
) {
	return handle(ctx, s, s.moveResourceState, req)
}

func (s server) UpgradeResourceIdentity(ctx context.Context,
	req *tfprotov6.UpgradeResourceIdentityRequest,
) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	return handle(ctx, s, s.framework.UpgradeResourceIdentity, req)
}

func (s server) GenerateResourceConfig(ctx context.Context,
	req *tfprotov6.GenerateResourceConfigRequest,
) (*tfprotov6.GenerateResourceConfigResponse, error) {
	return handle(ctx, s, s.framework.GenerateResourceConfig, req)
}

func (s server) ValidateDataResourceConfig(ctx context.Context,
	req *tfprotov6.ValidateDataResourceConfigRequest,
) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return handle(ctx, s, s.framework.ValidateDataResourceConfig, req)
}

func (s server) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	return handle(ctx, s, s.framework.ReadDataSource, req)
}

func (s server) CallFunction(ctx context.Context, req *tfprotov6.CallFunctionRequest) (*tfprotov6.CallFunctionResponse, error) {
	return handle(ctx, s, s.framework.CallFunction, req)
}

func (s server) GetFunctions(ctx context.Context, req *tfprotov6.GetFunctionsRequest) (*tfprotov6.GetFunctionsResponse, error) {
	return handle(ctx, s, s.framework.GetFunctions, req)
}

func (s server) ValidateEphemeralResourceConfig(ctx context.Context,
	req *tfprotov6.ValidateEphemeralResourceConfigRequest,
) (*tfprotov6.ValidateEphemeralResourceConfigResponse, error) {
	return handle(ctx, s, s.framework.ValidateEphemeralResourceConfig, req)
}

func (s server) OpenEphemeralResource(ctx context.Context,
	req *tfprotov6.OpenEphemeralResourceRequest,
) (*tfprotov6.OpenEphemeralResourceResponse, error) {
	return handle(ctx, s, s.framework.OpenEphemeralResource, req)
}

func (s server) RenewEphemeralResource(ctx context.Context,
	req *tfprotov6.RenewEphemeralResourceRequest,
) (*tfprotov6.RenewEphemeralResourceResponse, error) {
	return handle(ctx, s, s.framework.RenewEphemeralResource, req)
}

func (s server) CloseEphemeralResource(ctx context.Context,
	req *tfprotov6.CloseEphemeralResourceRequest,
) (*tfprotov6.CloseEphemeralResourceResponse, error) {
	return handle(ctx, s, s.framework.CloseEphemeralResource, req)
}

func (s server) ValidateListResourceConfig(ctx context.Context,
	req *tfprotov6.ValidateListResourceConfigRequest,
) (*tfprotov6.ValidateListResourceConfigResponse, error) {
	return handle(ctx, s, s.framework.ValidateListResourceConfig, req)
}

// ListResource responds while the stream is read, which is after it has returned.
func (s server) ListResource(ctx context.Context, req *tfprotov6.ListResourceRequest) (*tfprotov6.ListResourceServerStream, error) {
	stream, err := s.framework.ListResource(ctx, req)
	if err != nil || stream.Results == nil {
		return stream, err
	}
	results := stream.Results
	stream.Results = func(push func(tfprotov6.ListResourceResult) bool) {
		defer s.provider.run.Load().Call()()
		results(func(result tfprotov6.ListResourceResult) bool {
			printable(&result)
			return push(result)
		})
	}
	return stream, nil
}

func (s server) ValidateActionConfig(ctx context.Context,
	req *tfprotov6.ValidateActionConfigRequest,
) (*tfprotov6.ValidateActionConfigResponse, error) {
	return handle(ctx, s, s.framework.ValidateActionConfig, req)
}

func (s server) PlanAction(ctx context.Context, req *tfprotov6.PlanActionRequest) (*tfprotov6.PlanActionResponse, error) {
	return handle(ctx, s, s.framework.PlanAction, req)
}

// InvokeAction responds while the stream is read, which is after it has returned.
func (s server) InvokeAction(ctx context.Context, req *tfprotov6.InvokeActionRequest) (*tfprotov6.InvokeActionServerStream, error) {
	stream, err := s.framework.InvokeAction(ctx, req)
	if err != nil || stream.Events == nil {
		return stream, err
	}
	events := stream.Events
	stream.Events = func(push func(tfprotov6.InvokeActionEvent) bool) {
		s.provider.actions.RLock()
		defer s.provider.actions.RUnlock()
		defer s.provider.run.Load().Call()()
		events(func(event tfprotov6.InvokeActionEvent) bool {
			if progress, ok := event.Type.(tfprotov6.ProgressInvokeActionEventType); ok {
				event.Type = tfprotov6.ProgressInvokeActionEventType{Message: phrase.PrintableLines(progress.Message)}
			}
			printable(event.Type)
			return push(event)
		})
	}
	return stream, nil
}
