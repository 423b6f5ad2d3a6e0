package functions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"
)

// All returns the constructors of the functions.
func All() []func() function.Function {
	return []func() function.Function{
		accessFunction, decodeDocumentsFunction, effectiveRulesFunction, meshLintFunction, policyImpactFunction, encodeDocumentFunction,
		encodeResourceFunction, encodeResourcesFunction, kriFunction, parseKRIFunction, requestFunction, sniFunction, upgradeDocumentsFunction,
	}
}

// providerFunction implements [function.Function].
type providerFunction struct {
	name       string
	run        func(context.Context, function.RunRequest, *function.RunResponse)
	definition function.Definition
}

func (f providerFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = f.name
}

func (f providerFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = f.definition
}

func (f providerFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	f.run(ctx, req, resp)
}
