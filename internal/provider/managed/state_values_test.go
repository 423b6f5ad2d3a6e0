package managed

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/kuma-universal/terraform-provider-kuma/internal/controlplane/store"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/connection"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

// TestStateWithoutRemovedFields checks that the state omits what Kuma 3.0 still shows of a Mesh of 2.14:
// without it in the configuration, each plan changed it, and no apply did.
func TestStateWithoutRemovedFields(t *testing.T) {
	t.Parallel()
	r := New(kinds.Mesh)
	typ, _ := tfschema.Resource(kinds.Mesh).Type().TerraformType(t.Context()).(tftypes.Object)
	mesh := kuma.Resource{Type: kuma.KindMesh, Name: "shop", Body: map[string]any{"skipCreatingInitialPolicies": []any{"*"}}}
	for release, omitted := range map[string]bool{"2.14.3": false, "3.0.1": true} {
		r.cp = &connection.Connection{Store: &store.Store{Capabilities: store.Capabilities{
			ControlPlane: kuma.ControlPlane{Release: kuma.ParseRelease(release)},
		}}}
		values, err := r.StateValues(mesh, typ, tftypes.NewValue(typ, nil))
		testworld.NoError(t, err)
		testworld.Equal(t, release+" omits the field", omitted, values["skip_creating_initial_policies"].IsNull())
	}
}
