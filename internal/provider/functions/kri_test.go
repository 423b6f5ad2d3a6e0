package functions

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// TestInvalidPartBesideAnUnknownOne checks that an invalid part of an identifier is an
// error even while another part is not known, and always the same error.
func TestInvalidPartBesideAnUnknownOne(t *testing.T) {
	t.Parallel()
	text := func(v any) tftypes.Value { return tftypes.NewValue(tftypes.String, v) }
	parts := map[string]tftypes.Value{"kind": text("MeshService"), "name": text(tftypes.UnknownValue), "names": text("web"), "zones": text("east")}
	types := map[string]tftypes.Type{}
	for name, v := range parts {
		types[name] = v.Type()
	}
	for range 50 { // the order of a map is random
		_, err := kriOf(tftypes.NewValue(tftypes.Object{AttributeTypes: types}, parts))
		if err == nil || !strings.Contains(err.Error(), `no part "names"`) {
			t.Fatalf("kriOf() = %v, want an error about the first invalid part", err)
		}
	}
}
