package functions

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfvalue"
)

// documentsDescription describes the values of an argument with resources.
const documentsDescription = "a string with documents in YAML or JSON, a list of such strings, documents as objects, and whole resources such as `kuma_mesh_timeout.web`."

// plannedMeshDescription says which resources are planned.
const plannedMeshDescription = "Whole resources count as planned, documents as stored: a whole `kuma_mesh` without a document of the same mesh adds the policies that a control plane creates with a new mesh; a Mesh in a document does not. Whole Dataplanes and meshes also add the MeshServices that a control plane generates for them. "

// attributeTypes converts attributes of a data source to the types that a function
// returns.
func attributeTypes(attributes map[string]schema.Attribute) map[string]attr.Type {
	out := make(map[string]attr.Type, len(attributes))
	for name, a := range attributes {
		out[name] = a.GetType()
	}
	return out
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
