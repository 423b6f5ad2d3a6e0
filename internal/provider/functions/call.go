package functions

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Call returns the result of a function of the provider, for callers other than
// Terraform. Arguments and result are decoded JSON, and further arguments are options.
// An error is what the function says about an argument, or that there is no such
// function.
func Call(ctx context.Context, name string, arguments ...any) (map[string]any, error) {
	for _, newFunction := range All() {
		f := newFunction()
		var named function.MetadataResponse
		if f.Metadata(ctx, function.MetadataRequest{}, &named); named.Name == name {
			return call(ctx, f, arguments)
		}
	}
	return nil, fmt.Errorf("the provider has no function %q", name)
}

func call(ctx context.Context, f function.Function, arguments []any) (map[string]any, error) {
	var defined function.DefinitionResponse
	f.Definition(ctx, function.DefinitionRequest{}, &defined)
	parameters := defined.Definition.Parameters
	if len(arguments) < len(parameters) {
		return nil, fmt.Errorf("%d arguments instead of %d", len(arguments), len(parameters))
	}
	var values []attr.Value
	for i, p := range parameters {
		value := tfvalue.FromTree(ctx, arguments[i])
		if _, ok := p.(function.DynamicParameter); ok {
			value = types.DynamicValue(value)
		}
		values = append(values, value)
	}
	var options []attr.Value
	var optionTypes []attr.Type
	for _, o := range arguments[len(parameters):] {
		options, optionTypes = append(options, types.DynamicValue(tfvalue.FromTree(ctx, o))), append(optionTypes, types.DynamicType)
	}
	values = append(values, types.TupleValueMust(optionTypes, options))
	result, funcErr := defined.Definition.Return.NewResultData(ctx)
	if funcErr != nil {
		return nil, funcErr
	}
	resp := function.RunResponse{Result: result}
	f.Run(ctx, function.RunRequest{Arguments: function.NewArgumentsData(values)}, &resp)
	if resp.Error != nil {
		return nil, errors.New(resp.Error.Text)
	}
	value, err := resp.Result.Value().ToTerraformValue(ctx)
	if err != nil {
		return nil, err
	}
	decoded, err := tfvalue.ToTree(value)
	return tree.Object(decoded), err
}
