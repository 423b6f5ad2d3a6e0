package functions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// TestCall calls a function without Terraform, with options and with wrong arguments.
func TestCall(t *testing.T) {
	t.Parallel()
	documents := []any{"type: Mesh\nname: shop\n"}
	result, err := callFunction(t.Context(), "mesh_lint", documents, "shop", map[string]any{"kuma3": true})
	if summary, _ := result["summary"].(string); err != nil || !strings.HasPrefix(summary, `Mesh "shop" has `) {
		t.Errorf("got %v, %v", result, err)
	}
	for want, arguments := range map[string][]any{
		`the provider has no function "lint"`: {"lint", documents},
		"1 arguments instead of 2":            {"mesh_lint", documents},
		`"kuma" is not a valid option`:        {"mesh_lint", documents, "shop", map[string]any{"kuma": true}},
	} {
		if _, err := callFunction(t.Context(), arguments[0].(string), arguments[1:]...); err == nil || !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(want)) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestNullHeaderIsNotSent checks that a null header or parameter is the same as none.
func TestNullHeaderIsNotSent(t *testing.T) {
	t.Parallel()
	mesh := testworld.Text(t, filepath.Join("..", "..", "command", "testdata", "tcp", "http.yaml"))
	mesh = strings.Replace(mesh, "{path: {type: PathPrefix, value: /v2}}", "{path: {type: PathPrefix, value: /}, headers: [{type: Present, name: x}]}", 1)
	for want, header := range map[string]any{"redirected": "", "allowed": nil} {
		result, err := callFunction(t.Context(), "request", []any{mesh}, map[string]any{
			"mesh": "shop", "dataplane": "web-1", "service": "api", "headers": map[string]any{"x": header},
		})
		if got := result["verdict"]; err != nil || got != want {
			t.Errorf("header %v: %v (%v), want %s", header, got, err, want)
		}
	}
}

// TestDocumentsWithoutSecrets analyzes the documents of all kinds as kuma_resources returns them,
// without sensitive values.
func TestDocumentsWithoutSecrets(t *testing.T) {
	t.Parallel()
	omitted := 0
	for _, k := range kinds.All() {
		for _, r := range testworld.Resources(t, testworld.Text(t, filepath.Join("..", "..", "kinds", "testdata", "catalog", "examples", k.Name+".yaml"))) {
			without := k.WithoutSecrets(r)
			if !tree.Equal(without.Document(), r.Document()) {
				omitted++
			}
			mesh, documents := cmp.Or(r.Mesh, "default"), []any{phrase.JSON(without.Document())}
			if k.Name == kuma.KindMesh {
				mesh = r.Name
			} else {
				documents = append(documents, "{type: Mesh, name: "+mesh+"}")
			}
			for name, arguments := range map[string][]any{
				"mesh_lint": {documents, mesh}, "access": {documents, mesh}, "policy_impact": {documents, documents, mesh},
				"request": {documents, map[string]any{"mesh": mesh, "spiffe_id": "spiffe://a/b", "service": "a"}},
			} {
				if _, err := callFunction(t.Context(), name, arguments...); err != nil && strings.Contains(err.Error(), r.Type+" ") {
					t.Errorf("%s of %s %s: %v", name, r.Type, r.Name, err)
				}
			}
		}
	}
	if omitted < 5 {
		t.Errorf("%d resources have sensitive values, want at least 5", omitted)
	}
}

// TestInstancesOfAResource checks the error about a resource with for_each.
func TestInstancesOfAResource(t *testing.T) {
	t.Parallel()
	resource := map[string]any{"type": "MeshTimeout", "mesh": "shop", "name": "a", "kri": "kri_mt_shop___a_"}
	_, err := callFunction(t.Context(), "mesh_lint", []any{map[string]any{"a": resource}}, "shop")
	if want := "Write values(kuma_mesh_timeout.web) instead"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// callFunction returns the result of a function of the provider without Terraform. Arguments and result are decoded JSON, and further arguments are options.
// An error is what the function says about an argument, or that there is no such
// function.
func callFunction(ctx context.Context, name string, arguments ...any) (map[string]any, error) {
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
