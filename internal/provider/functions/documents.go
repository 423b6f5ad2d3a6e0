package functions

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// documentsDescription describes the values of an argument with resources.
const documentsDescription = "a string with documents in YAML or JSON, a list of such strings, documents as objects, and whole resources such as `kuma_mesh_timeout.web`."

// plannedMeshDescription says which resources are planned.
const plannedMeshDescription = "Whole resources count as planned, documents as stored: a whole `kuma_mesh` without a document of the same mesh adds the policies that a control plane creates with a new mesh; a Mesh in a document does not. The MeshServices that a control plane generates for Dataplanes within seconds are added. A Dataplane with the label `kuma.io/zone` names the zone of its documents. "

// returnOf is the type of an answer.
func returnOf[Answer any]() function.ObjectReturn {
	out := map[string]attr.Type{}
	for name, a := range tfschema.ComputedOf(reflect.TypeFor[Answer](), func(string, string) string { return "" }) {
		out[name] = a.GetType()
	}
	return function.ObjectReturn{AttributeTypes: out}
}

// setAnswer sets the result of a function.
func setAnswer(ctx context.Context, resp *function.RunResponse, answer any) {
	result := resp.Result.Value().Type(ctx)
	if result == types.DynamicType {
		resp.Error = resp.Result.Set(ctx, types.DynamicValue(tfvalue.FromTree(ctx, tree.OfWithNulls(answer))))
		return
	}
	value, err := result.ValueFromTerraform(ctx, tfvalue.OfType(ctx, result.TerraformType(ctx), tree.Of(answer)))
	if err != nil {
		resp.Error = callError(err)
		return
	}
	resp.Result = function.NewResultData(value)
}

// setUnknown sets the result of a function to an unknown value.
func setUnknown(ctx context.Context, resp *function.RunResponse) {
	result := resp.Result.Value().Type(ctx)
	value, err := result.ValueFromTerraform(ctx, tftypes.NewValue(result.TerraformType(ctx), tftypes.UnknownValue))
	if err != nil {
		resp.Error = callError(err)
		return
	}
	resp.Result = function.NewResultData(value)
}

// readArgument collects the documents of an argument: a string, an object, a whole resource, or a
// list of them.
func readArgument(ctx context.Context, into *input.Documents, v types.Dynamic) error {
	value, err := v.ToTerraformValue(ctx)
	if err != nil {
		return err
	}
	return readValue(into, value)
}

func readValue(into *input.Documents, v tftypes.Value) error {
	if !v.IsKnown() {
		into.Unknown = true
		return nil
	}
	if v.IsNull() {
		return errors.New("must not be null")
	}
	switch {
	case v.Type().Is(tftypes.String):
		var text string
		if err := v.As(&text); err != nil {
			return err
		}
		return into.Text([]byte(text))
	case v.Type().Is(tftypes.Object{}), v.Type().Is(tftypes.Map{}):
		doc, err := tfvalue.Document(v)
		if doc == nil {
			into.Unknown = into.Unknown || err == nil
			return err
		}
		return into.Value(doc, tfvalue.IsResource(v))
	case v.Type().Is(tftypes.Tuple{}), v.Type().Is(tftypes.List{}), v.Type().Is(tftypes.Set{}):
		var elems []tftypes.Value
		if err := v.As(&elems); err != nil {
			return err
		}
		for i, e := range elems {
			if err := readValue(into, e); err != nil {
				return fmt.Errorf("element %d: %w", i, err)
			}
		}
		return nil
	}
	return errors.New("must be a string with YAML documents, an object, or a whole resource")
}
