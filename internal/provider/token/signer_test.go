package token

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// TestMeshOfAMisspelledType checks that only the type is reported: the mesh may be right.
func TestMeshOfAMisspelledType(t *testing.T) {
	t.Parallel()
	for typeName, want := range map[string]int{"proxy": 1, "dataplane": 0, "user": 1, "zone": 1} {
		var diags diag.Diagnostics
		signerModel{Type: types.StringValue(typeName), Mesh: types.StringValue("shop")}.validate(&diags)
		if len(diags) != want {
			t.Errorf("%s with a mesh: %v, want %d problems", typeName, diags, want)
		}
	}
}
